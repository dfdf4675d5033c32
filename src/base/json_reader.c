#include "base/json_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { MAX_DEPTH = 64 };

typedef struct reader {
  const char *begin, *at, *end;
  tn_arena* arena;
  tn_status* status;
  int depth;
} reader;

static void* fail(reader* reader, const char* what) {
  size_t line = 1;
  const char* start = reader->begin;
  for (const char* c = reader->begin; c < reader->at; ++c)
    if (*c == '\n') {
      ++line;
      start = c + 1;
    }
  tn_status_set(reader->status, TN_INVALID_ARGUMENT, "line %zu, column %zu: %s", line,
                (size_t)(reader->at - start) + 1, what);
  return NULL;
}

static void* no_memory(reader* reader) {
  tn_status_set_no_memory(reader->status, "reading JSON");
  return NULL;
}

static void skip_space(reader* reader) {
  while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at) ++reader->at;
}

static bool take(reader* reader, const char* word) {
  const size_t length = strlen(word);
  if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
    return false;
  reader->at += length;
  return true;
}

static int hex_digits(reader* reader) {
  int code = 0;
  if (reader->end - reader->at < 4) return -1;
  for (int i = 0; i < 4; ++i) {
    const char c = reader->at[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  reader->at += 4;
  return code;
}

static char* put_utf8(char* to, int code) {
  if (code < 0x80) {
    *to++ = (char)code;
  } else if (code < 0x800) {
    *to++ = (char)(0xc0 | code >> 6);
    *to++ = (char)(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    *to++ = (char)(0xe0 | code >> 12);
    *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    *to++ = (char)(0x80 | (code & 0x3f));
  } else {
    *to++ = (char)(0xf0 | code >> 18);
    *to++ = (char)(0x80 | (code >> 12 & 0x3f));
    *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    *to++ = (char)(0x80 | (code & 0x3f));
  }
  return to;
}

// What follows "\u", with its second half where it takes one. A half alone becomes U+FFFD.
static int read_escape(reader* reader) {
  int code = hex_digits(reader);
  if (code >= 0xd800 && code < 0xdc00) {
    const char* after = reader->at;
    int low = take(reader, "\\u") ? hex_digits(reader) : -1;
    if (low >= 0xdc00 && low < 0xe000) return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    reader->at = after;
    return 0xfffd;
  }
  return code >= 0xdc00 && code < 0xe000 ? 0xfffd : code;
}

// Behind the opening quote; the text is never longer than its spelling.
static const char* read_string(reader* reader) {
  const char* close = reader->at;
  while (close < reader->end && *close != '"') close += *close == '\\' ? 2 : 1;
  if (close >= reader->end) return fail(reader, "a string without an end");
  char* text = tn_arena_alloc(reader->arena, (size_t)(close - reader->at) + 1);
  if (!text) return no_memory(reader);
  char* to = text;
  while (reader->at < close) {
    const char c = *reader->at++;
    if ((unsigned char)c < 0x20) return fail(reader, "a control character inside a string");
    if (c != '\\') {
      *to++ = c;
      continue;
    }
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char* name = strchr(names, *reader->at);
    if (*reader->at == 'u') {
      ++reader->at;
      const int code = read_escape(reader);
      if (code < 0) return fail(reader, "four hexadecimal digits are expected behind \\u");
      to = put_utf8(to, code);
    } else if (*reader->at && name) {
      *to++ = meant[name - names];
      ++reader->at;
    } else {
      return fail(reader, "an escape that JSON does not have");
    }
  }
  ++reader->at;
  return text;
}

static size_t digits(reader* reader) {
  const char* start = reader->at;
  while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') ++reader->at;
  return (size_t)(reader->at - start);
}

static const char* read_number(reader* reader) {
  const char* start = reader->at;
  take(reader, "-");
  if (!take(reader, "0") && !digits(reader)) return fail(reader, "a value is expected");
  if (take(reader, ".") && !digits(reader)) return fail(reader, "a digit is expected");
  if (take(reader, "e") || take(reader, "E")) {
    if (!take(reader, "+")) take(reader, "-");
    if (!digits(reader)) return fail(reader, "a digit is expected");
  }
  const char* text = tn_arena_copy(reader->arena, (tn_view){start, (size_t)(reader->at - start)});
  return text ? text : no_memory(reader);
}

static tn_json_value* read_value(reader* reader);

// Behind the opening bracket of an array or object.
static bool read_children(reader* reader, tn_json_value* parent) {
  const bool object = parent->kind == TN_JSON_OBJECT;
  const char* close = object ? "}" : "]";
  tn_json_value** place = &parent->first;
  skip_space(reader);
  if (take(reader, close)) return true;
  for (;;) {
    const char* key = NULL;
    skip_space(reader);
    if (object) {
      if (!take(reader, "\"")) return fail(reader, "a name in quotes is expected");
      if (!(key = read_string(reader))) return false;
      skip_space(reader);
      if (!take(reader, ":")) return fail(reader, "a ':' is expected");
    }
    tn_json_value* child = read_value(reader);
    if (!child) return false;
    child->key = key;
    *place = child;
    place = &child->next;
    skip_space(reader);
    if (take(reader, close)) return true;
    if (!take(reader, ","))
      return fail(reader, object ? "',' or '}' is expected" : "',' or ']' is expected");
  }
}

static tn_json_value* read_value(reader* reader) {
  if (reader->depth == MAX_DEPTH) return fail(reader, "nested more than 64 levels deep");
  tn_json_value* value = tn_arena_alloc(reader->arena, sizeof *value);
  if (!value) return no_memory(reader);
  skip_space(reader);
  if (take(reader, "null")) return value;
  if (take(reader, "true") || take(reader, "false")) {
    value->kind = TN_JSON_BOOL;
    value->truth = reader->at[-2] == 'u';
  } else if (take(reader, "\"")) {
    value->kind = TN_JSON_STRING;
    if (!(value->text = read_string(reader))) return NULL;
  } else if (take(reader, "[") || take(reader, "{")) {
    value->kind = reader->at[-1] == '[' ? TN_JSON_ARRAY : TN_JSON_OBJECT;
    ++reader->depth;
    if (!read_children(reader, value)) return NULL;
    --reader->depth;
  } else {
    value->kind = TN_JSON_NUMBER;
    if (!(value->text = read_number(reader))) return NULL;
  }
  return value;
}

const tn_json_value* tn_json_read(tn_view text, tn_arena* arena, tn_status* status) {
  reader reader = {text.data, text.data, text.data + text.size, arena, status, 0};
  const tn_json_value* value = read_value(&reader);
  if (!value) return NULL;
  skip_space(&reader);
  return reader.at == reader.end ? value : fail(&reader, "something follows the end");
}

const tn_json_value* tn_json_member(const tn_json_value* object, const char* key,
                                    tn_json_kind kind) {
  if (!object || object->kind != TN_JSON_OBJECT) return NULL;
  for (const tn_json_value* child = object->first; child; child = child->next)
    if (strcmp(child->key, key) == 0) return child->kind == kind ? child : NULL;
  return NULL;
}

const char* tn_json_text(const tn_json_value* object, const char* key, const char* otherwise) {
  const tn_json_value* member = tn_json_member(object, key, TN_JSON_STRING);
  return member ? member->text : otherwise;
}

int64_t tn_json_integer(const tn_json_value* object, const char* key, int64_t otherwise) {
  const tn_json_value* member = tn_json_member(object, key, TN_JSON_NUMBER);
  if (!member) return otherwise;
  char* end;
  const long long value = strtoll(member->text, &end, 10);
  return *end ? otherwise : value;
}

bool tn_json_truth(const tn_json_value* object, const char* key) {
  const tn_json_value* member = tn_json_member(object, key, TN_JSON_BOOL);
  return member && member->truth;
}
