#include "kernel/run_variable.h"
#include "kernel/placement.h"

#include <inttypes.h>

#include "base/memory.h"
#include "device/transfer.h"
#include "kernel/resource.h"

tn_variable* tn_run_variable(tn_run_context* context, int i, tn_status* status) {
  if (!tn_run_has_input(context, i, status)) return NULL;
  tn_variable* referred = tn_variable_referred(context->inputs[i]);
  if (referred) return (tn_variable*)tn_object_ref(&referred->object);
  const tn_resource_handle* handle = tn_resource_handle_of(context->inputs[i], status);
  return handle ? (tn_variable*)tn_resource_find(handle, &tn_variable_type, status) : NULL;
}

static tn_stream* stream_of(const tn_run_context* context) {
  return tn_run_stream_of(context->instance, context->options);
}

// A copy in memory of its own.
static tn_tensor* duplicate(tn_run_context* context, const tn_tensor* source, bool is_variant,
                            tn_copy_function copy, tn_status* status) {
  if (is_variant || !copy) return tn_tensor_duplicate(source, stream_of(context), status);
  tn_tensor* result =
      tn_tensor_create_in(tn_run_memory(context->instance, context->options), source->dtype,
                          tn_shape_dims(&source->shape), source->shape.rank, status);
  tn_tensor* from = result ? tn_tensor_share(source, status) : NULL;
  tn_tensor* to = from ? tn_tensor_share(result, status) : NULL;
  if (to) {
    copy(context, from, to);
    if (!tn_run_failed(context, status)) return result;
  } else {
    tn_tensor_destroy(from);
  }
  tn_tensor_destroy(result);
  return NULL;
}

// The variable's memory becomes its own, if it is not. The lock is held.
static bool make_private(tn_run_context* context, tn_variable* variable, bool always,
                         bool is_variant, tn_copy_function copy, tn_status* status) {
  if (!variable->value) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "the variable has no value yet; assign one before it is updated");
    return false;
  }
  if (is_variant && variable->value->dtype != TN_VARIANT) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "a variable of type %s was to be accessed as one of variants",
                  tn_dtype_name(variable->value->dtype));
    return false;
  }
  if (!always && !tn_buffer_is_shared(variable->value->buffer)) return true;
  tn_tensor* own = duplicate(context, variable->value, is_variant, copy, status);
  if (own) tn_variable_set(variable, own);
  return own != NULL;
}

bool tn_variable_allow_sparse(tn_run_context* context, tn_variable* variable, bool lock_held,
                              bool is_variant, tn_copy_function copy, tn_status* status) {
  if (atomic_load(&variable->copy_on_read)) return true;  // also when others share the lock
  if (!lock_held && !tn_variable_lock(variable, false, status)) return false;
  bool ready = make_private(context, variable, false, is_variant, copy, status);
  if (ready) atomic_store(&variable->copy_on_read, true);
  if (!lock_held) tn_variable_unlock(variable);
  return ready;
}

static bool check_dtype(const tn_variable* variable, const tn_tensor* value, tn_status* status) {
  if (variable->dtype == value->dtype) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "Trying to assign variable with wrong dtype. Expected %s got %s",
                tn_dtype_name(variable->dtype), tn_dtype_name(value->dtype));
  return false;
}

// `format` has two places for shapes.
static bool check_shapes(const tn_tensor* variable, const tn_tensor* value, const char* before,
                         const char* between, const char* after, tn_status* status) {
  if (!variable || tn_shape_equal(&variable->shape, &value->shape)) return true;
  tn_text message = {0};
  tn_text_puts(&message, before);
  tn_shape_print(&variable->shape, &message);
  tn_text_puts(&message, between);
  tn_shape_print(&value->shape, &message);
  tn_text_puts(&message, after);
  if (message.failed)
    tn_status_set_no_memory(status, "comparing shapes");
  else
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s", message.data);
  tn_text_deinit(&message);
  return false;
}

static tn_object* create_variable(void* value, tn_status* status) {
  return (tn_object*)tn_variable_create(((tn_tensor*)value)->dtype, status);
}

static tn_variable* find_or_create(tn_run_context* context, int i, tn_tensor* value,
                                   tn_status* status) {
  if (!tn_run_has_input(context, i, status)) return NULL;
  const tn_resource_handle* handle = tn_resource_handle_of(context->inputs[i], status);
  if (!handle) return NULL;
  return (tn_variable*)tn_resource_find_or_create(handle, &tn_variable_type, create_variable, value,
                                                  status);
}

bool tn_run_assign_variable(tn_run_context* context, int input, int value_index,
                            bool validate_shape, tn_copy_function copy, tn_status* status) {
  tn_status why = {0};
  tn_tensor* value = tn_run_input(context, value_index, &why);
  tn_variable* variable = value ? find_or_create(context, input, value, &why) : NULL;
  bool done = false;
  if (variable && check_dtype(variable, value, &why) && tn_variable_lock(variable, false, &why)) {
    tn_tensor* assigned = NULL;
    if (!validate_shape ||
        check_shapes(variable->value, value,
                     "Trying to assign to variable with tensor with wrong shape. Expected ",
                     " got ", "", &why))
      assigned = atomic_load(&variable->copy_on_read) ? duplicate(context, value, false, copy, &why)
                                                      : tn_tensor_share(value, &why);
    if (assigned) tn_variable_set(variable, assigned);
    done = assigned != NULL;
    tn_variable_unlock(variable);
  }
  tn_variable_unref(variable);
  tn_tensor_destroy(value);
  return tn_run_conclude(context, done, &why, status);
}

bool tn_run_assign_update(tn_run_context* context, int input, int value_index, int op,
                          bool is_variant, tn_copy_function copy, tn_update_function update,
                          tn_status* status) {
  tn_status why = {0};
  tn_variable* variable = update ? tn_run_variable(context, input, &why) : NULL;
  tn_tensor* value = variable ? tn_run_input(context, value_index, &why) : NULL;
  bool done = false;
  if (!update) tn_status_set(&why, TN_INVALID_ARGUMENT, "an update needs an update function");
  if (value && check_dtype(variable, value, &why) && tn_variable_lock(variable, false, &why)) {
    tn_tensor* target = NULL;
    if (check_shapes(variable->value, value, "Cannot update variable with shape ",
                     " using a Tensor with shape ", ", shapes must be equal.", &why) &&
        make_private(context, variable, atomic_load(&variable->copy_on_read), is_variant, copy,
                     &why))
      target = tn_tensor_share(variable->value, &why);
    if (target) {
      update(context, target, value, op);
      value = NULL;  // the function's
      done = !tn_run_failed(context, &why);
    }
    tn_variable_unlock(variable);
  }
  tn_tensor_destroy(value);
  tn_variable_unref(variable);
  return tn_run_conclude(context, done, &why, status);
}

tn_tensor* tn_run_variable_value(tn_run_context* context, int input, bool lock_held,
                                 bool is_variant, bool sparse, tn_copy_function copy,
                                 tn_status* status) {
  tn_status why = {0};
  tn_tensor* value = NULL;
  tn_variable* variable = tn_run_variable(context, input, &why);
  bool is_ref = variable && tn_variable_referred(context->inputs[input]);
  if (variable && (lock_held || tn_variable_lock(variable, false, &why))) {
    bool ready;
    if (is_ref && !variable->value) {
      tn_status_set(&why, TN_FAILED_PRECONDITION,
                    "attempt to use a tensor with an uninitialized value (input %d)", input);
      ready = false;
    } else if (is_ref) {
      ready = true;
    } else if (sparse) {
      ready = tn_variable_allow_sparse(context, variable, true, is_variant, copy, &why);
    } else {
      ready = make_private(context, variable, atomic_load(&variable->copy_on_read), is_variant,
                           copy, &why);
    }
    if (ready) value = tn_tensor_share(variable->value, &why);
    if (!lock_held) tn_variable_unlock(variable);
  }
  tn_variable_unref(variable);
  tn_run_conclude(context, value != NULL, &why, status);
  return value;
}

bool tn_run_set_output_ref(tn_run_context* context, int i, tn_variable* variable,
                           tn_status* status) {
  if (!tn_run_has_output(context, i, status)) return false;
  tn_dtype expected = context->instance->node->output_types[i];
  if (expected != (tn_dtype)(variable->dtype + TN_REF_OFFSET)) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "output %d of node '%s' is %s; a reference to a %s variable was set", i,
                  context->instance->node->name, tn_dtype_name(expected),
                  tn_dtype_name(variable->dtype));
    return false;
  }
  tn_tensor* reference = tn_variable_reference(variable, status);
  if (!reference) return false;
  tn_tensor_destroy(context->outputs[i]);
  context->outputs[i] = reference;
  return true;
}

static tn_variable* referred(tn_run_context* context, int input, tn_status* status) {
  if (!tn_run_has_input(context, input, status)) return NULL;
  tn_variable* variable = tn_variable_referred(context->inputs[input]);
  if (!variable)
    tn_status_set(status, TN_INVALID_ARGUMENT, "input %d of node '%s' is not a reference", input,
                  context->instance->node->name);
  return variable;
}

void tn_run_forward_ref(tn_run_context* context, int input, int output) {
  tn_status why = {0};
  bool done = tn_run_has_input(context, input, &why);
  if (done && context->instance->node->input_types[input] != TN_RESOURCE) {
    tn_variable* variable = referred(context, input, &why);
    done = variable && tn_run_set_output_ref(context, output, variable, &why);
  }
  tn_run_conclude(context, done, &why, NULL);
}

// What a reference variable is written through: its own memory when that has the right size, else
// new memory. The lock is held.
static tn_tensor* target_of(tn_run_context* context, tn_variable* variable, const tn_tensor* value,
                            tn_status* status) {
  const int64_t* dims = tn_shape_dims(&value->shape);
  if (variable->value && tn_tensor_elements(variable->value) == tn_tensor_elements(value)) {
    if (!tn_tensor_set_shape(variable->value, dims, value->shape.rank, status)) return NULL;
  } else {
    tn_tensor* own = tn_tensor_create_in(tn_run_memory(context->instance, context->options),
                                         value->dtype, dims, value->shape.rank, status);
    if (!own) return NULL;
    tn_variable_set(variable, own);
  }
  return tn_tensor_share(variable->value, status);
}

static bool assign_ref(tn_run_context* context, tn_variable* variable, tn_tensor* value,
                       bool use_locking, bool validate_shape, tn_copy_function copy,
                       tn_status* status) {
  if (!tn_variable_lock(variable, false, status)) return false;
  tn_tensor *target = NULL, *source = NULL;
  bool done = !validate_shape ||
              check_shapes(variable->value, value,
                           "Assign requires shapes of both tensors to match. lhs shape= ",
                           " rhs shape= ", "", status);
  if (done && !copy) {
    tn_tensor* own = tn_tensor_duplicate(value, stream_of(context), status);
    if (own) tn_variable_set(variable, own);
    done = own != NULL;
  } else if (done) {
    source = tn_tensor_share(value, status);
    target = source ? target_of(context, variable, value, status) : NULL;
    done = target != NULL;
  }
  if (!use_locking) tn_variable_unlock(variable);
  if (target) {
    copy(context, source, target);
    done = !tn_run_failed(context, status);
  } else {
    tn_tensor_destroy(source);
  }
  if (use_locking) tn_variable_unlock(variable);
  return done;
}

bool tn_run_assign_ref(tn_run_context* context, int input, int output, int value_index,
                       bool use_locking, bool validate_shape, tn_copy_function copy,
                       tn_status* status) {
  tn_status why = {0};
  tn_variable* variable = referred(context, input, &why);
  tn_tensor* value = variable ? tn_run_input(context, value_index, &why) : NULL;
  bool done = value && tn_run_set_output_ref(context, output, variable, &why) &&
              check_dtype(variable, value, &why) &&
              assign_ref(context, variable, value, use_locking, validate_shape, copy, &why);
  tn_tensor_destroy(value);
  return tn_run_conclude(context, done, &why, status);
}

bool tn_run_encode_resource_handle(tn_run_context* context, int i, tn_text* out,
                                   tn_status* status) {
  if (!tn_run_has_input(context, i, status)) return false;
  const tn_resource_handle* handle = tn_resource_handle_of(context->inputs[i], status);
  if (!handle) return false;
  tn_resource_handle_encode(handle, out);
  if (out->failed) tn_status_set_no_memory(status, "writing a resource handle");
  return !out->failed;
}
