// What the tests of tenon/kernel_services.h share: a kernel that is the test's own function, run.
#ifndef TENON_TESTS_TF_SERVICES_TESTING_H_
#define TENON_TESTS_TF_SERVICES_TESTING_H_

#include "../kernel/kernel_testing.h"
#include "base/status.h"
#include "tenon/kernel_services.h"
#include "tenon/tenon.h"
#include "tensorflow/c/kernels.h"

// What the kernel below does; it has one input and sets its output itself where the test wants OK.
static void (*services_compute)(TF_OpKernelContext* context);

static inline void compute_services(void* state, tn_run_context* context) {
  services_compute(context);
}

static inline void pass_on(TF_OpKernelContext* context) {
  tn_status status = {0};
  tn_tensor* in = tn_run_input(context, 0, &status);
  if (in) tn_run_set_output(context, 0, in, &status);
  tn_tensor_destroy(in);
  tn_run_fail(context, &status);
  tn_status_deinit(&status);
}

// Runs `compute` as a kernel on `device`; true when the run succeeds.
static inline bool run_on(tn_device* device, void (*compute)(TF_OpKernelContext*),
                          const tn_cancel* cancel, tn_status* status) {
  static int count;
  char name[32];
  snprintf(name, sizeof name, "Services%d", count++);
  services_compute = compute;
  const tn_op_def* op = given_unary_op(name);
  tn_kernel_functions functions = {.compute = compute_services};
  register_builder(tn_kernel_builder_create(name, tn_device_type(device), &functions), name);
  tn_status making = {0};
  CHECK(tn_device_open(device, &making));
  tn_node* node = node_of(op, NULL, TYPES(TN_FLOAT));
  const tn_kernel* kernel = tn_kernel_select(node, tn_device_type(device), &making);
  CHECK_OK(&making);
  tn_kernel_instance* instance = tn_kernel_instance_create(kernel, node, device, &making);
  CHECK_OK(&making);
  tn_tensor *in = FLOATS(1, 2, 3), *out = NULL;
  tn_run_options options = {.cancel = cancel};
  const bool done = tn_kernel_run_with(instance, &in, 1, &out, 1, &options, status);
  CHECK(done == (out != NULL));
  tn_tensor_destroy(out);
  tn_tensor_destroy(in);
  tn_kernel_instance_destroy(instance);
  return done;
}

static inline bool run_services(void (*compute)(TF_OpKernelContext*), tn_status* status) {
  return run_on(tn_device_cpu(), compute, NULL, status);
}

// Runs it and expects this failure.
static inline void expect_failure(tn_device* device, void (*compute)(TF_OpKernelContext*),
                                  tn_code code, const char* words) {
  tn_status status = {0};
  CHECK(!run_on(device, compute, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), words);
  CHECK_CODE(&status, code);
}

#endif  // TENON_TESTS_TF_SERVICES_TESTING_H_
