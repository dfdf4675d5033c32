#include <pthread.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "harness.h"
#include "op/op_registry.h"
#include "tenon/plugin.h"
#include "tenon/registry.h"

#define FAKE(name) TENON_BUILD_DIR "/tests/plugins/" name

static tn_plugin* load_fine(const char* path, const tn_load_options* options) {
  tn_status status = {0};
  tn_plugin* plugin = tn_plugin_load(path, options, &status);
  CHECK_OK(&status);
  tn_status_deinit(&status);
  if (!plugin) exit(1);
  return plugin;
}

static void check_refused(const char* path, const tn_load_options* options, tn_code code,
                          tn_fault fault, const char* message) {
  tn_status status = {0};
  CHECK(!tn_plugin_load(path, options, &status));
  CHECK_CONTAINS(tn_status_message(&status), message);
  CHECK_INT(tn_status_fault(&status), fault);
  CHECK_CODE(&status, code);
}

// Makes `path` from the good plugin by a shell command that reads $good and writes $made.
static void make_file(const char* path, const char* command) {
  setenv("good", FAKE("good.so"), 1);
  setenv("made", path, 1);
  if (system(command) != 0) test_fail(__FILE__, __LINE__, "%s", command);
}

static bool count_plugin(tn_plugin* plugin, void* arg) {
  ++*(int*)arg;
  return true;
}

static int plugin_count(void) {
  int count = 0;
  tn_plugin_each(count_plugin, &count);
  return count;
}

TEST(test_a_good_plugin_registers_its_op_and_kernel) {
  tn_plugin* plugin = load_fine(FAKE("good.so"), NULL);
  CHECK_TEXT(tn_plugin_path(plugin), FAKE("good.so"));
  CHECK_TEXT(tn_plugin_name(plugin), "good.so");
  CHECK_TEXT(tn_plugin_notes(plugin), "");
  CHECK_INT(tn_plugin_op_count(plugin), 1);
  CHECK_INT(tn_plugin_kernel_count(plugin), 1);
  CHECK_INT(tn_plugin_entry_points(plugin), TN_ENTRY_KERNEL);
  CHECK_INT(tn_plugin_entry_points_called(plugin), TN_ENTRY_KERNEL);
  const tn_op_def* op = tn_op_registry_find("Fake_good");
  CHECK(op && op->origin);
  CHECK_TEXT(op->origin->path, FAKE("good.so"));
  CHECK_INT(plugin_count(), 1);
}

TEST(test_a_file_loads_once_under_whatever_name) {
  char link_path[4096];
  tn_plugin* plugin = load_fine(FAKE("good.so"), NULL);
  CHECK(load_fine(FAKE("good.so"), NULL) == plugin);
  CHECK_INT(chdir(TENON_BUILD_DIR "/tests"), 0);
  CHECK(load_fine("plugins/good.so", NULL) == plugin);
  snprintf(link_path, sizeof link_path, "%s/link.so", test_folder());
  CHECK_INT(symlink(FAKE("good.so"), link_path), 0);
  CHECK(load_fine(link_path, NULL) == plugin);
  CHECK_INT(tn_plugin_kernel_count(plugin), 1);
  CHECK_INT(plugin_count(), 1);
}

TEST(test_a_relative_path_with_non_ascii_letters_loads) {
  char path[4096];
  snprintf(path, sizeof path, "%s/\xc3\xbc\xe6\xbc\xa2 \xf0\x9f\x99\x82.so", test_folder());
  make_file(path, "cp \"$good\" \"$made\"");
  CHECK_INT(chdir(test_folder()), 0);
  tn_plugin* plugin = load_fine("\xc3\xbc\xe6\xbc\xa2 \xf0\x9f\x99\x82.so", NULL);
  CHECK_TEXT(tn_plugin_path(plugin), path);
  CHECK_INT(tn_plugin_kernel_count(plugin), 1);
}

TEST(test_plugins_that_name_tensorflow_s_libraries_load) {
  CHECK_INT(tn_plugin_kernel_count(load_fine(FAKE("needs_framework.so"), NULL)), 1);
  CHECK_INT(tn_plugin_kernel_count(load_fine(FAKE("needs_cc.so"), NULL)), 1);
  CHECK_INT(tn_plugin_kernel_count(load_fine(FAKE("needs_pywrap.so"), NULL)), 1);
  CHECK_INT(plugin_count(), 3);
}

TEST(test_files_that_are_no_plugin_are_refused_before_they_are_opened) {
  char path[4096];
  snprintf(path, sizeof path, "%s/made.so", test_folder());
  make_file(path, "head -c 6000 \"$good\" > \"$made\"");
  check_refused(path, NULL, TN_DATA_LOSS, TN_FAULT_PLUGIN, "cut short");
  make_file(path,
            "cp \"$good\" \"$made\" && "
            "printf '\\267' | dd of=\"$made\" bs=1 seek=18 conv=notrunc status=none");
  check_refused(path, NULL, TN_FAILED_PRECONDITION, TN_FAULT_PLUGIN, "made for AArch64");
  make_file(path,
            "cp \"$good\" \"$made\" && "
            "printf '\\001' | dd of=\"$made\" bs=1 seek=4 conv=notrunc status=none");
  CHECK(!tn_plugin_load(path, NULL, NULL));  // a header that says 32 bits
  make_file(path, "echo 'int x;' > \"$made\"");
  check_refused(path, NULL, TN_INVALID_ARGUMENT, TN_FAULT_PLUGIN, "a text file");
  make_file(path, ": > \"$made\"");
  check_refused(path, NULL, TN_INVALID_ARGUMENT, TN_FAULT_PLUGIN, "an empty file");
  check_refused("/no/such/plugin.so", NULL, TN_NOT_FOUND, TN_FAULT_UNSAID, "/no/such/plugin.so");
  check_refused(FAKE("no_entry_point.so"), NULL, TN_INVALID_ARGUMENT, TN_FAULT_PLUGIN,
                "it exports none of the entry points TF_InitKernel");
  check_refused(NULL, NULL, TN_INVALID_ARGUMENT, TN_FAULT_CALLER, "no path");
  CHECK_INT(plugin_count(), 0);
}

TEST(test_what_a_plugin_lacks_is_said_before_it_is_opened) {
  check_refused(FAKE("missing_libraries.so"), NULL, TN_NOT_FOUND, TN_FAULT_PLUGIN,
                "libtenon_absent_one.so, libtenon_absent_two.so");
  check_refused(FAKE("missing_function.so"), NULL, TN_UNIMPLEMENTED, TN_FAULT_HOST,
                "TF_AddedInTheFuture");
  check_refused(FAKE("missing_symbol.so"), NULL, TN_NOT_FOUND, TN_FAULT_PLUGIN,
                "fake_defined_nowhere");
  check_refused(FAKE("missing_weak_function.so"), NULL, TN_UNIMPLEMENTED, TN_FAULT_HOST,
                "address 0): TF_AddedInTheFuture");
}

TEST(test_a_plugin_that_tests_its_weak_functions_loads_when_allowed) {
  tn_load_options options = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE,
                             .allow_missing_weak = true};
  check_refused(FAKE("tested_weak_function.so"), NULL, TN_UNIMPLEMENTED, TN_FAULT_HOST, "weakly");
  CHECK_INT(tn_plugin_kernel_count(load_fine(FAKE("tested_weak_function.so"), &options)), 1);
  options.first_contact = true;
  check_refused(FAKE("missing_weak_function.so"), &options, TN_INTERNAL, TN_FAULT_PLUGIN,
                "killed by SIGSEGV in TF_InitKernel");
}

TEST(test_a_bad_registration_fails_the_load_and_takes_all_back) {
  check_refused(FAKE("bad_spec.so"), NULL, TN_INVALID_ARGUMENT, TN_FAULT_PLUGIN,
                "bad_spec.so: TF_InitKernel: ");
  CHECK(!tn_op_registry_find("Fake_bad_spec"));
  check_refused(FAKE("same_op_twice.so"), NULL, TN_ALREADY_EXISTS, TN_FAULT_PLUGIN,
                "same_op_twice.so: TF_InitKernel: ");
  CHECK(!tn_op_registry_find("Fake_same_op_twice"));
  check_refused(FAKE("taken_op.so"), NULL, TN_ALREADY_EXISTS, TN_FAULT_PLUGIN,
                "Op with name AddV2 is registered already");
  CHECK(tn_op_registry_find("AddV2"));
  CHECK_INT(plugin_count(), 0);
  // Again: it is open by now, and no better.
  check_refused(FAKE("same_op_twice.so"), NULL, TN_ALREADY_EXISTS, TN_FAULT_PLUGIN,
                "same_op_twice.so: TF_InitKernel: ");
}

TEST(test_first_contact_keeps_crashes_exits_and_hangs_out_of_this_process) {
  tn_load_options options = {
      .struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE, .first_contact = true, .time_limit_ms = 700};
  check_refused(FAKE("hang_in_init.so"), &options, TN_DEADLINE_EXCEEDED, TN_FAULT_PLUGIN,
                "not back after 0.7 s in TF_InitKernel");
  options.time_limit_ms = 0;
  check_refused(FAKE("crash_in_constructor.so"), &options, TN_INTERNAL, TN_FAULT_PLUGIN,
                "killed by SIGSEGV in its constructors (dlopen)");
  check_refused(FAKE("exit_in_init.so"), &options, TN_INTERNAL, TN_FAULT_PLUGIN,
                "exit code 0 in TF_InitKernel");
  check_refused(FAKE("bad_spec.so"), &options, TN_INVALID_ARGUMENT, TN_FAULT_PLUGIN, "bad_spec.so");
  CHECK_INT(tn_plugin_kernel_count(load_fine(FAKE("good.so"), &options)), 1);
  CHECK_INT(plugin_count(), 1);
}

TEST(test_entry_points_of_other_roles_are_noted_not_called) {
  tn_load_options options = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE,
                             .entry_points = TN_ENTRY_KERNEL};
  tn_plugin* plugin = load_fine(FAKE("other_entry_points.so"), &options);
  CHECK_INT(tn_plugin_entry_points(plugin), TN_ENTRY_KERNEL | TN_ENTRY_DEVICE | TN_ENTRY_GRAPH);
  CHECK_INT(tn_plugin_entry_points_called(plugin), TN_ENTRY_KERNEL);
  CHECK_CONTAINS(tn_plugin_notes(plugin), "graph entry point TF_InitGraph found, not called: ");
  options.entry_points = TN_ENTRY_GRAPH;
  check_refused(FAKE("other_entry_points.so"), &options, TN_UNIMPLEMENTED, TN_FAULT_CALLER,
                "this host drives");
}

TEST(test_opening_alone_calls_nothing_and_a_second_load_calls_the_rest) {
  tn_load_options options = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE,
                             .entry_points = TN_ENTRY_CONSTRUCTORS};
  tn_plugin* plugin = load_fine(FAKE("good.so"), &options);
  CHECK_INT(tn_plugin_kernel_count(plugin), 0);
  CHECK_INT(tn_plugin_entry_points_called(plugin), 0);
  CHECK(load_fine(FAKE("good.so"), NULL) == plugin);
  CHECK_INT(tn_plugin_kernel_count(plugin), 1);
  CHECK_INT(tn_plugin_kernel_count(load_fine(FAKE("no_entry_point.so"), &options)), 0);
  options.entry_points |= TN_ENTRY_KERNEL;
  CHECK_INT(tn_plugin_kernel_count(load_fine(FAKE("other_good.so"), &options)), 1);
  CHECK_INT(tn_plugin_kernel_count(load_fine(FAKE("no_entry_point.so"), &options)), 0);
}

TEST(test_what_constructors_register_belongs_to_the_plugin) {
  tn_plugin* plugin = load_fine(FAKE("register_in_constructor.so"), NULL);
  CHECK_INT(tn_plugin_op_count(plugin), 1);
  CHECK_INT(tn_plugin_kernel_count(plugin), 1);
}

TEST(test_options_of_another_release_are_read_as_far_as_they_go) {
  tn_load_options options = {.struct_size = TF_OFFSET_OF_END(tn_load_options, ext),
                             .entry_points = TN_ENTRY_DEVICE};  // past the announced size
  CHECK_INT(tn_plugin_kernel_count(load_fine(FAKE("good.so"), &options)), 1);
  options = (tn_load_options){.struct_size = 3};
  check_refused(FAKE("other_good.so"), &options, TN_INVALID_ARGUMENT, TN_FAULT_CALLER,
                "tn_load_options: struct_size 3");
  options = (tn_load_options){.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE, .ext = &options};
  check_refused(FAKE("other_good.so"), &options, TN_INVALID_ARGUMENT, TN_FAULT_CALLER, "ext");
}

static bool check_kernel_size(const tn_kernel_info* info, void* arg) {
  // Not the padding behind it, in which a later release may put a field.
  CHECK(info->struct_size == TF_OFFSET_OF_END(tn_kernel_info, is_async));
  CHECK(info->struct_size < sizeof *info && TN_HAS(info, is_async));
  ++*(int*)arg;
  return true;
}

TEST(test_what_is_handed_out_announces_the_end_of_its_last_field) {
  int kernels = 0;
  tn_status* status = tn_status_create();
  CHECK(load_fine(FAKE("good.so"), NULL));
  CHECK(tn_kernels_each("Fake_good", check_kernel_size, &kernels, status));
  CHECK_INT(kernels, 1);
  tn_op_info* op = tn_op_info_create("Fake_good", status);
  CHECK(op && op->struct_size == TF_OFFSET_OF_END(tn_op_info, deprecation));
  tn_op_info_destroy(op);
  tn_status_destroy(status);
}

static void* load_in_thread(void* arg) { return tn_plugin_load(arg, NULL, NULL); }

TEST(test_threads_that_load_the_same_file_get_the_same_plugin) {
  pthread_t threads[8];
  void* plugins[8];
  for (int i = 0; i < 8; ++i)
    CHECK_INT(pthread_create(&threads[i], NULL, load_in_thread,
                             i % 2 ? FAKE("other_good.so") : FAKE("good.so")),
              0);
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], &plugins[i]);
  for (int i = 2; i < 8; ++i) CHECK(plugins[i] && plugins[i] == plugins[i - 2]);
  CHECK(plugins[0] != plugins[1]);
  CHECK_INT(plugin_count(), 2);
}

// Not the harness's sweep: that runs once without failing, and then the plugin would be there.
TEST(test_a_load_without_memory_fails_cleanly_and_can_be_tried_again) {
  tn_plugin* plugin = NULL;
  int rounds = 0;
  for (; !plugin && rounds < 10000; ++rounds) {
    tn_status status = {0};
    tn_memory_fail_at(rounds);
    plugin = tn_plugin_load(FAKE("good.so"), NULL, &status);
    tn_memory_fail_at(-1);
    if (!plugin) CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
    CHECK_INT(plugin_count(), plugin != NULL);
    if (!plugin) CHECK(!tn_op_registry_find("Fake_good"));
  }
  CHECK(plugin && rounds > 20);
  CHECK_INT(tn_plugin_op_count(plugin), 1);
  CHECK_INT(tn_plugin_kernel_count(plugin), 1);
}

// What is refused is refused before anything is kept.
static bool load_refused(void* arg, tn_status* status) {
  bool refused = !tn_plugin_load(arg, NULL, status) && tn_status_code(status) == TN_NOT_FOUND;
  if (refused) tn_status_clear(status);
  return refused;
}

TEST(test_a_refused_load_leaves_nothing_behind) {
  CHECK(test_sweep_allocations(load_refused, FAKE("missing_libraries.so")) > 10);
}
