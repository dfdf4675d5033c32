// What was registered: kernels that fit their ops and can be chosen.
#include <string.h>

#include "check/kernels/draw.h"
#include "check/kernels/groups.h"

static size_t unknown_ops;

// Constraints and arguments of a kernel against its op.
static const tn_op_def* op_of(const tk_kernel* kernel) {
  unknown_ops += !kernel->op;
  return kernel->op;
}

static void note_unknown_ops(void) {
  if (unknown_ops)
    tn_case_note("%zu kernels are for ops that this host does not know", unknown_ops);
}

static void has_op(const tk_kernel* kernel) {
  if (kernel->op || tn_plugin_op_count(tk.plugin) == 0) return;
  // With ops of its own a plugin means to be complete; others' ops may be a framework's.
  ++unknown_ops;
}

static void has_name(const tk_kernel* kernel) {
  TN_EXPECT(kernel->kernel->name && *kernel->kernel->name, "a name", "none for a kernel of %s",
            kernel->kernel->def.op);
  has_op(kernel);
}

static void names(const tn_subject* subject) {
  tk_load(subject);
  tk_each_registered(has_name);
  note_unknown_ops();
}

static void constrains_attrs(const tk_kernel* kernel) {
  const tn_op_def* op = op_of(kernel);
  const tn_kernel_def* def = &kernel->kernel->def;
  for (size_t i = 0; op && i < def->constraint_count; ++i) {
    const tn_attr_def* attr = tn_op_def_find_attr(op, def->constraints[i].attr);
    TN_EXPECT(attr, "a constraint on an attribute of the op",
              "%s constrains '%s', which %s has not", tk_name(kernel), def->constraints[i].attr,
              op->name);
    TN_EXPECT(!attr || attr->kind == def->constraints[i].allowed.kind ||
                  def->constraints[i].allowed.count == 0,
              "a constraint of the attribute's kind", "%s constrains '%s', which is %s, by %s",
              tk_name(kernel), def->constraints[i].attr,
              tn_attr_type_name(attr->kind, attr->is_list),
              tn_attr_type_name(def->constraints[i].allowed.kind, true));
  }
}

static void constraints(const tn_subject* subject) {
  tk_load(subject);
  tk_each_registered(constrains_attrs);
  note_unknown_ops();
}

static bool has_type(const tn_attr_value* list, tn_dtype type) {
  for (size_t i = 0; i < list->count; ++i)
    if (list->types[i] == type) return true;
  return list->count == 0;
}

static void constrains_to_allowed(const tk_kernel* kernel) {
  const tn_op_def* op = op_of(kernel);
  const tn_kernel_def* def = &kernel->kernel->def;
  for (size_t i = 0; op && i < def->constraint_count; ++i) {
    const tn_attr_def* attr = tn_op_def_find_attr(op, def->constraints[i].attr);
    const tn_attr_value* types = &def->constraints[i].allowed;
    if (!attr || attr->kind != TN_ATTR_TYPE || types->kind != TN_ATTR_TYPE) continue;
    bool any = types->count == 0;
    for (size_t k = 0; k < types->count; ++k) any |= has_type(&attr->allowed, types->types[k]);
    // Registering a few more than the op takes is common, and does no harm.
    TN_EXPECT(any, "a type that the op allows", "%s is for %s=%s, which %s does not allow",
              tk_name(kernel), attr->name, tn_dtype_name(types->types[0]), op->name);
  }
}

static void types(const tn_subject* subject) {
  tk_load(subject);
  tk_each_registered(constrains_to_allowed);
  note_unknown_ops();
}

static void places_arguments(const tk_kernel* kernel) {
  const tn_op_def* op = op_of(kernel);
  const tn_kernel_def* def = &kernel->kernel->def;
  for (size_t i = 0; op && i < def->host_memory_count; ++i) {
    bool found = false;
    for (size_t k = 0; k < op->input_count; ++k)
      found |= strcmp(op->inputs[k].name, def->host_memory_args[i]) == 0;
    for (size_t k = 0; k < op->output_count; ++k)
      found |= strcmp(op->outputs[k].name, def->host_memory_args[i]) == 0;
    TN_EXPECT(found, "arguments of the op", "%s keeps '%s' in host memory, which %s has not",
              tk_name(kernel), def->host_memory_args[i], op->name);
  }
}

static void host_memory(const tn_subject* subject) {
  tk_load(subject);
  tk_each_registered(places_arguments);
  note_unknown_ops();
}

// A kernel is there to be chosen, for some types at least.
static void can_be_chosen(const tk_kernel* kernel) {
  const tn_op_def* op = op_of(kernel);
  if (!op) return;
  uint64_t random = kernel->seed;
  tn_text why = {0};
  for (int i = 0; i < 12; ++i) {
    tn_status status = {0};
    tn_node* node = tk_draw_node(kernel, TK_VARIED, &random, &status);
    const tn_kernel* chosen =
        node ? tn_kernel_select(node, kernel->kernel->def.device_type, &status) : NULL;
    tn_node_destroy(node);
    // Others may have a better one, or an equal one: the host's user chooses what to load.
    const bool fine = chosen == kernel->kernel || !node ||
                      (chosen ? chosen->origin != kernel->kernel->origin
                              : strstr(tn_status_message(&status), "(tenon)") != NULL);
    if (!fine) {
      why.size = 0;
      if (chosen)
        tn_text_printf(&why, "%s takes its place", chosen->name);
      else
        tn_text_puts(&why, tn_status_message(&status));
    }
    tn_status_deinit(&status);
    if (fine) {
      tn_text_deinit(&why);
      return;
    }
  }
  tn_case_broken(NULL, "a kernel that some types choose", "%s: %s", tk_name(kernel),
                 why.data ? why.data : "never chosen");
  tn_text_deinit(&why);
}

static void chosen(const tn_subject* subject) {
  tk_load(subject);
  tk_each_registered(can_be_chosen);
  note_unknown_ops();
}

// The type of a device that nobody has is a slip of the pen.
static void is_for_a_device(const tk_kernel* kernel) {
  const char* type = kernel->kernel->def.device_type;
  bool fine = *type >= 'A' && *type <= 'Z';
  for (const char* c = type; *c; ++c)
    fine &= (*c >= 'A' && *c <= 'Z') || *c == '_' || (*c >= '0' && *c <= '9');
  TN_EXPECT(fine, "a device type in capitals", "'%s' of %s", type, tk_name(kernel));
}

static void device_types(const tn_subject* subject) {
  tk_load(subject);
  tk_each_registered(is_for_a_device);
}

static const tn_check_case cases[] = {
    {"registered.names", "each kernel has a name", names, 0},
    {"registered.device_types", "a kernel is for a type of device", device_types, 0},
    {"registered.constraints", "constraints are on attributes that the op has", constraints, 0},
    {"registered.types", "a kernel is for a type that its op allows", types, 0},
    {"registered.host_memory", "arguments in host memory are arguments of the op", host_memory, 0},
    {"registered.chosen", "each kernel is chosen for some types, and none twice", chosen, 0},
};
const tn_check_group tn_check_kernels_registered = TN_CHECK_GROUP(TN_FACE_KERNELS, cases);
