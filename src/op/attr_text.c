// Protobuf text format, as far as attribute values need it: turns the text into the bytes of an
// AttrValue, guided by tables of the messages, and reads those.

#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/wire.h"
#include "op/attr_value.h"

enum { deepest = 100 };

typedef enum scalar {
  scalar_int32,
  scalar_int64,
  scalar_uint32,
  scalar_uint64,
  scalar_float,
  scalar_double,
  scalar_bool,
  scalar_type,  // the enum DataType
  scalar_bytes,
  scalar_message,
} scalar;

typedef enum message {
  message_value,
  message_list,
  message_shape,
  message_dim,
  message_tensor,
  message_handle,
  message_handle_data,
  message_variant,
  message_func,
  message_func_attr,
} message;

typedef struct field_rule {
  const char* name;
  uint8_t number;
  scalar type;
  bool repeated;
  message message;  // of scalar_message
} field_rule;

static const field_rule value_fields[] = {
    {"list", 1, scalar_message, false, message_list},
    {"s", 2, scalar_bytes, false, 0},
    {"i", 3, scalar_int64, false, 0},
    {"f", 4, scalar_float, false, 0},
    {"b", 5, scalar_bool, false, 0},
    {"type", 6, scalar_type, false, 0},
    {"shape", 7, scalar_message, false, message_shape},
    {"tensor", 8, scalar_message, false, message_tensor},
    {"placeholder", 9, scalar_bytes, false, 0},
    {"func", 10, scalar_message, false, message_func},
};
static const field_rule list_fields[] = {
    {"s", 2, scalar_bytes, true, 0},
    {"i", 3, scalar_int64, true, 0},
    {"f", 4, scalar_float, true, 0},
    {"b", 5, scalar_bool, true, 0},
    {"type", 6, scalar_type, true, 0},
    {"shape", 7, scalar_message, true, message_shape},
    {"tensor", 8, scalar_message, true, message_tensor},
    {"func", 9, scalar_message, true, message_func},
};
static const field_rule shape_fields[] = {
    {"dim", 2, scalar_message, true, message_dim},
    {"unknown_rank", 3, scalar_bool, false, 0},
};
static const field_rule dim_fields[] = {
    {"size", 1, scalar_int64, false, 0},
    {"name", 2, scalar_bytes, false, 0},
};
static const field_rule tensor_fields[] = {
    {"dtype", 1, scalar_type, false, 0},
    {"tensor_shape", 2, scalar_message, false, message_shape},
    {"version_number", 3, scalar_int32, false, 0},
    {"tensor_content", 4, scalar_bytes, false, 0},
    {"float_val", 5, scalar_float, true, 0},
    {"double_val", 6, scalar_double, true, 0},
    {"int_val", 7, scalar_int32, true, 0},
    {"string_val", 8, scalar_bytes, true, 0},
    {"scomplex_val", 9, scalar_float, true, 0},
    {"int64_val", 10, scalar_int64, true, 0},
    {"bool_val", 11, scalar_bool, true, 0},
    {"dcomplex_val", 12, scalar_double, true, 0},
    {"half_val", 13, scalar_int32, true, 0},
    {"resource_handle_val", 14, scalar_message, true, message_handle},
    {"variant_val", 15, scalar_message, true, message_variant},
    {"uint32_val", 16, scalar_uint32, true, 0},
    {"uint64_val", 17, scalar_uint64, true, 0},
    {"float8_val", 18, scalar_bytes, false, 0},
};
static const field_rule handle_fields[] = {
    {"device", 1, scalar_bytes, false, 0},
    {"container", 2, scalar_bytes, false, 0},
    {"name", 3, scalar_bytes, false, 0},
    {"hash_code", 4, scalar_uint64, false, 0},
    {"maybe_type_name", 5, scalar_bytes, false, 0},
    {"dtypes_and_shapes", 6, scalar_message, true, message_handle_data},
};
static const field_rule handle_data_fields[] = {
    {"dtype", 1, scalar_type, false, 0},
    {"shape", 2, scalar_message, false, message_shape},
};
static const field_rule variant_fields[] = {
    {"type_name", 1, scalar_bytes, false, 0},
    {"metadata", 2, scalar_bytes, false, 0},
    {"tensors", 3, scalar_message, true, message_tensor},
};
static const field_rule func_fields[] = {
    {"name", 1, scalar_bytes, false, 0},
    {"attr", 2, scalar_message, true, message_func_attr},
};
static const field_rule func_attr_fields[] = {
    {"key", 1, scalar_bytes, false, 0},
    {"value", 2, scalar_message, false, message_value},
};

#define FIELDS(table) \
  { table, sizeof table / sizeof *table }
static const struct {
  const field_rule* fields;
  size_t count;
} messages[] = {
    [message_value] = FIELDS(value_fields),
    [message_list] = FIELDS(list_fields),
    [message_shape] = FIELDS(shape_fields),
    [message_dim] = FIELDS(dim_fields),
    [message_tensor] = FIELDS(tensor_fields),
    [message_handle] = FIELDS(handle_fields),
    [message_handle_data] = FIELDS(handle_data_fields),
    [message_variant] = FIELDS(variant_fields),
    [message_func] = FIELDS(func_fields),
    [message_func_attr] = FIELDS(func_attr_fields),
};

typedef struct parser {
  const char* begin;
  const char* at;
  const char* end;
  tn_text* out;
  const char* problem;  // the first one, with `at` where it is
} parser;

static bool fail(parser* p, const char* problem) {
  if (!p->problem) p->problem = problem;
  return false;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek(const parser* p) { return p->at < p->end ? *p->at : 0; }

static void skip_space(parser* p) {
  while (p->at < p->end && (is_space(*p->at) || *p->at == '#')) {
    if (*p->at == '#') {
      while (p->at < p->end && *p->at != '\n') ++p->at;
    } else {
      ++p->at;
    }
  }
}

// Takes `c` off the front, and the space behind it.
static bool take(parser* p, char c) {
  if (peek(p) != c || p->at == p->end) return false;
  ++p->at;
  skip_space(p);
  return true;
}

static tn_view take_word(parser* p) {
  tn_view word = {p->at, 0};
  if (is_letter(peek(p)))
    while (p->at < p->end && (is_letter(*p->at) || is_digit(*p->at))) ++p->at;
  word.size = (size_t)(p->at - word.data);
  skip_space(p);
  return word;
}

static int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// An unsigned integer in decimal, octal (0...) or hexadecimal (0x...).
static bool take_digits(parser* p, uint64_t limit, uint64_t* out_value) {
  if (!is_digit(peek(p))) return fail(p, "expected an integer");
  const char* start = p->at;
  int base = 10;
  if (*p->at == '0' && p->end - p->at > 2 && (p->at[1] | 32) == 'x' && digit_value(p->at[2]) < 16) {
    base = 16;
    p->at += 2;
  } else if (*p->at == '0') {
    base = 8;
  }
  uint64_t value = 0;
  for (int digit; p->at < p->end && (digit = digit_value(*p->at)) < base; ++p->at) {
    if ((uint64_t)digit > limit || value > (limit - (uint64_t)digit) / (uint64_t)base) {
      p->at = start;
      return fail(p, "integer out of range");
    }
    value = value * (uint64_t)base + (uint64_t)digit;
  }
  if (is_digit(peek(p)) || (peek(p) == '.' && base != 16)) return fail(p, "expected an integer");
  skip_space(p);
  *out_value = value;
  return true;
}

static bool take_integer(parser* p, scalar type, uint64_t* out_value) {
  bool is_signed = type == scalar_int32 || type == scalar_int64;
  uint64_t limit = type == scalar_int32    ? INT32_MAX
                   : type == scalar_int64  ? INT64_MAX
                   : type == scalar_uint32 ? UINT32_MAX
                                           : UINT64_MAX;
  bool negative = is_signed && take(p, '-');
  if (!take_digits(p, limit + negative, out_value)) return false;
  if (negative) *out_value = 0 - *out_value;
  return true;
}

// strtod in the "C" locale: the program's own may write a comma where the point is.
static locale_t c_locale;
static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }
static double read_double(const char* digits) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_c_locale);
  return c_locale ? strtod_l(digits, NULL, c_locale) : strtod(digits, NULL);
}

static bool take_real(parser* p, double* out_value) {
  double sign = take(p, '-') ? -1 : 1;
  if (is_letter(peek(p))) {
    const char* start = p->at;
    tn_view word = take_word(p);
    if ((word.size == 3 && strncasecmp(word.data, "inf", 3) == 0) ||
        (word.size == 8 && strncasecmp(word.data, "infinity", 8) == 0)) {
      *out_value = sign * (double)INFINITY;
    } else if (word.size == 3 && strncasecmp(word.data, "nan", 3) == 0) {
      *out_value = (double)NAN;
    } else {
      p->at = start;
      return fail(p, "expected a number");
    }
    return true;
  }
  // digits [. digits] [e [+-] digits] [f]
  const char *start = p->at, *at = start;
  while (at < p->end && is_digit(*at)) ++at;
  bool octal = at - start > 1 && *start == '0';
  size_t digits = (size_t)(at - start);
  if (at < p->end && *at == '.') {
    octal = false;
    const char* point = at++;
    while (at < p->end && is_digit(*at)) ++at;
    digits += (size_t)(at - point - 1);
  }
  if (digits && at < p->end && (*at | 32) == 'e') {
    const char* exponent = at + 1;
    if (exponent < p->end && (*exponent == '+' || *exponent == '-')) ++exponent;
    if (exponent < p->end && is_digit(*exponent)) {
      octal = false;
      for (at = exponent; at < p->end && is_digit(*at);) ++at;
    }
  }
  char copy[256];
  size_t size = (size_t)(at - start);
  if (!digits || octal || size >= sizeof copy) return fail(p, "expected a number");
  memcpy(copy, start, size);
  copy[size] = 0;
  *out_value = sign * read_double(copy);
  p->at = at;
  if ((peek(p) | 32) == 'f') ++p->at;
  skip_space(p);
  return true;
}

static bool take_bool(parser* p, bool* out_value) {
  if (is_digit(peek(p))) {
    uint64_t value;
    if (!take_digits(p, 1, &value)) return false;
    *out_value = value;
    return true;
  }
  const char* start = p->at;
  tn_view word = take_word(p);
  *out_value = tn_view_is(word, "true") || tn_view_is(word, "True") || tn_view_is(word, "t");
  if (*out_value || tn_view_is(word, "false") || tn_view_is(word, "False") || tn_view_is(word, "f"))
    return true;
  p->at = start;
  return fail(p, "expected true or false");
}

static bool take_type(parser* p, int64_t* out_value) {
  uint64_t number;
  if (is_digit(peek(p)) || peek(p) == '-') {
    if (!take_integer(p, scalar_int32, &number)) return false;
    *out_value = (int64_t)number;
    return true;
  }
  const char* start = p->at;
  tn_view word = take_word(p);
  tn_dtype type =
      word.size > 3 && memcmp(word.data, "DT_", 3) == 0 ? tn_dtype_from_view(word) : TN_INVALID;
  // Types of StableHLO alone have no number in the enum.
  if ((type != TN_INVALID && type < 2 * TN_REF_OFFSET) || tn_view_is(word, "DT_INVALID")) {
    *out_value = type;
    return true;
  }
  p->at = start;
  return fail(p, "expected a type such as DT_FLOAT");
}

static void put_utf8(tn_text* out, uint32_t code) {
  if (code < 0x80) {
    tn_text_putc(out, (char)code);
  } else if (code < 0x800) {
    tn_text_putc(out, (char)(0xc0 | code >> 6));
    tn_text_putc(out, (char)(0x80 | (code & 0x3f)));
  } else if (code < 0x10000) {
    tn_text_putc(out, (char)(0xe0 | code >> 12));
    tn_text_putc(out, (char)(0x80 | (code >> 6 & 0x3f)));
    tn_text_putc(out, (char)(0x80 | (code & 0x3f)));
  } else {
    tn_text_putc(out, (char)(0xf0 | code >> 18));
    tn_text_putc(out, (char)(0x80 | (code >> 12 & 0x3f)));
    tn_text_putc(out, (char)(0x80 | (code >> 6 & 0x3f)));
    tn_text_putc(out, (char)(0x80 | (code & 0x3f)));
  }
}

static const char* unescape_digits(const char* at, const char* end, int base, int most,
                                   uint32_t* out_value) {
  *out_value = 0;
  for (int digit; most > 0 && at < end && (digit = digit_value(*at)) < base; ++at, --most)
    *out_value = *out_value * (uint32_t)base + (uint32_t)digit;
  return at;
}

const char* tn_unescape(tn_view text, tn_text* out) {
  static const char letters[] = "abfnrtv\\?'\"", values[] = "\a\b\f\n\r\t\v\\?'\"";
  const char *at = text.data, *end = at + text.size;
  while (at < end) {
    if (*at != '\\') {
      tn_text_putc(out, *at++);
      continue;
    }
    const char* start = at++;
    if (at == end) return start;
    uint32_t code;
    const char* letter = memchr(letters, *at, sizeof letters - 1);
    if (letter) {
      tn_text_putc(out, values[letter - letters]);
      ++at;
    } else if (*at >= '0' && *at <= '7') {
      at = unescape_digits(at, end, 8, 3, &code);
      if (code > 255) return start;
      tn_text_putc(out, (char)code);
    } else if (*at == 'x' || *at == 'X') {
      const char* digits = at + 1;
      at = unescape_digits(digits, end, 16, 2, &code);
      if (at == digits) return start;
      tn_text_putc(out, (char)code);
    } else if (*at == 'u' || *at == 'U') {
      int most = *at == 'u' ? 4 : 8;
      const char* digits = at + 1;
      at = unescape_digits(digits, end, 16, most, &code);
      if (at - digits != most || code > 0x10ffff) return start;
      put_utf8(out, code);
    } else {
      return start;
    }
  }
  return NULL;
}

static bool take_string(parser* p, tn_text* out) {
  if (peek(p) != '"' && peek(p) != '\'') return fail(p, "expected a string in quotes");
  while (peek(p) == '"' || peek(p) == '\'') {  // pieces side by side are one string
    const char *quote = p->at, *end = quote + 1;
    while (end < p->end && *end != *quote) end += *end == '\\' && end + 1 < p->end ? 2 : 1;
    if (end >= p->end) return fail(p, "the string has no closing quote");
    const char* bad = tn_unescape((tn_view){quote + 1, (size_t)(end - quote - 1)}, out);
    if (bad) {
      p->at = bad;
      return fail(p, "unknown escape in a string");
    }
    p->at = end + 1;
    skip_space(p);
  }
  return true;
}

static float to_float(double value) {
  if (fabs(value) <= FLT_MAX || !isfinite(value)) return (float)value;
  // Rounds to the largest float up to half a step above it.
  double half_step = ldexp(1, FLT_MAX_EXP - FLT_MANT_DIG - 1);
  return copysignf(fabs(value) - FLT_MAX < half_step ? FLT_MAX : INFINITY,
                   (float)copysign(1, value));
}

static bool take_message(parser* p, message which, char close, int depth);

static bool take_value(parser* p, const field_rule* field, int depth) {
  tn_text* out = p->out;
  uint64_t integer;
  double real;
  bool truth;
  int64_t type;
  switch (field->type) {
    case scalar_float:
      if (!take_real(p, &real)) return false;
      tn_wire_put_float(out, field->number, to_float(real));
      return true;
    case scalar_double:
      if (!take_real(p, &real)) return false;
      tn_wire_put_bytes(out, field->number, (tn_view){(const char*)&real, sizeof real});  // packed
      return true;
    case scalar_bool:
      if (!take_bool(p, &truth)) return false;
      tn_wire_put_varint(out, field->number, truth);
      return true;
    case scalar_type:
      if (!take_type(p, &type)) return false;
      tn_wire_put_varint(out, field->number, (uint64_t)type);
      return true;
    case scalar_bytes:
    case scalar_message: {
      size_t begun = tn_wire_begin(out, field->number);
      bool done;
      if (field->type == scalar_bytes) {
        done = take_string(p, out);
      } else if (take(p, '{')) {
        done = take_message(p, field->message, '}', depth + 1);
      } else if (take(p, '<')) {
        done = take_message(p, field->message, '>', depth + 1);
      } else {
        done = fail(p, "expected {");
      }
      tn_wire_end(out, begun);
      return done;
    }
    default:
      if (!take_integer(p, field->type, &integer)) return false;
      tn_wire_put_varint(out, field->number, integer);
      return true;
  }
}

static bool take_values(parser* p, const field_rule* field, int depth) {
  if (!field->repeated || !take(p, '[')) return take_value(p, field, depth);
  if (take(p, ']')) return true;
  do {
    if (!take_value(p, field, depth)) return false;
  } while (take(p, ','));
  return take(p, ']') || fail(p, "expected , or ]");
}

static bool take_message(parser* p, message which, char close, int depth) {
  if (depth > deepest) return fail(p, "nested too deep");
  uint32_t seen = 0;
  while (!take(p, close)) {
    const char* start = p->at;
    tn_view name = take_word(p);
    if (name.size == 0)
      return fail(p, close == '>' ? "expected a field or >" : "expected a field or }");
    const field_rule* field = NULL;
    for (size_t i = 0; i < messages[which].count && !field; ++i)
      if (tn_view_is(name, messages[which].fields[i].name)) field = &messages[which].fields[i];
    bool twice = field && !field->repeated &&
                 (seen & 1u << field->number || (which == message_value && seen));
    if (!field || twice) {
      p->at = start;
      return fail(p, field ? "this field is given already" : "unknown field");
    }
    seen |= 1u << field->number;
    if (!take(p, ':') && field->type != scalar_message) return fail(p, "expected :");
    if (!take_values(p, field, depth)) return false;
    if (!take(p, ',')) take(p, ';');
  }
  return true;
}

static const field_rule* rule_of_kind(tn_attr_kind kind, bool is_list) {
  static const char* const names[] = {"s", "i", "f", "b", "type", "shape", "tensor", NULL, "func"};
  const char* name = (int)kind >= 0 && kind <= TN_ATTR_FUNC ? names[kind] : NULL;
  message which = is_list ? message_list : message_value;
  for (size_t i = 0; name && i < messages[which].count; ++i)
    if (strcmp(messages[which].fields[i].name, name) == 0) return &messages[which].fields[i];
  return NULL;
}

bool tn_attr_value_parse(tn_attr_value* value, tn_attr_kind kind, bool is_list, tn_view text,
                         tn_status* status) {
  *value = TN_ATTR_VALUE_NONE;
  const field_rule* field = rule_of_kind(kind, is_list);
  if (!field) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "no text can be a value of type %s",
                  tn_attr_type_name(kind, is_list));
    return false;
  }
  tn_text bytes = {0};
  parser p = {text.data, text.data, text.data + text.size, &bytes, NULL};
  skip_space(&p);
  size_t begun = is_list ? tn_wire_begin(&bytes, 1) : 0;
  bool done = is_list && peek(&p) != '[' ? fail(&p, "expected [") : take_values(&p, field, 0);
  if (is_list) tn_wire_end(&bytes, begun);
  if (done && !is_list && !take(&p, ',')) take(&p, ';');
  if (done && p.at < p.end) done = fail(&p, "surplus text");

  if (bytes.failed) {
    tn_status_set_no_memory(status, "parsing an attribute value");
    done = false;
  } else if (!done) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s at byte %zu of '%.*s'", p.problem,
                  (size_t)(p.at - p.begin), TN_VIEW_ARGS(text));
  } else {
    done = tn_attr_value_decode(value, tn_text_view(&bytes), status);
    if (done) value->kind = kind;  // an empty list is of the kind that was asked for
  }
  tn_text_deinit(&bytes);
  return done;
}
