// Elementwise operations that take a few instructions: sums, quotients, comparisons, bits.
//
// Integers wrap around. A quotient's divisor must not be 0 where it is an integer
// (tn_cpu_has_zero tells). Maximum, minimum and Relu keep NaN. Comparisons give bool.
#ifndef TENON_CPU_ARITHMETIC_H_
#define TENON_CPU_ARITHMETIC_H_

#include "cpu/elementwise.h"

typedef enum tn_cpu_arithmetic_op {
  // Any numbers; the last ones reals only.
  TN_CPU_ADD,
  TN_CPU_SUB,
  TN_CPU_MUL,
  TN_CPU_MUL_NO_NAN,          // 0 where the second is 0
  TN_CPU_SQUARED_DIFFERENCE,  // times its conjugate
  TN_CPU_NEG,
  TN_CPU_SQUARE,
  TN_CPU_SIGN,
  TN_CPU_ABS,
  TN_CPU_MAXIMUM,
  TN_CPU_MINIMUM,
  TN_CPU_RELU,
  TN_CPU_RELU6,
  TN_CPU_LEAKY_RELU,       // (x, alpha)
  TN_CPU_RELU_GRAD,        // (gradient, x)
  TN_CPU_RELU6_GRAD,       // (gradient, x)
  TN_CPU_LEAKY_RELU_GRAD,  // (gradient, x, alpha)
  // Quotients and roots.
  TN_CPU_DIV,  // integers: towards 0
  TN_CPU_DIV_NO_NAN,
  TN_CPU_FLOOR_DIV,
  TN_CPU_TRUNCATE_DIV,
  TN_CPU_FLOOR_MOD,     // has the divisor's sign
  TN_CPU_TRUNCATE_MOD,  // has the dividend's sign
  TN_CPU_RECIPROCAL,
  TN_CPU_SQRT,
  TN_CPU_RSQRT,
  TN_CPU_RECIPROCAL_GRAD,  // (y, gradient)
  TN_CPU_SQRT_GRAD,        // (y, gradient)
  TN_CPU_RSQRT_GRAD,       // (y, gradient)
  TN_CPU_FLOOR,
  TN_CPU_CEIL,
  TN_CPU_RINT,  // halves go to the even side
  // Conditions.
  TN_CPU_EQUAL,
  TN_CPU_NOT_EQUAL,
  TN_CPU_LESS,
  TN_CPU_LESS_EQUAL,
  TN_CPU_GREATER,
  TN_CPU_GREATER_EQUAL,
  TN_CPU_APPROXIMATE_EQUAL,  // (x, y, tolerance)
  TN_CPU_LOGICAL_AND,
  TN_CPU_LOGICAL_OR,
  TN_CPU_LOGICAL_NOT,
  TN_CPU_IS_NAN,
  TN_CPU_IS_INF,
  TN_CPU_IS_FINITE,
  // Bits and parts.
  TN_CPU_BITWISE_AND,
  TN_CPU_BITWISE_OR,
  TN_CPU_BITWISE_XOR,
  TN_CPU_INVERT,
  TN_CPU_LEFT_SHIFT,  // by 0 to the width - 1; what is beyond counts as the nearest of these
  TN_CPU_RIGHT_SHIFT,
  TN_CPU_POPULATION_COUNT,  // as uint8
  TN_CPU_CLIP,              // (x, low, high); complex numbers by their parts
  TN_CPU_CONJ,
  TN_CPU_REAL,
  TN_CPU_IMAG,
  TN_CPU_COMPLEX,  // (real, imaginary)
  TN_CPU_COMPLEX_ABS,
  TN_CPU_ARITHMETIC_OPS
} tn_cpu_arithmetic_op;

// `op` is a tn_cpu_arithmetic_op, `dtype` what its inputs have; quantized types are taken for the
// integers that they lie in memory as. The body is NULL where there is nothing for the type.
tn_cpu_loop tn_cpu_arithmetic(int op, tn_dtype dtype);

// (bool, x, y): x where the condition holds, else y; elements of 1, 2, 4, 8 or 16 bytes.
tn_cpu_loop tn_cpu_select(size_t size);

// out[i] = the sum of in[k][i] over k < terms (1 at least).
void tn_cpu_add_n(tn_dtype dtype, int64_t count, const void* const* in, int terms, void* out,
                  const tn_cpu_parallel* parallel);

// Whether one of some integers is 0.
bool tn_cpu_has_zero(tn_dtype dtype, int64_t count, const void* in);

#endif  // TENON_CPU_ARITHMETIC_H_
