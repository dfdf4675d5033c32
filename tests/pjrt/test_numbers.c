// Plugins of every number, with the layout, the sizes and the checks of their day.
#include <unistd.h>

#include "base/status.h"
#include "harness.h"
#include "pjrt/host/plugin.h"
#include "pjrt/host/table.h"

static const char* path_of(int major, int minor) {
  static char path[512];
  snprintf(path, sizeof path, TENON_BUILD_DIR "/tests/plugins/pjrt_%d_%d.so", major, minor);
  return path;
}

// Builds with a sanitizer have some numbers only.
static bool is_built(int major, int minor) { return access(path_of(major, minor), R_OK) == 0; }

static tn_pjrt* open_number(int major, int minor, int as_host, tn_status* status) {
  tn_pjrt_open_options options = TN_INIT(tn_pjrt_open_options);
  options.as_host = as_host;
  return tn_pjrt_open(path_of(major, minor), &options, status);
}

TEST(test_every_number_since_28_opens_and_has_what_it_should) {
  tn_status* status = tn_status_create();
  int opened = 0;
  for (int minor = TN_PJRT_OLDEST; minor <= 130; ++minor) {
    if (minor == TN_PJRT_ODD || !is_built(0, minor)) continue;
    ++opened;
    tn_pjrt* plugin = open_number(0, minor, 0, status);
    CHECK_OK(status);
    if (!plugin) exit(1);
    int found;
    tn_pjrt_api_version(plugin, NULL, &found);
    CHECK_INT(found, minor);
    for (int i = 0; i < TN_PJRT_ENTRY_COUNT; ++i)
      if (tn_pjrt_has(plugin, tn_pjrt_entry_names[i]) != (tn_pjrt_entry_since(i) <= minor))
        test_fail(__FILE__, __LINE__, "0.%d and %s", minor, tn_pjrt_entry_names[i]);
    CHECK(tn_pjrt_values_find(tn_pjrt_attributes(plugin), "stablehlo_current_version") != SIZE_MAX);
    CHECK_INT(tn_pjrt_extension_count(plugin) > 0, minor >= 31);
    // Only its being newer is worth a word.
    if (minor <= TN_PJRT_NEWEST) CHECK_TEXT(tn_pjrt_notes(plugin), "");
    tn_pjrt_close(plugin);
  }
  CHECK(opened > 10);
  tn_status_destroy(status);
}

TEST(test_numbers_that_cannot_be_understood_are_refused_untouched) {
  static const struct {
    int major, minor;
    const char* words;
  } refused[] = {{0, 0, "its table has no number"}, {0, 1, "it has PJRT 0.1 (of 2023-06-07)"},
                 {0, 2, "it has PJRT 0.2"},         {0, 12, "it has PJRT 0.12"},
                 {0, 13, "it has PJRT 0.13"},       {0, 26, "it has PJRT 0.26"},
                 {0, 27, "it has PJRT 0.27"},       {0, 56, "it has PJRT 0.56"},
                 {1, 0, "it has PJRT 1."}};
  tn_status* status = tn_status_create();
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    if (!is_built(refused[i].major, refused[i].minor)) continue;
    CHECK(!open_number(refused[i].major, refused[i].minor, 0, status));
    CHECK_CONTAINS(tn_status_message(status), refused[i].words);
    CHECK_CODE(status, TN_FAILED_PRECONDITION);
  }
  tn_status_destroy(status);
}

// The sizes are those of frameworks of the time, so that what a plugin refuses is what it refused
// then.
TEST(test_hosts_of_other_numbers_open_what_frameworks_of_theirs_could) {
  tn_status* status = tn_status_create();
  static const int hosts[] = {28, 34, 45, 60, 70, 71, 114, 117};
  static const int plugins[] = {28, 34, 35, 70, 71, 90, 117, 130};
  for (size_t h = 0; h < sizeof hosts / sizeof *hosts; ++h)
    for (size_t p = 0; p < sizeof plugins / sizeof *plugins; ++p) {
      if (!is_built(0, plugins[p])) continue;
      tn_pjrt* plugin = open_number(0, plugins[p], hosts[h], status);
      CHECK_OK(status);
      if (!plugin) exit(1);
      for (int i = 0; i < TN_PJRT_ENTRY_COUNT; ++i)
        if (tn_pjrt_has(plugin, tn_pjrt_entry_names[i]) !=
            (tn_pjrt_entry_since(i) <= plugins[p] && tn_pjrt_entry_since(i) <= hosts[h]))
          test_fail(__FILE__, __LINE__, "host 0.%d, plugin 0.%d, %s", hosts[h], plugins[p],
                    tn_pjrt_entry_names[i]);
      // 24 was sent up to 0.70. Before 0.34 a plugin wants its own size, from 0.71 on the true one.
      const bool told = hosts[h] <= 70 ? plugins[p] <= 70 : plugins[p] >= 34;
      if ((tn_pjrt_values_count(tn_pjrt_attributes(plugin)) > 0) != told)
        test_fail(__FILE__, __LINE__, "host 0.%d, plugin 0.%d: %s", hosts[h], plugins[p],
                  told ? "attributes are not told" : "attributes are told");
      CHECK_INT(strstr(tn_pjrt_notes(plugin), "PJRT_Plugin_Attributes: INVALID_ARGUMENT") == NULL,
                told);
      tn_pjrt_close(plugin);
    }
  tn_status_destroy(status);
}

// ---- Faults that are planted ----

static tn_pjrt* open_misdeed(const char* name, tn_status* status) {
  setenv("PJRT_MISDEED", name, 1);
  return open_number(0, 114, 0, status);
}

static void check_refused(const char* name, tn_code code, const char* words) {
  tn_status* status = tn_status_create();
  CHECK(!open_misdeed(name, status));
  CHECK_CONTAINS(tn_status_message(status), "pjrt_0_114.so");
  CHECK_CONTAINS(tn_status_message(status), words);
  CHECK_CODE(status, code);
  tn_status_destroy(status);
}

static void check_taken(const char* name, const char* note) {
  tn_status* status = tn_status_create();
  tn_pjrt* plugin = open_misdeed(name, status);
  CHECK_OK(status);
  CHECK_CONTAINS(tn_pjrt_notes(plugin), note);
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}

TEST(test_no_table_at_all) {
  check_refused("null_table", TN_FAILED_PRECONDITION, "GetPjrtApi gave NULL");
}
TEST(test_a_table_of_no_size) {
  check_refused("zero_struct_size", TN_FAILED_PRECONDITION, "struct_size 0, which no table has");
}
TEST(test_a_table_of_huge_size) {
  check_refused("huge_struct_size", TN_FAILED_PRECONDITION, "which no table has");
}
TEST(test_a_negative_number) {
  check_refused("negative_number", TN_FAILED_PRECONDITION, "says 0.-1");
}
TEST(test_an_initialization_that_fails) {
  check_refused("initialize_fails", TN_FAILED_PRECONDITION, "PJRT_Plugin_Initialize");
}
TEST(test_a_size_within_the_last_entry) {
  check_taken("odd_struct_size",
              "PJRT_TopologyDescription_GetMemorySpaceKindIds is past the end of its table");
}
TEST(test_a_table_that_is_short) {
  check_taken("short_struct_size", "PJRT_Client_Create, PJRT_Client_Destroy");
}
TEST(test_a_table_that_says_more_than_there_is) {
  // What this host knows of 0.114 is all there; of 0.90 it is not.
  check_taken("more_than_there_is", "it has PJRT 0.130");
  tn_status* status = tn_status_create();
  CHECK(!open_number(0, 90, 0, status));
  CHECK_CONTAINS(tn_status_message(status), "should have 1144 bytes, and memory ends before");
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  tn_status_destroy(status);
}
TEST(test_a_chain_that_leads_back) { check_taken("circular_extensions", "runs in a circle"); }
TEST(test_a_node_without_size) { check_taken("extension_of_size_zero", "says struct_size 0"); }
TEST(test_entries_that_are_null) { check_taken("empty_slots", "NULL in its table"); }
TEST(test_threads_that_stay) { check_taken("starts_threads", "PJRT_Plugin_Initialize started "); }
TEST(test_attributes_of_no_kind) { check_taken("garbage_attributes", ""); }
TEST(test_attributes_that_come_twice) { check_taken("attribute_twice", ""); }
TEST(test_another_table_each_time) { check_taken("other_table_each_time", ""); }
