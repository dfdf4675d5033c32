// Protobuf text format, as far as attribute values need it and as TensorFlow's own small parser
// takes it: turns the text into the bytes of an AttrValue, guided by tables of the messages, and
// reads those.

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/wire.h"
#include "op/attr_value.h"

enum { deepest = 100, largest_tensor = 64 << 20 };

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
  bool strict;          // a word that names no field is an error
  const char* problem;  // the first one, with `at` where it is
} parser;

static bool fail_at(parser* p, const char* at, const char* problem) {
  if (!p->problem) {
    p->problem = problem;
    p->at = at;
  }
  return false;
}

static bool fail(parser* p, const char* problem) { return fail_at(p, p->at, problem); }

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

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
  if (p->at == p->end || *p->at != c) return false;
  ++p->at;
  skip_space(p);
  return true;
}

// Letters, digits and what is in `others`.
static tn_view take_token(parser* p, const char* others) {
  tn_view token = {p->at, 0};
  while (p->at < p->end &&
         (is_letter(*p->at) || is_digit(*p->at) || (*p->at && strchr(others, *p->at))))
    ++p->at;
  token.size = (size_t)(p->at - token.data);
  return token;
}

static int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// The token of a number. More than one leading zero makes it none.
static bool take_number(parser* p, tn_view* out_token) {
  *out_token = take_token(p, ".+-");
  size_t sign = out_token->size && out_token->data[0] == '-';
  if (out_token->size > sign + 1 && memcmp(out_token->data + sign, "00", 2) == 0)
    return fail_at(p, out_token->data, "a number begins with several zeros");
  skip_space(p);
  return true;
}

// Decimal digits up to `limit`, all of `token`.
static bool read_digits(tn_view token, uint64_t limit, uint64_t* out_value) {
  *out_value = 0;
  for (size_t i = 0; i < token.size; ++i) {
    uint64_t digit = (uint64_t)(token.data[i] - '0');
    if (!is_digit(token.data[i]) || *out_value > (limit - digit) / 10) return false;
    *out_value = *out_value * 10 + digit;
  }
  return token.size > 0;
}

static bool skip_sign(tn_view* token, bool* out_negative) {
  *out_negative = token->size && token->data[0] == '-';
  bool sign = *out_negative || (token->size && token->data[0] == '+');
  *token = (tn_view){token->data + sign, token->size - sign};
  return sign;
}

static bool take_integer(parser* p, scalar type, uint64_t* out_value) {
  uint64_t limit = type == scalar_int32    ? INT32_MAX
                   : type == scalar_int64  ? INT64_MAX
                   : type == scalar_uint32 ? UINT32_MAX
                                           : UINT64_MAX;
  tn_view token;
  if (!take_number(p, &token)) return false;
  const char* start = token.data;
  bool negative;
  skip_sign(&token, &negative);
  if (negative && limit > INT64_MAX) return fail_at(p, start, "expected a number from 0 on");
  if (!read_digits(token, limit + negative, out_value))
    return fail_at(p, start, "expected an integer in range");
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

static size_t count_digits(tn_view token, size_t from, int base) {
  size_t at = from;
  while (at < token.size && digit_value(token.data[at]) < base) ++at;
  return at - from;
}

// digits [. digits] [e [+-] digits], or a whole number in hexadecimal.
static bool is_real(tn_view token) {
  if (token.size > 2 && token.data[0] == '0' && (token.data[1] | 32) == 'x')
    return count_digits(token, 2, 16) == token.size - 2;
  size_t at = count_digits(token, 0, 10), digits = at;
  if (at < token.size && token.data[at] == '.') {
    size_t fraction = count_digits(token, at + 1, 10);
    digits += fraction;
    at += 1 + fraction;
  }
  if (digits && at < token.size && (token.data[at] | 32) == 'e') {
    ++at;
    if (at < token.size && (token.data[at] == '+' || token.data[at] == '-')) ++at;
    size_t exponent = count_digits(token, at, 10);
    if (!exponent) return false;
    at += exponent;
  }
  return digits && at == token.size;
}

static bool is_word(tn_view token, const char* word) {
  return token.size == strlen(word) && strncasecmp(token.data, word, token.size) == 0;
}

static bool take_real(parser* p, double* out_value) {
  tn_view token;
  if (!take_number(p, &token)) return false;
  const char* start = token.data;
  bool negative;
  skip_sign(&token, &negative);
  char copy[256];
  if (is_word(token, "inf") || is_word(token, "infinity")) {
    *out_value = (double)INFINITY;
  } else if (is_word(token, "nan")) {
    *out_value = (double)NAN;
  } else if (token.size < sizeof copy && is_real(token)) {
    memcpy(copy, token.data, token.size);
    copy[token.size] = 0;
    *out_value = read_double(copy);
  } else {
    return fail_at(p, start, "expected a number");
  }
  if (negative) *out_value = -*out_value;
  return true;
}

static bool take_bool(parser* p, bool* out_value) {
  tn_view word = take_token(p, "");
  skip_space(p);
  *out_value = tn_view_is(word, "true") || tn_view_is(word, "True") || tn_view_is(word, "1");
  if (*out_value || tn_view_is(word, "false") || tn_view_is(word, "False") || tn_view_is(word, "0"))
    return true;
  return fail_at(p, word.data, "expected true or false");
}

// By name or by number. Alone among values it does not take the space behind it along, so that in a
// list the comma must follow at once.
static bool take_type(parser* p, int64_t* out_value) {
  tn_view word = take_token(p, "_-"), digits = word;
  bool negative;
  skip_sign(&digits, &negative);
  uint64_t number;
  if (read_digits(digits, INT32_MAX, &number)) {
    *out_value = negative ? -(int64_t)number : (int64_t)number;
    return true;
  }
  tn_dtype type =
      word.size > 3 && memcmp(word.data, "DT_", 3) == 0 ? tn_dtype_from_view(word) : TN_INVALID;
  *out_value = type;
  if (tn_dtype_is_known(type) || tn_view_is(word, "DT_INVALID")) return true;
  return fail_at(p, word.data, "expected a type such as DT_FLOAT");
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
    if (*out_value < 0x1000000) *out_value = *out_value * (uint32_t)base + (uint32_t)digit;
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
      at = unescape_digits(digits, end, 16, INT_MAX, &code);
      if (at == digits || code > 255) return start;
      tn_text_putc(out, (char)code);
    } else if (*at == 'u' || *at == 'U') {
      int most = *at == 'u' ? 4 : 8;
      const char* digits = at + 1;
      at = unescape_digits(digits, end, 16, most, &code);
      bool surrogate = code >= 0xd800 && code <= 0xdfff;
      if (at - digits != most || code > 0x10ffff || surrogate) return start;
      put_utf8(out, code);
    } else {
      return start;
    }
  }
  return NULL;
}

static bool take_string(parser* p, tn_text* out) {
  const char *quote = p->at, *end = quote + 1;
  if (peek(p) != '"' && peek(p) != '\'') return fail(p, "expected a string in quotes");
  while (end < p->end && *end != *quote) end += *end == '\\' ? 2 : 1;
  if (end >= p->end) return fail(p, "the string has no closing quote");
  const char* bad = tn_unescape((tn_view){quote + 1, (size_t)(end - quote - 1)}, out);
  if (bad) return fail_at(p, bad, "unknown escape in a string");
  p->at = end + 1;
  skip_space(p);
  return true;
}

static float to_float(double value) {
  if (fabs(value) <= FLT_MAX || !isfinite(value)) return (float)value;
  // Rounds to the largest float up to half a step above it.
  double half_step = ldexp(1, FLT_MAX_EXP - FLT_MANT_DIG - 1);
  return copysignf(fabs(value) - FLT_MAX < half_step ? FLT_MAX : INFINITY,
                   (float)copysign(1, value));
}

static bool take_fields(parser* p, message which, char close, uint32_t seen, int depth);

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
        done = take_fields(p, field->message, '}', 0, depth + 1);
      } else if (take(p, '<')) {
        done = take_fields(p, field->message, '>', 0, depth + 1);
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
  do {
    if (!take_value(p, field, depth)) return false;
  } while (take(p, ','));
  return take(p, ']') || fail(p, "expected , or ]");
}

static const field_rule* find_field(message which, tn_view name) {
  for (size_t i = 0; i < messages[which].count; ++i)
    if (tn_view_is(name, messages[which].fields[i].name)) return &messages[which].fields[i];
  return NULL;
}

// The fields of a message up to `close`, or to the end of the text when that is 0. `seen` has a bit
// for each field that was there before.
static bool take_fields(parser* p, message which, char close, uint32_t seen, int depth) {
  if (depth > deepest) return fail(p, "nested too deep");
  while (true) {
    skip_space(p);
    if (close ? take(p, close) : p->at == p->end) break;
    tn_view name = take_token(p, "_");
    if (!name.size)
      return fail(p, close ? "expected a field or the end of the message" : "surplus text");
    skip_space(p);
    bool colon = take(p, ':');
    const field_rule* field = find_field(which, name);
    if (!field) {
      if (p->strict) return fail_at(p, name.data, close ? "unknown field" : "surplus text");
      continue;  // TensorFlow passes over words that it does not know
    }
    bool once = which == message_value ? seen != 0 : (seen & 1u << field->number) != 0;
    if (once && !field->repeated && which != message_func_attr)
      return fail_at(p, name.data, "a value is given already");
    seen |= 1u << field->number;
    if (!colon && field->type != scalar_message) return fail(p, "expected :");
    if (!take_values(p, field, depth)) return false;
  }
  if (which == message_func_attr && seen != (1u << 1 | 1u << 2))
    return fail(p, "an attr of a function needs a key and a value");
  return true;
}

static const field_rule* rule_of_kind(tn_attr_kind kind, bool is_list) {
  static const char* const names[] = {"s", "i", "f", "b", "type", "shape", "tensor", "", "func"};
  if ((int)kind < 0 || kind > TN_ATTR_FUNC) return NULL;
  return find_field(is_list ? message_list : message_value, tn_view_of(names[kind]));
}

static bool is_bracketed(tn_view text) {
  while (text.size && is_space(text.data[text.size - 1])) --text.size;
  return text.size > 1 && text.data[0] == '[' && text.data[text.size - 1] == ']';
}

// The value of `field` and, because TensorFlow reads the text as the rest of a message, whatever
// else may stand there.
static bool take_all(parser* p, const field_rule* field, bool is_list) {
  skip_space(p);
  if (is_list) {
    if (!is_bracketed((tn_view){p->at, (size_t)(p->end - p->at)}))
      return fail(p, "expected a list in [ ]");
    parser empty = *p;
    if (take(&empty, '[') && take(&empty, ']') && empty.at == empty.end) return true;
  }
  return take_values(p, field, 0) &&
         take_fields(p, is_list ? message_list : message_value, 0, 1u << field->number, 0);
}

static bool parse(tn_attr_value* value, tn_attr_kind kind, bool is_list, tn_view text, bool strict,
                  tn_status* status) {
  *value = TN_ATTR_VALUE_NONE;
  const field_rule* field = rule_of_kind(kind, is_list);
  if (!field) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "no text can be a value of type %s",
                  tn_attr_type_name(kind, is_list));
    return false;
  }
  tn_text bytes = {0};
  parser p = {text.data, text.data, text.data + text.size, &bytes, strict, NULL};
  size_t begun = is_list ? tn_wire_begin(&bytes, 1) : 0;
  bool done = take_all(&p, field, is_list);
  if (is_list) tn_wire_end(&bytes, begun);

  if (bytes.failed) {
    tn_status_set_no_memory(status, "parsing an attribute value");
    done = false;
  } else if (!done) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s at byte %zu of '%.*s'", p.problem,
                  (size_t)(p.at - p.begin), TN_VIEW_ARGS(text));
  } else {
    done = tn_attr_value_decode_within(value, tn_text_view(&bytes), largest_tensor, status);
    if (done) value->kind = kind;  // an empty list is of the kind that was asked for
  }
  tn_text_deinit(&bytes);
  return done;
}

bool tn_attr_value_parse(tn_attr_value* value, tn_attr_kind kind, bool is_list, tn_view text,
                         tn_status* status) {
  return parse(value, kind, is_list, text, false, status);
}

bool tn_attr_value_parse_strict(tn_attr_value* value, tn_attr_kind kind, bool is_list, tn_view text,
                                tn_status* status) {
  return parse(value, kind, is_list, text, true, status);
}
