#include "exec/eager.h"

#include "base/memory.h"
#include "base/thread_end.h"
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
  // An op that was used before keeps its attrs and its kernel, because the next op of that kind is
  // mostly set the same way: only the first `attrs_set` count, and what differs ends the rest.
  tn_attrs attrs;
  size_t attrs_set;
  tn_status status;  // the first setter that failed
  size_t next_arg;   // of the op, for list arguments
  tn_tensor** inputs;
  size_t input_count, input_capacity;
  tn_cached_kernel* cached;  // of the last run
  const tn_cancel* cancel;
  struct TFE_Op* next_spare;
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

static void free_op(tn_eager_op* op) {
  if (op->inputs != op->few) tn_free(op->inputs);
  tn_attrs_deinit(&op->attrs);
  tn_status_deinit(&op->status);
  tn_free(op);
}

enum { spare_lists = 8, spares_per_list = 8 };

// Ops of one kind that this thread has destroyed.
typedef struct spare_list {
  tn_eager_op* first;
  int count;
} spare_list;

static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
  spare_list lists[spare_lists];
  bool open;
  tn_thread_end end;
} spares;

static spare_list* spares_of(const tn_op_def* def) {
  return &spares.lists[(uintptr_t)def / 64 % spare_lists];
}

static void free_spares(spare_list* list) {
  for (tn_eager_op* op; (op = list->first);) {
    list->first = op->next_spare;
    free_op(op);
  }
  list->count = 0;
}

static void end_thread(void) {
  spares.open = false;
  for (int i = 0; i < spare_lists; ++i) free_spares(&spares.lists[i]);
}

static bool keeps_spares(void) {
#if defined(TENON_SANITIZED)
  const bool wanted = false;  // every op a block of its own, so that one used after its end is seen
#else
  const bool wanted = true;
#endif
  if (!wanted || tn_memory_counting()) return false;
  if (!spares.open) {
    spares.end.end = end_thread;
    spares.open = tn_thread_on_end(&spares.end);
  }
  return spares.open;
}

tn_eager_op* tn_eager_op_create(tn_eager_context* context, const char* name, tn_status* status) {
  const tn_op_def* def = tn_op_registry_get(name ? name : "", status);
  if (!def) return NULL;
  spare_list* list = spares_of(def);
  tn_eager_op* op = list->first;
  if (op && op->def == def) {
    list->first = op->next_spare;
    --list->count;
    op->attrs_set = 0;
    op->cancel = NULL;
    if (op->device != tn_device_cpu()) tn_eager_op_set_device(op, "", NULL);
  } else {
    op = tn_alloc(sizeof *op);
    if (!op) {
      tn_status_set_no_memory(status, "making an op");
      return NULL;
    }
    memset(op, 0, offsetof(tn_eager_op, few));
    op->def = def;
    op->device = tn_device_cpu();
    op->inputs = op->few;
    op->input_capacity = few_inputs;
  }
  op->context = context;
  return op;
}

void tn_eager_op_destroy(tn_eager_op* op) {
  if (!op) return;
  tn_eager_op_clear_inputs(op);
  spare_list* list = spares_of(op->def);
  if (!tn_ok(&op->status) || !keeps_spares() || list->count == spares_per_list) {
    free_op(op);
    return;
  }
  if (list->first && list->first->def != op->def) free_spares(list);
  op->next_spare = list->first;
  list->first = op;
  ++list->count;
}

// Forgets the attrs of an earlier use that this one did not set.
static void settle_attrs(tn_eager_op* op) {
  if (op->attrs_set == op->attrs.count) return;
  tn_attrs_truncate(&op->attrs, op->attrs_set);
  op->cached = NULL;
}

const tn_op_def* tn_eager_op_def(const tn_eager_op* op) { return op->def; }

tn_eager_context* tn_eager_op_context(const tn_eager_op* op) { return op->context; }

tn_device* tn_eager_op_device(const tn_eager_op* op) { return op->device; }

bool tn_eager_op_set_device(tn_eager_op* op, const char* name, tn_status* status) {
  tn_device* device = tn_device_find(name, status);
  if (!device || !tn_device_open(device, status)) return false;
  if (device != op->device) op->cached = NULL;
  op->device = device;
  return true;
}

void tn_eager_op_set_cancel(tn_eager_op* op, const tn_cancel* cancel) { op->cancel = cancel; }

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
  if (op->attrs_set < op->attrs.count) {
    const tn_attr* before = &op->attrs.items[op->attrs_set];
    tn_attr_value borrowed = {.kind = kind, .is_list = is_list, .count = count};
    borrowed.items = (void*)items;
    // Tensors and functions are dear to compare, and may be missing.
    bool plain = kind != TN_ATTR_TENSOR && kind != TN_ATTR_FUNC;
    if (plain && strcmp(before->name, name) == 0 &&
        tn_attr_value_equal(&before->value, &borrowed)) {
      ++op->attrs_set;
      return true;
    }
    settle_attrs(op);
  }
  op->cached = NULL;
  tn_attr_value value;
  bool set = tn_attr_value_init(&value, kind, is_list, items, count, status) &&
             tn_attrs_take(&op->attrs, name, &value, status);
  op->attrs_set = op->attrs.count;
  return set;
}

// An attr set by this use of the op.
static const tn_attr_value* find_attr(const tn_eager_op* op, const char* name) {
  tn_attrs set = {.items = op->attrs.items, .count = op->attrs_set};
  return tn_attrs_find(&set, name);
}

// A list argument that comes whole tells its attrs.
static bool set_list_attrs(tn_eager_op* op, tn_tensor* const* inputs, int count,
                           tn_status* status) {
  if (op->next_arg >= op->def->input_count) return true;
  const tn_arg_def* arg = &op->def->inputs[op->next_arg];
  if (arg->number_attr && !find_attr(op, arg->number_attr))
    return set_attr(op, arg->number_attr, TN_ATTR_INT, false, &(int64_t){count}, 1, status);
  if (!arg->type_list_attr || find_attr(op, arg->type_list_attr)) return true;
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
    const tn_attr_value* value = find_attr(op, attr);
    if (value && args[i].number_attr && value->kind == TN_ATTR_INT && !value->is_list)
      return (int)value->ints[0];
    if (value && args[i].type_list_attr && value->is_list) return (int)value->count;
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

// A function is an op with a copy of its attrs, and functions may be among these: ops set as each
// other's attrs in turn nest ever deeper, and with two such attrs grow twofold each time.
enum { deepest_functions = 100, most_function_attrs = 10000 };

static bool is_small(const tn_attrs* attrs, int levels, int* left) {
  for (size_t i = 0; i < attrs->count; ++i) {
    const tn_attr_value* value = &attrs->items[i].value;
    if (--*left < 0) return false;
    for (size_t k = 0; value->kind == TN_ATTR_FUNC && k < value->count; ++k)
      if (levels == 0 || !is_small(&value->funcs[k].attrs, levels - 1, left)) return false;
  }
  return true;
}

static bool are_small(const tn_func* functions, size_t count) {
  int left = most_function_attrs;
  for (size_t i = 0; i < count; ++i)
    if (!is_small(&functions[i].attrs, deepest_functions, &left)) return false;
  return true;
}

bool tn_eager_op_set_attr(tn_eager_op* op, const char* attr, tn_attr_kind kind, bool is_list,
                          const void* items, size_t count, tn_status* status) {
  tn_status why = {0};
  bool set = false;
  if (!attr || (count > 0 && !items))
    tn_status_set(&why, TN_INVALID_ARGUMENT, "an attr of op %s was set without a name or a value",
                  op->def->name);
  else if (kind == TN_ATTR_FUNC && !are_small(items, count))
    tn_status_set(&why, TN_INVALID_ARGUMENT,
                  "attr '%s' of op %s was set to functions with attrs nested over %d levels deep, "
                  "or over %d in all",
                  attr, op->def->name, deepest_functions, most_function_attrs);
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
  tn_attrs set = {.items = op->attrs.items, .count = op->attrs_set};
  return (tn_func){.name = op->def->name, .attrs = set};
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
  if (tn_types_of(op->inputs, op->input_count, types, status))
    found = tn_kernel_cache_get(op->def, op->device, &op->attrs, types, op->input_count, status);
  if (types != few) tn_free(types);
  return found;
}

bool tn_eager_op_run(tn_eager_op* op, tn_tensor** outputs, int* count, tn_status* status) {
  if (!tn_ok(&op->status)) {
    tn_status_copy(status, &op->status);
    return false;
  }
  settle_attrs(op);
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
  tn_run_options options = {.cancel = op->cancel};
  if (!tn_kernel_run_with(instance, op->inputs, op->input_count, outputs, output_count,
                          op->cancel ? &options : NULL, status))
    return false;
  *count = (int)output_count;
  tn_eager_op_clear_inputs(op);
  return true;
}
