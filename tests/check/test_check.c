// All PJRT cases on a good plugin, from C: what the command runs, also in builds with sanitizers.
#include "base/status.h"
#include "check/check.h"
#include "harness.h"

static const char plugin[] = TENON_BUILD_DIR "/tests/plugins/pjrt_0_117.so";

static void expect_fine(const tn_check* check, size_t i, void* arg) {
  const tn_check_result* result = tn_check_result_at(check, i);
  if (tn_check_verdict(result) == TN_VERDICT_FINE) return;
  test_fail(__FILE__, __LINE__, "%s %s: %s, %s", result->name, tn_outcome_name(result->outcome),
            result->finding_count ? result->findings[0].seen : "no finding",
            result->ended.size ? result->ended.data
            : result->reason   ? result->reason
                               : "");
}

static void run(const char* pattern) {
  tn_status status = {0};
  const tn_check_options options = {
      .only = &pattern, .only_count = 1, .seed = test_seed(), .jobs = 2, .time_limit_ms = 120000};
  tn_check* check = tn_check_create(plugin, &options, &status);
  CHECK_OK(&status);
  if (!check) return;
  CHECK(tn_check_run(check, expect_fine, NULL, &status));
  CHECK_OK(&status);
  const tn_check_totals totals = tn_check_count_up(check);
  CHECK(totals.passed > 0);
  CHECK_INT(totals.passed + totals.skipped, tn_check_count(check));
  tn_check_destroy(check);
  tn_status_deinit(&status);
}

TEST(a_good_plugin_passes_the_cases_of_the_entry) { run("pjrt.entry.*"); }
TEST(a_good_plugin_passes_the_cases_of_the_process) { run("pjrt.process.*"); }
TEST(a_good_plugin_passes_the_cases_of_errors) { run("pjrt.errors.*"); }
TEST(a_good_plugin_passes_the_cases_of_clients) { run("pjrt.client.*"); }
TEST(a_good_plugin_passes_the_cases_of_devices) { run("pjrt.devices.*"); }
TEST(a_good_plugin_passes_the_cases_of_memories) { run("pjrt.memories.*"); }
TEST(a_good_plugin_passes_the_cases_of_topologies) { run("pjrt.topology.*"); }
TEST(a_good_plugin_passes_the_cases_of_sizes) { run("pjrt.sizes.*"); }
TEST(a_good_plugin_passes_the_cases_of_types) { run("pjrt.buffers.type_*"); }
TEST(a_good_plugin_passes_the_cases_of_strides) { run("pjrt.buffers.strides_*"); }
TEST(a_good_plugin_passes_the_other_cases_of_buffers) { run("pjrt.buffers.[!st]*"); }
TEST(a_good_plugin_passes_the_cases_of_reads) { run("pjrt.reads.*"); }
TEST(a_good_plugin_passes_the_cases_of_lifetimes) { run("pjrt.lifetimes.*"); }
TEST(a_good_plugin_passes_the_cases_of_events) { run("pjrt.events.*"); }
TEST(a_good_plugin_passes_the_cases_of_programs) { run("pjrt.programs.*"); }
TEST(a_good_plugin_passes_the_cases_of_bad_programs) { run("pjrt.bad_programs.*"); }
TEST(a_good_plugin_passes_the_cases_of_execution) { run("pjrt.execution.*"); }
TEST(a_good_plugin_passes_the_cases_of_donation) { run("pjrt.donation.*"); }
TEST(a_good_plugin_passes_the_cases_of_transfers) { run("pjrt.transfers.*"); }
TEST(a_good_plugin_passes_the_cases_of_extensions) { run("pjrt.extensions.*"); }

static bool choose_and_write(void* arg, tn_status* status) {
  const char* pattern = "pjrt.entry.n*";
  const tn_check_options options = {.only = &pattern, .only_count = 1};
  tn_check* check = tn_check_create(plugin, &options, status);
  if (!check) return false;
  tn_text text = {0};
  tn_check_tap_begin(check, &text);
  for (size_t i = 0; i < tn_check_count(check); ++i) tn_check_tap_result(check, i, &text);
  tn_check_json(check, &text);
  tn_check_junit(check, &text);
  const bool written = !text.failed;
  if (!written) tn_status_set_no_memory(status, "writing");
  tn_text_deinit(&text);
  tn_check_destroy(check);
  return written;
}

TEST(choosing_and_telling_survive_every_failed_allocation) {
  CHECK(test_sweep_allocations(choose_and_write, NULL) > 5);
}

static bool read_list(void* arg, tn_status* status) {
  tn_exceptions* list = tn_exceptions_read(arg, status);
  if (!list) return false;
  CHECK_INT(list->count, 2);
  CHECK_TEXT(tn_exceptions_find(list, "pjrt.events.await")->reason, "they never come");
  CHECK(!tn_exceptions_find(list, "pjrt.entry.size"));
  tn_exceptions_destroy(list);
  return true;
}

TEST(reading_a_list_survives_every_failed_allocation) {
  char path[512];
  snprintf(path, sizeof path, "%s/list", test_folder());
  FILE* file = fopen(path, "w");
  CHECK(file);
  fputs("# known\n\npjrt.events.*\tthey never come\r\n  pjrt.entry.same_table   two tables  \n",
        file);
  fclose(file);
  CHECK(test_sweep_allocations(read_list, path) > 3);
}
