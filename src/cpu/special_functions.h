// The special functions themselves. Outside of their domain they give NaN; at poles what
// TensorFlow's kernels give.
#ifndef TENON_CPU_SPECIAL_FUNCTIONS_H_
#define TENON_CPU_SPECIAL_FUNCTIONS_H_

double tn_lgamma(double x);  // log |gamma(x)|
double tn_digamma(double x);
double tn_igamma(double a, double x);         // P(a, x), of gamma(a) the part up to x
double tn_igammac(double a, double x);        // 1 - P(a, x)
double tn_igamma_grad_a(double a, double x);  // dP / da
double tn_zeta(double x, double q);           // Hurwitz's: the sum of (n + q)^-x
double tn_polygamma(double n, double x);      // derivative n of digamma
double tn_betainc(double a, double b, double x);

// Modified and plain functions of Bessel; the ones with e are scaled by exp(-|x|) or exp(x).
double tn_bessel_i0(double x);
double tn_bessel_i0e(double x);
double tn_bessel_i1(double x);
double tn_bessel_i1e(double x);
double tn_bessel_k0(double x);
double tn_bessel_k0e(double x);
double tn_bessel_k1(double x);
double tn_bessel_k1e(double x);
double tn_bessel_j0(double x);
double tn_bessel_j1(double x);
double tn_bessel_y0(double x);
double tn_bessel_y1(double x);

double tn_dawsn(double x);   // exp(-x^2) times the integral of exp(t^2) up to x
double tn_expint(double x);  // Ei
double tn_fresnel_cos(double x);
double tn_fresnel_sin(double x);
double tn_spence(double x);  // the integral of log(t) / (1 - t) from 1 to x

#endif  // TENON_CPU_SPECIAL_FUNCTIONS_H_
