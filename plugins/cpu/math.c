// Elementary functions and the gradients of activations.

#include "cpu/math.h"

#include "elementwise.h"

#define WIDE (TN_CPU_TYPE(TN_FLOAT) | TN_CPU_TYPE(TN_DOUBLE))
#define NUMERIC (TN_CPU_FLOATS | TN_CPU_COMPLEXES)

#define SIGNED \
  (TN_CPU_TYPE(TN_INT8) | TN_CPU_TYPE(TN_INT16) | TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64))

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

#define GRADIENT(X, op, name, types, rule) X(op, tn_cpu_math, TN_CPU_MATH_##name, types, rule)
#define GRADIENTS(X)                                                  \
  GRADIENT(X, TanhGrad, tanh_grad, NUMERIC, SAME_COUNT)               \
  GRADIENT(X, SigmoidGrad, sigmoid_grad, NUMERIC, SAME_COUNT)         \
  GRADIENT(X, SoftplusGrad, softplus_grad, TN_CPU_FLOATS, SAME_SHAPE) \
  GRADIENT(X, SoftsignGrad, softsign_grad, TN_CPU_FLOATS, SAME_SHAPE) \
  GRADIENT(X, EluGrad, elu_grad, TN_CPU_FLOATS, SAME_SHAPE)           \
  GRADIENT(X, SeluGrad, selu_grad, TN_CPU_FLOATS, SAME_SHAPE)
GRADIENTS(ELEMENTWISE_RULE_COMPUTE)

static void compute_angle(void* state, TF_OpKernelContext* context) {
  static const elementwise op = {.op = "Angle", .find = tn_cpu_math, .code = TN_CPU_MATH_angle};
  elementwise_run(&op, context);
}

static bool is_negative(const array* values, int64_t i) {
  switch (values->dtype) {
    case TN_INT8: return ((const int8_t*)values->data)[i] < 0;
    case TN_INT16: return ((const int16_t*)values->data)[i] < 0;
    case TN_INT32: return ((const int32_t*)values->data)[i] < 0;
    default: return ((const int64_t*)values->data)[i] < 0;
  }
}

static void compute_integer_pow(void* state, TF_OpKernelContext* context) {
  static const elementwise op = {.op = "Pow", .find = tn_cpu_math, .code = TN_CPU_MATH_pow};
  run run;
  array in[2];
  run_begin(&run, context, op.op);
  run_may_stop(&run);
  if (run_input(&run, 0, &in[0]) && run_input(&run, 1, &in[1])) {
    // Without elements of x nothing is raised to anything.
    for (int64_t i = 0; in[0].count > 0 && i < in[1].count && run_ok(&run); ++i)
      if (is_negative(&in[1], i))
        run_fail(&run, TF_INVALID_ARGUMENT,
                 "element %lld of input y is negative, and an integer has no negative powers",
                 (long long)i);
    if (run_ok(&run)) elementwise_apply(&run, &op, in, 2, NULL);
  }
  run_end(&run);
}

void register_math(void) {
  static const kernel kernels[] = {
      OPS(ELEMENTWISE_KERNEL) GRADIENTS(ELEMENTWISE_KERNEL){
          .op = "Pow", .compute = compute_integer_pow, .constraints = {{"T", SIGNED}}},
      {.op = "Angle",
       .compute = compute_angle,
       .constraints = {{"T", TN_CPU_TYPE(TN_COMPLEX64)}, {"Tout", TN_CPU_TYPE(TN_FLOAT)}}},
      {.op = "Angle",
       .compute = compute_angle,
       .constraints = {{"T", TN_CPU_TYPE(TN_COMPLEX128)}, {"Tout", TN_CPU_TYPE(TN_DOUBLE)}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
