#include <math.h>

#define TN_MATH static inline

#include "cpu/special_fits.h"
#include "cpu/special_functions.h"

// exp(-x) I(x) for x >= 0: a power series in (x/2)^2 near 0, else what is left when the growth
// exp(x) / sqrt(x) is taken out.
static double i0e(double x) {
  if (x <= 8) return exp(-x) * fit_i0(0.25 * x * x);
  return fit_i0_far(16 / x - 1) / sqrt(x);
}

static double i1e(double x) {
  if (x <= 8) return exp(-x) * (0.5 * x) * fit_i1(0.25 * x * x);
  return fit_i1_far(16 / x - 1) / sqrt(x);
}

// exp(a) y where the product may be in range though exp(a) is not.
static double grow(double a, double y) {
  return a < 700 ? exp(a) * y : exp(a * 0.5) * y * exp(a * 0.5);
}

double tn_bessel_i0e(double x) { return i0e(fabs(x)); }
double tn_bessel_i1e(double x) { return copysign(i1e(fabs(x)), x); }

double tn_bessel_i0(double x) {
  const double a = fabs(x);
  return a <= 8 ? fit_i0(0.25 * a * a) : grow(a, i0e(a));
}

double tn_bessel_i1(double x) {
  const double a = fabs(x);
  return a <= 8 ? 0.5 * x * fit_i1(0.25 * a * a) : copysign(grow(a, i1e(a)), x);
}

// K has a logarithm at 0, beside which lies another power series.
static double k0_near(double x) {
  const double z = 0.25 * x * x;
  return fit_k0(z) - log(0.5 * x) * fit_i0(z);
}

static double k1_near(double x) {
  const double z = 0.25 * x * x;
  return log(0.5 * x) * (0.5 * x * fit_i1(z)) + fit_k1(z) / x;
}

static double at_ends(double x) { return x == 0 ? INFINITY : NAN; }

double tn_bessel_k0e(double x) {
  if (!(x > 0)) return at_ends(x);
  return x <= 1 ? exp(x) * k0_near(x) : fit_k0_far(2 / x - 1) / sqrt(x);
}

double tn_bessel_k0(double x) {
  if (!(x > 0)) return at_ends(x);
  return x <= 1 ? k0_near(x) : exp(-x) * fit_k0_far(2 / x - 1) / sqrt(x);
}

double tn_bessel_k1e(double x) {
  if (!(x > 0)) return at_ends(x);
  return x <= 1 ? exp(x) * k1_near(x) : fit_k1_far(2 / x - 1) / sqrt(x);
}

double tn_bessel_k1(double x) {
  if (!(x > 0)) return at_ends(x);
  return x <= 1 ? k1_near(x) : exp(-x) * fit_k1_far(2 / x - 1) / sqrt(x);
}

double tn_bessel_j0(double x) { return j0(x); }
double tn_bessel_j1(double x) { return j1(x); }
double tn_bessel_y0(double x) { return x < 0 ? NAN : x == 0 ? -INFINITY : y0(x); }
double tn_bessel_y1(double x) { return x < 0 ? NAN : x == 0 ? -INFINITY : y1(x); }
