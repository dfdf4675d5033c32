#include "op/spec_parser.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

typedef struct parser {
  tn_op_def* op;
  const char* call;  // "Attr", "Input", "Output": how the error names the spec
  tn_view spec;
  tn_view rest;
  tn_text* errors;
} parser;

TN_PRINTF(2, 3) static bool fail(parser* p, const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* problem = tn_vprintf(format, args);
  va_end(args);
  if (problem) {
    tn_text_printf(p->errors, "%s%s from %s(\"%.*s\") for Op %s, at byte %zu",
                   p->errors->size ? "\n" : "", problem, p->call, TN_VIEW_ARGS(p->spec),
                   p->op->name, (size_t)(p->rest.data - p->spec.data));
  } else {
    p->errors->failed = true;
  }
  tn_free(problem);
  return false;
}

static bool no_memory(parser* p) {
  p->errors->failed = true;
  return false;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }

static void advance(tn_view* rest, size_t count) {
  rest->data += count;
  rest->size -= count;
}

static void skip_space(tn_view* rest) {
  while (rest->size && is_space(rest->data[0])) advance(rest, 1);
}

// Takes `word` and the space behind it off the front.
static bool take(tn_view* rest, const char* word) {
  if (!tn_view_skip(rest, word)) return false;
  skip_space(rest);
  return true;
}

// "list (" and "Ref(": a word and a parenthesis, taken only together.
static bool take_call(tn_view* rest, const char* word) {
  tn_view after = *rest;
  if (!take(&after, word) || !take(&after, "(")) return false;
  *rest = after;
  return true;
}

// [A-Za-z][A-Za-z0-9_]*, or all in lower case, and the space behind it.
static tn_view take_name(tn_view* rest, bool lower_only) {
  size_t size = 0;
  while (size < rest->size) {
    char c = rest->data[size];
    bool letter = lower_only ? is_lower(c) : is_letter(c);
    if (!letter && (size == 0 || (!is_digit(c) && c != '_'))) break;
    ++size;
  }
  tn_view name = {rest->data, size};
  if (size) {
    advance(rest, size);
    skip_space(rest);
  }
  return name;
}

// "name:" at the beginning of every spec.
static tn_view take_label(tn_view* rest, bool lower_only) {
  tn_view after = *rest, name = take_name(&after, lower_only);
  if (!name.size || !take(&after, ":")) return (tn_view){rest->data, 0};
  *rest = after;
  return name;
}

static char* keep(parser* p, tn_view text) {
  char* copy = tn_arena_copy(&p->op->arena, text);
  if (!copy) no_memory(p);
  return copy;
}

tn_dtype tn_spec_dtype(tn_view name) {
  if (!name.size || !is_lower(name.data[0])) return TN_INVALID;
  tn_dtype type = tn_dtype_from_view(name);
  return tn_dtype_is_known(type) ? type : TN_INVALID;
}

// Sets of types that have a name of their own, in the order of their numbers. Outside {} TensorFlow
// does not know "realnumerictype".
static const struct compound {
  const char* name;
  bool real, complex, quantized;
  bool only_in_set;
} compounds[] = {
    {"numbertype", true, true, true, false},       {"numerictype", true, true, true, false},
    {"quantizedtype", false, false, true, false},  {"realnumbertype", true, false, false, false},
    {"realnumerictype", true, false, false, true},
};

static const struct compound* find_compound(tn_view name) {
  for (size_t i = 0; i < sizeof compounds / sizeof *compounds; ++i)
    if (tn_view_is(name, compounds[i].name)) return &compounds[i];
  return NULL;
}

// The allowed set of an attr while it grows.
typedef struct type_set {
  tn_dtype* items;
  size_t count, capacity;
} type_set;

static bool add_type(parser* p, type_set* set, tn_dtype type) {
  if (!tn_grow(&set->items, &set->capacity, set->count + 1, sizeof *set->items))
    return no_memory(p);
  set->items[set->count++] = type;
  return true;
}

static bool add_compound(parser* p, type_set* set, const struct compound* compound) {
  static const tn_dtype real[] = {TN_FLOAT, TN_DOUBLE,   TN_INT32,  TN_UINT8, TN_INT16,  TN_INT8,
                                  TN_INT64, TN_BFLOAT16, TN_UINT16, TN_HALF,  TN_UINT32, TN_UINT64};
  for (int number = 1; number <= TN_UINT64; ++number) {
    tn_dtype type = (tn_dtype)number;
    bool is_complex = type == TN_COMPLEX64 || type == TN_COMPLEX128;
    bool is_quantized =
        (type >= TN_QINT8 && type <= TN_QINT32) || type == TN_QINT16 || type == TN_QUINT16;
    bool is_real = false;
    for (size_t i = 0; i < sizeof real / sizeof *real; ++i) is_real |= real[i] == type;
    if (((is_real && compound->real) || (is_complex && compound->complex) ||
         (is_quantized && compound->quantized)) &&
        !add_type(p, set, type))
      return false;
  }
  return true;
}

// After an element of {...}: true at its end, else a further element follows or `failed` is set.
static bool take_set_end(parser* p, const char* elements, bool* failed) {
  if (tn_view_skip(&p->rest, ",")) {
    skip_space(&p->rest);
    return tn_view_skip(&p->rest, "}");  // a comma may stand before it
  }
  if (tn_view_skip(&p->rest, "}")) return true;
  *failed =
      !fail(p, "Expected , or } after %s in list, not: '%.*s'", elements, TN_VIEW_ARGS(p->rest));
  return true;
}

static bool parse_type_set(parser* p, type_set* set) {
  bool failed = false;
  do {
    tn_view name = {p->rest.data, 0};
    while (name.size < p->rest.size &&
           (is_lower(name.data[name.size]) || is_digit(name.data[name.size])))
      ++name.size;
    if (!name.size) return fail(p, "Trouble parsing type string at '%.*s'", TN_VIEW_ARGS(p->rest));
    const struct compound* compound = find_compound(name);
    tn_dtype type = tn_spec_dtype(name);
    if (!compound && type == TN_INVALID)
      return fail(p, "Unrecognized type string '%.*s'", TN_VIEW_ARGS(name));
    advance(&p->rest, name.size);
    skip_space(&p->rest);
    if (compound ? !add_compound(p, set, compound) : !add_type(p, set, type)) return false;
  } while (!take_set_end(p, "types", &failed));
  return !failed;
}

// A string in quotes, its escapes undone, owned by the arena.
static bool take_quoted(parser* p, tn_view* out_text) {
  tn_view rest = p->rest;
  char quote = rest.size ? rest.data[0] : 0;
  size_t end = 1;
  while (end < rest.size && rest.data[end] != quote) end += rest.data[end] == '\\' ? 2 : 1;
  if ((quote != '"' && quote != '\'') || end >= rest.size)
    return fail(p, "Trouble parsing allowed string at '%.*s'", TN_VIEW_ARGS(rest));
  tn_view escaped = {rest.data + 1, end - 1};
  tn_text text = {0};
  const char* bad = tn_unescape(escaped, &text);
  char* copy = text.failed || bad ? NULL : tn_arena_copy(&p->op->arena, tn_text_view(&text));
  *out_text = (tn_view){copy, text.size};
  tn_text_deinit(&text);
  if (bad)
    return fail(p, "Trouble unescaping \"%.*s\", got error: no such escape at '%.*s'",
                TN_VIEW_ARGS(escaped), (int)(escaped.data + escaped.size - bad), bad);
  if (!copy) return no_memory(p);
  advance(&p->rest, end + 1);
  skip_space(&p->rest);
  return true;
}

static bool parse_string_set(parser* p, tn_attr_value* allowed) {
  tn_view* items = NULL;
  size_t count = 0, capacity = 0;
  bool failed = false;
  do {
    if (!tn_grow(&items, &capacity, count + 1, sizeof *items)) {
      failed = !no_memory(p);
    } else {
      failed = !take_quoted(p, &items[count++]);
    }
  } while (!failed && !take_set_end(p, "strings", &failed));
  if (!failed && !tn_attr_value_init(allowed, TN_ATTR_STRING, true, items, count, NULL))
    failed = !no_memory(p);
  tn_free(items);
  return !failed;
}

static bool parse_attr_set(parser* p, tn_attr_def* attr, tn_attr_kind* out_kind) {
  skip_space(&p->rest);
  if (p->rest.size && (p->rest.data[0] == '"' || p->rest.data[0] == '\'')) {
    *out_kind = TN_ATTR_STRING;
    return parse_string_set(p, &attr->allowed);
  }
  type_set set = {0};
  bool parsed = parse_type_set(p, &set);
  if (parsed && !tn_attr_value_init(&attr->allowed, TN_ATTR_TYPE, true, set.items, set.count, NULL))
    parsed = no_memory(p);
  tn_free(set.items);
  *out_kind = TN_ATTR_TYPE;
  return parsed;
}

// Words are matched as prefixes, first in the list first: "int32" is "int" and a rest, which then
// is an error. That is what TensorFlow accepts.
static bool parse_attr_type(parser* p, tn_attr_def* attr, tn_attr_kind* out_kind) {
  static const tn_attr_kind kinds[] = {TN_ATTR_STRING, TN_ATTR_INT,   TN_ATTR_FLOAT,  TN_ATTR_BOOL,
                                       TN_ATTR_TYPE,   TN_ATTR_SHAPE, TN_ATTR_TENSOR, TN_ATTR_FUNC};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    *out_kind = kinds[i];
    if (tn_view_skip(&p->rest, tn_attr_type_name(kinds[i], false))) return true;
  }
  tn_view_skip(&p->rest, "any");  // passed over and then not enough
  for (size_t i = 0; i < sizeof compounds / sizeof *compounds; ++i) {
    if (compounds[i].only_in_set || !tn_view_skip(&p->rest, compounds[i].name)) continue;
    type_set set = {0};
    bool added =
        add_compound(p, &set, &compounds[i]) &&
        (tn_attr_value_init(&attr->allowed, TN_ATTR_TYPE, true, set.items, set.count, NULL) ||
         no_memory(p));
    tn_free(set.items);
    *out_kind = TN_ATTR_TYPE;
    return added;
  }
  if (tn_view_skip(&p->rest, "{")) return parse_attr_set(p, attr, out_kind);
  return fail(p, "Trouble parsing type string at '%.*s'", TN_VIEW_ARGS(p->rest));
}

static bool parse_minimum(parser* p, tn_attr_def* attr) {
  tn_view rest = p->rest;
  skip_space(&rest);
  char digits[24];
  size_t size = rest.size && rest.data[0] == '-';
  while (size < rest.size && is_digit(rest.data[size])) ++size;
  bool parsed = size > (rest.size && rest.data[0] == '-') && size < sizeof digits;
  if (parsed) {
    memcpy(digits, rest.data, size);
    digits[size] = 0;
    errno = 0;
    attr->minimum = strtoll(digits, NULL, 10);
    parsed = errno == 0;
  }
  if (!parsed)
    return fail(p, "Could not parse integer lower limit after '>=', found '%.*s' instead",
                TN_VIEW_ARGS(p->rest));
  attr->has_minimum = true;
  p->rest = rest;
  advance(&p->rest, size);
  skip_space(&p->rest);
  return true;
}

static bool parse_default(parser* p, tn_attr_def* attr, tn_attr_kind kind) {
  skip_space(&p->rest);
  tn_status status = {0};
  bool parsed = tn_attr_value_parse(&attr->default_value, kind, attr->is_list, p->rest, &status);
  if (!parsed && status.code == TN_RESOURCE_EXHAUSTED) {
    no_memory(p);
  } else if (!parsed) {
    fail(p, "Could not parse default value '%.*s'", TN_VIEW_ARGS(p->rest));
    tn_text_printf(p->errors, ": %s", tn_status_message(&status));
  }
  tn_status_deinit(&status);
  return parsed;
}

void tn_spec_parse_attr(tn_op_def* op, tn_attr_def* attr, tn_view spec, tn_text* errors) {
  parser parser = {op, "Attr", spec, spec, errors}, *p = &parser;
  attr->kind = TN_ATTR_NONE;  // until the type is read
  attr->default_value = attr->allowed = TN_ATTR_VALUE_NONE;
  tn_view name = take_label(&p->rest, false);
  if (!name.size) {
    fail(p, "Trouble parsing '<name>:'");
    return;
  }
  if (!(attr->name = keep(p, name))) return;

  attr->is_list = take_call(&p->rest, "list");
  tn_attr_kind kind;
  if (!parse_attr_type(p, attr, &kind)) return;
  skip_space(&p->rest);
  if (attr->is_list && !take(&p->rest, ")")) {
    fail(p, "Expected ) to close 'list(', not: '%.*s'", TN_VIEW_ARGS(p->rest));
    return;
  }
  attr->kind = kind;
  if ((attr->is_list || kind == TN_ATTR_INT) && tn_view_skip(&p->rest, ">=") &&
      !parse_minimum(p, attr))
    return;
  if (tn_view_skip(&p->rest, "=")) {
    parse_default(p, attr, kind);
  } else if (p->rest.size) {
    fail(p, "Extra '%.*s' unparsed at the end", TN_VIEW_ARGS(p->rest));
  }
}

static tn_attr_def* find_attr(const tn_op_def* op, tn_view name) {
  for (size_t i = 0; i < op->attr_count; ++i)
    if (op->attrs[i].name && tn_view_is(name, op->attrs[i].name)) return &op->attrs[i];
  return NULL;
}

static void set_default_minimum(tn_attr_def* attr) {
  if (!attr || attr->has_minimum) return;
  attr->has_minimum = true;
  attr->minimum = 1;
}

static bool parse_arg_type(parser* p, tn_arg_def* arg, tn_view name) {
  arg->type = tn_spec_dtype(name);
  if (arg->type != TN_INVALID) {
    if (arg->type == TN_RESOURCE) p->op->is_stateful = true;
    return true;
  }
  const tn_attr_def* attr = find_attr(p->op, name);
  if (!attr || attr->kind != TN_ATTR_TYPE) p->rest = name;  // where the error points
  if (!attr) return fail(p, "Reference to unknown attr '%.*s'", TN_VIEW_ARGS(name));
  if (attr->kind == TN_ATTR_NONE) return false;  // its own spec has an error already
  if (attr->kind != TN_ATTR_TYPE)
    return fail(p, "Reference to attr '%s' with type %s that isn't type or list(type)", attr->name,
                tn_attr_type_name(attr->kind, attr->is_list));
  *(attr->is_list ? &arg->type_list_attr : &arg->type_attr) = attr->name;
  return true;
}

void tn_spec_parse_arg(tn_op_def* op, tn_arg_def* arg, bool is_output, tn_view spec,
                       tn_text* errors) {
  parser parser = {op, is_output ? "Output" : "Input", spec, spec, errors}, *p = &parser;
  tn_view name = take_label(&p->rest, true);
  if (!name.size) {
    fail(p, "Trouble parsing 'name:'");
    return;
  }
  if (!(arg->name = keep(p, name))) return;
  arg->is_ref = take_call(&p->rest, "Ref");

  tn_view type = take_name(&p->rest, false), times = p->rest;
  if (!type.size) {
    fail(p, "Trouble parsing either a type or an attr name at '%.*s'", TN_VIEW_ARGS(p->rest));
    return;
  }
  if (take(&times, "*")) {
    tn_view number = type;
    type = take_name(&times, false);
    if (type.size) {
      p->rest = times;
      if (!(arg->number_attr = keep(p, number))) return;
    } else {
      type = number;  // the '*' is left over
    }
  }
  if (!parse_arg_type(p, arg, type)) return;
  if (arg->is_ref && !take(&p->rest, ")")) {
    fail(p, "Did not find closing ')' for 'Ref(', instead found: '%.*s'", TN_VIEW_ARGS(p->rest));
  } else if (p->rest.size) {
    fail(p, "Extra '%.*s' unparsed at the end", TN_VIEW_ARGS(p->rest));
  } else if (arg->number_attr) {
    set_default_minimum(find_attr(op, tn_view_of(arg->number_attr)));
  } else if (arg->type_list_attr) {
    set_default_minimum(find_attr(op, tn_view_of(arg->type_list_attr)));
  }
}
