// Elementary functions and the gradients of activations.

#include "cpu/math.h"

#include "elementwise.h"

#define WIDE (TN_CPU_TYPE(TN_FLOAT) | TN_CPU_TYPE(TN_DOUBLE))
#define NUMERIC (TN_CPU_FLOATS | TN_CPU_COMPLEXES)

#define FUNCTION(X, op, name, types) X(op, tn_cpu_math, TN_CPU_MATH_##name, types)
// clang-format off
#define OPS(X)                                                                            \
  FUNCTION(X, Exp, exp, NUMERIC) FUNCTION(X, Expm1, expm1, NUMERIC)                       \
  FUNCTION(X, Log, log, NUMERIC) FUNCTION(X, Log1p, log1p, NUMERIC)                       \
  FUNCTION(X, Sin, sin, NUMERIC) FUNCTION(X, Cos, cos, NUMERIC)                           \
  FUNCTION(X, Tan, tan, NUMERIC) FUNCTION(X, Asin, asin, NUMERIC)                         \
  FUNCTION(X, Acos, acos, NUMERIC) FUNCTION(X, Atan, atan, NUMERIC)                       \
  FUNCTION(X, Sinh, sinh, NUMERIC) FUNCTION(X, Cosh, cosh, NUMERIC)                       \
  FUNCTION(X, Tanh, tanh, NUMERIC) FUNCTION(X, Asinh, asinh, NUMERIC)                     \
  FUNCTION(X, Acosh, acosh, NUMERIC) FUNCTION(X, Atanh, atanh, NUMERIC)                   \
  FUNCTION(X, Sigmoid, sigmoid, NUMERIC) FUNCTION(X, Softplus, softplus, TN_CPU_FLOATS)   \
  FUNCTION(X, Softsign, softsign, TN_CPU_FLOATS) FUNCTION(X, Elu, elu, TN_CPU_FLOATS)     \
  FUNCTION(X, Selu, selu, TN_CPU_FLOATS) FUNCTION(X, Erf, erf, TN_CPU_FLOATS)             \
  FUNCTION(X, Erfc, erfc, TN_CPU_FLOATS) FUNCTION(X, Erfinv, erfinv, WIDE)              \
  FUNCTION(X, Ndtri, ndtri, WIDE)                                                       \
  FUNCTION(X, Pow, pow, NUMERIC) FUNCTION(X, Atan2, atan2, TN_CPU_FLOATS)                 \
  FUNCTION(X, Xlogy, xlogy, NUMERIC) FUNCTION(X, Xlog1py, xlog1py, NUMERIC)               \
  FUNCTION(X, Xdivy, xdivy, NUMERIC) FUNCTION(X, NextAfter, nextafter, WIDE)
// clang-format on
OPS(ELEMENTWISE_COMPUTE)

void register_math(void) {
  static const kernel kernels[] = {OPS(ELEMENTWISE_KERNEL)};
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
