// Functions of complex numbers, from the C library; complex64 is computed in complex128.

#include <complex.h>
#include <math.h>

#include "cpu/math_loops.h"

typedef double _Complex complex128;

// exp(x) cos(y) - 1 = expm1(x) cos(y) - 2 sin(y/2)^2 does not cancel near 0.
static complex128 cexpm1(complex128 z) {
  const double x = creal(z), y = cimag(z), e = expm1(x), s = sin(y / 2);
  return CMPLX(e * cos(y) - 2 * s * s, y == 0 ? y : exp(x) * sin(y));
}

static complex128 clog1p(complex128 z) {
  const double x = creal(z), y = cimag(z);
  const bool near = fabs(x) < 0.5 && fabs(y) < 0.5;
  return CMPLX(near ? 0.5 * log1p(x * (2 + x) + y * y) : creal(clog(1 + z)), atan2(y, 1 + x));
}

static complex128 csigmoid(complex128 z) { return 1 / (1 + cexp(-z)); }

static complex128 cxlogy(complex128 x, complex128 y) { return x == 0 ? 0 : x * clog(y); }
static complex128 cxlog1py(complex128 x, complex128 y) { return x == 0 ? 0 : x * clog1p(y); }
static complex128 cxdivy(complex128 x, complex128 y) { return x == 0 ? 0 : x / y; }
static complex128 ctanh_grad(complex128 y, complex128 dy) { return dy * (1 - y * y); }
static complex128 csigmoid_grad(complex128 y, complex128 dy) { return dy * (y * (1 - y)); }

// clang-format off
#define EACH_UNARY(X)                                                                            \
  X(exp) X(expm1) X(log) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh)   \
  X(tanh) X(asinh) X(acosh) X(atanh) X(sigmoid)
#define EACH_BINARY(X) X(pow) X(xlogy) X(xlog1py) X(xdivy) X(tanh_grad) X(sigmoid_grad)
// clang-format on

#define UNARY(name)                                 \
  TN_CPU_UNARY_LOOP(loop_##name, c64, c64, c##name) \
  TN_CPU_UNARY_LOOP(loop_##name, c128, c128, c##name)
#define BINARY(name)                                 \
  TN_CPU_BINARY_LOOP(loop_##name, c64, c64, c##name) \
  TN_CPU_BINARY_LOOP(loop_##name, c128, c128, c##name)
EACH_UNARY(UNARY)
EACH_BINARY(BINARY)

TN_CPU_UNARY_LOOP(loop_angle, c64, f32, cargf)
TN_CPU_UNARY_LOOP(loop_angle, c128, f64, carg)

#define ROW(name) \
  [TN_CPU_MATH_##name] = {[TN_COMPLEX64] = loop_##name##_c64, [TN_COMPLEX128] = loop_##name##_c128},
const tn_cpu_bodies tn_complex_math_bodies[TN_CPU_MATH_OPS] = {EACH_UNARY(ROW) EACH_BINARY(ROW)
                                                                   ROW(angle)};
