#include "kernel/instance.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/status.h"

void tn_construction_fail(tn_construction* construction, const tn_status* status) {
  if (!construction) return;
  if (status) {
    tn_status_update(&construction->status, status);
  } else if (construction->status.code == TN_OK) {
    tn_status_set(&construction->status, TN_RESOURCE_EXHAUSTED,
                  "the kernel failed without a status, for which it may have had no memory");
  }
}

static bool lives_on_host(tn_dtype dtype) { return dtype == TN_STRING || dtype == TN_RESOURCE; }

static void mark(bool* on_host, int start, int stop) {
  for (int i = start; i < stop; ++i) on_host[i] = true;
}

// What the kernel names. All names that the op lacks are told at once.
static bool apply_kernel_memory(tn_kernel_instance* instance, tn_status* status) {
  const tn_kernel_def* def = &instance->kernel->def;
  tn_text unknown = {0};
  for (size_t i = 0; i < def->host_memory_count; ++i) {
    const char* arg = def->host_memory_args[i];
    int start, stop;
    bool known = false;
    if (tn_node_input_range(instance->node, arg, &start, &stop)) {
      mark(instance->input_on_host, start, stop);
      known = true;
    }
    if (tn_node_output_range(instance->node, arg, &start, &stop)) {
      mark(instance->output_on_host, start, stop);
      known = true;
    }
    if (!known) tn_text_printf(&unknown, "%s'%s'", unknown.size ? ", " : "", arg);
  }
  if (unknown.size == 0 && !unknown.failed) return true;
  tn_text op = {0};
  tn_op_def_print(instance->node->op, &op);
  if (unknown.failed || op.failed)
    tn_status_set_no_memory(status, "making a kernel");
  else
    tn_status_set(status, TN_INVALID_ARGUMENT, "HostMemory args %s not found in OpDef: %s",
                  unknown.data, tn_text_view(&op).data);
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  tn_text_deinit(&unknown);
  tn_text_deinit(&op);
  return false;
}

// What the node says: lists of indices.
static bool apply_node_memory(const tn_node* node, const char* attr, bool* on_host, size_t count,
                              tn_status* status) {
  const tn_attr_value* indices = tn_attrs_find(&node->attrs, attr);
  if (!indices || indices->kind != TN_ATTR_INT) return true;
  for (size_t i = 0; i < indices->count; ++i) {
    int64_t index = indices->ints[i];
    if (index < 0 || (uint64_t)index >= count) {
      tn_status_set(status, TN_INVALID_ARGUMENT,
                    "attr '%s' of node '%s' has index %" PRId64 "; the node has %zu of them", attr,
                    node->name, index, count);
      return false;
    }
    on_host[index] = true;
  }
  return true;
}

static bool find_memory_kinds(tn_kernel_instance* instance, tn_status* status) {
  const tn_node* node = instance->node;
  for (size_t i = 0; i < node->input_count; ++i)
    instance->input_on_host[i] = lives_on_host(node->input_types[i]);
  for (size_t i = 0; i < node->output_count; ++i)
    instance->output_on_host[i] = lives_on_host(node->output_types[i]);
  return apply_kernel_memory(instance, status) &&
         apply_node_memory(node, "_input_hostmem", instance->input_on_host, node->input_count,
                           status) &&
         apply_node_memory(node, "_output_hostmem", instance->output_on_host, node->output_count,
                           status);
}

static bool run_create(tn_kernel_instance* instance, tn_status* status) {
  const tn_kernel_functions* functions = &instance->kernel->functions;
  if (!functions->compute && !functions->compute_async && !functions->lean) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "the kernel '%s' for op '%s' was registered without a compute function",
                  instance->kernel->name, instance->node->op->name);
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
    return false;
  }
  if (!functions->create) return true;
  tn_construction construction = {.node = instance->node, .device = instance->device};
  instance->state = functions->create(&construction);
  if (tn_ok(&construction.status)) return true;
  if (functions->destroy) functions->destroy(instance->state);
  tn_status_copy(status, &construction.status);
  tn_status_deinit(&construction.status);
  return false;
}

tn_kernel_instance* tn_kernel_instance_create(const tn_kernel* kernel, tn_node* node,
                                              tn_device* device, tn_status* status) {
  tn_kernel_instance* instance =
      tn_alloc_zeroed(1, sizeof *instance + node->input_count + node->output_count);
  if (!instance) {
    tn_node_destroy(node);
    tn_status_set_no_memory(status, "making a kernel");
    return NULL;
  }
  instance->kernel = kernel;
  instance->node = node;
  instance->device = device;
  instance->input_on_host = (bool*)(instance + 1);
  instance->output_on_host = instance->input_on_host + node->input_count;
  if (find_memory_kinds(instance, status) && run_create(instance, status)) return instance;
  tn_status_annotate(status, "while making the kernel of node '%s' (op %s, from %s)", node->name,
                     node->op->name, tn_kernel_file(kernel));
  tn_node_destroy(node);
  tn_free(instance);
  return NULL;
}

void tn_kernel_instance_destroy(tn_kernel_instance* instance) {
  if (!instance) return;
  if (instance->kernel->functions.destroy) instance->kernel->functions.destroy(instance->state);
  tn_node_destroy(instance->node);
  tn_free(instance);
}
