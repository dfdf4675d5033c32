// Every function of the room that allocates, with each of its allocations failing in turn.
#include "kernel/construction.h"
#include "kernel/resource.h"
#include "kernel/run_variable.h"
#include "kernel/tensor_list.h"
#include "kernel_testing.h"

static bool no_memory(tn_status* status) {
  tn_status_set_no_memory(status, "testing");
  return false;
}

static bool register_one(void* arg, tn_status* status) {
  tn_kernel_functions functions = {.compute = compute_nothing};
  tn_kernel_builder* builder = tn_kernel_builder_create("SweptOp", "CPU", &functions);
  if (!builder) return no_memory(status);
  tn_kernel_builder_constrain(builder, "T", TN_FLOAT, NULL);
  tn_kernel_builder_constrain(builder, "U", TN_FLOAT, NULL);
  tn_kernel_builder_host_memory(builder, "x");
  tn_kernel_builder_label(builder, "label");
  // A failure above is remembered and reported here.
  return tn_kernel_registry_add(builder, "swept", status);
}

TEST(test_registering_a_kernel_without_memory_is_refused_whole) {
  CHECK(test_sweep_allocations(register_one, NULL) > 8);
  size_t count = 0;
  for (const tn_kernel* kernel = tn_kernel_registry_first("SweptOp"); kernel;
       kernel = tn_kernel_registry_next(kernel)) {
    ++count;
    CHECK_INT(kernel->def.constraint_count, 2);
    CHECK_INT(kernel->def.host_memory_count, 1);
    CHECK_TEXT(kernel->def.label, "label");
  }
  CHECK_INT(count, 2);  // the first round and the last
}

TEST(test_the_built_in_kernels_come_once_memory_is_back) {
  for (int round = 0; round < 30; ++round) {
    tn_memory_fail_at(round);
    tn_kernel_registry_first("ReadVariableOp");
    tn_memory_fail_at(-1);
  }
  const tn_kernel* kernel = tn_kernel_registry_first("ReadVariableOp");
  CHECK(kernel);
  kernel = tn_kernel_registry_next(kernel);  // for the CPU, and for all other devices
  CHECK(kernel);
  CHECK(!tn_kernel_registry_next(kernel));
}

static bool list_kernels(void* arg, tn_status* status) {
  tn_text bytes = {0};
  bool done = tn_kernel_registry_encode(NULL, &bytes, status);
  tn_text_deinit(&bytes);
  return done;
}

TEST(test_listing_kernels_without_memory) {
  given_kernel("One", compute_nothing);
  CHECK(test_sweep_allocations(list_kernels, NULL) > 0);
}

// What selection would say; its failure is the success looked for.
static bool select_none(void* node, tn_status* status) {
  CHECK(!tn_kernel_select(node, "CPU", status));
  bool told = tn_status_code(status) != TN_RESOURCE_EXHAUSTED;
  // The message itself may have found no memory.
  if (told && !status->message) return no_memory(status);
  if (told) tn_status_clear(status);
  return told;
}

TEST(test_selecting_without_memory) {
  const tn_op_def* op = given_unary_op("Chosen");
  tn_node* node = node_of(op, NULL, TYPES(TN_FLOAT));
  tn_kernel_builder* builder = builder_for("Chosen", compute_nothing);
  constrain(builder, "T", TN_HALF);
  register_builder(builder, "Chosen");
  CHECK(test_sweep_allocations(select_none, node) > 0);
  given_kernel("Chosen", compute_nothing);
  given_kernel("Chosen", compute_nothing);
  CHECK(test_sweep_allocations(select_none, node) > 0);
  tn_node_destroy(node);
}

static void* ask_everything(tn_construction* construction) {
  tn_status status = {0};
  tn_tensor *tensor = NULL, *tensors[2] = {0};
  tn_text bytes = {0};
  bool done = (tensor = tn_construction_tensor(construction, "t", &status)) &&
              tn_construction_tensor_list(construction, "l", tensors, 2, &status) &&
              tn_construction_function(construction, "f", &bytes, &status) &&
              tn_construction_node_def(construction, &bytes, &status);
  CHECK_INT(done, tn_ok(&status));
  tn_tensor_destroy(tensor);
  tn_tensor_destroy(tensors[0]);
  tn_tensor_destroy(tensors[1]);
  tn_text_deinit(&bytes);
  tn_construction_fail(construction, &status);
  tn_status_deinit(&status);
  return NULL;
}

static bool make_instance(void* op, tn_status* status) {
  tn_node* node = tn_node_create(op, "node", NULL, NULL, 0, status);
  if (!node) return false;
  tn_kernel_instance* instance =
      tn_kernel_instance_create(tn_kernel_registry_first("Asking"), node, tn_device_cpu(), status);
  tn_kernel_instance_destroy(instance);
  return instance != NULL;
}

TEST(test_making_a_kernel_that_asks_for_its_attrs_without_memory) {
  const tn_op_def* op = given_op(
      "Asking", "attr t: tensor = { dtype: DT_INT32 tensor_shape {} int_val: 7 }",
      "attr f: func = { name: 'g' }",
      "attr l: list(tensor) = [{ dtype: DT_INT32 tensor_shape {} int_val: 1 }, { dtype: DT_INT32 "
      "tensor_shape {} int_val: 2 }]",
      NULL);
  tn_kernel_functions functions = {.create = ask_everything, .compute = compute_nothing};
  register_builder(tn_kernel_builder_create("Asking", "CPU", &functions), "Asking");
  CHECK(test_sweep_allocations(make_instance, (void*)op) > 8);
}

static void use_context(void* state, tn_run_context* context) {
  tn_status status = {0};
  tn_tensor* x = tn_run_input(context, 0, &status);
  tn_tensor* y =
      x ? tn_run_forward_or_allocate(context, (int[]){0}, 1, 0, (int64_t[]){1}, 1, NULL, &status)
        : NULL;
  tn_tensor* again = y ? tn_run_output(context, 0, &status) : NULL;
  tn_tensor* scratch =
      again ? tn_run_allocate_temp(context, TN_FLOAT, (int64_t[]){100}, 1, true, &status) : NULL;
  if (scratch) tn_run_set_output(context, 1, x, &status);
  tn_tensor_destroy(x);
  tn_tensor_destroy(y);
  tn_tensor_destroy(again);
  tn_tensor_destroy(scratch);
  tn_run_fail(context, &status);
  tn_status_deinit(&status);
}

static void use_context_async(void* state, tn_run_context* context, tn_done_callback* done) {
  use_context(state, context);
  tn_done_callback_run(done);
}

static bool run_instance(void* instance, tn_status* status) {
  tn_tensor *x = tn_tensor_create(TN_FLOAT, (int64_t[]){1}, 1, status), *outputs[2];
  bool done = x && tn_kernel_run_with(instance, &x, 1, outputs, 2,
                                      &(tn_run_options){.donated = (bool[]){true}}, status);
  if (done) {
    tn_tensor_destroy(outputs[0]);
    tn_tensor_destroy(outputs[1]);
  }
  tn_tensor_destroy(x);
  return done;
}

TEST(test_running_kernels_without_memory) {
  const tn_op_def* op = given_op("Used", "in x: float", "out y: float", "out z: float", NULL);
  given_kernel("Used", use_context);
  tn_kernel_instance* instance = instance_of(node_of(op, NULL, TYPES(TN_FLOAT)));
  CHECK(test_sweep_allocations(run_instance, instance) > 5);
  tn_kernel_instance_destroy(instance);

  op = given_op("UsedAsync", "in x: float", "out y: float", "out z: float", NULL);
  tn_kernel_functions functions = {.compute_async = use_context_async};
  register_builder(tn_kernel_builder_create("UsedAsync", "CPU", &functions), "UsedAsync");
  instance = instance_of(node_of(op, NULL, TYPES(TN_FLOAT)));
  CHECK(test_sweep_allocations(run_instance, instance) > 5);
  tn_kernel_instance_destroy(instance);
}

static void copy_on_host(tn_run_context* context, tn_tensor* source, tn_tensor* target) {
  memcpy(tn_tensor_data(target), tn_tensor_data(source), tn_tensor_bytes(source));
  tn_tensor_destroy(source);
  tn_tensor_destroy(target);
}

static void change(tn_run_context* context, tn_tensor* variable, tn_tensor* value, int op) {
  tn_tensor_destroy(variable);
  tn_tensor_destroy(value);
}

static void use_variable(void* state, tn_run_context* context) {
  tn_tensor* value = NULL;
  tn_variable_locks* locks = NULL;
  tn_text bytes = {0};
  tn_status status = {0};
  bool done = tn_run_assign_variable(context, 0, 1, true, copy_on_host, NULL) &&
              tn_run_assign_update(context, 0, 1, 0, false, copy_on_host, change, NULL) &&
              (value = tn_run_variable_value(context, 0, false, false, true, NULL, NULL)) &&
              tn_run_assign_variable(context, 0, 1, true, NULL, NULL) &&
              (locks = tn_run_lock_variables(context, true, true, (int[]){0, 0}, 2, NULL, NULL)) &&
              tn_run_encode_resource_handle(context, 0, &bytes, &status);
  tn_run_fail(context, &status);
  CHECK_INT(done, !tn_run_failed(context, NULL));
  tn_status_deinit(&status);
  tn_text_deinit(&bytes);
  tn_variable_locks_release(locks);
  tn_tensor_destroy(value);
}

static bool run_variable(void* instance, tn_status* status) {
  tn_tensor* x = tn_tensor_create(TN_FLOAT, (int64_t[]){1}, 1, status);
  tn_tensor* handle = x ? tn_resource_handle_tensor("cpu", "box", "swept", &tn_variable_type, NULL,
                                                    TN_FLOAT, &x->shape, status)
                        : NULL;
  bool done =
      handle && tn_kernel_run(instance, (tn_tensor*[]){handle, x}, 2, NULL, 0, NULL, status);
  tn_resource_clear("box");
  tn_tensor_destroy(x);
  tn_tensor_destroy(handle);
  return done;
}

TEST(test_variables_without_memory) {
  const tn_op_def* op = given_op("Swept", "in v: resource", "in x: float", NULL);
  given_kernel("Swept", use_variable);
  tn_kernel_instance* instance = instance_of(node_of(op, NULL, TYPES(TN_RESOURCE, TN_FLOAT)));
  CHECK(test_sweep_allocations(run_variable, instance) > 20);
  tn_kernel_instance_destroy(instance);
}

static void use_reference(void* state, tn_run_context* context) {
  (void)(tn_run_assign_ref(context, 0, 0, 1, true, false, copy_on_host, NULL) &&
         tn_run_assign_ref(context, 0, 0, 1, false, false, NULL, NULL));
}

static bool run_reference(void* instance, tn_status* status) {
  tn_variable* variable = tn_variable_create(TN_FLOAT, status);
  tn_tensor* reference = variable ? tn_variable_reference(variable, status) : NULL;
  tn_tensor *x = reference ? tn_tensor_create(TN_FLOAT, NULL, 0, status) : NULL, *out = NULL;
  bool done = x && tn_kernel_run(instance, (tn_tensor*[]){reference, x}, 2, &out, 1, NULL, status);
  tn_tensor_destroy(out);
  tn_tensor_destroy(x);
  tn_tensor_destroy(reference);
  tn_variable_unref(variable);
  return done;
}

TEST(test_references_without_memory) {
  const tn_op_def* op =
      given_op("SweptRef", "in v: Ref(float)", "in x: float", "out r: Ref(float)", NULL);
  given_kernel("SweptRef", use_reference);
  tn_kernel_instance* instance =
      instance_of(node_of(op, NULL, TYPES(TN_FLOAT + TN_REF_OFFSET, TN_FLOAT)));
  CHECK(test_sweep_allocations(run_reference, instance) > 8);
  tn_kernel_instance_destroy(instance);
}

static void use_temporary(void* state, tn_run_context* context) {
  tn_run_temporary_variable(context, TN_FLOAT, NULL, 0, tn_view_of("swept"), NULL, NULL);
}

static bool run_temporary(void* instance, tn_status* status) {
  tn_tensor* reference;
  bool done = tn_kernel_run(instance, NULL, 0, &reference, 1, NULL, status);
  tn_tensor_destroy(reference);
  tn_run_end_step(0);
  return done;
}

TEST(test_temporary_variables_without_memory) {
  const tn_op_def* op = given_op("SweptTemp", "out r: Ref(float)", NULL);
  given_kernel("SweptTemp", use_temporary);
  tn_kernel_instance* instance = instance_of(node_of(op, NULL, NULL, 0));
  CHECK(test_sweep_allocations(run_temporary, instance) > 5);
  tn_kernel_instance_destroy(instance);
}

static void add_nothing(tn_run_context* context, tn_tensor* a, tn_tensor* b, tn_tensor* out) {
  tn_tensor_destroy(a);
  tn_tensor_destroy(b);
  tn_tensor_destroy(out);
}

static void zero_nothing(tn_run_context* context, tn_tensor* input, tn_tensor* out) {
  tn_tensor_destroy(input);
  tn_tensor_destroy(out);
}

static void use_variants(void* state, tn_run_context* context) {
  (void)(tn_run_add_n_variant(context, add_nothing, NULL) &&
         tn_run_zeros_like_variant(context, zero_nothing, NULL));
}

static bool run_variants(void* instance, tn_status* status) {
  tn_tensor_list* list = tn_tensor_list_create(TN_FLOAT, NULL, 1, status);
  if (list) list->tensors[0] = tn_tensor_create(TN_FLOAT, NULL, 0, status);
  bool made = list && list->tensors[0];
  tn_tensor *variant = list ? tn_tensor_of_object(TN_VARIANT, &list->object, status) : NULL,
            *out = NULL;
  bool done = made && variant &&
              tn_kernel_run(instance, (tn_tensor*[]){variant, variant}, 2, &out, 1, NULL, status);
  tn_tensor_destroy(out);
  tn_tensor_destroy(variant);
  return done;
}

TEST(test_variants_without_memory) {
  const tn_op_def* op =
      given_op("SweptVariant", "attr N: int", "in x: N * variant", "out y: variant", NULL);
  given_kernel("SweptVariant", use_variants);
  tn_kernel_instance* instance = instance_of(node_of(op, NULL, TYPES(TN_VARIANT, TN_VARIANT)));
  CHECK(test_sweep_allocations(run_variants, instance) > 15);
  tn_kernel_instance_destroy(instance);
}
