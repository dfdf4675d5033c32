#include "op/spec_printer.h"

#include <inttypes.h>

void tn_arg_def_print(const tn_arg_def* arg, tn_text* out) {
  tn_text_printf(out, "%s: %s", arg->name, arg->is_ref ? "Ref(" : "");
  if (arg->number_attr) tn_text_printf(out, "%s * ", arg->number_attr);
  tn_text_puts(out, arg->type_attr        ? arg->type_attr
                    : arg->type_list_attr ? arg->type_list_attr
                                          : tn_dtype_name(arg->type));
  if (arg->is_ref) tn_text_putc(out, ')');
}

static void print_type(const tn_attr_def* attr, tn_text* out) {
  if (attr->allowed.count == 0) {
    tn_text_puts(out, tn_attr_type_name(attr->kind, false));
    return;
  }
  for (size_t i = 0; i < attr->allowed.count; ++i) {
    tn_text_puts(out, i ? ", " : "{");
    if (attr->kind == TN_ATTR_STRING) {
      tn_text_printf(out, "'%.*s'", TN_VIEW_ARGS(attr->allowed.strings[i]));
    } else {
      tn_text_puts(out, tn_dtype_name(attr->allowed.types[i]));
    }
  }
  tn_text_putc(out, '}');
}

void tn_attr_def_print(const tn_attr_def* attr, tn_text* out) {
  tn_text_printf(out, "%s: %s", attr->name, attr->is_list ? "list(" : "");
  print_type(attr, out);
  if (attr->is_list) tn_text_putc(out, ')');
  if (attr->has_minimum && (attr->minimum != 0 || !attr->is_list))
    tn_text_printf(out, " >= %" PRId64, attr->minimum);
  if (attr->default_value.kind != TN_ATTR_NONE || attr->default_value.is_list) {
    tn_text_puts(out, " = ");
    tn_attr_value_print(&attr->default_value, out);
  }
}
