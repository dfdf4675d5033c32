#include <math.h>

#include "cpu/arithmetic_loops.h"

#pragma GCC diagnostic ignored "-Wtype-limits"  // unsigned types are never below 0

#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define NEG(a) (-(a))
#define SQUARE(a) ((a) * (a))
#define SQUARED_DIFFERENCE(a, b) SQUARE((a) - (b))
#define MUL_NO_NAN(a, b) ((b) == 0 ? 0 : (a) * (b))
#define NUMBER_LOOPS(x, dtype, _)    \
  TN_CPU_BINARY_LOOP(add, x, x, ADD) \
  TN_CPU_BINARY_LOOP(sub, x, x, SUB) \
  TN_CPU_UNARY_LOOP(neg, x, x, NEG)
TN_CPU_EACH_NATIVE_NUMBER(NUMBER_LOOPS, )

#define SIGN(a) (((a) > 0) - ((a) < 0))
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))
#define MINIMUM(a, b) ((a) < (b) ? (a) : (b))
#define RELU(a) ((a) < 0 ? 0 : (a))
#define RELU6(a) ((a) < 0 ? 0 : (a) > 6 ? 6 : (a))
#define LEAKY_RELU(a, alpha) ((a) > 0 ? (a) : (a) * (alpha))
#define RELU_GRAD(g, a) ((g) * ((a) > 0 ? 1 : 0))
#define RELU6_GRAD(g, a) ((g) * ((a) > 0 && (a) < 6 ? 1 : 0))
#define LEAKY_RELU_GRAD(g, a, alpha) ((a) > 0 ? (g) : (g) * (alpha))
#define REAL_LOOPS(x, dtype, _)                                    \
  TN_CPU_BINARY_LOOP(mul, x, x, MUL)                               \
  TN_CPU_UNARY_LOOP(square, x, x, SQUARE)                          \
  TN_CPU_BINARY_LOOP(squared_difference, x, x, SQUARED_DIFFERENCE) \
  TN_CPU_UNARY_VALUE_LOOP(relu, x, x, RELU)                        \
  TN_CPU_UNARY_VALUE_LOOP(relu6, x, x, RELU6)                      \
  TN_CPU_BINARY_VALUE_LOOP(relu_grad, x, x, RELU_GRAD)             \
  TN_CPU_BINARY_VALUE_LOOP(relu6_grad, x, x, RELU6_GRAD)
TN_CPU_EACH_NATIVE_REAL(REAL_LOOPS, )

#define ABS_INTEGER(a) ((a) < 0 ? 0 - (uint64_t)(a) : (uint64_t)(a))
#define INTEGER_LOOPS(x, dtype, _)                 \
  TN_CPU_UNARY_VALUE_LOOP(abs, x, x, ABS_INTEGER)  \
  TN_CPU_UNARY_VALUE_LOOP(sign, x, x, SIGN)        \
  TN_CPU_BINARY_VALUE_LOOP(maximum, x, x, MAXIMUM) \
  TN_CPU_BINARY_VALUE_LOOP(minimum, x, x, MINIMUM)
TN_CPU_EACH_INTEGER(INTEGER_LOOPS, )

#define SIGN_OR_NAN(a) ((a) != (a) ? (a) : SIGN(a))
#define MAXIMUM_OR_NAN(a, b) ((a) != (a) || (a) > (b) ? (a) : (b))
#define MINIMUM_OR_NAN(a, b) ((a) != (a) || (a) < (b) ? (a) : (b))
#define ABS_FLOAT(a) ((a) < 0 ? -(a) : (a) + 0)
#define FLOAT_LOOPS(x, dtype, _)                          \
  TN_CPU_UNARY_VALUE_LOOP(abs, x, x, ABS_FLOAT)           \
  TN_CPU_UNARY_VALUE_LOOP(sign, x, x, SIGN_OR_NAN)        \
  TN_CPU_BINARY_VALUE_LOOP(maximum, x, x, MAXIMUM_OR_NAN) \
  TN_CPU_BINARY_VALUE_LOOP(minimum, x, x, MINIMUM_OR_NAN) \
  TN_CPU_BINARY_LOOP(mul_no_nan, x, x, MUL_NO_NAN)        \
  TN_CPU_BINARY_LOOP(leaky_relu, x, x, LEAKY_RELU)        \
  TN_CPU_TERNARY_VALUE_LOOP(leaky_relu_grad, x, x, LEAKY_RELU_GRAD)
TN_CPU_EACH_NATIVE_FLOAT(FLOAT_LOOPS, )

#define COMPLEX_SQUARE(a) TN_CPU_COMPLEX_MUL(a, a)
#define COMPLEX_MUL_NO_NAN(a, b) ((b) == 0 ? 0 : TN_CPU_COMPLEX_MUL(a, b))
#define COMPLEX_NORM(a) (SQUARE(__real__(a)) + SQUARE(__imag__(a)))
#define COMPLEX_SQUARED_DIFFERENCE(a, b) COMPLEX_NORM((a) - (b))
static inline float _Complex sign_c64_of(float _Complex a) {
  double size = hypot(__real__ a, __imag__ a);
  return size == 0 ? 0 : __builtin_complex((float)(__real__ a / size), (float)(__imag__ a / size));
}
static inline double _Complex sign_c128_of(double _Complex a) {
  double size = hypot(__real__ a, __imag__ a);
  return size == 0 ? 0 : __builtin_complex(__real__ a / size, __imag__ a / size);
}
#define COMPLEX_LOOPS(x, dtype, _)                                         \
  TN_CPU_BINARY_LOOP(mul, x, x, TN_CPU_COMPLEX_MUL)                        \
  TN_CPU_BINARY_LOOP(mul_no_nan, x, x, COMPLEX_MUL_NO_NAN)                 \
  TN_CPU_UNARY_LOOP(square, x, x, COMPLEX_SQUARE)                          \
  TN_CPU_BINARY_LOOP(squared_difference, x, x, COMPLEX_SQUARED_DIFFERENCE) \
  TN_CPU_UNARY_LOOP(sign, x, x, sign_##x##_of)
TN_CPU_EACH_COMPLEX(COMPLEX_LOOPS, )

const tn_arithmetic_loops TN_CPU_VARIANT(tn_arithmetic_loops) = {
    .bodies = {[TN_CPU_ADD] = TN_CPU_OF_NUMBERS(add),
               [TN_CPU_SUB] = TN_CPU_OF_NUMBERS(sub),
               [TN_CPU_MUL] = TN_CPU_OF_NUMBERS(mul),
               [TN_CPU_MUL_NO_NAN] = TN_CPU_OF_FRACTIONS(mul_no_nan),
               [TN_CPU_SQUARED_DIFFERENCE] = TN_CPU_OF_NUMBERS(squared_difference),
               [TN_CPU_NEG] = TN_CPU_OF_NUMBERS(neg),
               [TN_CPU_SQUARE] = TN_CPU_OF_NUMBERS(square),
               [TN_CPU_SIGN] = TN_CPU_OF_NUMBERS(sign),
               [TN_CPU_ABS] = TN_CPU_OF_REALS(abs),
               [TN_CPU_MAXIMUM] = TN_CPU_OF_REALS(maximum),
               [TN_CPU_MINIMUM] = TN_CPU_OF_REALS(minimum),
               [TN_CPU_RELU] = TN_CPU_OF_REALS(relu),
               [TN_CPU_RELU6] = TN_CPU_OF_REALS(relu6),
               [TN_CPU_LEAKY_RELU] = TN_CPU_OF_FLOATS(leaky_relu),
               [TN_CPU_RELU_GRAD] = TN_CPU_OF_REALS(relu_grad),
               [TN_CPU_RELU6_GRAD] = TN_CPU_OF_REALS(relu6_grad),
               [TN_CPU_LEAKY_RELU_GRAD] = TN_CPU_OF_FLOATS(leaky_relu_grad)},
};
