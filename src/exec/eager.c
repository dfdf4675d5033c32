#include "exec/eager.h"

#include "base/memory.h"
#include "exec/kernel_cache.h"
#include "kernel/run_variable.h"
#include "op/op_registry.h"

struct TFE_Context {
  int placement_policy;
  atomic_int steps;  // begun and not ended
};

// A thread's own policy, and the context it is for.
static _Thread_local const tn_eager_context* policy_context;
static _Thread_local int thread_policy;

enum { few_inputs = 8 };

struct TFE_Op {
  tn_eager_context* context;
  const tn_op_def* def;
  tn_device* device;
  tn_attrs attrs;
  uint64_t attrs_hash;
  bool attrs_changed;
  tn_status status;  // the first setter that failed
  size_t next_arg;   // of the op, for list arguments
  tn_tensor** inputs;
  size_t input_count, input_capacity;
  tn_cached_kernel* cached;  // of the last run
  tn_tensor* few[few_inputs];
};

tn_eager_context* tn_eager_context_create(int placement_policy, tn_status* status) {
  tn_eager_context* context = tn_alloc_zeroed(1, sizeof *context);
  if (context)
    context->placement_policy = placement_policy;
  else
    tn_status_set_no_memory(status, "making an eager context");
  return context;
}

void tn_eager_context_destroy(tn_eager_context* context) {
  if (!context) return;
  if (policy_context == context) policy_context = NULL;
  tn_free(context);
}

int tn_eager_context_placement_policy(const tn_eager_context* context) {
  return policy_context == context ? thread_policy : context->placement_policy;
}

void tn_eager_context_set_thread_placement_policy(tn_eager_context* context, int policy) {
  policy_context = context;
  thread_policy = policy;
}

void tn_eager_context_start_step(tn_eager_context* context) {
  atomic_fetch_add(&context->steps, 1);
}

void tn_eager_context_end_step(tn_eager_context* context) {
  if (atomic_fetch_sub(&context->steps, 1) == 1) tn_run_end_step(0);
}

tn_eager_op* tn_eager_op_create(tn_eager_context* context, const char* name, tn_status* status) {
  const tn_op_def* def = tn_op_registry_get(name ? name : "", status);
  if (!def) return NULL;
  tn_eager_op* op = tn_alloc(sizeof *op);
  if (!op) {
    tn_status_set_no_memory(status, "making an op");
    return NULL;
  }
  memset(op, 0, offsetof(tn_eager_op, few));
  op->context = context;
  op->def = def;
  op->device = tn_device_cpu();
  op->attrs_changed = true;
  op->inputs = op->few;
  op->input_capacity = few_inputs;
  return op;
}

void tn_eager_op_destroy(tn_eager_op* op) {
  if (!op) return;
  tn_eager_op_clear_inputs(op);
  if (op->inputs != op->few) tn_free(op->inputs);
  tn_attrs_deinit(&op->attrs);
  tn_status_deinit(&op->status);
  tn_free(op);
}

const tn_op_def* tn_eager_op_def(const tn_eager_op* op) { return op->def; }

tn_eager_context* tn_eager_op_context(const tn_eager_op* op) { return op->context; }

tn_device* tn_eager_op_device(const tn_eager_op* op) { return op->device; }

bool tn_eager_op_set_device(tn_eager_op* op, const char* name, tn_status* status) {
  tn_device* device = tn_device_find(name, status);
  if (!device) return false;
  if (device != op->device) op->cached = NULL;
  op->device = device;
  return true;
}

void tn_eager_op_clear_inputs(tn_eager_op* op) {
  for (size_t i = 0; i < op->input_count; ++i) tn_tensor_destroy(op->inputs[i]);
  op->input_count = 0;
  op->next_arg = 0;
}

static bool reserve(tn_eager_op* op, size_t more, tn_status* status) {
  size_t needed = op->input_count + more;
  if (needed <= op->input_capacity) return true;
  size_t capacity = needed * 2;
  tn_tensor** larger = tn_alloc(capacity * sizeof *larger);
  if (!larger) {
    tn_status_set_no_memory(status, "adding inputs to an op");
    return false;
  }
  memcpy(larger, op->inputs, op->input_count * sizeof *larger);
  if (op->inputs != op->few) tn_free(op->inputs);
  op->inputs = larger;
  op->input_capacity = capacity;
  return true;
}

bool tn_eager_op_add_input(tn_eager_op* op, const tn_tensor* input, tn_status* status) {
  if (!reserve(op, 1, status)) return false;
  tn_tensor* shared = tn_tensor_share(input, status);
  if (!shared) return false;
  op->inputs[op->input_count++] = shared;
  ++op->next_arg;
  return true;
}

static bool set_attr(tn_eager_op* op, const char* name, tn_attr_kind kind, bool is_list,
                     const void* items, size_t count, tn_status* status) {
  tn_attr_value value;
  op->attrs_changed = true;
  op->cached = NULL;
  return tn_attr_value_init(&value, kind, is_list, items, count, status) &&
         tn_attrs_take(&op->attrs, name, &value, status);
}

// A list argument that comes whole tells its attrs.
static bool set_list_attrs(tn_eager_op* op, tn_tensor* const* inputs, int count,
                           tn_status* status) {
  if (op->next_arg >= op->def->input_count) return true;
  const tn_arg_def* arg = &op->def->inputs[op->next_arg];
  if (arg->number_attr && !tn_attrs_find(&op->attrs, arg->number_attr))
    return set_attr(op, arg->number_attr, TN_ATTR_INT, false, &(int64_t){count}, 1, status);
  if (!arg->type_list_attr || tn_attrs_find(&op->attrs, arg->type_list_attr)) return true;
  tn_dtype* types = tn_alloc((size_t)count * sizeof *types);
  if (!types) tn_status_set_no_memory(status, "adding inputs to an op");
  bool set = types && tn_types_of(inputs, (size_t)count, types, status) &&
             set_attr(op, arg->type_list_attr, TN_ATTR_TYPE, true, types, (size_t)count, status);
  tn_free(types);
  return set;
}

bool tn_eager_op_add_input_list(tn_eager_op* op, tn_tensor* const* inputs, int count,
                                tn_status* status) {
  if (count < 0 || (count > 0 && !inputs)) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "a list of %d inputs at %p", count, (void*)inputs);
    return false;
  }
  if (!set_list_attrs(op, inputs, count, status) || !reserve(op, (size_t)count, status))
    return false;
  size_t arg = op->next_arg, before = op->input_count;
  for (int i = 0; i < count; ++i) {
    if (tn_eager_op_add_input(op, inputs[i], status)) continue;
    while (op->input_count > before) tn_tensor_destroy(op->inputs[--op->input_count]);
    op->next_arg = arg;
    return false;
  }
  op->next_arg = arg + 1;
  return true;
}

size_t tn_eager_op_input_count(const tn_eager_op* op) { return op->input_count; }

tn_tensor* tn_eager_op_input(const tn_eager_op* op, int i, tn_status* status) {
  if (i >= 0 && (size_t)i < op->input_count) return op->inputs[i];
  tn_status_set(status, TN_OUT_OF_RANGE, "input index %d is out of range: op %s has %zu inputs", i,
                op->def->name, op->input_count);
  return NULL;
}

// The length that attrs give an argument; -1 with a status.
static int arg_length(const tn_eager_op* op, const tn_arg_def* args, size_t count, const char* name,
                      tn_status* status) {
  for (size_t i = 0; name && i < count; ++i) {
    if (strcmp(args[i].name, name) != 0) continue;
    const char* attr = args[i].number_attr ? args[i].number_attr : args[i].type_list_attr;
    if (!attr) return 1;
    const tn_attr_value* value = tn_attrs_find(&op->attrs, attr);
    if (value && args[i].number_attr && value->kind == TN_ATTR_INT) return (int)value->ints[0];
    if (value && value->is_list) return (int)value->count;
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "the length of '%s' of op %s is attr '%s', which is not set yet", name,
                  op->def->name, attr);
    return -1;
  }
  tn_status_set(status, TN_INVALID_ARGUMENT, "op %s has no argument '%s'", op->def->name,
                name ? name : "(null)");
  return -1;
}

int tn_eager_op_input_length(const tn_eager_op* op, const char* arg, tn_status* status) {
  return arg_length(op, op->def->inputs, op->def->input_count, arg, status);
}

int tn_eager_op_output_length(const tn_eager_op* op, const char* arg, tn_status* status) {
  return arg_length(op, op->def->outputs, op->def->output_count, arg, status);
}

const tn_attr_def* tn_eager_op_attr_def(const tn_op_def* op, const char* attr, tn_status* status) {
  const tn_attr_def* def = attr ? tn_op_def_find_attr(op, attr) : NULL;
  if (!def)
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "Attribute '%s' does not exist for this operation %s", attr ? attr : "(null)",
                  op->name);
  return def;
}

bool tn_eager_op_set_attr(tn_eager_op* op, const char* attr, tn_attr_kind kind, bool is_list,
                          const void* items, size_t count, tn_status* status) {
  tn_status why = {0};
  bool set = false;
  if (!attr || (count > 0 && !items))
    tn_status_set(&why, TN_INVALID_ARGUMENT, "an attr of op %s was set without a name or a value",
                  op->def->name);
  else
    set = set_attr(op, attr, kind, is_list, items, count, &why);
  if (!set) {
    tn_status_update(&op->status, &why);
    tn_status_copy(status, &why);
  }
  tn_status_deinit(&why);
  return set;
}

tn_func tn_eager_op_as_function(const tn_eager_op* op) {
  return (tn_func){.name = op->def->name, .attrs = op->attrs};
}

// The kernel for the inputs as they are.
static tn_cached_kernel* find_kernel(tn_eager_op* op, tn_status* status) {
  tn_dtype few[few_inputs];
  tn_dtype* types = few;
  if (op->input_count > few_inputs) types = tn_alloc(op->input_count * sizeof *types);
  if (!types) {
    tn_status_set_no_memory(status, "running an op");
    return NULL;
  }
  tn_cached_kernel* found = NULL;
  if (tn_types_of(op->inputs, op->input_count, types, status)) {
    found = tn_kernel_cache_recent(op->def, op->device, &op->attrs, types, op->input_count);
    if (!found) {
      if (op->attrs_changed) op->attrs_hash = tn_attrs_hash(&op->attrs);
      op->attrs_changed = false;
      found = tn_kernel_cache_get(op->def, op->device, &op->attrs, op->attrs_hash, types,
                                  op->input_count, status);
    }
  }
  if (types != few) tn_free(types);
  return found;
}

bool tn_eager_op_run(tn_eager_op* op, tn_tensor** outputs, int* count, tn_status* status) {
  if (!tn_ok(&op->status)) {
    tn_status_copy(status, &op->status);
    return false;
  }
  if (!op->cached || op->cached->type_count != op->input_count ||
      !tn_types_match(op->cached->types, op->inputs, op->input_count))
    op->cached = find_kernel(op, status);
  const tn_kernel_instance* instance =
      op->cached ? tn_cached_kernel_instance(op->cached, status) : NULL;
  if (!instance) return false;
  size_t output_count = instance->node->output_count;
  if (*count < 0 || (size_t)*count < output_count || (output_count && !outputs)) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "Expecting %zu outputs, but *num_retvals is %d",
                  output_count, outputs ? *count : 0);
    return false;
  }
  if (!tn_kernel_run_with(instance, op->inputs, op->input_count, outputs, output_count, NULL,
                          status))
    return false;
  *count = (int)output_count;
  return true;
}
