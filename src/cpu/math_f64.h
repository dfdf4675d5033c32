// Elementary functions of doubles without branches or calls, so that loops over them become vector
// code; floats go through them too, where nothing shorter pays. Results are within 2 ulp or so, and
// denormals, infinities and NaN are what they should be, unless a comment says otherwise.
// To be compiled with -ffp-contract=fast: products are fused with sums where the machine can.
#ifndef TENON_CPU_MATH_F64_H_
#define TENON_CPU_MATH_F64_H_

#include <math.h>
#include <stdint.h>
#include <string.h>

// Loops over these are made vectors only when nothing is left to call.
#define TN_MATH static inline __attribute__((always_inline))

#include "cpu/math_fits.h"

TN_MATH uint64_t bits_of_f64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

TN_MATH double f64_from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Written so that each becomes one instruction, and NaN in x stays.
TN_MATH double at_most_f64(double x, double high) { return high < x ? high : x; }
TN_MATH double at_least_f64(double x, double low) { return low > x ? low : x; }

// x + TO_INTEGER rounds x to an integer and holds that integer in the low bits.
#define TO_INTEGER 0x1.8p52

// 2^n for an integer -1022 <= n <= 1023, given n + TO_INTEGER.
TN_MATH double power_of_2(double shifted) {
  return f64_from_bits((bits_of_f64(shifted) << 52) + 0x3ff0000000000000u);
}

#define LN2_HIGH 0x1.62e42fefa38p-1  // 42 bits: exact times any exponent
#define LN2_LOW 0x1.ef35793c7673p-45
#define LOG2_E 0x1.71547652b82fep0

// x = n ln 2 + r.
TN_MATH double exp_reduce(double x, double* n) {
  *n = (x * LOG2_E + TO_INTEGER) - TO_INTEGER;
  return (x - *n * LN2_HIGH) - *n * LN2_LOW;
}

// exp(x + low) 2^extra for a small integer `extra`; in two steps, because it may overflow or be
// denormal.
TN_MATH double exp_scaled(double x, double low, double extra) {
  double n;
  x = at_most_f64(at_least_f64(x, -1400), 1400);
  double r = exp_reduce(x, &n) + low;
  double e = 1 + (r + r * r * fit_exp(r));
  n += extra;
  double half = n * 0.5 + TO_INTEGER;
  double rest = (n - (half - TO_INTEGER)) + TO_INTEGER;
  return e * power_of_2(half) * power_of_2(rest);
}

TN_MATH double exp_f64(double x) { return exp_scaled(x, 0, 0); }

TN_MATH double expm1_f64(double x) {
  double n, top = at_most_f64(at_least_f64(x, -50), 720);
  double r = exp_reduce(top, &n);
  double e = r + r * r * fit_exp(r);
  n = at_most_f64(n, 1024);
  double half = power_of_2(n - 1 + TO_INTEGER);
  double result = 2 * (half * e + (half - 0.5));
  return x == 0 ? x : x > 710 ? (double)INFINITY : result;
}

// u = 2^k (1 + f), with 1 + f between sqrt(1/2) and sqrt(2), for u > 0 that is neither denormal nor
// infinite; returns f.
TN_MATH double log_reduce(double u, double* k) {
  const uint64_t root = 0x3fe6a09e667f3bcdu;  // sqrt(1/2)
  uint64_t shifted = bits_of_f64(u) - root + 0x3ff0000000000000u;
  // The biased exponent becomes the low bits of a double near 2^52.
  *k = f64_from_bits((shifted >> 52) + 0x4330000000000000u) - (0x1p52 + 1023);
  return f64_from_bits((shifted & 0x000fffffffffffffu) + root) - 1;
}

// log(u) + correction + exponent log(2), for such u.
TN_MATH double log_core(double u, double correction, double exponent) {
  double k, f = log_reduce(u, &k);
  k += exponent;
  double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  double tail = s * (half + z * fit_log(z)) + (k * LN2_LOW + correction);
  return k * LN2_HIGH - ((half - tail) - f);
}

// What log makes of arguments that have no finite logarithm.
TN_MATH double log_ends(double x, double result) {
  result = x > 0 ? result : x == 0 ? -(double)INFINITY : (double)NAN;
  return x == (double)INFINITY ? x : result;
}

TN_MATH double log_f64(double x) {
  double tiny = x < 0x1p-1022 ? 1 : 0;
  return log_ends(x, log_core(tiny != 0 ? x * 0x1p54 : x, 0, tiny * -54));
}

TN_MATH double log1p_f64(double x) {
  double u = 1 + x;
  double lost = x < 0x1p53 ? (x - (u - 1)) / u : 0;
  double result = log_ends(u, log_core(u, lost, 0));
  return x == 0 ? x : result;
}

// sinh and cosh are made of exp(|x|) / 2, which overflows only when they do.
TN_MATH double cosh_f64(double x) {
  double h = exp_scaled(fabs(x), 0, -1);
  return h + 0.25 / h;
}

TN_MATH double sinh_f64(double x) {
  double a = fabs(x), z = a * a, h = exp_scaled(a, 0, -1);
  double far = h - 0.25 / h, near = a + a * (z * fit_sinh(z));
  return copysign(a < 1 ? near : far, x);
}

TN_MATH double tanh_f64(double x) {
  double e = expm1_f64(2 * at_most_f64(fabs(x), 22));
  return copysign(e / (e + 2), x);
}

TN_MATH double sigmoid_f64(double x) {
  double e = exp_f64(-fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

TN_MATH double softplus_f64(double x) { return (x > 0 ? x : 0) + log1p_f64(exp_f64(-fabs(x))); }

TN_MATH double asinh_f64(double x) {
  double a = fabs(x), z = a * a;
  int far = a > 0x1p28;
  double small = a + z / (1 + sqrt(1 + z));
  double result = log1p_f64(far ? a - 1 : small) + (far ? LN2_HIGH + LN2_LOW : 0);
  return copysign(a == (double)INFINITY ? a : result, x);
}

TN_MATH double acosh_f64(double x) {
  double t = x - 1;
  int far = x > 0x1p28;
  double result = log1p_f64(far ? t : t + sqrt(t * (t + 2))) + (far ? LN2_HIGH + LN2_LOW : 0);
  return x < 1 ? (double)NAN : result;
}

TN_MATH double atanh_f64(double x) {
  double a = fabs(x);
  double result = copysign(0.5 * log1p_f64(2 * a / (1 - a)), x);
  return a > 1 ? (double)NAN : result;
}

#define PI_HALF_HIGH 0x1.921fb54442d18p0
#define PI_HALF_LOW 0x1.1a62633145c07p-54

// asin of a <= 1/2, given a and its square.
TN_MATH double asin_core(double a, double z) { return a + a * (z * fit_asin(z)); }

TN_MATH double asin_f64(double x) {
  double a = fabs(x);
  int far = a > 0.5;
  double z = far ? (1 - a) * 0.5 : a * a;
  double r = asin_core(far ? sqrt(z) : a, z);
  return copysign(far ? PI_HALF_HIGH - (2 * r - PI_HALF_LOW) : r, x);
}

TN_MATH double acos_f64(double x) {
  double a = fabs(x);
  int far = a > 0.5;
  double z = far ? (1 - a) * 0.5 : a * a;
  double r = asin_core(far ? sqrt(z) : a, z);
  double outer = x < 0 ? 2 * PI_HALF_HIGH - (2 * r - 2 * PI_HALF_LOW) : 2 * r;
  return far ? outer : PI_HALF_HIGH - (copysign(r, x) - PI_HALF_LOW);
}

// The angle of the point (x, y), both not negative, in [0, pi/2], as high + low parts kept apart by
// `turn`, in quarters of pi: the angle is turn pi/4 + *rest.
TN_MATH double atan_core(double y, double x, double* rest) {
  int steep = y > x;
  double b = steep ? x : y, a = steep ? y : x;
  int middle = b > 0.41421356237309503 * a;
  double n = middle ? b - a : b, d = middle ? b + a : a;
  double q = n / d, z = q * q;
  q = q + q * (z * fit_atan(z));
  *rest = steep ? -q : q;
  double turn = middle ? 1 : 0;
  return steep ? 2 - turn : turn;
}

TN_MATH double atan_f64(double x) {
  double q, a = fabs(x);
  double turn = atan_core(at_most_f64(a, 0x1p60), 1, &q);
  return copysign(turn * (PI_HALF_HIGH / 2) + (turn * (PI_HALF_LOW / 2) + q), x);
}

TN_MATH double atan2_f64(double y, double x) {
  double b = fabs(y), a = fabs(x), largest = a > b ? a : b, q;
  // Sums of huge numbers must not overflow, and two zeros or infinities have a direction too.
  const double infinite = (double)INFINITY, scale = largest > 0x1p1000 ? 0x1p-4 : 1;
  a = largest == infinite ? (a == infinite ? 1 : 0) : a * scale;
  b = largest == infinite ? (b == infinite ? 1 : 0) : b * scale;
  double turn = atan_core(b, largest == 0 ? 1 : a, &q), side = copysign(1, x);
  turn = side < 0 ? 4 - turn : turn;
  double angle = turn * (PI_HALF_HIGH / 2) + (turn * (PI_HALF_LOW / 2) + q * side);
  angle = copysign(angle, y);
  angle = x != x ? x : angle;
  return y != y ? y : angle;
}

// Angles up to this are reduced here; larger ones need more digits of pi.
#define ANGLE_LIMIT 0x1p20

// x = n pi/2 + r; returns r. The low two bits of *shifted count quarters.
TN_MATH double angle_reduce(double x, double* shifted) {
  *shifted = x * 0x1.45f306dc9c883p-1 + TO_INTEGER;
  double n = *shifted - TO_INTEGER;
  double r = (x - n * 0x1.921fb544p0) - n * 0x1.0b4611a6p-34;
  return r - n * 0x1.3198a2e037073p-69;
}

TN_MATH double sin_core(double r) {
  double z = r * r;
  return r + r * (z * fit_sin(z));
}

TN_MATH double cos_core(double r) {
  double z = r * r, half = 0.5 * z, w = 1 - half;
  return w + ((1 - w - half) + z * z * fit_cos(z));
}

// The sine of x + quarters pi/2, for |x| <= ANGLE_LIMIT.
TN_MATH double sin_quarters(double x, uint64_t quarters) {
  double shifted, r = angle_reduce(x, &shifted);
  uint64_t n = bits_of_f64(shifted) + quarters;
  double s = sin_core(r), c = cos_core(r);
  double result = (n & 1) != 0 ? c : s;
  return f64_from_bits(bits_of_f64(result) ^ (n & 2) << 62);
}

TN_MATH double sin_f64(double x) {
  double result = sin_quarters(x, 0);
  return x == 0 ? x : result;
}

TN_MATH double cos_f64(double x) { return sin_quarters(x, 1); }

TN_MATH double tan_f64(double x) {
  double shifted, r = angle_reduce(x, &shifted);
  double s = sin_core(r), c = cos_core(r);
  int turned = (bits_of_f64(shifted) & 1) != 0;
  double result = (turned ? -c : s) / (turned ? s : c);
  return x == 0 ? x : result;
}

// exp(-x^2), where the rounding of the square matters.
TN_MATH double exp_minus_square(double x) {
  // The high half of x has an exact square.
  double high = f64_from_bits(bits_of_f64(x) & 0xfffffffff8000000u);
  return exp_scaled(-(high * high), -(x - high) * (x + high), 0);
}

// erfc of a >= 1/2.
TN_MATH double erfc_far(double a) {
  a = at_most_f64(a, 28.4);
  return exp_minus_square(a) * (fit_erfcx((a - 4) / (a + 4)) / (1 + 2 * a));
}

TN_MATH double erf_f64(double x) {
  double a = fabs(x);
  double near = a + a * fit_erf(a * a), far = 1 - erfc_far(a);
  return copysign(a < 1 ? near : far, x);
}

TN_MATH double erfc_f64(double x) {
  double a = fabs(x), far = erfc_far(a);
  double near = 1 - (x + x * fit_erf(x * x));
  return a < 0.5 ? near : x < 0 ? 2 - far : far;
}

// The inverse of erf at a, given also q = 1 - a: 0 <= a <= 1, or NaN.
TN_MATH double erfinv_core(double a, double q) {
  double w = -log_f64(q * (2 - q)), s = sqrt(w);
  double x = w < 6    ? a * fit_erfinv(w - 3)
             : w < 36 ? fit_erfinv_far(s - 4.25)
                      : s * fit_erfinv_farther(1 / s);
  // One step of Halley's method, whose error is that of erf or erfc. Tails may be denormal: scaled.
  const double slope = 1.1283791670955126;  // 2 / sqrt(pi)
  double high = f64_from_bits(bits_of_f64(x) & 0xfffffffff8000000u);
  double e = exp_scaled(-(high * high), -(x - high) * (x + high), 60);
  double tail = e * (fit_erfcx((x - 4) / (x + 4)) / (1 + 2 * x));
  double near = (x + x * fit_erf(x * x) - a) * 0x1p60, far = q * 0x1p60 - tail;
  double u = (a < 0.8 ? near : far) / (slope * e);
  double result = x - u / (1 + x * u);
  return q > 0 ? result : q == 0 ? (double)INFINITY : (double)NAN;
}

TN_MATH double erfinv_f64(double x) {
  double a = fabs(x);
  return copysign(erfinv_core(a, 1 - a), x);
}

// The x where the normal distribution reaches p.
TN_MATH double ndtri_f64(double p) {
  double half = p < 0.5 ? p : 1 - p;
  double x = 1.4142135623730951 * erfinv_core(p < 0.5 ? 1 - 2 * p : 2 * p - 1, 2 * half);
  return p < 0.5 ? -x : x;
}

// a * b - p, exactly, where p is the rounded product and nothing overflows.
TN_MATH double product_error(double a, double b, double p) {
#ifdef __FP_FAST_FMA
  return __builtin_fma(a, b, -p);
#else
  double a_high = a * 0x1.000002p27, b_high = b * 0x1.000002p27;
  a_high = a_high - (a_high - a);
  b_high = b_high - (b_high - b);
  double a_low = a - a_high, b_low = b - b_high;
  return ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
#endif
}

// log(a) + *low with some 65 bits, for a > 0 that is not infinite.
TN_MATH double log_wide(double a, double* low) {
  int tiny = a < 0x1p-1022;
  double k, f = log_reduce(tiny ? a * 0x1p54 : a, &k);
  k = tiny ? k - 54 : k;
  // s = f / (2 + f), and 2 s + 2/3 s^3 + ..., of which the first two terms need low parts.
  double d = 2 + f, d_low = f - (d - 2), s = f / d, p = s * d;
  double s_low = ((f - p) - product_error(s, d, p) - s * d_low) / d;
  double z = s * s, z_low = product_error(s, s, z) + 2 * s * s_low;
  double c = s * z, c_low = product_error(s, z, c) + (s * z_low + s_low * z);
  const double third = 0x1.5555555555555p-1, third_low = 0x1.5555555555555p-55;
  double t = c * third, t_low = product_error(c, third, t) + (c * third_low + c_low * third);
  double sum = 2 * s + t, sum_low = (2 * s - sum) + t;
  double base = k * LN2_HIGH, high = base + sum;
  double rest = ((base - high) + sum) +
                (sum_low + (t_low + 2 * s_low) + c * z * fit_log_more(z) + k * LN2_LOW);
  double result = high + rest;
  *low = (high - result) + rest;
  return result;
}

// All bits for an integer, given its absolute value, else none.
TN_MATH uint64_t whole_bits(double a) {
  double rounded = a < 0x1p52 ? (a + 0x1p52) - 0x1p52 : a;
  return rounded == a ? ~(uint64_t)0 : 0;
}

// x^y, when `result` is right for finite positive x and y.
TN_MATH double pow_ends(double x, double y, double result) {
  const double infinite = (double)INFINITY;
  const uint64_t sign = 0x8000000000000000u;
  double a = fabs(x), b = fabs(y);
  uint64_t whole = whole_bits(b), odd = whole & ~whole_bits(b * 0.5);
  // 0 and infinity go to one of them; so does everything else to an infinite power.
  double end = (a < 1 ? -y : y) > 0 ? infinite : 0, far = a == 1 ? 1 : end;
  result = b == infinite ? far : result;
  result = a == 0 ? end : result;
  result = a == infinite ? end : result;
  uint64_t inside = a < infinite ? ~whole : 0;
  inside = x < 0 ? inside : 0;
  result = inside != 0 ? (double)NAN : result;
  result = f64_from_bits(bits_of_f64(result) ^ (odd & bits_of_f64(x) & sign));
  result = x != x ? x : result;
  result = y != y ? y : result;
  result = y == 0 ? 1 : result;
  return x == 1 ? 1 : result;
}

TN_MATH double pow_f64(double x, double y) {
  double low, high = log_wide(fabs(x), &low);
  double p = y * high, p_low = product_error(y, high, p) + y * low;
  p_low = fabs(p) < 1400 ? p_low : 0;
  return pow_ends(x, y, exp_scaled(p, fabs(y) < 0x1p900 ? p_low : 0, 0));
}

// The scaled exponential linear unit's constants, which keep means at 0 and variances at 1.
#define SELU_SCALE 1.0507009873554804934193349852946
#define SELU_SCALE_ALPHA 1.7580993408473768599402175208123

#endif  // TENON_CPU_MATH_F64_H_
