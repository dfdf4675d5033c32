#include "op/op_validate.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/memory.h"
#include "base/status.h"
#include "op/spec_parser.h"

// Appends context the way TensorFlow does: on a line of its own.
TN_PRINTF(2, 3) static bool within(tn_status* status, const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* context = tn_vprintf(format, args);
  va_end(args);
  if (context && !tn_ok(status))
    tn_status_set(status, tn_status_code(status), "%s\n\t %s", tn_status_message(status), context);
  tn_free(context);
  return false;
}

static bool check_type_number(tn_dtype type, tn_status* status) {
  if (type == TN_INVALID) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "AttrValue has invalid DataType");
  } else if (!tn_dtype_is_known(type)) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "AttrValue has invalid DataType enum: %d",
                  (int)type);
  } else if (tn_dtype_is_ref(type)) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "AttrValue must not have reference type value of %s",
                  tn_dtype_name(type));
  } else {
    return true;
  }
  return false;
}

bool tn_attr_value_has_type(const tn_attr_value* value, tn_attr_kind kind, bool is_list,
                            tn_status* status) {
  const char* expected = tn_attr_type_name(kind, is_list);
  if (value->kind == TN_ATTR_NONE && !value->is_list) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "AttrValue missing value with expected type '%s'",
                  expected);
    return false;
  }
  bool any_list = value->is_list && value->count == 0;
  if (value->is_list != is_list || (value->kind != kind && !any_list)) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "AttrValue had value with type '%s' when '%s' expected",
                  tn_attr_type_name(value->kind, value->is_list), expected);
    return false;
  }
  for (size_t i = 0; kind == TN_ATTR_TYPE && i < value->count; ++i)
    if (!check_type_number(value->types[i], status)) return false;
  return true;
}

// Whether element i of `value` equals an element of the allowed list.
static bool is_allowed(const tn_attr_value* allowed, const tn_attr_value* value, size_t i) {
  for (size_t k = 0; k < allowed->count; ++k) {
    if (value->kind == TN_ATTR_TYPE ? value->types[i] == allowed->types[k]
                                    : tn_view_equal(value->strings[i], allowed->strings[k]))
      return true;
  }
  return false;
}

static void set_not_allowed(const tn_attr_def* attr, const tn_attr_value* value, size_t i,
                            tn_status* status) {
  tn_text text = {0};
  const tn_attr_value* allowed = &attr->allowed;
  tn_text_printf(&text, "Value for attr '%s' of ", attr->name);
  if (value->kind == TN_ATTR_TYPE) {
    tn_text_puts(&text, tn_dtype_name(value->types[i]));
  } else {
    tn_text_printf(&text, "\"%.*s\"", TN_VIEW_ARGS(value->strings[i]));
  }
  tn_text_puts(&text, " is not in the list of allowed values: ");
  for (size_t k = 0; k < allowed->count; ++k) {
    if (k) tn_text_puts(&text, ", ");
    if (value->kind == TN_ATTR_TYPE) {
      tn_text_puts(&text, tn_dtype_name(allowed->types[k]));
    } else {
      tn_text_printf(&text, "\"%.*s\"", TN_VIEW_ARGS(allowed->strings[k]));
    }
  }
  if (text.failed) {
    tn_status_set_no_memory(status, "describing an attribute");
  } else {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s", text.data);
  }
  tn_text_deinit(&text);
}

bool tn_attr_validate(const tn_attr_def* attr, const tn_attr_value* value, tn_status* status) {
  if (!tn_attr_value_has_type(value, attr->kind, attr->is_list, status))
    return within(status, "for attr '%s'", attr->name);
  if (attr->has_minimum) {
    int64_t found = attr->is_list ? (int64_t)value->count : value->ints[0];
    if (found < attr->minimum) {
      tn_status_set(status, TN_INVALID_ARGUMENT,
                    "%s for attr '%s' of %" PRId64 " must be at least minimum %" PRId64,
                    attr->is_list ? "Length" : "Value", attr->name, found, attr->minimum);
      return false;
    }
  }
  for (size_t i = 0; attr->allowed.count && i < value->count; ++i) {
    if (is_allowed(&attr->allowed, value, i)) continue;
    set_not_allowed(attr, value, i, status);
    return false;
  }
  return true;
}

// A rule broken: the text, and the definition it was found in.
TN_PRINTF(3, 4)
static bool broken(const tn_op_def* op, tn_status* status, const char* format, ...) {
  va_list args;
  va_start(args, format);
  tn_status_setv(status, TN_INVALID_ARGUMENT, format, args);
  va_end(args);
  tn_text text = {0};
  tn_op_def_print(op, &text);
  if (text.data) tn_status_annotate(status, "in OpDef: %s", text.data);
  tn_text_deinit(&text);
  return false;
}

static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Parts like "MatMul", joined by '>'; names that begin with '_' are free.
static bool is_op_name(const char* name) {
  if (name[0] == '_') return true;
  for (;; ++name) {
    if (name[0] < 'A' || name[0] > 'Z') return false;
    while (is_letter(*name) || is_digit(*name) || *name == '_') ++name;
    if (*name != '>') return *name == 0;
  }
}

// Attrs, inputs and outputs share one name space: true when `name` stands before the argument or
// attr that `stop` points to.
static bool is_taken(const tn_op_def* op, const char* name, const void* stop) {
  for (size_t i = 0; i < op->attr_count; ++i) {
    if (&op->attrs[i] == stop) return false;
    if (strcmp(op->attrs[i].name, name) == 0) return true;
  }
  for (size_t i = 0; i < op->input_count + op->output_count; ++i) {
    const tn_arg_def* arg =
        i < op->input_count ? &op->inputs[i] : &op->outputs[i - op->input_count];
    if (arg == stop) return false;
    if (strcmp(arg->name, name) == 0) return true;
  }
  return false;
}

static bool validate_attr(const tn_op_def* op, const tn_attr_def* attr, tn_status* status) {
  if (is_taken(op, attr->name, attr)) return broken(op, status, "Duplicate name: %s", attr->name);
  if (tn_spec_dtype(tn_view_of(attr->name)) != TN_INVALID)
    return broken(op, status, "Attr can't have name %s that matches a data type", attr->name);
  if (attr->has_minimum && attr->is_list && attr->minimum < 0)
    return broken(op, status,
                  "Attr '%s' with list type must have a non-negative minimum, not %" PRId64,
                  attr->name, attr->minimum);
  if (attr->has_minimum && !attr->is_list && attr->kind != TN_ATTR_INT)
    return broken(op, status, "Attr '%s' has minimum for unsupported type %s", attr->name,
                  tn_attr_type_name(attr->kind, false));
  if (tn_attr_def_has_default(attr) && !tn_attr_validate(attr, &attr->default_value, status))
    return within(status, "in Op '%s'", op->name);
  return true;
}

static bool validate_arg(const tn_op_def* op, const tn_arg_def* arg, const char* side,
                         tn_status* status) {
  if (is_taken(op, arg->name, arg)) return broken(op, status, "Duplicate name: %s", arg->name);
  if (arg->number_attr) {
    const tn_attr_def* attr = tn_op_def_find_attr(op, arg->number_attr);
    if (!attr)
      return broken(op, status, "No attr with name '%s' for %s '%s'", arg->number_attr, side,
                    arg->name);
    if (attr->kind != TN_ATTR_INT || attr->is_list)
      return broken(op, status, "Attr '%s' used as length for %s '%s' has type %s != int",
                    attr->name, side, arg->name, tn_attr_type_name(attr->kind, attr->is_list));
    if (attr->minimum < 0)
      return broken(op, status, "Attr '%s' used as length for %s '%s' must have minimum >= 0",
                    attr->name, side, arg->name);
    if (arg->type_list_attr)
      return broken(op, status, "Can't have both number_attr and type_list_attr for %s '%s'", side,
                    arg->name);
  }
  if (tn_dtype_is_ref(arg->type))
    return broken(op, status, "Illegal use of ref type '%s'. Use 'Ref(type)' instead for %s '%s'",
                  tn_dtype_name(arg->type), side, arg->name);
  return true;
}

bool tn_op_def_validate(const tn_op_def* op, tn_status* status) {
  if (!is_op_name(op->name))
    return broken(op, status, "Invalid name: %s (Did you use CamelCase?)", op->name);
  for (size_t i = 0; i < op->attr_count; ++i)
    if (!validate_attr(op, &op->attrs[i], status)) return false;
  for (size_t i = 0; i < op->input_count; ++i)
    if (!validate_arg(op, &op->inputs[i], "input", status)) return false;
  for (size_t i = 0; i < op->output_count; ++i)
    if (!validate_arg(op, &op->outputs[i], "output", status)) return false;
  return true;
}
