#include "tenon/registry.h"

#include <string.h>

#include "base/memory.h"
#include "kernel/kernel.h"
#include "op/op_registry.h"
#include "op/spec_printer.h"

static const char* origin_name(const tn_origin* origin) { return origin ? origin->path : "tenon"; }

// The description and all it points to, in one arena that goes with it.
typedef struct op_info_owner {
  tn_op_info info;
  tn_arena arena;
} op_info_owner;

// The texts that `print` makes of `count` items of `item_size` bytes; NULL when out of memory.
static const char* const* print_all(tn_arena* arena, const void* items, size_t count,
                                    size_t item_size, void (*print)(const void*, tn_text*)) {
  const char** texts = tn_arena_alloc(arena, (count + 1) * sizeof *texts);
  for (size_t i = 0; texts && i < count; ++i) {
    tn_text text = {0};
    print((const char*)items + i * item_size, &text);
    texts[i] = text.failed ? NULL : tn_arena_copy(arena, tn_text_view(&text));
    tn_text_deinit(&text);
    if (!texts[i]) return NULL;
  }
  return texts;
}

static void print_arg(const void* arg, tn_text* out) { tn_arg_def_print(arg, out); }
static void print_attr(const void* attr, tn_text* out) { tn_attr_def_print(attr, out); }

tn_op_info* tn_op_info_create(const char* name, tn_status* status) {
  const tn_op_def* op = tn_op_registry_get(name ? name : "", status);
  if (!op) return NULL;
  op_info_owner* owner = tn_alloc_zeroed(1, sizeof *owner);
  if (!owner) {
    tn_status_set_no_memory(status, "describing an op");
    return NULL;
  }
  owner->info = (tn_op_info){
      .struct_size = tn_op_info_STRUCT_SIZE,
      .name = op->name,
      .origin = origin_name(op->origin),
      .inputs =
          print_all(&owner->arena, op->inputs, op->input_count, sizeof *op->inputs, print_arg),
      .input_count = op->input_count,
      .outputs =
          print_all(&owner->arena, op->outputs, op->output_count, sizeof *op->outputs, print_arg),
      .output_count = op->output_count,
      .attrs = print_all(&owner->arena, op->attrs, op->attr_count, sizeof *op->attrs, print_attr),
      .attr_count = op->attr_count,
      .is_stateful = op->is_stateful,
      .is_commutative = op->is_commutative,
      .is_aggregate = op->is_aggregate,
      .allows_uninitialized_input = op->allows_uninitialized_input,
      .infers_shapes = op->shape_function != NULL,
      .deprecated_at = op->deprecation_version,
      .deprecation = op->deprecation_explanation ? op->deprecation_explanation : "",
  };
  if (!owner->info.inputs || !owner->info.outputs || !owner->info.attrs) {
    tn_op_info_destroy(&owner->info);
    tn_status_set_no_memory(status, "describing an op");
    return NULL;
  }
  return &owner->info;
}

void tn_op_info_destroy(tn_op_info* info) {
  if (!info) return;
  op_info_owner* owner = (op_info_owner*)info;
  tn_arena_deinit(&owner->arena);
  tn_free(owner);
}

typedef struct op_visit {
  bool (*visit)(const char*, const char*, void*);
  void* arg;
} op_visit;

static bool visit_op(const tn_op_def* op, void* arg) {
  op_visit* visit = arg;
  return visit->visit(op->name, origin_name(op->origin), visit->arg);
}

void tn_ops_each(bool (*visit)(const char*, const char*, void*), void* arg) {
  if (visit) tn_op_registry_each(visit_op, &(op_visit){visit, arg});
}

typedef struct kernel_visit {
  const char* op;
  bool (*visit)(const tn_kernel_info*, void*);
  void* arg;
  bool failed;
} kernel_visit;

static void print_constraint(const void* item, tn_text* out) {
  const tn_constraint* constraint = item;
  tn_text_printf(out, "%s in ", constraint->attr);
  tn_attr_value_print(&constraint->allowed, out);
}

static bool visit_kernel(const tn_kernel* kernel, void* arg) {
  kernel_visit* visit = arg;
  const tn_kernel_def* def = &kernel->def;
  if (visit->op && strcmp(visit->op, def->op) != 0) return true;
  tn_arena arena = {0};
  tn_kernel_info info = {
      .struct_size = tn_kernel_info_STRUCT_SIZE,
      .op = def->op,
      .device = def->device_type,
      .name = kernel->name,
      .label = def->label ? def->label : "",
      .priority = def->priority,
      .origin = origin_name(kernel->origin),
      .constraints = print_all(&arena, def->constraints, def->constraint_count,
                               sizeof *def->constraints, print_constraint),
      .constraint_count = def->constraint_count,
      .host_memory = (const char* const*)def->host_memory_args,
      .host_memory_count = def->host_memory_count,
      .is_async = kernel->functions.compute_async != NULL,
  };
  visit->failed = !info.constraints;
  bool more = info.constraints && visit->visit(&info, visit->arg);
  tn_arena_deinit(&arena);
  return more;
}

bool tn_kernels_each(const char* op, bool (*visit)(const tn_kernel_info*, void*), void* arg,
                     tn_status* status) {
  if (!visit) return true;
  kernel_visit all = {op, visit, arg, false};
  tn_kernel_registry_each(visit_kernel, &all);
  if (all.failed) tn_status_set_no_memory(status, "describing a kernel");
  return !all.failed;
}
