#include "tensor/element.h"

#include <math.h>

tn_number_kind tn_dtype_kind(tn_dtype dtype) {
  switch (dtype) {
    case TN_BOOL: return TN_NUMBER_BOOL;
    case TN_INT8:
    case TN_INT16:
    case TN_INT32:
    case TN_INT64:
    case TN_INT4:
    case TN_INT2:
    case TN_QINT8:
    case TN_QINT16:
    case TN_QINT32: return TN_NUMBER_SIGNED;
    case TN_UINT8:
    case TN_UINT16:
    case TN_UINT32:
    case TN_UINT64:
    case TN_UINT4:
    case TN_UINT2:
    case TN_QUINT8:
    case TN_QUINT16: return TN_NUMBER_UNSIGNED;
    case TN_COMPLEX64:
    case TN_COMPLEX128: return TN_NUMBER_COMPLEX;
    default: return tn_dtype_size(dtype) ? TN_NUMBER_FLOAT : TN_NUMBER_NONE;
  }
}

tn_dtype tn_dtype_real(tn_dtype dtype) {
  return dtype == TN_COMPLEX64 ? TN_FLOAT : dtype == TN_COMPLEX128 ? TN_DOUBLE : dtype;
}

unsigned tn_dtype_bits(tn_dtype dtype) {
  switch (dtype) {
    case TN_INT2:
    case TN_UINT2: return 2;
    case TN_INT4:
    case TN_UINT4:
    case TN_FLOAT4_E2M1FN: return 4;  // in the low bits of a byte
    default: return 8 * (unsigned)tn_dtype_size(dtype);
  }
}

// The element's bits at the top of a word, nothing below.
static uint64_t load(tn_dtype dtype, const void* at) {
  uint64_t bits = 0;
  memcpy(&bits, at, tn_dtype_size(dtype));
  return bits << (64 - tn_dtype_bits(dtype));
}

int64_t tn_element_signed(tn_dtype dtype, const void* at) {
  if (tn_dtype_kind(dtype) != TN_NUMBER_SIGNED) return 0;
  return (int64_t)load(dtype, at) >> (64 - tn_dtype_bits(dtype));
}

uint64_t tn_element_unsigned(tn_dtype dtype, const void* at) {
  tn_number_kind kind = tn_dtype_kind(dtype);
  if (kind == TN_NUMBER_BOOL) return *(const uint8_t*)at != 0;
  return kind == TN_NUMBER_UNSIGNED ? load(dtype, at) >> (64 - tn_dtype_bits(dtype)) : 0;
}

// A small float: sign, `exponent` bits, `mantissa` bits. What its top exponent means differs.
typedef enum small_specials {
  ieee,           // infinities and NaNs
  one_nan,        // "fn": finite but for all bits set
  unsigned_zero,  // "fnuz": finite but for the NaN where -0 would be
  only_numbers,   // no NaN at all
} small_specials;

static double decode(unsigned bits, int exponent_bits, int mantissa_bits, int bias,
                     small_specials specials) {
  unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
  unsigned top = (1u << exponent_bits) - 1;
  unsigned exponent = bits >> mantissa_bits & top;
  bool negative = bits >> (exponent_bits + mantissa_bits) & 1;
  double sign = negative ? -1 : 1;
  if (specials == unsigned_zero && negative && !exponent && !mantissa) return NAN;
  if (specials == one_nan && exponent == top && mantissa == (1u << mantissa_bits) - 1) return NAN;
  if (specials == ieee && exponent == top) return mantissa ? NAN : sign * INFINITY;
  int scale = (exponent ? (int)exponent : 1) - bias - mantissa_bits;
  return sign * ldexp((exponent ? 1u << mantissa_bits : 0) | mantissa, scale);
}

double tn_element_float(tn_dtype dtype, const void* at) {
  uint16_t two;
  uint8_t one = *(const uint8_t*)at;
  switch (dtype) {
    case TN_DOUBLE: {
      double value;
      memcpy(&value, at, sizeof value);
      return value;
    }
    case TN_FLOAT: {
      float value;
      memcpy(&value, at, sizeof value);
      return value;
    }
    case TN_HALF: memcpy(&two, at, 2); return decode(two, 5, 10, 15, ieee);
    case TN_BFLOAT16: memcpy(&two, at, 2); return decode(two, 8, 7, 127, ieee);
    case TN_FLOAT8_E5M2: return decode(one, 5, 2, 15, ieee);
    case TN_FLOAT8_E4M3: return decode(one, 4, 3, 7, ieee);
    case TN_FLOAT8_E3M4: return decode(one, 3, 4, 3, ieee);
    case TN_FLOAT8_E4M3FN: return decode(one, 4, 3, 7, one_nan);
    case TN_FLOAT8_E4M3FNUZ: return decode(one, 4, 3, 8, unsigned_zero);
    case TN_FLOAT8_E4M3B11FNUZ: return decode(one, 4, 3, 11, unsigned_zero);
    case TN_FLOAT8_E5M2FNUZ: return decode(one, 5, 2, 16, unsigned_zero);
    case TN_FLOAT8_E8M0FNU: return one == 0xff ? NAN : ldexp(1, one - 127);
    case TN_FLOAT4_E2M1FN: return decode(one & 15, 2, 1, 1, only_numbers);
    default: return 0;
  }
}
