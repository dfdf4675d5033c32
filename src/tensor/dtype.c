#include "tensor/dtype.h"

#include <stdint.h>

#include "tensor/object.h"
#include "tensor/tstring.h"

typedef struct dtype_row {
  const char* name;  // what we print
  const char* ref_name;
  const char* alias;
  const char* enum_name;
  const char* enum_ref_name;
  uint8_t size;         // of one element; 0 when it is no plain number
  uint8_t stored_size;  // of one element in a buffer
} dtype_row;

// An element with a name of TensorFlow's, one of StableHLO's own, and one that owns what it holds.
#define PLAIN(name, alias, enum_name, size) \
  { name, name "_ref", alias, "DT_" enum_name, "DT_" enum_name "_REF", size, size }
#define HLO(name, size) \
  { name, NULL, NULL, NULL, NULL, size, size }
#define OWNING(name, enum_name, type) \
  { name, name "_ref", NULL, "DT_" enum_name, "DT_" enum_name "_REF", 0, sizeof(type) }

static const dtype_row tensorflow_rows[] = {
    [TN_FLOAT] = PLAIN("float", "float32", "FLOAT", 4),
    [TN_DOUBLE] = PLAIN("double", "float64", "DOUBLE", 8),
    [TN_INT32] = PLAIN("int32", NULL, "INT32", 4),
    [TN_UINT8] = PLAIN("uint8", NULL, "UINT8", 1),
    [TN_INT16] = PLAIN("int16", NULL, "INT16", 2),
    [TN_INT8] = PLAIN("int8", NULL, "INT8", 1),
    [TN_STRING] = OWNING("string", "STRING", tn_tstring),
    [TN_COMPLEX64] = PLAIN("complex64", NULL, "COMPLEX64", 8),
    [TN_INT64] = PLAIN("int64", NULL, "INT64", 8),
    [TN_BOOL] = PLAIN("bool", NULL, "BOOL", 1),
    [TN_QINT8] = PLAIN("qint8", NULL, "QINT8", 1),
    [TN_QUINT8] = PLAIN("quint8", NULL, "QUINT8", 1),
    [TN_QINT32] = PLAIN("qint32", NULL, "QINT32", 4),
    [TN_BFLOAT16] = PLAIN("bfloat16", NULL, "BFLOAT16", 2),
    [TN_QINT16] = PLAIN("qint16", NULL, "QINT16", 2),
    [TN_QUINT16] = PLAIN("quint16", NULL, "QUINT16", 2),
    [TN_UINT16] = PLAIN("uint16", NULL, "UINT16", 2),
    [TN_COMPLEX128] = PLAIN("complex128", NULL, "COMPLEX128", 16),
    [TN_HALF] = PLAIN("half", "float16", "HALF", 2),
    [TN_RESOURCE] = OWNING("resource", "RESOURCE", tn_object*),
    [TN_VARIANT] = OWNING("variant", "VARIANT", tn_object*),
    [TN_UINT32] = PLAIN("uint32", NULL, "UINT32", 4),
    [TN_UINT64] = PLAIN("uint64", NULL, "UINT64", 8),
    [TN_FLOAT8_E5M2] = PLAIN("float8_e5m2", NULL, "FLOAT8_E5M2", 1),
    [TN_FLOAT8_E4M3FN] = PLAIN("float8_e4m3fn", NULL, "FLOAT8_E4M3FN", 1),
    [TN_FLOAT8_E4M3FNUZ] = PLAIN("float8_e4m3fnuz", NULL, "FLOAT8_E4M3FNUZ", 1),
    [TN_FLOAT8_E4M3B11FNUZ] = PLAIN("float8_e4m3b11fnuz", NULL, "FLOAT8_E4M3B11FNUZ", 1),
    [TN_FLOAT8_E5M2FNUZ] = PLAIN("float8_e5m2fnuz", NULL, "FLOAT8_E5M2FNUZ", 1),
    [TN_INT4] = PLAIN("int4", NULL, "INT4", 1),
    [TN_UINT4] = PLAIN("uint4", NULL, "UINT4", 1),
    [TN_INT2] = PLAIN("int2", NULL, "INT2", 1),
    [TN_UINT2] = PLAIN("uint2", NULL, "UINT2", 1),
    [TN_FLOAT4_E2M1FN] = PLAIN("float4_e2m1fn", NULL, "FLOAT4_E2M1FN", 1),
};
enum { tensorflow_count = sizeof tensorflow_rows / sizeof *tensorflow_rows };

static const dtype_row hlo_rows[] = {
    HLO("float8_e4m3", 1),
    HLO("float8_e3m4", 1),
    HLO("float8_e8m0fnu", 1),
};
enum { hlo_first = TN_FLOAT8_E4M3, hlo_count = sizeof hlo_rows / sizeof *hlo_rows };
_Static_assert(TN_FLOAT8_E8M0FNU == hlo_first + hlo_count - 1, "StableHLO's types are in order");

// The row of a base type; NULL for anything else.
static const dtype_row* row_of(tn_dtype dtype) {
  unsigned number = (unsigned)dtype;
  if (number - 1 < tensorflow_count - 1) return &tensorflow_rows[number];
  return number - hlo_first < hlo_count ? &hlo_rows[number - hlo_first] : NULL;
}

size_t tn_dtype_size(tn_dtype dtype) {
  const dtype_row* row = row_of(dtype);
  return row ? row->size : 0;
}

size_t tn_dtype_stored_size(tn_dtype dtype) {
  const dtype_row* row = row_of(dtype);
  return row ? row->stored_size : 0;
}

bool tn_dtype_owns(tn_dtype dtype) {
  return dtype == TN_STRING || dtype == TN_RESOURCE || dtype == TN_VARIANT;
}

bool tn_dtype_is_known(tn_dtype dtype) {
  return (unsigned)tn_dtype_base(dtype) - 1 < tensorflow_count - 1;
}

const char* tn_dtype_name(tn_dtype dtype) {
  const dtype_row* row = row_of(tn_dtype_base(dtype));
  if (!row) return "unknown";
  return tn_dtype_is_ref(dtype) ? row->ref_name : row->name;
}

const char* tn_dtype_enum_name(tn_dtype dtype) {
  if (dtype == TN_INVALID) return "DT_INVALID";
  const dtype_row* row = row_of(tn_dtype_base(dtype));
  if (!row) return NULL;
  return tn_dtype_is_ref(dtype) ? row->enum_ref_name : row->enum_name;
}

static tn_dtype find_base(tn_view name) {
  for (int i = 1; i < tensorflow_count; ++i) {
    const dtype_row* row = &tensorflow_rows[i];
    if (tn_view_is(name, row->name) || (row->alias && tn_view_is(name, row->alias)))
      return (tn_dtype)i;
  }
  for (int i = 0; i < hlo_count; ++i)
    if (tn_view_is(name, hlo_rows[i].name)) return (tn_dtype)(hlo_first + i);
  return TN_INVALID;
}

tn_dtype tn_dtype_from_view(tn_view name) {
  if (name.size > 3 && memcmp(name.data, "DT_", 3) == 0) {
    for (int i = 1; i < tensorflow_count; ++i) {
      if (tn_view_is(name, tensorflow_rows[i].enum_name)) return (tn_dtype)i;
      if (tn_view_is(name, tensorflow_rows[i].enum_ref_name)) return (tn_dtype)(i + TN_REF_OFFSET);
    }
    return TN_INVALID;
  }
  if (name.size > 4 && memcmp(name.data + name.size - 4, "_ref", 4) == 0) {
    tn_dtype base = find_base((tn_view){name.data, name.size - 4});
    return tn_dtype_is_known(base) ? (tn_dtype)(base + TN_REF_OFFSET) : TN_INVALID;
  }
  return find_base(name);
}

tn_dtype tn_dtype_from_name(const char* name) { return tn_dtype_from_view(tn_view_of(name)); }
