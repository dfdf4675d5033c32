#include "exec/prepared.h"

#include "kernel/variable.h"

// The kernel on the device that was asked for, or on the CPU when that is allowed.
static const tn_kernel* choose(const tn_prepared* prepared, const tn_node* node,
                               tn_device** out_device, tn_status* status) {
  *out_device = prepared->device;
  tn_status missing = {0};
  const tn_kernel* kernel = tn_kernel_select(node, prepared->device->type, &missing);
  if (!kernel && prepared->falls_back && tn_status_code(&missing) == TN_NOT_FOUND) {
    *out_device = tn_device_cpu();
    kernel = tn_kernel_select(node, (*out_device)->type, NULL);
  }
  if (!kernel) tn_status_copy(status, &missing);
  tn_status_deinit(&missing);
  return kernel;
}

static tn_kernel_instance* make(const tn_prepared* prepared, tn_node* node, tn_status* status) {
  tn_device* device;
  const tn_kernel* kernel = choose(prepared, node, &device, status);
  if (kernel) return tn_kernel_instance_create(kernel, node, device, status);
  tn_node_destroy(node);
  return NULL;
}

bool tn_prepare(tn_prepared* prepared, const tn_op_def* op, tn_device* device, bool falls_back,
                const tn_attrs* attrs, const tn_dtype* types, size_t type_count,
                tn_status* status) {
  prepared->device = device;
  prepared->falls_back = falls_back;
  // Read first: a kernel registered in between is then looked at again, not missed.
  uint64_t generation = tn_kernel_registry_generation();
  tn_node* node = tn_node_create(op, op->name, attrs, types, type_count, status);
  tn_kernel_instance* instance = node ? make(prepared, node, status) : NULL;
  if (!instance) return false;
  atomic_store_explicit(&prepared->instance, instance, memory_order_release);
  atomic_store_explicit(&prepared->generation, generation, memory_order_release);
  return true;
}

const tn_kernel_instance* tn_prepared_renew(tn_prepared* prepared, tn_status* status) {
  uint64_t generation = tn_kernel_registry_generation();
  tn_kernel_instance* old = atomic_load_explicit(&prepared->instance, memory_order_acquire);
  tn_device* device;
  const tn_kernel* kernel = choose(prepared, old->node, &device, status);
  if (!kernel) return NULL;
  if (kernel != old->kernel) {
    tn_node* node = tn_node_create(old->node->op, old->node->name, &old->node->attrs,
                                   old->node->input_types, old->node->input_count, status);
    tn_kernel_instance* instance =
        node ? tn_kernel_instance_create(kernel, node, device, status) : NULL;
    if (!instance) return NULL;
    instance->previous = old;
    if (atomic_compare_exchange_strong(&prepared->instance, &old, instance))
      old = instance;
    else
      tn_kernel_instance_destroy(instance);
  }
  atomic_store_explicit(&prepared->generation, generation, memory_order_release);
  return old;
}

void tn_prepared_deinit(tn_prepared* prepared) {
  tn_kernel_instance* instance = atomic_load_explicit(&prepared->instance, memory_order_acquire);
  for (tn_kernel_instance* previous; instance; instance = previous) {
    previous = instance->previous;
    tn_kernel_instance_destroy(instance);
  }
}

bool tn_types_of(tn_tensor* const* inputs, size_t count, tn_dtype* out_types, tn_status* status) {
  for (size_t i = 0; i < count; ++i) {
    if (!inputs[i]) {
      tn_status_set(status, TN_INVALID_ARGUMENT, "input %zu is no tensor (NULL)", i);
      return false;
    }
    out_types[i] = tn_value_dtype(inputs[i]);
  }
  return true;
}
