// Built-in kernels of the variable ops, for programs that have no plugin with its own.
#include "base/memory.h"
#include "base/text.h"
#include "kernel/builtin_kernels.h"
#include "kernel/construction.h"
#include "kernel/resource.h"
#include "kernel/run_variable.h"

// VarHandleOp: the handle is the same every time, so it is made with the kernel; an anonymous one
// is made at each run.
typedef struct var_handle {
  tn_tensor* handle;  // NULL: anonymous
  tn_dtype dtype;
  tn_shape shape;
} var_handle;

static void destroy_var_handle(void* state) {
  var_handle* self = state;
  if (!self) return;
  tn_tensor_destroy(self->handle);
  tn_shape_deinit(&self->shape);
  tn_free(self);
}

static const char* text_attr(const tn_construction* construction, const char* attr) {
  const tn_attr_value* value = tn_attrs_find(&construction->node->attrs, attr);
  return value && value->kind == TN_ATTR_STRING && value->count == 1 ? value->strings[0].data : "";
}

static void* create_var_handle(tn_construction* construction) {
  tn_status status = {0};
  var_handle* self = tn_alloc_zeroed(1, sizeof *self);
  if (!self) tn_status_set_no_memory(&status, "making a variable's handle");
  const tn_attr_value* shape = tn_attrs_find(&construction->node->attrs, "shape");
  const char* container = text_attr(construction, "container");
  const char* name = text_attr(construction, "shared_name");
  if (self && tn_construction_type(construction, "dtype", &self->dtype, &status) && shape &&
      shape->kind == TN_ATTR_SHAPE && tn_shape_copy(&self->shape, &shape->shapes[0], &status) &&
      strcmp(name, TN_ANONYMOUS_NAME) != 0)
    self->handle = tn_resource_handle_tensor(
        construction->device->name, *container ? container : TN_DEFAULT_CONTAINER, name,
        &tn_variable_type, NULL, self->dtype, &self->shape, &status);
  tn_construction_fail(construction, &status);
  tn_status_deinit(&status);
  return self;
}

static void compute_var_handle(void* state, tn_run_context* context) {
  const var_handle* self = state;
  tn_status status = {0};
  tn_tensor* made = NULL;
  if (!self->handle) {
    tn_variable* variable = tn_variable_create(self->dtype, &status);
    if (variable)
      made = tn_resource_handle_tensor(context->instance->device->name, TN_DEFAULT_CONTAINER,
                                       TN_ANONYMOUS_NAME, &tn_variable_type, &variable->object,
                                       self->dtype, &self->shape, &status);
    tn_variable_unref(variable);
  }
  if (tn_ok(&status)) tn_run_set_output(context, 0, self->handle ? self->handle : made, &status);
  tn_tensor_destroy(made);
  tn_run_conclude(context, tn_ok(&status), &status, NULL);
}

// VariableV2: the variable itself, as a reference. One without a name goes by its node's.
static void* create_variable_v2(tn_construction* construction) {
  tn_status status = {0};
  const char* container = text_attr(construction, "container");
  const char* name = text_attr(construction, "shared_name");
  tn_dtype dtype = TN_INVALID;
  tn_tensor* handle = NULL;
  if (tn_construction_type(construction, "dtype", &dtype, &status))
    handle = tn_resource_handle_tensor(
        construction->device->name, *container ? container : TN_DEFAULT_CONTAINER,
        *name ? name : construction->node->name, &tn_variable_type, NULL, dtype, NULL, &status);
  tn_construction_fail(construction, &status);
  tn_status_deinit(&status);
  return handle;
}

static void destroy_variable_v2(void* handle) { tn_tensor_destroy(handle); }

static tn_object* make_variable(void* handle, tn_status* status) {
  return (tn_object*)tn_variable_create(((const tn_resource_handle*)handle)->dtype, status);
}

static void compute_variable_v2(void* state, tn_run_context* context) {
  tn_status status = {0};
  const tn_resource_handle* handle = tn_resource_handle_of(state, &status);
  tn_object* variable =
      tn_resource_find_or_create(handle, &tn_variable_type, make_variable, (void*)handle, &status);
  bool done = variable && tn_run_set_output_ref(context, 0, (tn_variable*)variable, &status);
  tn_object_unref(variable);
  tn_run_conclude(context, done, &status, NULL);
}

static void compute_read(void* state, tn_run_context* context) {
  tn_status status = {0};
  tn_variable* variable = tn_run_variable(context, 0, &status);
  tn_tensor* value = variable ? tn_variable_read(variable, &status) : NULL;
  if (tn_status_code(&status) == TN_NOT_FOUND)
    tn_status_set(&status, TN_FAILED_PRECONDITION,
                  "the variable does not exist: it was never assigned, or it was deleted");
  bool done = value && tn_run_set_output(context, 0, value, &status);
  tn_tensor_destroy(value);
  tn_variable_unref(variable);
  tn_run_conclude(context, done, &status, NULL);
}

static bool flag_attr(const tn_run_context* context, const char* attr) {
  const tn_attr_value* value = tn_attrs_find(&context->instance->node->attrs, attr);
  return value && value->kind == TN_ATTR_BOOL && value->bools[0];
}

static void compute_assign(void* state, tn_run_context* context) {
  tn_run_assign_variable(context, 0, 1, flag_attr(context, "validate_shape"), NULL, NULL);
}

static void compute_assign_ref(void* state, tn_run_context* context) {
  tn_run_assign_ref(context, 0, 0, 1, flag_attr(context, "use_locking"),
                    flag_attr(context, "validate_shape"), NULL, NULL);
}

static void compute_destroy(void* state, tn_run_context* context) {
  tn_status status = {0};
  const tn_resource_handle* handle = tn_resource_handle_of(context->inputs[0], &status);
  bool done = handle && tn_resource_remove(handle, &status);
  bool forgiven =
      flag_attr(context, "ignore_lookup_error") && tn_status_code(&status) == TN_NOT_FOUND;
  tn_run_conclude(context, done || forgiven, &status, NULL);
}

static void compute_is_initialized(void* state, tn_run_context* context) {
  tn_status status = {0};
  tn_tensor* answer = tn_run_allocate_output(context, 0, NULL, 0, &status);
  tn_variable* variable = tn_run_variable(context, 0, NULL);
  bool has_value = false;
  if (variable && tn_variable_lock(variable, true, &status)) {
    has_value = variable->value != NULL;
    tn_variable_unlock(variable);
  }
  if (answer) *(bool*)tn_tensor_data(answer) = has_value;
  tn_variable_unref(variable);
  tn_tensor_destroy(answer);
  tn_run_conclude(context, tn_ok(&status), &status, NULL);
}

static void compute_shape(void* state, tn_run_context* context) {
  tn_status status = {0};
  tn_variable* variable = tn_run_variable(context, 0, &status);
  tn_tensor* answer = NULL;
  if (variable && tn_variable_lock(variable, true, &status)) {
    if (variable->value) {
      const tn_shape* shape = &variable->value->shape;
      const int64_t rank = shape->rank;
      answer = tn_run_allocate_output(context, 0, &rank, 1, &status);
      for (int i = 0; answer && i < rank; ++i) {
        if (answer->dtype == TN_INT32)
          ((int32_t*)tn_tensor_data(answer))[i] = (int32_t)tn_shape_dims(shape)[i];
        else
          ((int64_t*)tn_tensor_data(answer))[i] = tn_shape_dims(shape)[i];
      }
    } else {
      tn_status_set(&status, TN_FAILED_PRECONDITION, "the variable has no value yet");
    }
    tn_variable_unlock(variable);
  }
  tn_tensor_destroy(answer);
  tn_variable_unref(variable);
  tn_run_conclude(context, tn_ok(&status), &status, NULL);
}

// Variables by handle live on any device; what they hold is not looked at.
#define CPU_AND_DEFAULT(op, host_memory, ...) \
  {op, "CPU", {__VA_ARGS__}, NULL}, { op, "DEFAULT", {__VA_ARGS__}, host_memory }

const tn_builtin_kernel tn_builtin_kernels[] = {
    CPU_AND_DEFAULT("VarHandleOp", NULL, .create = create_var_handle, .compute = compute_var_handle,
                    .destroy = destroy_var_handle),
    {"VariableV2",
     "CPU",
     {.create = create_variable_v2, .compute = compute_variable_v2, .destroy = destroy_variable_v2},
     NULL},
    {"Assign", "CPU", {.compute = compute_assign_ref}, NULL},
    CPU_AND_DEFAULT("ReadVariableOp", NULL, .compute = compute_read),
    CPU_AND_DEFAULT("AssignVariableOp", NULL, .compute = compute_assign),
    CPU_AND_DEFAULT("DestroyResourceOp", NULL, .compute = compute_destroy),
    CPU_AND_DEFAULT("VarIsInitializedOp", "is_initialized", .compute = compute_is_initialized),
    CPU_AND_DEFAULT("VariableShape", "output", .compute = compute_shape),
};
const size_t tn_builtin_kernel_count = sizeof tn_builtin_kernels / sizeof *tn_builtin_kernels;
