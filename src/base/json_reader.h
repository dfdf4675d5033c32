// Reads JSON (RFC 8259) into a tree. The bytes are not trusted.
#ifndef TENON_BASE_JSON_READER_H_
#define TENON_BASE_JSON_READER_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/view.h"
#include "tenon/status.h"

typedef enum tn_json_kind {
  TN_JSON_NULL,
  TN_JSON_BOOL,
  TN_JSON_NUMBER,
  TN_JSON_STRING,
  TN_JSON_ARRAY,
  TN_JSON_OBJECT,
} tn_json_kind;

typedef struct tn_json_value {
  tn_json_kind kind;
  const char* key;   // its name in an object, else NULL
  const char* text;  // of a string or number, NUL-terminated; may hold NULs inside
  bool truth;        // of a bool
  struct tn_json_value *first, *next;  // children of an array or object; the next sibling
} tn_json_value;

// The tree lives in `arena`. NULL with INVALID_ARGUMENT ("line 3, column 7: ...") when it is no
// JSON, is nested deeper than 64 levels or is followed by something else.
const tn_json_value* tn_json_read(tn_view text, tn_arena* arena, tn_status* status);

// A member of an object, of one kind; NULL when it is not there or of another kind.
const tn_json_value* tn_json_member(const tn_json_value* object, const char* key,
                                    tn_json_kind kind);
// Members as values, with what to take when they are not there.
const char* tn_json_text(const tn_json_value* object, const char* key, const char* otherwise);
int64_t tn_json_integer(const tn_json_value* object, const char* key, int64_t otherwise);
bool tn_json_truth(const tn_json_value* object, const char* key);

#endif  // TENON_BASE_JSON_READER_H_
