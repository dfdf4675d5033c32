// Element types. The numbers are TensorFlow's (TF_DataType); types that only StableHLO has start at
// 200, out of the way of TensorFlow's reference types (number + 100).
#ifndef TENON_DTYPE_H_
#define TENON_DTYPE_H_

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tn_dtype {
  TN_INVALID = 0,
  TN_FLOAT = 1,
  TN_DOUBLE = 2,
  TN_INT32 = 3,
  TN_UINT8 = 4,
  TN_INT16 = 5,
  TN_INT8 = 6,
  TN_STRING = 7,
  TN_COMPLEX64 = 8,
  TN_INT64 = 9,
  TN_BOOL = 10,
  TN_QINT8 = 11,
  TN_QUINT8 = 12,
  TN_QINT32 = 13,
  TN_BFLOAT16 = 14,
  TN_QINT16 = 15,
  TN_QUINT16 = 16,
  TN_UINT16 = 17,
  TN_COMPLEX128 = 18,
  TN_HALF = 19,
  TN_RESOURCE = 20,
  TN_VARIANT = 21,
  TN_UINT32 = 22,
  TN_UINT64 = 23,
  TN_FLOAT8_E5M2 = 24,
  TN_FLOAT8_E4M3FN = 25,
  TN_FLOAT8_E4M3FNUZ = 26,
  TN_FLOAT8_E4M3B11FNUZ = 27,
  TN_FLOAT8_E5M2FNUZ = 28,
  TN_INT4 = 29,
  TN_UINT4 = 30,
  TN_INT2 = 31,
  TN_UINT2 = 32,
  TN_FLOAT4_E2M1FN = 33,
  TN_REF_OFFSET = 100,  // a reference type is its base type + 100
  TN_FLOAT8_E4M3 = 200,
  TN_FLOAT8_E3M4 = 201,
  TN_FLOAT8_E8M0FNU = 202,
} tn_dtype;

// Bytes of one element; 0 for strings, resources, variants and unknown numbers. Static fact, owned
// by nobody.  [any thread]  since 0.1
size_t tn_dtype_size(tn_dtype dtype);

// "float", "int32", "float_ref"; "unknown" for an unknown number. Static text, owned by the
// library. [any thread]  since 0.1
const char* tn_dtype_name(tn_dtype dtype);

// The type named `name` ("float" or "float32", "half" or "float16", "float_ref", "DT_FLOAT"), or
// TN_INVALID. Borrows `name`.  [any thread]  since 0.1
tn_dtype tn_dtype_from_name(const char* name);

#ifdef __cplusplus
}
#endif
#endif  // TENON_DTYPE_H_
