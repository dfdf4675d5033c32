// Kernels of the C++ API that do wrong things: each is a status, and nothing is left behind.
#include "base/status.h"
#include "harness.h"
#include "tenon/call.h"
#include "tenon/plugin.h"
#include "tenon/tensor.h"

#define PLUGIN(name) TENON_BUILD_DIR "/tests/plugins/" name ".so"

static void load(const char* path) {
  tn_status status = {0};
  CHECK(tn_plugin_load(path, NULL, &status));
  CHECK_OK(&status);
}

// Runs an op of bad_days.so on a vector of four; the output, or NULL with a status.
static tn_tensor* run(const char* op, const char* deed, tn_status* status) {
  const float values[4] = {1.5f, 2, 3, 4};
  const int64_t size = 4;
  char text[128];
  snprintf(text, sizeof text, "\"%s\"", deed);
  tn_tensor* input = tn_tensor_create_from(TN_FLOAT, &size, 1, values, sizeof values, status);
  tn_call* call = input ? tn_call_create(op, "CPU", status) : NULL;
  tn_tensor* output = NULL;
  if (call && tn_call_set_attr(call, "deed", text, status))
    tn_call_run(call, &input, 1, &output, 1, status);
  tn_call_destroy(call);
  tn_tensor_destroy(input);
  return output;
}

static void check_fails(const char* op, const char* deed, tn_code code, const char* says) {
  tn_status status = {0};
  CHECK(!run(op, deed, &status));
  CHECK_CONTAINS(tn_status_message(&status), says);
  CHECK_CODE(&status, code);
}

static float first_of(tn_tensor* tensor) {
  const float value = tensor ? *(const float*)tn_tensor_data(tensor) : -1;
  tn_tensor_destroy(tensor);
  return value;
}

TEST(test_what_a_kernel_throws_is_the_status_of_its_run) {
  load(PLUGIN("cxx_bad_days"));
  check_fails("CxxBadDay", "throw", TN_INTERNAL, "thrown in Compute");
  check_fails("CxxBadDay", "throw a number", TN_INTERNAL, "no std::exception");
  check_fails("CxxBadDay", "throw bad_alloc", TN_RESOURCE_EXHAUSTED, "out of memory in a kernel");
  check_fails("CxxBadDay", "throw in a loop", TN_INTERNAL, "thrown in a piece");
  check_fails("CxxBadDay", "constructor throws", TN_INTERNAL, "thrown while it was made");
}

TEST(test_what_a_scheduled_function_throws_fails_the_run) {
  load(PLUGIN("cxx_bad_days"));
  check_fails("CxxBadDay", "throw in a task", TN_INTERNAL, "thrown in a task");
}

TEST(test_a_mistake_with_tensors_is_a_status) {
  load(PLUGIN("cxx_bad_days"));
  check_fails("CxxBadDay", "another element type", TN_INTERNAL, "read as int32");
  check_fails("CxxBadDay", "an input too many", TN_OUT_OF_RANGE, "index out of range: 9");
  check_fails("CxxBadDay", "negative size", TN_INVALID_ARGUMENT, "[2,-3]");
  check_fails("CxxBadDay", "size that does not fit", TN_INVALID_ARGUMENT, "cannot have the shape");
  check_fails("CxxBadDay", "an output too many", TN_INTERNAL, "no output 7: the kernel has 1");
  check_fails("CxxBadDay", "forward an input that is not there", TN_INVALID_ARGUMENT, "no input 4");
  check_fails("CxxBadDay", "set an uninitialised output", TN_RESOURCE_EXHAUSTED, "no tensor");
  check_fails("CxxBadDay", "slice beyond", TN_INTERNAL, "no rows [0, 1000)");
}

TEST(test_memory_that_is_not_there_is_a_status) {
  load(PLUGIN("cxx_bad_days"));
  check_fails("CxxBadDay", "more memory than there is", TN_RESOURCE_EXHAUSTED, "");
  check_fails("CxxBadDay", "a temporary too large", TN_RESOURCE_EXHAUSTED, "");
}

TEST(test_a_wrong_attribute_is_a_status) {
  load(PLUGIN("cxx_bad_days"));
  check_fails("CxxBadDay", "no such attr", TN_INVALID_ARGUMENT, "nothing");
  check_fails("CxxBadDay", "attr of another type", TN_INVALID_ARGUMENT, "deed");
  check_fails("CxxBadDay", "a list for one", TN_INVALID_ARGUMENT, "'names' is a list");
  check_fails("CxxBadDay", "one for a list", TN_INVALID_ARGUMENT, "'deed' is not a list");
}

TEST(test_attributes_of_every_kind_are_read) {
  load(PLUGIN("cxx_bad_days"));
  tn_status status = {0};
  const float value = 1;
  tn_tensor *input = tn_tensor_create_from(TN_FLOAT, NULL, 0, &value, sizeof value, &status),
            *output = NULL;
  tn_call* call = tn_call_create("CxxBadDay", "CPU", &status);
  CHECK(tn_call_set_attr(call, "deed", "\"none\"", &status));
  CHECK(tn_call_set_attr(call, "sizes", "[5, -7]", &status));
  CHECK(tn_call_set_attr(call, "names", "[\"one\", \"a second, longer than the first\"]", &status));
  CHECK(tn_call_set_attr(call, "type", "int64", &status));
  CHECK(tn_call_run(call, &input, 1, &output, 1, &status));
  CHECK_OK(&status);
  CHECK(first_of(output) == 2);
  tn_call_destroy(call);
  tn_tensor_destroy(input);
}

TEST(test_the_first_failure_is_kept) {
  load(PLUGIN("cxx_bad_days"));
  check_fails("CxxBadDay", "two failures", TN_NOT_FOUND, "the first");
}

TEST(test_copies_and_views_share_a_buffer_until_the_last_is_gone) {
  load(PLUGIN("cxx_bad_days"));
  tn_status status = {0};
  tn_tensor* output = run("CxxBadDay", "copies", &status);
  CHECK_OK(&status);
  CHECK_INT(tn_tensor_rank(output), 2);
  CHECK_INT(tn_tensor_dim(output, 0), 3);
  CHECK(first_of(output) == 3);
}

TEST(test_inputs_are_asked_for_on_several_threads) {
  load(PLUGIN("cxx_bad_days"));
  tn_status status = {0};
  CHECK(first_of(run("CxxBadDay", "inputs on threads", &status)) == 2.5f);
  CHECK_OK(&status);
}

TEST(test_scheduled_functions_of_every_size_are_called_and_ended) {
  load(PLUGIN("cxx_bad_days"));
  tn_status status = {0};
  for (int i = 0; i < 20; ++i) {
    CHECK(first_of(run("CxxBadDay", "closures", &status)) == 2.5f);
    CHECK(first_of(run("CxxBadDay", "closures are gone", &status)) == 2.5f);
  }
  CHECK_OK(&status);
}

TEST(test_an_asynchronous_kernel_ends_its_run_once_whatever_it_does) {
  load(PLUGIN("cxx_bad_days"));
  tn_status status = {0};
  check_fails("CxxBadDayAsync", "drop done", TN_INTERNAL, "dropped its callback");
  check_fails("CxxBadDayAsync", "drop done on a thread", TN_INTERNAL, "dropped its callback");
  check_fails("CxxBadDayAsync", "throw", TN_INTERNAL, "thrown in ComputeAsync");
  CHECK(first_of(run("CxxBadDayAsync", "done on a thread", &status)) == 3);
  CHECK(first_of(run("CxxBadDayAsync", "done twice", &status)) == 3);
  CHECK(first_of(run("CxxBadDayAsync", "throw after done", &status)) == 3);
  CHECK_OK(&status);
}

static bool run_once(void* deed, tn_status* status) {
  tn_tensor* output = run("CxxBadDay", deed, status);
  tn_tensor_destroy(output);
  return output != NULL;
}

TEST(test_every_allocation_of_the_host_may_fail_under_a_cxx_kernel) {
  load(PLUGIN("cxx_bad_days"));
  tn_status status = {0};
  CHECK(run_once("none", &status));
  CHECK(test_sweep_allocations(run_once, "none") > 3);
  CHECK(run_once("forward", &status));
  CHECK(test_sweep_allocations(run_once, "forward") > 3);
}

TEST(test_plugins_of_the_same_classes_do_not_share_their_registrations) {
  static const char* const names[] = {"First", "Second", "Plain"};
  load(PLUGIN("cxx_first"));
  load(PLUGIN("cxx_second"));
  load(PLUGIN("cxx_plain"));
  for (int i = 0; i < 3; ++i) {
    char op[64];
    snprintf(op, sizeof op, "CxxNeighbour%s", names[i]);
    tn_status status = {0};
    tn_tensor* output = NULL;
    size_t size = 0;
    tn_call* call = tn_call_create(op, "CPU", &status);
    CHECK(call && tn_call_run(call, NULL, 0, &output, 1, &status));
    CHECK_OK(&status);
    const char* text = output ? tn_tensor_string(output, 0, &size) : "";
    CHECK_INT(size, strlen(op));
    CHECK(text && strncmp(text, op, size) == 0);
    tn_tensor_destroy(output);
    tn_call_destroy(call);
  }
}
