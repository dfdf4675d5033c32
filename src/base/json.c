#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

static void new_line(tn_json* json) {
  if (!json->indent) return;
  tn_text_putc(json->out, '\n');
  for (int i = 0; i < json->indent * json->depth; ++i) tn_text_putc(json->out, ' ');
}

static void put_quoted(tn_text* out, tn_view text) {
  static const char short_forms[] = {['"'] = '"',  ['\\'] = '\\', ['\n'] = 'n', ['\t'] = 't',
                                     ['\r'] = 'r', ['\b'] = 'b',  ['\f'] = 'f'};
  tn_text_putc(out, '"');
  const unsigned char* at = (const unsigned char*)text.data;
  const unsigned char* end = at + text.size;
  while (at < end) {
    size_t size = tn_utf8_size(at, (size_t)(end - at));
    if (size == 0) {
      tn_text_puts(out, "\xef\xbf\xbd");
      size = 1;
    } else if (*at < sizeof short_forms && short_forms[*at]) {
      tn_text_append(out, (char[]){'\\', short_forms[*at]}, 2);
    } else if (*at < 0x20 || *at == 0x7f) {
      tn_text_printf(out, "\\u%04x", *at);
    } else {
      tn_text_append(out, (const char*)at, size);
    }
    at += size;
  }
  tn_text_putc(out, '"');
}

// What stands before every value: comma, new line, key.
static void begin_value(tn_json* json, const char* key) {
  if (json->follows) tn_text_putc(json->out, ',');
  if (json->depth > 0) new_line(json);
  if (json->follows && !json->indent) tn_text_putc(json->out, ' ');
  if (key) {
    put_quoted(json->out, tn_view_of(key));
    tn_text_puts(json->out, ": ");
  }
  json->follows = true;
}

static void put_value(tn_json* json, const char* key, const char* value) {
  begin_value(json, key);
  tn_text_puts(json->out, value);
}

static void begin_container(tn_json* json, const char* key, char opening) {
  begin_value(json, key);
  tn_text_putc(json->out, opening);
  ++json->depth;
  json->follows = false;
}

static void end_container(tn_json* json, char closing) {
  --json->depth;
  if (json->follows) new_line(json);
  tn_text_putc(json->out, closing);
  json->follows = true;
}

void tn_json_begin_object(tn_json* json, const char* key) { begin_container(json, key, '{'); }
void tn_json_end_object(tn_json* json) { end_container(json, '}'); }
void tn_json_begin_array(tn_json* json, const char* key) { begin_container(json, key, '['); }
void tn_json_end_array(tn_json* json) { end_container(json, ']'); }

void tn_json_view(tn_json* json, const char* key, tn_view text) {
  begin_value(json, key);
  put_quoted(json->out, text);
}

void tn_json_string(tn_json* json, const char* key, const char* text) {
  if (text) {
    tn_json_view(json, key, tn_view_of(text));
  } else {
    tn_json_null(json, key);
  }
}

void tn_json_int(tn_json* json, const char* key, int64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRId64, value);
  put_value(json, key, digits);
}

void tn_json_uint(tn_json* json, const char* key, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, value);
  put_value(json, key, digits);
}

// `least` digits are always enough for a short decimal, `most` for any value of the type.
static void put_number(tn_json* json, const char* key, double value, int least, int most) {
  if (isnan(value)) {
    tn_json_string(json, key, "NaN");
    return;
  }
  if (isinf(value)) {
    tn_json_string(json, key, value > 0 ? "Infinity" : "-Infinity");
    return;
  }
  char printed[64];
  for (int digits = least; digits <= most; ++digits) {
    snprintf(printed, sizeof printed, "%.*g", digits, value);
    if (most == 9 ? strtof(printed, NULL) == (float)value : strtod(printed, NULL) == value) break;
  }
  // printf writes the decimal point of the program's locale, which may be several bytes.
  char plain[64];
  size_t size = 0;
  for (const char* c = printed; *c; ++c) {
    if (strchr("0123456789+-e", *c)) {
      plain[size++] = *c;
    } else if (plain[size - 1] != '.') {
      plain[size++] = '.';
    }
  }
  plain[size] = 0;
  put_value(json, key, plain);
}

void tn_json_double(tn_json* json, const char* key, double value) {
  put_number(json, key, value, 15, 17);
}

void tn_json_float(tn_json* json, const char* key, float value) {
  put_number(json, key, value, 6, 9);
}

void tn_json_bool(tn_json* json, const char* key, bool value) {
  put_value(json, key, value ? "true" : "false");
}

void tn_json_null(tn_json* json, const char* key) { put_value(json, key, "null"); }

void tn_json_raw(tn_json* json, const char* key, tn_view value) {
  begin_value(json, key);
  tn_text_append(json->out, value.data, value.size);
}
