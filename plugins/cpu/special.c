// Special functions: the families of gamma and of Bessel, and some integrals.

#include "cpu/special.h"

#include "elementwise.h"

#define WIDE (TN_CPU_TYPE(TN_FLOAT) | TN_CPU_TYPE(TN_DOUBLE))
#define HALF_TOO (WIDE | TN_CPU_TYPE(TN_HALF))

#define FUNCTION(X, op, name, types) X(op, tn_cpu_special, TN_CPU_SPECIAL_##name, types)
#define OPS(X)                                  \
  FUNCTION(X, Lgamma, lgamma, HALF_TOO)         \
  FUNCTION(X, Digamma, digamma, HALF_TOO)       \
  FUNCTION(X, BesselI0, bessel_i0, HALF_TOO)    \
  FUNCTION(X, BesselI0e, bessel_i0e, HALF_TOO)  \
  FUNCTION(X, BesselI1, bessel_i1, HALF_TOO)    \
  FUNCTION(X, BesselI1e, bessel_i1e, HALF_TOO)  \
  FUNCTION(X, BesselJ0, bessel_j0, HALF_TOO)    \
  FUNCTION(X, BesselJ1, bessel_j1, HALF_TOO)    \
  FUNCTION(X, BesselK0, bessel_k0, HALF_TOO)    \
  FUNCTION(X, BesselK0e, bessel_k0e, HALF_TOO)  \
  FUNCTION(X, BesselK1, bessel_k1, HALF_TOO)    \
  FUNCTION(X, BesselK1e, bessel_k1e, HALF_TOO)  \
  FUNCTION(X, BesselY0, bessel_y0, HALF_TOO)    \
  FUNCTION(X, BesselY1, bessel_y1, HALF_TOO)    \
  FUNCTION(X, Dawsn, dawsn, WIDE)               \
  FUNCTION(X, Expint, expint, WIDE)             \
  FUNCTION(X, FresnelCos, fresnel_cos, WIDE)    \
  FUNCTION(X, FresnelSin, fresnel_sin, WIDE)    \
  FUNCTION(X, Spence, spence, WIDE)             \
  FUNCTION(X, Igamma, igamma, WIDE)             \
  FUNCTION(X, Igammac, igammac, WIDE)           \
  FUNCTION(X, IgammaGradA, igamma_grad_a, WIDE) \
  FUNCTION(X, Zeta, zeta, WIDE)                 \
  FUNCTION(X, Polygamma, polygamma, WIDE)
OPS(ELEMENTWISE_COMPUTE)

// Inputs are scalars or have one shape.
static void compute_betainc(void* state, TF_OpKernelContext* context) {
  static const elementwise op = {
      .op = "Betainc", .find = tn_cpu_special, .code = TN_CPU_SPECIAL_betainc};
  run run;
  array in[3];
  run_begin(&run, context, op.op);
  run_may_stop(&run);
  if (run_input(&run, 0, &in[0]) && run_input(&run, 1, &in[1]) && run_input(&run, 2, &in[2])) {
    for (int i = 0; i < 3; ++i) {
      const array *x = &in[i], *y = &in[(i + 1) % 3];
      char x_text[SHAPE_TEXT], y_text[SHAPE_TEXT];
      if (x->rank > 0 && y->rank > 0 && !same_shape(x, y))
        run_fail(&run, TF_INVALID_ARGUMENT,
                 "inputs %c %s and %c %s must have one shape, or one be a scalar", "abx"[i],
                 shape_text(x->rank, x->dims, x_text), "abx"[(i + 1) % 3],
                 shape_text(y->rank, y->dims, y_text));
    }
    if (run_ok(&run)) elementwise_apply(&run, &op, in, 3, NULL);
  }
  run_end(&run);
}

void register_special(void) {
  static const kernel kernels[] = {
      OPS(ELEMENTWISE_KERNEL){
          .op = "Betainc", .compute = compute_betainc, .constraints = {{"T", WIDE}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
