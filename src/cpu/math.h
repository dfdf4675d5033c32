// Elementary functions, element by element: within 4 ulp over the whole range, NaN, infinities and
// denormals as C's functions have them.
#ifndef TENON_CPU_MATH_H_
#define TENON_CPU_MATH_H_

#include "cpu/elementwise.h"

// X(name, cost): the cost is in picoseconds per float, roughly.
// clang-format off
#define TN_CPU_EACH_ANGLE_MATH(X) X(sin, 1200) X(cos, 1200) X(tan, 1500)
#define TN_CPU_EACH_UNARY_MATH(X)                                                                \
  X(exp, 500) X(expm1, 600) X(log, 600) X(log1p, 800) X(asin, 1200) X(acos, 1200) X(atan, 1800)  \
  X(sinh, 2000) X(cosh, 1800) X(tanh, 800) X(asinh, 3500) X(acosh, 3000) X(atanh, 3000)          \
  X(sigmoid, 700) X(softplus, 1500) X(softsign, 500) X(elu, 600) X(selu, 600) X(erf, 1000)       \
  X(erfc, 4000) X(erfinv, 8000) X(ndtri, 8000)
#define TN_CPU_EACH_BINARY_MATH(X)                                                               \
  X(pow, 4000) X(atan2, 2500) X(xlogy, 800) X(xlog1py, 1000) X(xdivy, 500) X(nextafter, 500)     \
  X(tanh_grad, 400) X(sigmoid_grad, 400) X(softplus_grad, 800) X(softsign_grad, 500)             \
  X(elu_grad, 400) X(selu_grad, 400)
// clang-format on

#define TN_CPU_MATH_CODE(name, cost) TN_CPU_MATH_##name,
typedef enum tn_cpu_math_op {
  TN_CPU_EACH_ANGLE_MATH(TN_CPU_MATH_CODE) TN_CPU_EACH_UNARY_MATH(TN_CPU_MATH_CODE)
      TN_CPU_MATH_angle,  // of a complex number; the output is its real type
  TN_CPU_EACH_BINARY_MATH(TN_CPU_MATH_CODE) TN_CPU_MATH_OPS
} tn_cpu_math_op;

// `op` is a tn_cpu_math_op. Floats have all of them, complex numbers what makes sense on them,
// signed integers pow (which wraps around; exponents are not negative); the body is NULL elsewhere.
// The gradients take what TensorFlow's kernels of that name take: tanh_grad and sigmoid_grad the
// function's value and dy, the others dy and features (or outputs, for elu).
tn_cpu_loop tn_cpu_math(int op, tn_dtype dtype);

#endif  // TENON_CPU_MATH_H_
