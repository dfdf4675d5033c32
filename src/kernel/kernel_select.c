#include "base/memory.h"
#include "base/status.h"
#include "kernel/kernel.h"

typedef enum fit {
  FITS,
  OTHER_DEVICE,
  OTHER_LABEL,
  OTHER_VALUE,   // a constraint does not hold
  NO_SUCH_ATTR,  // a constraint on an attr that the node lacks
} fit;

static bool allows(const tn_attr_value* allowed, const tn_attr_value* value, size_t i) {
  for (size_t k = 0; k < allowed->count; ++k) {
    switch (value->kind) {
      case TN_ATTR_TYPE:
        if (allowed->types[k] == value->types[i]) return true;
        break;
      case TN_ATTR_INT:
        if (allowed->ints[k] == value->ints[i]) return true;
        break;
      case TN_ATTR_BOOL:
        if (allowed->bools[k] == value->bools[i]) return true;
        break;
      case TN_ATTR_STRING:
        if (tn_view_equal(allowed->strings[k], value->strings[i])) return true;
        break;
      default: return false;
    }
  }
  return false;
}

// Every element of the value must be among those allowed.
static bool holds(const tn_constraint* constraint, const tn_attr_value* value) {
  if (value->count == 0) return true;
  if (value->kind != constraint->allowed.kind) return false;
  for (size_t i = 0; i < value->count; ++i)
    if (!allows(&constraint->allowed, value, i)) return false;
  return true;
}

// Whether the kernel serves the node, and if not, which constraint kept it out.
static fit fit_of(const tn_kernel_def* def, const tn_node* node, const char* device_type,
                  tn_view label, const tn_constraint** out_broken) {
  if (strcmp(def->device_type, device_type) != 0) return OTHER_DEVICE;
  if (!tn_view_is(label, def->label)) return OTHER_LABEL;
  for (size_t i = 0; i < def->constraint_count; ++i) {
    *out_broken = &def->constraints[i];
    const tn_attr_value* value = tn_attrs_find(&node->attrs, def->constraints[i].attr);
    if (!value) return NO_SUCH_ATTR;
    if (!holds(&def->constraints[i], value)) return OTHER_VALUE;
  }
  return FITS;
}

static tn_view label_of(const tn_node* node) {
  const tn_attr_value* label = tn_attrs_find(&node->attrs, "_kernel");
  if (!label || label->kind != TN_ATTR_STRING || label->count != 1) return (tn_view){"", 0};
  return label->strings[0];
}

static void print_kernel(const tn_kernel* kernel, tn_text* out) {
  tn_kernel_def_print(&kernel->def, out);
  tn_text_printf(out, " (%s)", tn_kernel_file(kernel));
}

static void finish_message(tn_text* message, tn_code code, tn_status* status) {
  if (message->failed)
    tn_status_set_no_memory(status, "selecting a kernel");
  else
    tn_status_set(status, code, "%s", tn_text_view(message).data);
  tn_text_deinit(message);
}

static void report_tie(const tn_node* node, const tn_kernel* a, const tn_kernel* b, bool of_default,
                       tn_status* status) {
  tn_text message = {0};
  tn_text_puts(&message, of_default ? "Multiple Default OpKernel registrations match NodeDef '"
                                    : "Multiple OpKernel registrations match NodeDef at the same "
                                      "priority '");
  tn_node_print(node, &message);
  tn_text_puts(&message, "': '");
  print_kernel(a, &message);
  tn_text_puts(&message, "' and '");
  print_kernel(b, &message);
  tn_text_puts(&message,
               "'; give one of them another priority or label, or load one plugin only "
               "(tenon run leaves out its own with --no-default-plugins)");
  finish_message(&message, TN_INVALID_ARGUMENT, status);
}

static void print_attrs(const tn_node* node, tn_text* out) {
  for (size_t i = 0; i < node->attrs.count; ++i) {
    tn_text_printf(out, "%s%s=", i ? ", " : "", node->attrs.items[i].name);
    tn_attr_value_print(&node->attrs.items[i].value, out);
  }
}

// What kept the kernel out, at the end of its line.
static void print_obstacle(const tn_kernel* kernel, const tn_node* node, const char* device_type,
                           tn_view label, tn_text* out) {
  const tn_constraint* broken;
  switch (fit_of(&kernel->def, node, device_type, label, &broken)) {
    case FITS: break;
    case OTHER_DEVICE:
      tn_text_printf(out, ": is for device '%s', not '%s'", kernel->def.device_type, device_type);
      break;
    case OTHER_LABEL:
      tn_text_printf(out, ": has label '%s', the node asks for '%.*s'", kernel->def.label,
                     TN_VIEW_ARGS(label));
      break;
    case OTHER_VALUE:
      tn_text_printf(out, ": %s is ", broken->attr);
      tn_attr_value_print(tn_attrs_find(&node->attrs, broken->attr), out);
      break;
    case NO_SUCH_ATTR:
      tn_text_printf(out, ": op %s has no attr '%s'", node->op->name, broken->attr);
      break;
  }
}

static void report_none(const tn_node* node, const char* device_type, tn_view label,
                        tn_status* status) {
  bool mismatch = false;
  const tn_kernel *broken_kernel = NULL, *first = tn_kernel_registry_first(node->op->name);
  const tn_constraint *broken, *broken_constraint = NULL;
  for (const tn_kernel* kernel = first; kernel; kernel = tn_kernel_registry_next(kernel)) {
    fit result = fit_of(&kernel->def, node, device_type, label, &broken);
    mismatch |= result == OTHER_VALUE;
    if (result != NO_SUCH_ATTR || broken_kernel) continue;
    broken_kernel = kernel;
    broken_constraint = broken;
  }
  tn_text message = {0};
  if (broken_kernel) {
    tn_text_printf(&message, "OpKernel '%s' has constraint on attr '%s' not in NodeDef '",
                   node->op->name, broken_constraint->attr);
    tn_node_print(node, &message);
    tn_text_puts(&message, "', KernelDef: '");
    print_kernel(broken_kernel, &message);
    tn_text_puts(&message, "'");
    finish_message(&message, TN_INVALID_ARGUMENT, status);
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
    return;
  }
  tn_text_printf(&message,
                 "No registered '%s' OpKernel for '%s' devices compatible with node {{node %s}}",
                 node->op->name, device_type, node->name);
  if (mismatch) {
    tn_text_puts(&message,
                 "\n\t (OpKernel was found, but attributes didn't match) Requested Attributes: ");
    print_attrs(node, &message);
  }
  tn_text_puts(&message, first ? "\n\t.  Registered:" : "; no plugin loaded so far has one");
  for (const tn_kernel* kernel = first; kernel; kernel = tn_kernel_registry_next(kernel)) {
    tn_text_puts(&message, "  ");
    print_kernel(kernel, &message);
    print_obstacle(kernel, node, device_type, label, &message);
    tn_text_putc(&message, '\n');
  }
  finish_message(&message, TN_NOT_FOUND, status);
}

const tn_kernel* tn_kernel_select(const tn_node* node, const char* device_type, tn_status* status) {
  tn_view label = label_of(node);
  const char* types[] = {device_type, "DEFAULT"};
  for (int i = 0; i < 2; ++i) {
    const tn_kernel *best = NULL, *rival = NULL;
    const tn_constraint* broken;
    for (const tn_kernel* kernel = tn_kernel_registry_first(node->op->name); kernel;
         kernel = tn_kernel_registry_next(kernel)) {
      if (fit_of(&kernel->def, node, types[i], label, &broken) != FITS) continue;
      // Among kernels for every device, priorities do not count.
      if (!best || (i == 0 && kernel->def.priority > best->def.priority)) {
        best = kernel;
        rival = NULL;
      } else if (i == 1 || kernel->def.priority == best->def.priority) {
        rival = kernel;
      }
    }
    if (rival) {
      report_tie(node, best, rival, i == 1, status);
      return NULL;
    }
    if (best) return best;
  }
  report_none(node, device_type, label, status);
  return NULL;
}
