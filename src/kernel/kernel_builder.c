#include "base/memory.h"
#include "kernel/kernel.h"

tn_kernel_builder* tn_kernel_builder_create(const char* op, const char* device_type,
                                            const tn_kernel_functions* functions) {
  tn_kernel_builder* builder = tn_alloc_zeroed(1, sizeof *builder);
  if (builder) builder->functions = *functions;
  if (!builder || !tn_kernel_def_set(&builder->def.op, tn_view_of(op)) ||
      !tn_kernel_def_set(&builder->def.device_type, tn_view_of(device_type)) ||
      !tn_kernel_def_set(&builder->def.label, (tn_view){"", 0})) {
    tn_kernel_builder_destroy(builder);
    tn_origin_note_no_memory("describing a kernel");
    return NULL;
  }
  return builder;
}

void tn_kernel_builder_destroy(tn_kernel_builder* builder) {
  // TensorFlow's own tests delete builders that they have registered.
  if (!builder || builder->taken) return;
  tn_kernel_def_deinit(&builder->def);
  tn_free(builder);
}

// What TF_KernelBuilder_TypeConstraint takes: the types of its time, no float8, no int4.
static bool can_constrain(tn_dtype type) { return type >= TN_FLOAT && type <= TN_UINT64; }

bool tn_kernel_builder_constrain(tn_kernel_builder* builder, const char* attr, tn_dtype type,
                                 tn_status* status) {
  if (!builder || builder->taken || !attr) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "a type constraint needs a kernel builder that is not registered, and an attr");
    return false;
  }
  if (!can_constrain(type)) {
    tn_status_set(status, TN_UNIMPLEMENTED, "Unexpected type %d", (int)type);
    return false;
  }
  tn_constraint* constraint = tn_kernel_def_add_constraint(&builder->def, tn_view_of(attr));
  if (constraint && tn_attr_value_init(&constraint->allowed, TN_ATTR_TYPE, true, &type, 1, status))
    return true;
  builder->failed = true;
  tn_status_set_no_memory(status, "adding a type constraint");
  return false;
}

void tn_kernel_builder_host_memory(tn_kernel_builder* builder, const char* arg) {
  if (!builder || builder->taken || !arg) return;
  if (!tn_kernel_def_add_host_memory(&builder->def, tn_view_of(arg))) builder->failed = true;
}

void tn_kernel_builder_priority(tn_kernel_builder* builder, int32_t priority) {
  if (builder && !builder->taken) builder->def.priority = priority;
}

void tn_kernel_builder_label(tn_kernel_builder* builder, const char* label) {
  if (!builder || builder->taken || !label) return;
  ++builder->labels;
  if (!tn_kernel_def_set(&builder->def.label, tn_view_of(label))) builder->failed = true;
}
