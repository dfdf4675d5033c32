// The gamma function's family. Sums and fractions stop when nothing changes any more, or after as
// many steps as parameters of some millions take.

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "cpu/special_functions.h"

#define PI 3.14159265358979323846
enum { STEPS = 10000 };

double tn_lgamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

double tn_digamma(double x) {
  if (x <= 0 && x == floor(x)) return NAN;
  double mirrored = 0;
  if (x < 0) {
    // psi(x) = psi(1 - x) - pi / tan(pi x), which has x's period.
    const double beyond = x - rint(x);
    mirrored = fabs(beyond) == 0.5 ? 0 : PI / tan(PI * beyond);
    x = 1 - x;
  }
  double steps = 0;  // psi(x + 1) = psi(x) + 1/x
  for (; x < 10; ++x) steps += 1 / x;
  const double w = 1 / (x * x);
  // Bernoulli's numbers B(2n) / 2n.
  static const double terms[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252,  -1.0 / 240,
                                 1.0 / 132, -691.0 / 32760, 1.0 / 12.0, -3617.0 / 8160};
  double series = 0;
  for (int i = sizeof terms / sizeof terms[0] - 1; i >= 0; --i) series = series * w + terms[i];
  return log(x) - 0.5 / x - series * w - steps - mirrored;
}

// m - log(1 + m) for small m, where it would cancel.
static double less_log1p(double m) {
  const double s = m / (2 + m), z = s * s;
  double odd = 0;
  for (int n = 25; n >= 3; n -= 2) odd = odd * z + 1.0 / n;
  return 2 * z / (1 - s) - 2 * s * z * odd;
}

// x^a exp(-x) / gamma(a), directly where nothing overflows. Elsewhere by Stirling's formula, so
// that large logarithms do not cancel.
static double gamma_term(double a, double x) {
  const double power = pow(x, a);
  if (a < 150 && x < 600 && power > 1e-290 && power < 1e290) return power * exp(-x) / tgamma(a);
  if (a < 20) return exp(a * log(x) - x - tn_lgamma(a));
  const double w = 1 / (a * a), m = (x - a) / a;
  const double rest = (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680)))) / a;
  const double fall = fabs(m) < 0.4 ? less_log1p(m) : m - log(x / a);
  return sqrt(a / (2 * PI)) * exp(-a * fall - rest);
}

// P(a, x) / (the term / a) and its slope in a: the sum of x^n / ((a + 1) ... (a + n)).
static double gamma_series(double a, double x, double* slope) {
  double term = 1, sum = 1, by_a = 0;  // by_a: of the term's logarithm
  *slope = 0;
  for (int n = 1; n < STEPS; ++n) {
    term *= x / (a + n);
    by_a -= 1 / (a + n);
    sum += term;
    *slope += term * by_a;
    if (term <= sum * (DBL_EPSILON / 4) && term * by_a >= *slope * (DBL_EPSILON / 4)) break;
  }
  return sum;
}

// (1 - P(a, x)) / the term, and its slope in a: the continued fraction
// 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / ...)), whose convergents are p / q.
static double gamma_fraction(double a, double x, double* slope) {
  double p[2] = {0, 1}, q[2] = {1, x + 1 - a}, dp[2] = {0, 0}, dq[2] = {0, -1};
  double value = p[1] / q[1];
  *slope = -value * dq[1] / q[1];
  for (int n = 1; n < STEPS; ++n) {
    const double b = x + 2 * n + 1 - a, c = -n * (n - a);
    const double p2 = b * p[1] + c * p[0], q2 = b * q[1] + c * q[0];
    const double dp2 = b * dp[1] - p[1] + c * dp[0] + n * p[0];
    const double dq2 = b * dq[1] - q[1] + c * dq[0] + n * q[0];
    const double scale = fabs(p2) > 1e100 || fabs(q2) > 1e100 ? 1e-100 : 1;
    p[0] = p[1] * scale, p[1] = p2 * scale, q[0] = q[1] * scale, q[1] = q2 * scale;
    dp[0] = dp[1] * scale, dp[1] = dp2 * scale, dq[0] = dq[1] * scale, dq[1] = dq2 * scale;
    if (q[1] == 0) continue;
    const double before = value, slope_before = *slope;
    value = p[1] / q[1];
    *slope = (dp[1] - value * dq[1]) / q[1];
    if (fabs(value - before) <= DBL_EPSILON / 4 * fabs(value) &&
        fabs(*slope - slope_before) <= DBL_EPSILON * fabs(*slope))
      break;
  }
  return value;
}

static bool outside(double a, double x) { return !(x >= 0 && a > 0); }

double tn_igamma(double a, double x) {
  double slope;
  if (x == 0) return 0;
  if (outside(a, x)) return NAN;
  if (x == INFINITY || a == INFINITY) return x == a ? NAN : x > a ? 1 : 0;
  if (x > 1 && x > a) return 1 - gamma_term(a, x) * gamma_fraction(a, x, &slope);
  const double term = gamma_term(a, x);
  return term == 0 ? 0 : term / a * gamma_series(a, x, &slope);
}

double tn_igammac(double a, double x) {
  double slope;
  if (outside(a, x)) return NAN;
  if (x == INFINITY || a == INFINITY) return x == a ? NAN : x > a ? 0 : 1;
  if (x < 1 || x < a) return x == 0 ? 1 : 1 - gamma_term(a, x) / a * gamma_series(a, x, &slope);
  const double term = gamma_term(a, x);
  return term == 0 ? 0 : term * gamma_fraction(a, x, &slope);
}

double tn_igamma_grad_a(double a, double x) {
  if (x == 0) return 0;
  if (outside(a, x)) return NAN;
  const double term = a < INFINITY && x < INFINITY ? gamma_term(a, x) : 0;
  if (term == 0) return 0;
  double slope;
  if (x > 1 && x > a) {
    const double value = gamma_fraction(a, x, &slope);
    return -term * (value * (log(x) - tn_digamma(a)) + slope);
  }
  const double value = gamma_series(a, x, &slope);
  return term / a * (value * (log(x) - tn_digamma(a + 1)) + slope);
}

// Euler's and Maclaurin's sum: the first terms one by one, the others as an integral and
// corrections.
double tn_zeta(double x, double q) {
  if (x == 1) return INFINITY;
  if (!(x > 1)) return NAN;
  if (q <= 0 && q == floor(q)) return rint(0.5 * x) == 0.5 * x ? INFINITY : NAN;
  if (q <= 0 && x != floor(x)) return NAN;
  if (q < -64) {
    // The sum over all integers, from the fraction of q both ways, without the part below q.
    const double rest = q - floor(q), below = tn_zeta(x, 1 - rest) - tn_zeta(x, 1 - q);
    return tn_zeta(x, rest) + (fmod(x, 2) != 0 ? -below : below);
  }
  double sum = pow(q, -x), at = q, term = 0;
  // Corrections shrink where this is far beyond x.
  const double enough = 9 + (x < 100 ? x : 100);
  for (int i = 0; i < 9 || at <= enough; ++i) {
    at += 1;
    term = pow(at, -x);
    sum += term;
    if (at > 0 && fabs(term) <= fabs(sum) * (DBL_EPSILON / 2)) return sum;
  }
  sum += term * at / (x - 1) - 0.5 * term;
  // (2n)! / B(2n).
  static const double divisors[] = {12,
                                    -720,
                                    30240,
                                    -1209600,
                                    47900160,
                                    -1307674368000.0 / 691,
                                    74724249600,
                                    -10670622842880000.0 / 3617,
                                    5109094217170944000.0 / 43867,
                                    -802857662698291200000.0 / 174611,
                                    155112100433309859840000.0 / 854513,
                                    -1693824136731743669452800000.0 / 236364091};
  double rising = 1, k = 0;
  for (int i = 0; i < (int)(sizeof divisors / sizeof divisors[0]); ++i) {
    rising *= x + k;
    term /= at;
    const double part = rising * term / divisors[i];
    sum += part;
    if (fabs(part) <= fabs(sum) * (DBL_EPSILON / 2)) break;
    rising *= x + k + 1;
    term /= at;
    k += 2;
  }
  return sum;
}

double tn_polygamma(double n, double x) {
  if (!(n >= 0) || n != floor(n)) return NAN;
  if (n == 0) return tn_digamma(x);
  const double value = tgamma(n + 1) * tn_zeta(n + 1, x);
  return fmod(n, 2) != 0 ? value : -value;
}

// The continued fraction of the incomplete beta function, by Lentz's method.
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double c = 1, value = d;
  for (int m = 1; m < STEPS; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (int i = 0; i < 2; ++i) {
      const double factor = i == 0 ? even : odd;
      d = 1 + factor * d;
      c = 1 + factor / c;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      c = fabs(c) < tiny ? tiny : c;
      value *= change = c * d;
    }
    if (fabs(change - 1) <= DBL_EPSILON) break;
  }
  return value;
}

// x^a (1 - x)^b / B(a, b), without logarithms where nothing overflows.
static double beta_term(double a, double b, double x) {
  const double power = pow(x, a) * (x < 0.5 ? exp(b * log1p(-x)) : pow(1 - x, b));
  if (a + b < 150 && power > 1e-280) return power * (tgamma(a + b) / tgamma(a) / tgamma(b));
  return exp(a * log(x) + b * log1p(-x) + (tn_lgamma(a + b) - tn_lgamma(a) - tn_lgamma(b)));
}

double tn_betainc(double a, double b, double x) {
  if (!(a > 0 && b > 0 && x >= 0 && x <= 1)) return NAN;
  if (x == 0 || x == 1) return x;
  const double term = beta_term(a, b, x);
  // Beyond the mean the other side converges.
  if (x > (a + 1) / (a + b + 2)) return 1 - term * beta_fraction(b, a, 1 - x) / b;
  return term * beta_fraction(a, b, x) / a;
}
