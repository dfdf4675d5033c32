#include <math.h>

#include "cpu/arithmetic_loops.h"

#pragma GCC diagnostic ignored "-Wtype-limits"  // unsigned types are never below 0

#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define INVERT(a) (~(a))
// Counts in pairs, fours and bytes; the product sums the bytes.
static inline uint8_t count_bits(uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return (uint8_t)(bits * 0x0101010101010101 >> 56);
}
#define SHIFT(x, by) ((by) < 0 ? 0 : (by) > BITS(x) ? BITS(x) : (int)(by))
#define BITS(x) ((int)sizeof(s_##x) * 8 - 1)
#define INTEGER_LOOPS(x, dtype, _)                                                               \
  TN_CPU_BINARY_LOOP(bitwise_and, x, x, AND)                                                     \
  TN_CPU_BINARY_LOOP(bitwise_or, x, x, OR)                                                       \
  TN_CPU_BINARY_LOOP(bitwise_xor, x, x, XOR)                                                     \
  TN_CPU_UNARY_LOOP(invert, x, x, INVERT)                                                        \
  TN_CPU_LOOP(left_shift, x, x, (s_##x)(load_##x(first[i]) << SHIFT(x, value_##x(second[i]))))   \
  TN_CPU_LOOP(right_shift, x, x, (s_##x)(value_##x(first[i]) >> SHIFT(x, value_##x(second[i])))) \
  TN_CPU_LOOP(population_count, x, u8, count_bits((u_##x)first[i]))
typedef uint8_t u_i8, u_u8;
typedef uint16_t u_i16, u_u16;
typedef uint32_t u_i32, u_u32;
typedef uint64_t u_i64, u_u64;
TN_CPU_EACH_INTEGER(INTEGER_LOOPS, )

// High first: when low lies above it, low wins. NaN as a limit is none.
#define CLIP_HIGH(a, high) ((high) < (a) ? (high) : (a))
#define CLIP_LOW(a, low) ((a) < (low) ? (low) : (a))
#define CLIP(a, low, high) CLIP_LOW(CLIP_HIGH(a, high), low)
#define REAL_LOOPS(x, dtype, _) TN_CPU_TERNARY_VALUE_LOOP(clip, x, x, CLIP)
TN_CPU_EACH_NATIVE_REAL(REAL_LOOPS, )

#define COMPLEX_CLIP(a, low, high)                                    \
  __builtin_complex(CLIP(__real__(a), __real__(low), __real__(high)), \
                    CLIP(__imag__(a), __imag__(low), __imag__(high)))
#define CONJ(a) __builtin_complex(__real__(a), -__imag__(a))
#define REAL(a) (__real__(a))
#define IMAG(a) (__imag__(a))
// In double, no square of a float's overflows or vanishes.
static inline float abs_c64_of(float _Complex a) {
  double re = __real__ a, im = __imag__ a, size = sqrt(re * re + im * im);
  return (float)(isnan(size) && (isinf(re) || isinf(im)) ? INFINITY : size);
}
static inline double abs_c128_of(double _Complex a) { return hypot(__real__ a, __imag__ a); }
#define COMPLEX_LOOPS(x, part)                          \
  TN_CPU_TERNARY_VALUE_LOOP(clip, x, x, COMPLEX_CLIP)   \
  TN_CPU_UNARY_LOOP(conj, x, x, CONJ)                   \
  TN_CPU_UNARY_LOOP(real, x, part, REAL)                \
  TN_CPU_UNARY_LOOP(imag, x, part, IMAG)                \
  TN_CPU_UNARY_LOOP(complex_abs, x, part, abs_##x##_of) \
  TN_CPU_BINARY_LOOP(complex, part, x, __builtin_complex)
COMPLEX_LOOPS(c64, f32)
COMPLEX_LOOPS(c128, f64)

#define AT(op) [TN_CPU_##op - TN_CPU_BITWISE_AND]
const tn_bit_loops TN_CPU_VARIANT(tn_bit_loops) = {
    .bodies = {AT(BITWISE_AND) = TN_CPU_OF_INTEGERS(bitwise_and),
               AT(BITWISE_OR) = TN_CPU_OF_INTEGERS(bitwise_or),
               AT(BITWISE_XOR) = TN_CPU_OF_INTEGERS(bitwise_xor),
               AT(INVERT) = TN_CPU_OF_INTEGERS(invert),
               AT(LEFT_SHIFT) = TN_CPU_OF_INTEGERS(left_shift),
               AT(RIGHT_SHIFT) = TN_CPU_OF_INTEGERS(right_shift),
               AT(POPULATION_COUNT) = TN_CPU_OF_INTEGERS(population_count),
               AT(CLIP) = TN_CPU_OF_NUMBERS(clip), AT(CONJ) = TN_CPU_OF_COMPLEXES(conj),
               AT(REAL) = TN_CPU_OF_COMPLEXES(real), AT(IMAG) = TN_CPU_OF_COMPLEXES(imag),
               AT(COMPLEX) = TN_CPU_OF_FLOATS(complex),
               AT(COMPLEX_ABS) = TN_CPU_OF_COMPLEXES(complex_abs)},
};
