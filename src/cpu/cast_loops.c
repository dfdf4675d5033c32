#include "cpu/cast_loops.h"

#include "cpu/elementwise_loops.h"

// Floats beyond what the integer holds are undefined in C; here they are what cvttsd2si gives.
static inline int32_t int32_from_float(float x) {
  return x >= -2147483648.0f && x < 2147483648.0f ? (int32_t)x : INT32_MIN;
}
static inline int32_t int32_from_double(double x) {
  return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN;
}
static inline int64_t int64_from_float(float x) {
  return x >= -9223372036854775808.0f && x < 9223372036854775808.0f ? (int64_t)x : INT64_MIN;
}
static inline int64_t int64_from_double(double x) {
  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x : INT64_MIN;
}
static inline uint64_t uint64_from_float(float x) {
  return x >= 9223372036854775808.0f && x < 18446744073709551616.0f ? (uint64_t)x
                                                                    : (uint64_t)int64_from_float(x);
}
static inline uint64_t uint64_from_double(double x) {
  return x >= 9223372036854775808.0 && x < 18446744073709551616.0 ? (uint64_t)x
                                                                  : (uint64_t)int64_from_double(x);
}

// Casts, by their destination; `x` has the value type of the source. An integer keeps its low bits.
#define REAL(x) _Generic((x), float _Complex : crealf(x), double _Complex : creal(x), default : (x))
// clang-format off
#define VIA(bits, x)                                                             \
  _Generic((x), float: bits##_from_float, float _Complex: bits##_from_float,     \
           double: bits##_from_double, double _Complex: bits##_from_double,      \
           uint64_t: keep_unsigned, default: keep_signed)(REAL(x))
// clang-format on
static inline int64_t keep_signed(int64_t x) { return x; }
static inline uint64_t keep_unsigned(uint64_t x) { return x; }

#define TO_f32(x) ((float)REAL(x))
#define TO_f64(x) ((double)REAL(x))
#define TO_i8(x) ((int8_t)VIA(int32, x))
#define TO_u8(x) ((uint8_t)VIA(int32, x))
#define TO_i16(x) ((int16_t)VIA(int32, x))
#define TO_u16(x) ((uint16_t)VIA(int32, x))
#define TO_i32(x) ((int32_t)VIA(int32, x))
#define TO_u32(x) ((uint32_t)VIA(int64, x))
#define TO_i64(x) ((int64_t)VIA(int64, x))
#define TO_u64(x) ((uint64_t)VIA(uint64, x))
#define TO_b8(x) ((uint8_t)(REAL(x) != 0))
#define TO_u4(x) ((uint8_t)((x)&15))
#define TO_c64(x) ((float _Complex)(x))
#define TO_c128(x) ((double _Complex)(x))

#define LOOP(from, to, name, value)                                            \
  static void name##_##from##_##to(const void* in, void* out, int64_t count) { \
    const s_##from* source = in;                                               \
    s_##to* target = out;                                                      \
    for (int64_t i = 0; i < count; ++i) target[i] = TO_##to(value(source[i])); \
  }
// The list of destinations, apart from number.h's, because a macro cannot be inside itself.
// clang-format off
#define EACH_TO(X, from)                                                          \
  X(b8, TN_BOOL, from) X(i8, TN_INT8, from) X(i16, TN_INT16, from)                \
  X(i32, TN_INT32, from) X(i64, TN_INT64, from) X(u8, TN_UINT8, from)             \
  X(u16, TN_UINT16, from) X(u32, TN_UINT32, from) X(u64, TN_UINT64, from)         \
  X(f32, TN_FLOAT, from) X(f64, TN_DOUBLE, from) X(c64, TN_COMPLEX64, from)       \
  X(c128, TN_COMPLEX128, from)
// clang-format on
#define ROUND(to, dtype, from) LOOP(from, to, round, value_##from)
#define ROUND_FROM(from, dtype, _) EACH_TO(ROUND, from)
TN_CPU_EACH_NATIVE_NUMBER(ROUND_FROM, )
ROUND_FROM(b8, TN_BOOL, )

// Four bits are the lower ones of a byte.
typedef uint8_t s_u4, s_i4;
static inline int8_t value_i4(uint8_t from) { return (int8_t)((int8_t)(from << 4) >> 4); }
#define TO_TINY(from, dtype, _) LOOP(from, u4, round, load_##from)
#define FROM_INT4(to, dtype, _) LOOP(i4, to, round, value_i4)
TN_CPU_EACH_INTEGER(TO_TINY, )
TN_CPU_EACH_INTEGER(FROM_INT4, )

#define NARROW(x, dtype)                                                  \
  static void round_##x##_f32(const void* in, void* out, int64_t count) { \
    TN_CPU_VARIANT(tn_narrow_loops).widen[dtype](in, out, count);         \
  }                                                                       \
  static void round_f32_##x(const void* in, void* out, int64_t count) {   \
    TN_CPU_VARIANT(tn_narrow_loops).narrow[dtype](in, out, count);        \
  }
NARROW(f16, TN_HALF)
NARROW(bf16, TN_BFLOAT16)

// Truncation clears the mantissa bits that the destination lacks. NaN is kept.
static inline float cut_float(float x, int bits) {
  return x != x ? x : float_from_bits(bits_of_float(x) & ~0u << bits);
}
static inline uint64_t bits_of_double(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline double cut_double(double x, int bits) {
  uint64_t word = bits_of_double(x) & ~(uint64_t)0 << bits;
  double cut;
  memcpy(&cut, &word, sizeof cut);
  return x != x ? x : cut;
}
#define CUT_13(x) cut_float(x, 13)
#define CUT_16(x) cut_float(x, 16)
#define CUT_42(x) cut_double(x, 42)
#define CUT_29(x) cut_double(x, 29)
#define CUT_COMPLEX(x) __builtin_complex(cut_double(creal(x), 29), cut_double(cimag(x), 29))
LOOP(f32, f32, to_half, CUT_13)
LOOP(f32, f32, to_bfloat16, CUT_16)
LOOP(f64, f32, to_half, CUT_42)
LOOP(f64, f32, truncate, CUT_29)
LOOP(c128, c64, truncate, CUT_COMPLEX)

// Of the two floats around a number the one with an odd last bit, so that rounding it again to
// fewer bits gives what rounding the number at once would.
static inline float odd_float(double x) {
  float near = (float)x;
  uint32_t bits = bits_of_float(near);
  if (near != near || (double)near == x || bits & 1) return near;
  const bool inward = (near > x) == (near > 0);  // the odd one is nearer to zero
  return float_from_bits(inward ? bits - 1 : bits + 1);
}
static void double_to_odd(const void* in, void* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) ((float*)out)[i] = odd_float(((const double*)in)[i]);
}

#define ENTRY(to, dtype, from) [dtype] = round_##from##_##to,
#define ROW(from, dtype, _) [dtype] = {EACH_TO(ENTRY, from)},
#define TINY_ENTRY(from, dtype, _) [dtype] = round_##from##_u4,
#define INT4_ENTRY(to, dtype, _) [dtype] = round_i4_##to,
const tn_cast_loops TN_CPU_VARIANT(tn_cast_loops) = {
    .round =
        {TN_CPU_EACH_INTEGER(ROW, ) TN_CPU_EACH_COMPLEX(ROW, ) ROW(b8, TN_BOOL, )
             ROW(f64, TN_DOUBLE, )[TN_FLOAT] =
                 {EACH_TO(ENTRY, f32)[TN_HALF] = round_f32_f16, [TN_BFLOAT16] = round_f32_bf16},
         [TN_HALF] = {[TN_FLOAT] = round_f16_f32}, [TN_BFLOAT16] = {[TN_FLOAT] = round_bf16_f32}},
    .to_4_bits = {TN_CPU_EACH_INTEGER(TINY_ENTRY, )},
    .from_int4 = {TN_CPU_EACH_INTEGER(INT4_ENTRY, )},
    .truncate = {[TN_FLOAT] = {[TN_HALF] = to_half_f32_f32, [TN_BFLOAT16] = to_bfloat16_f32_f32},
                 [TN_DOUBLE] = {[TN_HALF] = to_half_f64_f32, [TN_FLOAT] = truncate_f64_f32},
                 [TN_COMPLEX128] = {[TN_COMPLEX64] = truncate_c128_c64}},
    .double_to_odd = double_to_odd,
};
