#include "kernel_testing.h"
#include "op/shape_inference.h"

static void double_it(const tn_lean_call* call) {
  CHECK(call->pool == tn_device_cpu()->pool);
  const float* x = tn_tensor_data(call->inputs[0]);
  float* y = tn_tensor_data(call->outputs[0]);
  for (int64_t i = 0; i < tn_tensor_elements(call->inputs[0]); ++i) y[i] = 2 * x[i];
}

static void refuse(const tn_lean_call* call) {
  tn_status_set(call->status, TN_UNIMPLEMENTED, "not for these numbers");
}

static void same_shape(struct TF_ShapeInferenceContext* c, tn_status* status) {
  tn_infer_set_output(c, 0, tn_infer_input(c, 0));
}

static tn_kernel_instance* lean_instance(const char* name, tn_lean_compute lean,
                                         tn_shape_function shapes) {
  tn_op_builder* builder = build_op(name, "attr T: type", "in x: T", "out y: T", NULL);
  if (shapes) tn_op_builder_shape_function(builder, shapes);
  CHECK(tn_op_registry_add(finish_op(builder), NULL));
  tn_kernel_functions functions = {.lean = lean};
  register_builder(tn_kernel_builder_create(name, "CPU", &functions), name);
  return instance_of(node_of(tn_op_registry_find(name), NULL, TYPES(TN_FLOAT)));
}

TEST(test_a_lean_kernel_gets_outputs_of_the_inferred_shape) {
  tn_kernel_instance* instance = lean_instance("Lean", double_it, same_shape);
  tn_tensor *x = FLOATS(1, 2, 3), *y;
  tn_status status = {0};
  CHECK(tn_kernel_run(instance, &x, 1, &y, 1, NULL, &status));
  CHECK_FLOATS(y, 2, 4, 6);
  tn_tensor_destroy(y);

  // Its memory and its handle, nothing else.
  tn_memory_fail_at(-1);
  CHECK(tn_kernel_run(instance, &x, 1, &y, 1, NULL, &status));
  CHECK_INT(tn_memory_asked(), 2);
  tn_tensor_destroy(y);

  tn_buffer* memory = tn_buffer_allocate(&tn_host_allocator, 12, NULL);
  tn_assigned_memory assigned = {.outputs = &memory};
  CHECK(tn_kernel_run(instance, &x, 1, &y, 1, &assigned, &status));
  CHECK_FLOATS(y, 2, 4, 6);
  CHECK(tn_tensor_data(y) == memory->data);
  tn_tensor_destroy(y);
  tn_buffer_unref(memory);
  tn_tensor_destroy(x);

  CHECK(!tn_kernel_run(instance, (tn_tensor*[]){NULL}, 1, &y, 1, NULL, &status));
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  tn_kernel_instance_destroy(instance);
}

TEST(test_a_lean_kernel_without_a_known_output_shape_is_internal) {
  tn_kernel_instance* instance = lean_instance("Shapeless", double_it, NULL);
  tn_tensor *x = FLOATS(1), *y;
  tn_status status = {0};
  CHECK(!tn_kernel_run(instance, &x, 1, &y, 1, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "leaves the shape of output 0 open");
  CHECK_CODE(&status, TN_INTERNAL);
  tn_tensor_destroy(x);
  tn_kernel_instance_destroy(instance);
}

TEST(test_a_lean_kernel_may_fail) {
  tn_kernel_instance* instance = lean_instance("Refusing", refuse, same_shape);
  tn_tensor *x = FLOATS(1), *y;
  tn_status status = {0};
  CHECK(!tn_kernel_run(instance, &x, 1, &y, 1, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "not for these numbers");
  CHECK_CODE(&status, TN_UNIMPLEMENTED);
  CHECK(!y);
  tn_tensor_destroy(x);
  tn_kernel_instance_destroy(instance);
}

TEST(test_a_plugins_kernel_stands_beside_a_lean_one_and_wins_by_priority) {
  tn_kernel_instance_destroy(lean_instance("Both", double_it, same_shape));
  tn_kernel_builder* builder = builder_for("Both", compute_nothing);
  tn_kernel_builder_priority(builder, 1);
  register_builder(builder, "Both");
  tn_node* node = node_of(tn_op_registry_find("Both"), NULL, TYPES(TN_FLOAT));
  CHECK(tn_kernel_select(node, "CPU", NULL)->functions.compute == compute_nothing);
  tn_node_destroy(node);
}

static void many_shapes(struct TF_ShapeInferenceContext* c, tn_status* status) {
  for (int i = 0; i < 20; ++i) tn_infer_set_output(c, i, tn_infer_input(c, i));
}

static void copy_many(const tn_lean_call* call) {
  for (int i = 0; i < 20; ++i)
    memcpy(tn_tensor_data(call->outputs[i]), tn_tensor_data(call->inputs[i]), 4);
}

static bool run_once(void* instance, tn_status* status) {
  tn_tensor *inputs[20], *outputs[20];
  for (int i = 0; i < 20; ++i) inputs[i] = NULL;
  bool done = true;
  for (int i = 0; i < 20 && done; ++i)
    done = (inputs[i] = tn_tensor_create(TN_FLOAT, NULL, 0, status)) != NULL;
  done = done && tn_kernel_run(instance, inputs, 20, outputs, 20, NULL, status);
  for (int i = 0; i < 20; ++i) {
    if (done) tn_tensor_destroy(outputs[i]);
    tn_tensor_destroy(inputs[i]);
  }
  return done;
}

TEST(test_many_outputs_and_every_failing_allocation_of_a_lean_run) {
  tn_op_builder* builder =
      build_op("ManyLean", "attr N: int", "in x: N * float", "out y: N * float", NULL);
  tn_op_builder_shape_function(builder, many_shapes);
  CHECK(tn_op_registry_add(finish_op(builder), NULL));
  tn_kernel_functions functions = {.lean = copy_many};
  register_builder(tn_kernel_builder_create("ManyLean", "CPU", &functions), "ManyLean");
  tn_dtype types[20];
  for (int i = 0; i < 20; ++i) types[i] = TN_FLOAT;
  tn_kernel_instance* instance =
      instance_of(node_of(tn_op_registry_find("ManyLean"), NULL, types, 20));
  CHECK(test_sweep_allocations(run_once, instance) > 40);
  tn_kernel_instance_destroy(instance);
}
