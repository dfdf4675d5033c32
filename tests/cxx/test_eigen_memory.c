// What Eigen's devices allocate is the host's memory, and a status when there is none.
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "harness.h"
#include "tenon/call.h"
#include "tenon/plugin.h"
#include "tenon/tensor.h"

static void load(void) {
  const char* path = TENON_BUILD_DIR "/tests/plugins/cxx_eigen_memory.so";
  if (access(path, F_OK) != 0) test_skip("built without Eigen");
  tn_status status = {0};
  CHECK(tn_plugin_load(path, NULL, &status));
  CHECK_OK(&status);
}

static tn_call* call_for(const char* bytes) {
  tn_status status = {0};
  tn_call* call = tn_call_create("EigenMemory", "CPU", &status);
  CHECK(call && tn_call_set_attr(call, "bytes", bytes, &status));
  return call;
}

static bool run(void* call, tn_status* status) {
  tn_tensor* last = NULL;
  const bool fine = tn_call_run(call, NULL, 0, &last, 1, status);
  tn_tensor_destroy(last);
  return fine;
}

TEST(test_eigen_gets_memory_of_the_hosts) {
  load();
  static const char* const sizes[] = {"0", "1", "1000000"};
  for (int i = 0; i < 3; ++i) {
    tn_call* call = call_for(sizes[i]);
    tn_status status = {0};
    CHECK(run(call, &status));
    CHECK_OK(&status);
    tn_call_destroy(call);
  }
}

TEST(test_memory_for_eigen_that_is_not_there_is_a_status) {
  load();
  tn_call* call = call_for("1152921504606846976");
  tn_status status = {0};
  CHECK(!run(call, &status));
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  tn_call_destroy(call);
}

TEST(test_any_allocation_of_the_hosts_may_fail_under_eigen) {
  load();
  tn_call* call = call_for("5000");
  tn_status status = {0};
  CHECK(run(call, &status));
  CHECK(test_sweep_allocations(run, call) > 2);
  tn_call_destroy(call);
}
