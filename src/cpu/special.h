// Special functions, element by element, on float and double (and half, for those of one input).
// They are computed in double and one element after the other.
#ifndef TENON_CPU_SPECIAL_H_
#define TENON_CPU_SPECIAL_H_

#include "cpu/elementwise.h"

// clang-format off
#define TN_CPU_EACH_UNARY_SPECIAL(X)                                                             \
  X(lgamma) X(digamma) X(bessel_i0) X(bessel_i0e) X(bessel_i1) X(bessel_i1e) X(bessel_j0)        \
  X(bessel_j1) X(bessel_k0) X(bessel_k0e) X(bessel_k1) X(bessel_k1e) X(bessel_y0) X(bessel_y1)   \
  X(dawsn) X(expint) X(fresnel_cos) X(fresnel_sin) X(spence)
#define TN_CPU_EACH_BINARY_SPECIAL(X)                                                            \
  X(igamma) X(igammac) X(igamma_grad_a) X(zeta) X(polygamma)
// clang-format on

#define TN_CPU_SPECIAL_CODE(name) TN_CPU_SPECIAL_##name,
typedef enum tn_cpu_special_op {
  TN_CPU_EACH_UNARY_SPECIAL(TN_CPU_SPECIAL_CODE) TN_CPU_EACH_BINARY_SPECIAL(TN_CPU_SPECIAL_CODE)
      TN_CPU_SPECIAL_betainc,  // of three inputs
  TN_CPU_SPECIAL_OPS
} tn_cpu_special_op;

// `op` is a tn_cpu_special_op.
tn_cpu_loop tn_cpu_special(int op, tn_dtype dtype);

#endif  // TENON_CPU_SPECIAL_H_
