// Variables that live for one step under a name: reference variables in a container of the step's
// own.
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "kernel/placement.h"
#include "kernel/resource.h"
#include "kernel/run_variable.h"

enum { container_room = 40 };

static const char* container_of(int64_t step_id, char text[container_room]) {
  snprintf(text, container_room, "__per_step_%" PRId64, step_id);
  return text;
}

// Loops use a name once per frame and iteration.
static char* name_of(const tn_run_context* context, tn_view name, tn_status* status) {
  char* unique = tn_printf("%.*s/%" PRIu64 ":%" PRId64, TN_VIEW_ARGS(name),
                           tn_run_frame_id(context), tn_run_iter_id(context));
  if (!unique) tn_status_set_no_memory(status, "naming a temporary variable");
  return unique;
}

// A variable whose value is a tensor of that type and shape, contents undefined.
static tn_variable* make(tn_run_context* context, tn_dtype dtype, const int64_t* dims, int rank,
                         void (*allocate)(tn_run_context*, tn_tensor*, tn_dtype, const int64_t*,
                                          int, tn_status*),
                         tn_status* status) {
  tn_tensor* value = tn_tensor_create_in(tn_run_memory(context->instance, context->options), dtype,
                                         dims, rank, status);
  tn_variable* variable = value ? tn_variable_create(dtype, status) : NULL;
  if (!variable) {
    tn_tensor_destroy(value);
    return NULL;
  }
  tn_variable_set(variable, value);
  if (!allocate) return variable;
  tn_status outcome = {0};
  allocate(context, value, dtype, dims, rank, &outcome);
  if (tn_ok(&outcome) && value->dtype != dtype)
    tn_status_set(&outcome, TN_INVALID_ARGUMENT,
                  "the allocator of a temporary %s variable made it a %s tensor",
                  tn_dtype_name(dtype), tn_dtype_name(value->dtype));
  if (tn_ok(&outcome) && !tn_run_failed(context, &outcome)) return variable;
  tn_status_copy(status, &outcome);
  tn_status_deinit(&outcome);
  tn_variable_unref(variable);
  return NULL;
}

bool tn_run_temporary_variable(tn_run_context* context, tn_dtype dtype, const int64_t* dims,
                               int rank, tn_view name,
                               void (*allocate)(tn_run_context*, tn_tensor*, tn_dtype,
                                                const int64_t*, int, tn_status*),
                               tn_status* status) {
  tn_status why = {0};
  char container[container_room], *unique = NULL;
  tn_variable* variable = NULL;
  if (tn_run_has_output(context, 0, &why)) unique = name_of(context, name, &why);
  if (unique) variable = make(context, dtype, dims, rank, allocate, &why);
  bool done = false;
  if (variable && tn_run_set_output_ref(context, 0, variable, &why)) {
    tn_object_ref(&variable->object);
    done = tn_resource_add(container_of(tn_run_step_id(context), container), unique,
                           &variable->object, &why);
  }
  tn_variable_unref(variable);
  tn_free(unique);
  return tn_run_conclude(context, done, &why, status);
}

bool tn_run_destroy_temporary_variable(tn_run_context* context, int input, tn_view name,
                                       tn_status* status) {
  tn_status why = {0};
  char container[container_room], *unique = NULL;
  tn_tensor* value = NULL;
  if (!tn_run_has_input(context, input, &why)) {
  } else if (!tn_variable_referred(context->inputs[input])) {
    tn_status_set(&why, TN_INVALID_ARGUMENT, "lhs input needs to be a ref type");
  } else if ((unique = name_of(context, name, &why))) {
    value = tn_run_input(context, input, &why);
  }
  bool done = value && tn_run_set_output(context, 0, value, &why);
  if (done) {
    tn_object* variable = tn_resource_take(container_of(tn_run_step_id(context), container), unique,
                                           &tn_variable_type, &why);
    done = variable != NULL;
    tn_object_unref(variable);
  }
  tn_tensor_destroy(value);
  tn_free(unique);
  return tn_run_conclude(context, done, &why, status);
}

void tn_run_end_step(int64_t step_id) {
  char container[container_room];
  tn_resource_clear(container_of(step_id, container));
}
