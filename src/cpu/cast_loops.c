#include "cpu/cast_loops.h"

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
#define TO_f16(x) half_from_float((float)REAL(x))
#define TO_bf16(x) bfloat16_from_float((float)REAL(x))
#define TO_i8(x) ((int8_t)VIA(int32, x))
#define TO_u8(x) ((uint8_t)VIA(int32, x))
#define TO_i16(x) ((int16_t)VIA(int32, x))
#define TO_u16(x) ((uint16_t)VIA(int32, x))
#define TO_i32(x) ((int32_t)VIA(int32, x))
#define TO_u32(x) ((uint32_t)VIA(int64, x))
#define TO_i64(x) ((int64_t)VIA(int64, x))
#define TO_u64(x) ((uint64_t)VIA(uint64, x))
#define TO_b8(x) ((uint8_t)(REAL(x) != 0))
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
  X(f32, TN_FLOAT, from) X(f64, TN_DOUBLE, from) X(f16, TN_HALF, from)            \
  X(bf16, TN_BFLOAT16, from) X(c64, TN_COMPLEX64, from) X(c128, TN_COMPLEX128, from)
// clang-format on
#define ROUND(to, dtype, from) LOOP(from, to, round, value_##from)
#define ROUND_FROM(from, dtype, _) EACH_TO(ROUND, from)
TN_CPU_EACH_NUMBER(ROUND_FROM, )
ROUND_FROM(b8, TN_BOOL, )

// Truncation clears the mantissa bits that the destination lacks, then converts. NaN is kept.
static inline float cut_float(float x, int bits) {
  return x != x ? x : float_from_bits(bits_of_float(x) & ~0u << bits);
}
static inline double cut_double(double x, int bits) {
  uint64_t word;
  memcpy(&word, &x, sizeof word);
  word &= ~(uint64_t)0 << bits;
  double cut;
  memcpy(&cut, &word, sizeof cut);
  return x != x ? x : cut;
}
#define CUT_f32_f16(x) cut_float(x, 13)
#define CUT_f32_bf16(x) cut_float(x, 16)
#define CUT_f64_f16(x) cut_double(x, 42)
#define CUT_f64_f32(x) cut_double(x, 29)
#define CUT_c128_c64(x) __builtin_complex(cut_double(creal(x), 29), cut_double(cimag(x), 29))
LOOP(f32, f16, truncate, CUT_f32_f16)
LOOP(f32, bf16, truncate, CUT_f32_bf16)
LOOP(f64, f16, truncate, CUT_f64_f16)
LOOP(f64, f32, truncate, CUT_f64_f32)
LOOP(c128, c64, truncate, CUT_c128_c64)

#define ENTRY(to, dtype, from) [dtype] = round_##from##_##to,
#define ROW(from, dtype, _) [dtype] = {EACH_TO(ENTRY, from)},
const tn_cast_loops TN_CPU_VARIANT(tn_cast_loops) = {
    .round = {TN_CPU_EACH_NUMBER(ROW, ) ROW(b8, TN_BOOL, )},
    .truncate = {[TN_FLOAT] = {[TN_HALF] = truncate_f32_f16, [TN_BFLOAT16] = truncate_f32_bf16},
                 [TN_DOUBLE] = {[TN_HALF] = truncate_f64_f16, [TN_FLOAT] = truncate_f64_f32},
                 [TN_COMPLEX128] = {[TN_COMPLEX64] = truncate_c128_c64}},
};
