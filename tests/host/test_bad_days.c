// What is left of the public functions' bad days: wrong arguments and missing memory where no
// other test has them. tests/house/bad_days.tsv says which test stands for which function.
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "harness.h"
#include "tenon/tenon.h"

#define FAKE(name) TENON_BUILD_DIR "/tests/plugins/" name

static bool count_plugin(tn_plugin* plugin, void* arg) { return ++*(int*)arg; }
static bool count_op(const char* name, const char* origin, void* arg) { return ++*(int*)arg; }
static bool count_kernel(const tn_kernel_info* kernel, void* arg) { return ++*(int*)arg; }
static void count_payload(const char* key, const char* value, void* arg) { ++*(int*)arg; }

TEST(test_there_is_nothing_to_say_about_no_plugin) {
  CHECK_TEXT(tn_plugin_path(NULL), "");
  CHECK_TEXT(tn_plugin_name(NULL), "");
  CHECK_TEXT(tn_plugin_notes(NULL), "");
  CHECK_INT(tn_plugin_entry_points(NULL), 0);
  CHECK_INT(tn_plugin_entry_points_called(NULL), 0);
  CHECK_INT(tn_plugin_op_count(NULL), 0);
  CHECK_INT(tn_plugin_kernel_count(NULL), 0);
  tn_plugin_each(NULL, NULL);
  CHECK(!tn_entry_point_symbol((tn_entry_point)0));
  CHECK(!tn_entry_point_symbol((tn_entry_point)-1));
  CHECK(!tn_entry_point_symbol(TN_ENTRY_CONSTRUCTORS));
}

TEST(test_bad_requests_to_load_are_refused) {
  tn_status status = {0};
  tn_load_options options = {TN_LOAD_OPTIONS_STRUCT_SIZE, &options, 0, 0, false, false, false};
  for (int i = 0; i < 2; ++i) {
    CHECK(!tn_plugin_load(i ? "" : NULL, NULL, &status));
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  }
  CHECK(!tn_plugin_load(FAKE("good.so"), &options, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  options = (tn_load_options){0};
  CHECK(!tn_plugin_load(FAKE("good.so"), &options, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
}

// A folder of libraries as installed, with one plugin in it.
static void make_library_folder(void) {
  char command[2048];
  snprintf(command, sizeof command,
           "mkdir -p '%1$s/tenon/plugins' && ln -s '%2$s'/lib/libtenon* '%1$s' && "
           "ln -s '%2$s/tests/plugins/good.so' '%1$s/tenon/plugins/'",
           test_folder(), TENON_BUILD_DIR);
  if (system(command) != 0) test_fail(__FILE__, __LINE__, "%s", command);
  setenv("TENON_LIBDIR", test_folder(), 1);
}

static bool load_defaults(void* arg, tn_status* status) {
  return tn_plugin_load_defaults(NULL, status);
}

TEST(test_default_plugins_with_bad_options_or_without_memory) {
  make_library_folder();
  tn_status status = {0};
  tn_load_options options = {0};
  CHECK(!tn_plugin_load_defaults(&options, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(test_sweep_allocations(load_defaults, NULL) > 3);
  int count = 0;
  tn_plugin_each(count_plugin, &count);
  CHECK_INT(count, 1);
  setenv("TENON_LIBDIR", "/no/such/folder", 1);
  CHECK(!tn_plugin_load_defaults(NULL, &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
}

TEST(test_what_is_not_registered_has_no_description) {
  tn_status status = {0};
  CHECK(!tn_op_info_create(NULL, &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
  CHECK(!tn_op_info_create("NoSuchOp", &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
  tn_op_info_destroy(NULL);
  tn_ops_each(NULL, NULL);
  CHECK(tn_kernels_each(NULL, NULL, NULL, &status));
  int count = 0;
  CHECK(tn_kernels_each("NoSuchOp", count_kernel, &count, &status));
  CHECK_OK(&status);
  CHECK_INT(count, 0);
}

static bool describe(void* arg, tn_status* status) {
  int count = 0;
  tn_op_info* info = tn_op_info_create("Fake_good", status);
  bool done = info && tn_kernels_each("Fake_good", count_kernel, &count, status);
  tn_op_info_destroy(info);
  return done;
}

TEST(test_descriptions_without_memory) {
  CHECK(tn_plugin_load(FAKE("good.so"), NULL, NULL));
  CHECK(test_sweep_allocations(describe, NULL) > 2);
}

// Questions, and whatever only frees.
TEST(test_questions_allocate_nothing) {
  tn_status* status = tn_status_create();
  tn_plugin* plugin = tn_plugin_load(FAKE("good.so"), NULL, status);
  CHECK(plugin);
  tn_tensor* tensor = tn_tensor_create_strings(NULL, 0, (const char*[]){"text"}, NULL, status);
  char path[256];
  snprintf(path, sizeof path, "%s/a.npz", test_folder());
  CHECK(tn_npz_write(path, (const char*[]){"a"}, (tn_tensor*[]){tensor}, 1, status));
  tn_npz* archive = tn_npz_open(path, status);
  tn_op_info* info = tn_op_info_create("Fake_good", status);
  tn_call* call = tn_call_create("Fake_good", NULL, status);
  CHECK_OK(status);
  tn_status_set(status, TN_INTERNAL, "x");
  tn_status_set_payload(status, "k", "v");
  int count = 0;

  tn_memory_fail_at(0);
  CHECK(!tn_ok(status));
  CHECK_INT(tn_status_code(status), TN_INTERNAL);
  CHECK_TEXT(tn_status_message(status), "x");
  tn_status_set_fault(status, TN_FAULT_HOST);
  CHECK_INT(tn_status_fault(status), TN_FAULT_HOST);
  CHECK_TEXT(tn_code_name(TN_INTERNAL), "INTERNAL");
  tn_status_each_payload(status, count_payload, &count);
  CHECK_INT(tn_report(status), 1);
  tn_status_clear(status);
  tn_status_destroy(status);
  CHECK_INT(tn_dtype_size(TN_FLOAT), 4);
  CHECK_TEXT(tn_dtype_name(TN_FLOAT), "float");
  CHECK_INT(tn_dtype_from_name("float"), TN_FLOAT);
  CHECK_INT(tn_tensor_dtype(tensor), TN_STRING);
  CHECK_INT(tn_tensor_rank(tensor), 0);
  CHECK_INT(tn_tensor_dim(tensor, 0), -1);
  CHECK_INT(tn_tensor_elements(tensor), 1);
  CHECK_INT(tn_tensor_bytes(tensor), 24);
  CHECK(tn_tensor_data(tensor));
  CHECK_TEXT(tn_tensor_string(tensor, 0, NULL), "text");
  tn_tensor_destroy(tensor);
  CHECK_INT(tn_npz_count(archive), 1);
  CHECK_TEXT(tn_npz_name(archive, 0), "a");
  tn_npz_close(archive);
  tn_op_info_destroy(info);
  tn_call_destroy(call);
  tn_ops_each(count_op, &count);
  tn_plugin_each(count_plugin, &count);
  CHECK_TEXT(tn_plugin_name(plugin), "good.so");
  CHECK_TEXT(tn_plugin_path(plugin), FAKE("good.so"));
  CHECK_TEXT(tn_plugin_notes(plugin), "");
  CHECK_INT(tn_plugin_entry_points(plugin), TN_ENTRY_KERNEL);
  CHECK_INT(tn_plugin_entry_points_called(plugin), TN_ENTRY_KERNEL);
  CHECK_INT(tn_plugin_op_count(plugin), 1);
  CHECK_INT(tn_plugin_kernel_count(plugin), 1);
  CHECK_TEXT(tn_entry_point_symbol(TN_ENTRY_KERNEL), "TF_InitKernel");
  CHECK_INT(tn_memory_asked(), 0);
  CHECK(count > 2);
}
