// Protocol-buffer wire format: reading foreign bytes, writing our own. No schemas here.
#ifndef TENON_BASE_WIRE_H_
#define TENON_BASE_WIRE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/view.h"

typedef enum tn_wire_type {
  TN_WIRE_VARINT = 0,
  TN_WIRE_FIXED64 = 1,
  TN_WIRE_BYTES = 2,
  TN_WIRE_FIXED32 = 5,
} tn_wire_type;

typedef struct tn_wire_reader {
  const uint8_t* at;
  const uint8_t* end;
  bool bad;  // the bytes are no message
} tn_wire_reader;

typedef struct tn_wire_field {
  uint32_t number;
  tn_wire_type type;
  uint64_t value;  // varint and fixed types
  tn_view bytes;   // TN_WIRE_BYTES
} tn_wire_field;

static inline tn_wire_reader tn_wire_read(tn_view bytes) {
  const uint8_t* at = (const uint8_t*)bytes.data;
  return (tn_wire_reader){at, at + bytes.size, false};
}
// The next field; false at the end and, with `bad` set, at bytes that are no message. Group fields
// (types 3 and 4) are skipped.
bool tn_wire_next(tn_wire_reader* reader, tn_wire_field* out_field);

// A varint without a key; false, with `bad` set, when the bytes end in it or it is too long.
bool tn_wire_read_varint(tn_wire_reader* reader, uint64_t* out_value);

// The values of a repeated scalar field, packed or not: call with each field of that number; visits
// every value in it. `element` is the scalar's own wire type. False when a packed run is damaged.
bool tn_wire_each(const tn_wire_field* field, tn_wire_type element,
                  void (*visit)(uint64_t value, void* arg), void* arg);

static inline float tn_wire_float(uint64_t value) {
  uint32_t bits = (uint32_t)value;
  float result;
  memcpy(&result, &bits, 4);
  return result;
}
static inline double tn_wire_double(uint64_t value) {
  double result;
  memcpy(&result, &value, 8);
  return result;
}

// Writers. Zero scalars and empty strings are written too: leave them out at the call where proto3
// would.
void tn_wire_put_raw_varint(tn_text* out, uint64_t value);
void tn_wire_put_varint(tn_text* out, uint32_t number, uint64_t value);
void tn_wire_put_float(tn_text* out, uint32_t number, float value);
void tn_wire_put_bytes(tn_text* out, uint32_t number, tn_view bytes);
// A nested message (or a packed run): begin, write its fields to the same `out`, end.
size_t tn_wire_begin(tn_text* out, uint32_t number);
void tn_wire_end(tn_text* out, size_t begun);

#endif  // TENON_BASE_WIRE_H_
