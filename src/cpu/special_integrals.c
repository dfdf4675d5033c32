#include <math.h>

#define TN_MATH static inline

#include "cpu/special_fits.h"
#include "cpu/special_functions.h"

#define PI 3.14159265358979323846

// Pieces of equal width that begin at 0: the polynomial of the one that x lies in, in [-1, 1].
#define PIECE(table, x)                                      \
  piece(&table[0][0], (int)(sizeof table / sizeof table[0]), \
        (int)(sizeof table[0] / sizeof table[0][0]), x)
static double piece(const double* table, int pieces, int count, double place) {
  const int i = place < pieces - 1 ? (int)place : pieces - 1;
  const double t = 2 * (place - i) - 1;
  double sum = table[(i + 1) * count - 1];
  for (int k = count - 2; k >= 0; --k) sum = sum * t + table[i * count + k];
  return sum;
}

double tn_dawsn(double x) {
  const double a = fabs(x);
  if (a <= 1) return x * fit_dawson(x * x);
  const double result = a < 7 ? PIECE(fit_dawson_pieces, a - 1) : fit_dawson_far(1 / (a * a)) / a;
  return copysign(result, x);
}

double tn_expint(double x) {
  if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
  if (x <= 2) return x * fit_expint(x) + (log(x) + 0.57721566490153286061);
  const double scaled = PIECE(fit_expint_pieces, 32 / x) / x;
  return x < 700 ? exp(x) * scaled : exp(0.5 * x) * scaled * exp(0.5 * x);
}

// sin and cos of pi/2 x^2: x^2 modulo 4 first, from the exact square of x's two halves.
static double quarter_turns(double x) {
  const double high = (float)x, low = x - high;
  const double square = fmod(high * high, 4);
  return fmod(square + fmod(2 * high * low + low * low, 4), 4) * (PI / 2);
}

// Both tend to 1/2, turning around it: with f and g, which fall slowly, at the angle.
static void fresnel_far(double a, double* f, double* g, double* angle) {
  const double v = 1 / a;
  *f = PIECE(fit_fresnel_f, 10 * v) * v / PI;
  *g = PIECE(fit_fresnel_g, 10 * v) * (v * v * v) / (PI * PI);
  *angle = a < 0x1p26 ? quarter_turns(a) : 0;  // from there on f and g do not count
}

double tn_fresnel_cos(double x) {
  const double a = fabs(x), square = a * a, q = square * square;
  if (q <= 2.5) return x * fit_fresnel_cos(q);
  if (!(a < INFINITY)) return a == INFINITY ? copysign(0.5, x) : x;
  double f, g, angle;
  fresnel_far(a, &f, &g, &angle);
  return copysign(0.5 + (f * sin(angle) - g * cos(angle)), x);
}

double tn_fresnel_sin(double x) {
  const double a = fabs(x), square = a * a, q = square * square;
  if (q <= 2.5) return x * square * fit_fresnel_sin(q);
  if (!(a < INFINITY)) return a == INFINITY ? copysign(0.5, x) : x;
  double f, g, angle;
  fresnel_far(a, &f, &g, &angle);
  return copysign(0.5 - (f * cos(angle) + g * sin(angle)), x);
}

// For x in [1/2, 2], a series in u = -log(x).
static double spence_near(double x) {
  const double u = -log(x);
  return u - u * u * (0.25 - u * fit_spence(u));
}

double tn_spence(double x) {
  if (!(x > 0)) return x == 0 ? PI * PI / 6 : NAN;
  if (x < 0.5) return PI * PI / 6 - log(x) * log1p(-x) - spence_near(1 - x);
  if (x <= 2) return spence_near(x);
  if (x == INFINITY) return -INFINITY;
  // 1/x is mirrored, and from below 1/2 again.
  const double l = log(x);
  return -0.5 * l * l - (PI * PI / 6 + l * log1p(-1 / x) - spence_near(1 - 1 / x));
}
