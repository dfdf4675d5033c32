#include "kernel/construction.h"
#include "kernel_testing.h"

static int made, destroyed, computed;
static void* last_destroyed;

static void* make(tn_construction* construction) {
  ++made;
  tn_status status = {0};
  tn_dtype type = TN_INVALID;
  CHECK(tn_construction_type(construction, "T", &type, &status));
  CHECK_INT(type, TN_FLOAT);
  CHECK_TEXT(tn_construction_name(construction).data, "node");
  return &made;
}

static void count_compute(void* state, tn_run_context* context) {
  CHECK(state == &made);
  ++computed;
  tn_tensor* input = tn_run_input(context, 0, NULL);
  CHECK(tn_run_set_output(context, 0, input, NULL));
  tn_tensor_destroy(input);
}

static void destroy(void* state) {
  ++destroyed;
  last_destroyed = state;
}

static tn_kernel_instance* make_instance(tn_kernel_functions functions, tn_status* status) {
  const tn_op_def* op = given_unary_op("Lived");
  register_builder(tn_kernel_builder_create("Lived", "CPU", &functions), "Lived");
  tn_node* node = node_of(op, NULL, TYPES(TN_FLOAT));
  const tn_kernel* kernel = tn_kernel_select(node, "CPU", status);
  return tn_kernel_instance_create(kernel, node, tn_device_cpu(), status);
}

TEST(test_a_kernel_is_created_once_run_often_and_deleted_once) {
  tn_status status = {0};
  tn_kernel_instance* instance = make_instance(
      (tn_kernel_functions){.create = make, .compute = count_compute, .destroy = destroy}, &status);
  CHECK_OK(&status);
  tn_tensor *input = FLOATS(1, 2), *output;
  for (int i = 0; i < 3; ++i) {
    CHECK(tn_kernel_run(instance, &input, 1, &output, 1, NULL, &status));
    CHECK_FLOATS(output, 1, 2);
    tn_tensor_destroy(output);
  }
  CHECK_INT(made, 1);
  CHECK_INT(computed, 3);
  CHECK_INT(destroyed, 0);
  tn_kernel_instance_destroy(instance);
  CHECK_INT(destroyed, 1);
  CHECK(last_destroyed == &made);
  tn_tensor_destroy(input);
  tn_kernel_instance_destroy(NULL);
}

static void* fail_to_make(tn_construction* construction) {
  ++made;
  tn_status status = {0};
  tn_status_set(&status, TN_UNAVAILABLE, "no room on the chip");
  tn_construction_fail(construction, &status);
  tn_status_set(&status, TN_INTERNAL, "a second failure");
  tn_construction_fail(construction, &status);
  tn_status_deinit(&status);
  return NULL;
}

TEST(test_a_failed_create_is_deleted_at_once_with_what_it_returned) {
  tn_status status = {0};
  last_destroyed = &made;
  CHECK(!make_instance(
      (tn_kernel_functions){.create = fail_to_make, .compute = count_compute, .destroy = destroy},
      &status));
  CHECK_CONTAINS(tn_status_message(&status), "no room on the chip");
  CHECK_CONTAINS(tn_status_message(&status), "op Lived");
  CHECK_CODE(&status, TN_UNAVAILABLE);
  CHECK_INT(destroyed, 1);
  CHECK(last_destroyed == NULL);
}

TEST(test_create_and_delete_may_be_missing_but_compute_may_not) {
  tn_status status = {0};
  tn_kernel_instance* instance =
      make_instance((tn_kernel_functions){.compute = compute_nothing}, &status);
  CHECK_OK(&status);
  CHECK(instance->state == NULL);
  tn_kernel_instance_destroy(instance);

  given_unary_op("Idle");
  given_kernel("Idle", NULL);
  tn_node* node = node_of(tn_op_registry_find("Idle"), NULL, TYPES(TN_FLOAT));
  CHECK(
      !tn_kernel_instance_create(tn_kernel_registry_first("Idle"), node, tn_device_cpu(), &status));
  CHECK_CONTAINS(tn_status_message(&status), "without a compute function");
  CHECK_INT(tn_status_fault(&status), TN_FAULT_PLUGIN);
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
}

TEST(test_memory_kinds_follow_the_kernel_the_node_and_the_types) {
  const tn_op_def* op = given_op("Placed", "attr N: int", "in a: float", "in b: N * int32",
                                 "in c: string", "in d: resource", "in e: float", "out f: float",
                                 "out g: int32", "out h: variant", NULL);
  tn_kernel_builder* builder = builder_for("Placed", compute_nothing);
  tn_kernel_builder_host_memory(builder, "b");
  tn_kernel_builder_host_memory(builder, "g");
  register_builder(builder, "Placed");
  tn_attrs attrs = {0};
  set_attr(&attrs, "_input_hostmem", TN_ATTR_INT, true, "[5]");
  set_attr(&attrs, "_output_hostmem", TN_ATTR_INT, true, "[0]");
  tn_kernel_instance* instance = instance_of(
      node_of(op, &attrs, TYPES(TN_FLOAT, TN_INT32, TN_INT32, TN_STRING, TN_RESOURCE, TN_FLOAT)));
  static const bool inputs[] = {false, true, true, true, true, true};
  static const bool outputs[] = {true, true, false};
  for (int i = 0; i < 6; ++i) CHECK_INT(instance->input_on_host[i], inputs[i]);
  for (int i = 0; i < 3; ++i) CHECK_INT(instance->output_on_host[i], outputs[i]);
  tn_kernel_instance_destroy(instance);
}

TEST(test_host_memory_of_an_unknown_argument_fails_when_the_kernel_is_made) {
  const tn_op_def* op = given_unary_op("Misplaced");
  tn_kernel_builder* builder = builder_for("Misplaced", compute_nothing);
  tn_kernel_builder_host_memory(builder, "z");
  tn_kernel_builder_host_memory(builder, "x");
  tn_kernel_builder_host_memory(builder, "w");
  register_builder(builder, "Misplaced");
  tn_status status = {0};
  tn_node* node = node_of(op, NULL, TYPES(TN_FLOAT));
  CHECK(!tn_kernel_instance_create(tn_kernel_registry_first("Misplaced"), node, tn_device_cpu(),
                                   &status));
  CHECK_CONTAINS(tn_status_message(&status), "HostMemory args 'z', 'w' not found in OpDef: ");
  CHECK_INT(tn_status_fault(&status), TN_FAULT_PLUGIN);
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
}

TEST(test_a_host_memory_index_out_of_range_is_refused) {
  const tn_op_def* op = given_unary_op("BadIndex");
  given_kernel("BadIndex", compute_nothing);
  tn_attrs attrs = {0};
  set_attr(&attrs, "_input_hostmem", TN_ATTR_INT, true, "[1]");
  tn_status status = {0};
  tn_node* node = node_of(op, &attrs, TYPES(TN_FLOAT));
  CHECK(!tn_kernel_instance_create(tn_kernel_registry_first("BadIndex"), node, tn_device_cpu(),
                                   &status));
  CHECK_CONTAINS(tn_status_message(&status), "'_input_hostmem'");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
}
