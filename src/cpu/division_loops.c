#include <math.h>

#include "cpu/arithmetic_loops.h"

// Quotients of integers by way of floats that hold both exactly: the rounded quotient is never on
// the other side of an integer, because the nearest it can come to one is 1/divisor.
#define VIA_FLOAT(round, a, b) ((int32_t)round##f((float)(a) / (float)(b)))
#define VIA_DOUBLE(round, a, b) round((double)(a) / (double)(b))
// The smallest number by -1 is one too large; negated, it fits.
#define DIV_i32(round, a, b) (0 - (uint32_t)(int32_t)(-VIA_DOUBLE(round, a, b)))
#define DIV_u32(round, a, b) ((uint32_t)VIA_DOUBLE(round, a, b))
static inline int64_t floor_div_i64_of(int64_t a, int64_t b) {
  if (b == -1) return (int64_t)(0 - (uint64_t)a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
#define DIV(a, b) ((a) / (b))
#define SAFE_DIV(a, b) ((b) == -1 ? (int64_t)(0 - (uint64_t)(a)) : (a) / (b))

#define TRUNCATE_SMALL(a, b) VIA_FLOAT(trunc, a, b)
#define TRUNCATE_i8 TRUNCATE_SMALL
#define TRUNCATE_u8 TRUNCATE_SMALL
#define TRUNCATE_i16 TRUNCATE_SMALL
#define TRUNCATE_u16 TRUNCATE_SMALL
#define TRUNCATE_i32(a, b) DIV_i32(trunc, a, b)
#define TRUNCATE_u32(a, b) DIV_u32(trunc, a, b)
#define TRUNCATE_i64 SAFE_DIV
#define TRUNCATE_u64 DIV
#define FLOOR_SMALL(a, b) VIA_FLOAT(floor, a, b)
#define FLOOR_i8 FLOOR_SMALL
#define FLOOR_u8 TRUNCATE_u8
#define FLOOR_i16 FLOOR_SMALL
#define FLOOR_u16 TRUNCATE_u16
#define FLOOR_i32(a, b) DIV_i32(floor, a, b)
#define FLOOR_u32 TRUNCATE_u32
#define FLOOR_i64 floor_div_i64_of
#define FLOOR_u64 TRUNCATE_u64

#define FLOOR_MOD(x, a, b) ((c_##x)(a) - (c_##x)FLOOR_##x(a, b) * (c_##x)(b))
#define TRUNCATE_MOD(x, a, b) ((c_##x)(a) - (c_##x)TRUNCATE_##x(a, b) * (c_##x)(b))
#define INTEGER_LOOPS(x, dtype, _)                                                             \
  TN_CPU_BINARY_VALUE_LOOP(div, x, x, TRUNCATE_##x)                                            \
  TN_CPU_BINARY_VALUE_LOOP(floor_div, x, x, FLOOR_##x)                                         \
  TN_CPU_LOOP(floor_mod, x, x, (s_##x)FLOOR_MOD(x, value_##x(first[i]), value_##x(second[i]))) \
  TN_CPU_LOOP(truncate_mod, x, x, (s_##x)TRUNCATE_MOD(x, value_##x(first[i]), value_##x(second[i])))
TN_CPU_EACH_INTEGER(INTEGER_LOOPS, )

#define DIV_NO_NAN(a, b) ((b) == 0 ? 0 : (a) / (b))
#define RECIPROCAL(a) (1 / (a))
// A gradient of 0 stays 0, also where the function has no slope.
#define RECIPROCAL_GRAD(y, g) ((g) == 0 ? 0 : -(g) * (y) * (y))
#define SQRT_GRAD(y, g) ((g) == 0 ? 0 : (g) / 2 / (y))
#define RSQRT_GRAD(y, g) ((g) == 0 ? 0 : -(g) / 2 * (y) * ((y) * (y)))
#define FLOAT_FUNCTIONS(x, f)                                                             \
  static inline c_##x floor_div_##x##_of(c_##x a, c_##x b) { return floor##f(a / b); }    \
  static inline c_##x truncate_div_##x##_of(c_##x a, c_##x b) { return trunc##f(a / b); } \
  static inline c_##x rsqrt_##x##_of(c_##x a) { return 1 / sqrt##f(a); }                  \
  static inline c_##x floor_mod_##x##_of(c_##x a, c_##x b) {                              \
    c_##x rest = fmod##f(a, b);                                                           \
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;                          \
  }
FLOAT_FUNCTIONS(f32, f)
FLOAT_FUNCTIONS(f64, )
#define FLOAT_LOOPS(x, f)                                       \
  TN_CPU_BINARY_LOOP(div, x, x, DIV)                            \
  TN_CPU_BINARY_LOOP(div_no_nan, x, x, DIV_NO_NAN)              \
  TN_CPU_BINARY_LOOP(floor_div, x, x, floor_div_##x##_of)       \
  TN_CPU_BINARY_LOOP(truncate_div, x, x, truncate_div_##x##_of) \
  TN_CPU_BINARY_LOOP(floor_mod, x, x, floor_mod_##x##_of)       \
  TN_CPU_BINARY_LOOP(truncate_mod, x, x, fmod##f)               \
  TN_CPU_UNARY_LOOP(reciprocal, x, x, RECIPROCAL)               \
  TN_CPU_UNARY_LOOP(sqrt, x, x, sqrt##f)                        \
  TN_CPU_UNARY_LOOP(rsqrt, x, x, rsqrt_##x##_of)                \
  TN_CPU_BINARY_LOOP(reciprocal_grad, x, x, RECIPROCAL_GRAD)    \
  TN_CPU_BINARY_LOOP(sqrt_grad, x, x, SQRT_GRAD)                \
  TN_CPU_BINARY_LOOP(rsqrt_grad, x, x, RSQRT_GRAD)              \
  TN_CPU_UNARY_LOOP(floor, x, x, floor##f)                      \
  TN_CPU_UNARY_LOOP(ceil, x, x, ceil##f)                        \
  TN_CPU_UNARY_LOOP(rint, x, x, rint##f)
FLOAT_LOOPS(f32, f)
FLOAT_LOOPS(f64, )

// In double, no square of a float's overflows or vanishes.
static inline float _Complex div_c64_of(float _Complex a, float _Complex b) {
  double ar = __real__ a, ai = __imag__ a, br = __real__ b, bi = __imag__ b;
  double norm = br * br + bi * bi;
  return __builtin_complex((float)((ar * br + ai * bi) / norm),
                           (float)((ai * br - ar * bi) / norm));
}

// The power of two that takes the larger part near 1, unless that is 0, infinite or NaN.
static inline int exponent_of(double _Complex a) {
  double size = fmax(fabs(__real__ a), fabs(__imag__ a));
  return size > 0 && size < INFINITY ? ilogb(size) : 0;
}
static double _Complex div_c128_of(double _Complex a, double _Complex b) {
  const int up = exponent_of(a), down = exponent_of(b);
  double ar = ldexp(__real__ a, -up), ai = ldexp(__imag__ a, -up);
  double br = ldexp(__real__ b, -down), bi = ldexp(__imag__ b, -down);
  double norm = br * br + bi * bi;
  return __builtin_complex(ldexp((ar * br + ai * bi) / norm, up - down),
                           ldexp((ai * br - ar * bi) / norm, up - down));
}
static inline float _Complex sqrt_c64_of(float _Complex a) { return (float _Complex)csqrt(a); }
static inline double _Complex sqrt_c128_of(double _Complex a) { return csqrt(a); }
#define CONJ(a) __builtin_complex(__real__(a), -__imag__(a))
#define COMPLEX_FUNCTIONS(x, dtype, _)                                                          \
  static inline c_##x div_no_nan_##x##_of(c_##x a, c_##x b) {                                   \
    return b == 0 ? 0 : div_##x##_of(a, b);                                                     \
  }                                                                                             \
  static inline c_##x reciprocal_##x##_of(c_##x a) { return div_##x##_of(1, a); }               \
  static inline c_##x rsqrt_##x##_of(c_##x a) { return div_##x##_of(1, sqrt_##x##_of(a)); }     \
  static inline c_##x reciprocal_grad_##x##_of(c_##x y, c_##x g) {                              \
    c_##x part = TN_CPU_COMPLEX_MUL(g, CONJ(y));                                                \
    return g == 0 ? 0 : -TN_CPU_COMPLEX_MUL(part, CONJ(y));                                     \
  }                                                                                             \
  static inline c_##x sqrt_grad_##x##_of(c_##x y, c_##x g) {                                    \
    return g == 0 ? 0 : div_##x##_of(g / 2, CONJ(y));                                           \
  }                                                                                             \
  static inline c_##x rsqrt_grad_##x##_of(c_##x y, c_##x g) {                                   \
    c_##x square = TN_CPU_COMPLEX_MUL(CONJ(y), CONJ(y)), part = TN_CPU_COMPLEX_MUL(g, CONJ(y)); \
    return g == 0 ? 0 : TN_CPU_COMPLEX_MUL(-part / 2, square);                                  \
  }                                                                                             \
  TN_CPU_BINARY_LOOP(div, x, x, div_##x##_of)                                                   \
  TN_CPU_BINARY_LOOP(div_no_nan, x, x, div_no_nan_##x##_of)                                     \
  TN_CPU_UNARY_LOOP(reciprocal, x, x, reciprocal_##x##_of)                                      \
  TN_CPU_UNARY_LOOP(sqrt, x, x, sqrt_##x##_of)                                                  \
  TN_CPU_UNARY_LOOP(rsqrt, x, x, rsqrt_##x##_of)                                                \
  TN_CPU_BINARY_LOOP(reciprocal_grad, x, x, reciprocal_grad_##x##_of)                           \
  TN_CPU_BINARY_LOOP(sqrt_grad, x, x, sqrt_grad_##x##_of)                                       \
  TN_CPU_BINARY_LOOP(rsqrt_grad, x, x, rsqrt_grad_##x##_of)
TN_CPU_EACH_COMPLEX(COMPLEX_FUNCTIONS, )

#define AT(op) [TN_CPU_##op - TN_CPU_DIV]
const tn_division_loops TN_CPU_VARIANT(tn_division_loops) = {
    .bodies = {AT(DIV) = TN_CPU_OF_NUMBERS(div), AT(DIV_NO_NAN) = TN_CPU_OF_FRACTIONS(div_no_nan),
               AT(FLOOR_DIV) = TN_CPU_OF_REALS(floor_div),
               AT(TRUNCATE_DIV) = {TN_CPU_EACH_INTEGER(TN_CPU_BODY, div)
                                       TN_CPU_EACH_NATIVE_FLOAT(TN_CPU_BODY, truncate_div)},
               AT(FLOOR_MOD) = TN_CPU_OF_REALS(floor_mod),
               AT(TRUNCATE_MOD) = TN_CPU_OF_REALS(truncate_mod),
               AT(RECIPROCAL) = TN_CPU_OF_FRACTIONS(reciprocal),
               AT(SQRT) = TN_CPU_OF_FRACTIONS(sqrt), AT(RSQRT) = TN_CPU_OF_FRACTIONS(rsqrt),
               AT(RECIPROCAL_GRAD) = TN_CPU_OF_FRACTIONS(reciprocal_grad),
               AT(SQRT_GRAD) = TN_CPU_OF_FRACTIONS(sqrt_grad),
               AT(RSQRT_GRAD) = TN_CPU_OF_FRACTIONS(rsqrt_grad),
               AT(FLOOR) = TN_CPU_OF_FLOATS(floor), AT(CEIL) = TN_CPU_OF_FLOATS(ceil),
               AT(RINT) = TN_CPU_OF_FLOATS(rint)},
};
