// The types behind tn_dtype, by short suffixes: s_x is what lies in memory, v_x what it stands for,
// c_x what is computed in (unsigned for integers, which wrap without undefined behaviour). value_x,
// load_x and store_x go between them.
#ifndef TENON_CPU_NUMBER_H_
#define TENON_CPU_NUMBER_H_

#include <complex.h>
#include <stdint.h>
#include <string.h>

#include "cpu/cpu.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

static inline float float_from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float float_from_half(uint16_t half) {
#ifdef __F16C__
  return _cvtsh_ss(half);
#else
  // A half's exponent and mantissa at a float's place are too small by 2^112; the multiplication
  // also makes subnormals right.
  uint32_t rest = (uint32_t)(half & 0x7fff) << 13;
  float scaled = float_from_bits(rest) * 0x1p112f;
  uint32_t bits = rest >= 0x0f800000u ? rest | 0x7f800000u : bits_of_float(scaled);
  return float_from_bits(bits | (uint32_t)(half & 0x8000) << 16);
#endif
}

static inline uint16_t half_from_float(float value) {
#ifdef __F16C__
  return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
#else
  uint32_t bits = bits_of_float(value), sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  uint32_t half;
  if (bits > 0x7f800000) {
    half = 0x7e00 | (bits >> 13 & 0x3ff);
  } else if (bits >= 0x477ff000) {  // rounds beyond 65504
    half = 0x7c00;
  } else if (bits < 0x38800000) {  // subnormal: let the float adder round at the half's last bit
    half = bits_of_float(float_from_bits(bits) + 0.5f) - 0x3f000000;
  } else {
    half = (bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13;
  }
  return (uint16_t)(sign | half);
#endif
}

static inline float float_from_bfloat16(uint16_t value) {
  return float_from_bits((uint32_t)value << 16);
}

static inline uint16_t bfloat16_from_float(float value) {
  uint32_t bits = bits_of_float(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (uint16_t)(value != value ? bits >> 16 | 0x40 : rounded);
}

#define TN_CPU_NUMBER(x, storage, value, compute)                        \
  typedef storage s_##x;                                                 \
  typedef value v_##x;                                                   \
  typedef compute c_##x;                                                 \
  static inline value value_##x(storage from) { return (value)from; }    \
  static inline compute load_##x(storage from) { return (compute)from; } \
  static inline storage store_##x(compute from) { return (storage)from; }
TN_CPU_NUMBER(f32, float, float, float)
TN_CPU_NUMBER(f64, double, double, double)
TN_CPU_NUMBER(c64, float _Complex, float _Complex, float _Complex)
TN_CPU_NUMBER(c128, double _Complex, double _Complex, double _Complex)
TN_CPU_NUMBER(i8, int8_t, int8_t, uint32_t)
TN_CPU_NUMBER(i16, int16_t, int16_t, uint32_t)
TN_CPU_NUMBER(i32, int32_t, int32_t, uint32_t)
TN_CPU_NUMBER(i64, int64_t, int64_t, uint64_t)
TN_CPU_NUMBER(u8, uint8_t, uint8_t, uint32_t)
TN_CPU_NUMBER(u16, uint16_t, uint16_t, uint32_t)
TN_CPU_NUMBER(u32, uint32_t, uint32_t, uint32_t)
TN_CPU_NUMBER(u64, uint64_t, uint64_t, uint64_t)
#undef TN_CPU_NUMBER

// A bool may hold any byte that is not zero.
typedef uint8_t s_b8, v_b8, c_b8;
static inline uint8_t value_b8(uint8_t from) { return from != 0; }
static inline uint8_t load_b8(uint8_t from) { return from != 0; }
static inline uint8_t store_b8(int from) { return (uint8_t)(from != 0); }

typedef uint16_t s_f16, s_bf16;
typedef float v_f16, c_f16, v_bf16, c_bf16;
static inline float value_f16(uint16_t from) { return float_from_half(from); }
static inline float load_f16(uint16_t from) { return float_from_half(from); }
static inline uint16_t store_f16(float from) { return half_from_float(from); }
static inline float value_bf16(uint16_t from) { return float_from_bfloat16(from); }
static inline float load_bf16(uint16_t from) { return float_from_bfloat16(from); }
static inline uint16_t store_bf16(float from) { return bfloat16_from_float(from); }

// X(suffix, TN_ name), with an argument passed through.
// clang-format off
#define TN_CPU_EACH_INTEGER(X, arg)                                            \
  X(i8, TN_INT8, arg) X(i16, TN_INT16, arg) X(i32, TN_INT32, arg)              \
  X(i64, TN_INT64, arg) X(u8, TN_UINT8, arg) X(u16, TN_UINT16, arg)            \
  X(u32, TN_UINT32, arg) X(u64, TN_UINT64, arg)
// Native: what C computes with; not half and bfloat16.
#define TN_CPU_EACH_NATIVE_FLOAT(X, arg) X(f32, TN_FLOAT, arg) X(f64, TN_DOUBLE, arg)
#define TN_CPU_EACH_NATIVE_REAL(X, arg)                                        \
  TN_CPU_EACH_INTEGER(X, arg) TN_CPU_EACH_NATIVE_FLOAT(X, arg)
#define TN_CPU_EACH_NATIVE_NUMBER(X, arg)                                      \
  TN_CPU_EACH_NATIVE_REAL(X, arg) TN_CPU_EACH_COMPLEX(X, arg)
#define TN_CPU_EACH_FLOAT(X, arg)                                              \
  X(f32, TN_FLOAT, arg) X(f64, TN_DOUBLE, arg) X(f16, TN_HALF, arg)            \
  X(bf16, TN_BFLOAT16, arg)
#define TN_CPU_EACH_COMPLEX(X, arg) X(c64, TN_COMPLEX64, arg) X(c128, TN_COMPLEX128, arg)
#define TN_CPU_EACH_REAL(X, arg) TN_CPU_EACH_INTEGER(X, arg) TN_CPU_EACH_FLOAT(X, arg)
#define TN_CPU_EACH_NUMBER(X, arg) TN_CPU_EACH_REAL(X, arg) TN_CPU_EACH_COMPLEX(X, arg)
// clang-format on

#endif  // TENON_CPU_NUMBER_H_
