// Variables through the ops that programs use, with the host's own kernels.
#include "../kernel/kernel_testing.h"
#include "kernel/resource.h"
#include "tenon/call.h"

static void given_variable_ops(void) {
  if (!tn_op_registry_find("VarHandleOp"))
    given_op("VarHandleOp", "attr container: string = ''", "attr shared_name: string = ''",
             "attr dtype: type", "attr shape: shape", "out resource: resource", NULL);
  if (!tn_op_registry_find("ReadVariableOp"))
    given_op("ReadVariableOp", "attr dtype: type", "in resource: resource", "out value: dtype",
             NULL);
  if (!tn_op_registry_find("AssignVariableOp"))
    given_op("AssignVariableOp", "attr dtype: type", "attr validate_shape: bool = false",
             "in resource: resource", "in value: dtype", NULL);
  if (!tn_op_registry_find("DestroyResourceOp"))
    given_op("DestroyResourceOp", "attr ignore_lookup_error: bool = true", "in resource: resource",
             NULL);
  if (!tn_op_registry_find("VarIsInitializedOp"))
    given_op("VarIsInitializedOp", "in resource: resource", "out is_initialized: bool", NULL);
}

// Runs one op with up to two attrs ("name=value") and returns its output, if it has one.
static tn_tensor* run(const char* op, const char* attr, const char* attr2, tn_tensor* const* inputs,
                      size_t input_count, tn_status* status) {
  tn_call* call = tn_call_create(op, "CPU", status);
  CHECK(call);
  const char* attrs[] = {attr, attr2};
  for (int i = 0; i < 2; ++i) {
    if (!attrs[i]) continue;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(attrs[i], "="), attrs[i]);
    CHECK(tn_call_set_attr(call, name, strchr(attrs[i], '=') + 1, status));
  }
  tn_tensor* output = NULL;
  int count = tn_call_output_count(call, inputs, input_count, status);
  if (count >= 0) tn_call_run(call, inputs, input_count, &output, (size_t)count, status);
  tn_call_destroy(call);
  return output;
}

static tn_tensor* make_handle(const char* name) {
  tn_status status = {0};
  tn_call* call = tn_call_create("VarHandleOp", NULL, &status);
  CHECK(tn_call_set_attr(call, "shared_name", name, &status));
  CHECK(tn_call_set_attr(call, "dtype", "float32", &status));
  CHECK(tn_call_set_attr(call, "shape", "[2]", &status));
  tn_tensor* handle;
  CHECK(tn_call_run(call, NULL, 0, &handle, 1, &status));
  tn_call_destroy(call);
  return handle;
}

static bool is_initialized(tn_tensor* handle) {
  tn_status status = {0};
  tn_tensor* answer = run("VarIsInitializedOp", NULL, NULL, &handle, 1, &status);
  CHECK_OK(&status);
  bool value = *(bool*)tn_tensor_data(answer);
  tn_tensor_destroy(answer);
  return value;
}

TEST(test_a_variable_is_made_assigned_read_and_destroyed) {
  given_variable_ops();
  tn_status status = {0};
  tn_tensor *handle = make_handle("weights"), *again = make_handle("weights");
  CHECK(!is_initialized(handle));
  CHECK(!run("ReadVariableOp", "dtype=float32", NULL, &handle, 1, &status));
  CHECK_CONTAINS(tn_status_message(&status), "never assigned, or it was deleted");
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);

  tn_tensor* value = FLOATS(1, 2);
  run("AssignVariableOp", NULL, NULL, (tn_tensor*[]){handle, value}, 2, &status);
  CHECK_OK(&status);
  CHECK(is_initialized(again));
  tn_tensor* read = run("ReadVariableOp", "dtype=float32", NULL, &again, 1, &status);
  CHECK_FLOATS(read, 1, 2);
  tn_tensor_destroy(read);

  tn_tensor* longer = FLOATS(1, 2, 3);
  run("AssignVariableOp", "validate_shape=true", NULL, (tn_tensor*[]){handle, longer}, 2, &status);
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(longer);

  run("DestroyResourceOp", NULL, NULL, &handle, 1, &status);
  CHECK_OK(&status);
  CHECK(!is_initialized(handle));
  run("DestroyResourceOp", "ignore_lookup_error=true", NULL, &handle, 1, &status);
  CHECK_OK(&status);
  run("DestroyResourceOp", "ignore_lookup_error=false", NULL, &handle, 1, &status);
  CHECK_CODE(&status, TN_NOT_FOUND);
  tn_tensor_destroy(value);
  tn_tensor_destroy(handle);
  tn_tensor_destroy(again);
}

TEST(test_anonymous_variables_are_each_their_own) {
  given_variable_ops();
  tn_status status = {0};
  tn_tensor *a = make_handle(TN_ANONYMOUS_NAME), *b = make_handle(TN_ANONYMOUS_NAME);
  tn_tensor* value = FLOATS(5);
  run("AssignVariableOp", NULL, NULL, (tn_tensor*[]){a, value}, 2, &status);
  CHECK_OK(&status);
  CHECK(is_initialized(a));
  CHECK(!is_initialized(b));
  tn_tensor_destroy(value);
  tn_tensor_destroy(a);
  tn_tensor_destroy(b);
}

static void read_otherwise(void* state, tn_run_context* context) {
  tn_run_failf(context, TN_CANCELLED, "the plugin's kernel");
}

TEST(test_a_plugins_kernel_takes_the_place_of_the_hosts) {
  given_variable_ops();
  given_kernel("ReadVariableOp", read_otherwise);
  tn_status status = {0};
  tn_tensor* handle = make_handle("weights");
  CHECK(!run("ReadVariableOp", "dtype=float32", NULL, &handle, 1, &status));
  CHECK_CONTAINS(tn_status_message(&status), "the plugin's kernel");
  CHECK_CODE(&status, TN_CANCELLED);
  tn_tensor_destroy(handle);
}

TEST(test_what_is_no_variable_is_refused) {
  given_variable_ops();
  tn_status status = {0};
  tn_tensor *empty = tn_tensor_create(TN_RESOURCE, NULL, 0, NULL), *value = FLOATS(1);
  CHECK(!run("ReadVariableOp", "dtype=float32", NULL, &empty, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  run("AssignVariableOp", NULL, NULL, (tn_tensor*[]){empty, value}, 2, &status);
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  run("DestroyResourceOp", NULL, NULL, &empty, 1, &status);
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!is_initialized(empty));
  tn_tensor_destroy(empty);
  tn_tensor_destroy(value);
}

static void pass_value(void* state, tn_run_context* context) {
  tn_tensor* x = tn_run_input(context, 0, NULL);
  if (x) tn_run_set_output(context, 0, x, NULL);
  tn_tensor_destroy(x);
}

TEST(test_a_reference_variable_is_assigned_through_its_reference_and_read_by_value) {
  given_unary_op("TestRead");
  given_kernel("TestRead", pass_value);
  tn_status status = {0};
  tn_tensor* references[2];
  for (int i = 0; i < 2; ++i) {
    references[i] = run("VariableV2", "dtype=float32", "shape=[2]", NULL, 0, &status);
    CHECK_OK(&status);
  }
  tn_tensor* value = FLOATS(4, 5);
  tn_tensor* again = run("Assign", NULL, NULL, (tn_tensor*[]){references[0], value}, 2, &status);
  CHECK_OK(&status);
  tn_tensor* read = run("TestRead", NULL, NULL, &references[1], 1, &status);
  CHECK_OK(&status);
  CHECK_FLOATS(read, 4, 5);
  tn_tensor_destroy(read);
  tn_tensor_destroy(again);
  tn_tensor_destroy(value);
  tn_tensor_destroy(references[0]);
  tn_tensor_destroy(references[1]);
}
