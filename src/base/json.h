// Writes JSON (RFC 8259) into a tn_text. Always well-formed UTF-8, whatever bytes the strings hold.
//
//   tn_json json = {.out = &text, .indent = 2};
//   tn_json_begin_object(&json, NULL);
//   tn_json_string(&json, "name", "MatMul");
//   tn_json_begin_array(&json, "shape");
//   tn_json_int(&json, NULL, 3);
//   tn_json_end_array(&json);
//   tn_json_end_object(&json);
//
// `key` is the member's name inside an object and NULL inside an array or at the top. Out of memory
// shows in the text (`failed`), asked once at the end.
#ifndef TENON_BASE_JSON_H_
#define TENON_BASE_JSON_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/view.h"

typedef struct tn_json {
  tn_text* out;  // borrowed
  int indent;    // spaces per level; 0 writes everything on one line
  // The writer's own:
  int depth;
  bool follows;  // a value precedes at this level
} tn_json;

void tn_json_begin_object(tn_json* json, const char* key);
void tn_json_end_object(tn_json* json);
void tn_json_begin_array(tn_json* json, const char* key);
void tn_json_end_array(tn_json* json);

// A byte that is no part of UTF-8 becomes U+FFFD. NULL text becomes null.
void tn_json_string(tn_json* json, const char* key, const char* text);
void tn_json_view(tn_json* json, const char* key, tn_view text);
void tn_json_int(tn_json* json, const char* key, int64_t value);
void tn_json_uint(tn_json* json, const char* key, uint64_t value);
// The fewest digits that read back as the same value. JSON has no numbers for the rest: they become
// the strings "NaN", "Infinity" and "-Infinity", as in protobuf's JSON.
void tn_json_double(tn_json* json, const char* key, double value);
void tn_json_float(tn_json* json, const char* key, float value);
void tn_json_bool(tn_json* json, const char* key, bool value);
void tn_json_null(tn_json* json, const char* key);
// JSON that somebody else wrote.
void tn_json_raw(tn_json* json, const char* key, tn_view value);

#endif  // TENON_BASE_JSON_H_
