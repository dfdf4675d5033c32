// The most used elementary functions of floats, computed in float: twice as fast as through
// math_f64.h, whose rules hold here too.
#ifndef TENON_CPU_MATH_F32_H_
#define TENON_CPU_MATH_F32_H_

#include "cpu/math_f64.h"
#include "cpu/number.h"

TN_MATH float at_most_f32(float x, float high) { return high < x ? high : x; }
TN_MATH float at_least_f32(float x, float low) { return low > x ? low : x; }

#define LOG2_E_F32 0x1.715476p0f
#define LN2_HIGH_F32 0x1.62e4p-1f
#define LN2_LOW_F32 0x1.7f7d1cp-20f

// x = n ln 2 + r; returns r. The low bits of *shifted are n + bias: moved to a float's exponent,
// they are 2^n when the bias is 127.
TN_MATH float exp_reduce_f32(float x, float bias, float* shifted) {
  *shifted = x * LOG2_E_F32 + (0x1.8p23f + bias);
  float n = *shifted - (0x1.8p23f + bias);
  return (x - n * LN2_HIGH_F32) - n * LN2_LOW_F32;
}

TN_MATH float power_of_2_f32(float shifted) {
  return float_from_bits(bits_of_float(shifted) << 23);
}

// exp(r) and exp(r) - 1 for such r.
TN_MATH float exp_core_f32(float r) { return 1 + r * (1 + r * FIT_EXP_FLOAT(r)); }
TN_MATH float expm1_core_f32(float r) { return r + r * r * FIT_EXP_FLOAT(r); }

TN_MATH float exp_f32(float x) {
  float shifted, r = exp_reduce_f32(at_most_f32(at_least_f32(x, -104), 88.8f), 254, &shifted);
  // 2^n would not fit where the result is denormal or near the largest; two halves of it do.
  const uint32_t whole = bits_of_float(shifted) << 23;
  const uint32_t half = bits_of_float(shifted) << 22 & 0xff800000u;
  return exp_core_f32(r) * float_from_bits(half) * float_from_bits(whole - half);
}

// exp(x) for x <= 0, which is shorter.
TN_MATH float exp_below_f32(float x) {
  float shifted, r = exp_reduce_f32(at_least_f32(x, -104), 127 + 25, &shifted);
  return exp_core_f32(r) * power_of_2_f32(shifted) * 0x1p-25f;
}

TN_MATH float expm1_f32(float x) {
  float shifted, r = exp_reduce_f32(at_most_f32(at_least_f32(x, -30), 89), 126, &shifted);
  float half = power_of_2_f32(shifted);
  float result = 2 * (half * expm1_core_f32(r) + (half - 0.5f));
  return x == 0 ? x : result;
}

// log(u) + correction, for u > 0 that is neither denormal nor infinite.
TN_MATH float log_core_f32(float u, float correction, float exponent) {
  const uint32_t root = 0x3f3504f3;  // sqrt(1/2)
  uint32_t shifted = bits_of_float(u) - root + 0x3f800000u;
  float k = (float)(int32_t)(shifted >> 23) - 127 + exponent;
  float f = float_from_bits((shifted & 0x007fffff) + root) - 1;
  float z = f * f, tail = f * (z * fit_log_float(f)) + (k * LN2_LOW_F32 + correction);
  return k * LN2_HIGH_F32 + (f + (tail - 0.5f * z));
}

TN_MATH float log_ends_f32(float x, float result) {
  result = x > 0 ? result : x == 0 ? -INFINITY : NAN;
  return x == INFINITY ? x : result;
}

TN_MATH float log_f32(float x) {
  int tiny = x < 0x1p-126f;
  return log_ends_f32(x, log_core_f32(tiny ? x * 0x1p24f : x, 0, tiny ? -24 : 0));
}

TN_MATH float log1p_f32(float x) {
  float u = 1 + x;
  float lost = x < 0x1p24f ? (x - (u - 1)) / u : 0;
  float result = log_ends_f32(u, log_core_f32(u, lost, 0));
  return x == 0 ? x : result;
}

// With h = expm1(2 |x|) / 2.
TN_MATH float tanh_f32(float x) {
  float shifted, r = exp_reduce_f32(2 * at_most_f32(fabsf(x), 11), 126, &shifted);
  float half = power_of_2_f32(shifted), h = half * expm1_core_f32(r) + (half - 0.5f);
  return copysignf(h / (h + 1), x);
}

TN_MATH float sigmoid_f32(float x) {
  float e = exp_below_f32(-fabsf(x));
  return (x < 0 ? e : 1) / (1 + e);
}

TN_MATH float softplus_f32(float x) {
  return (x > 0 ? x : 0) + log1p_f32(exp_below_f32(-fabsf(x)));
}

TN_MATH float erf_f32(float x) {
  float a = fabsf(x);
  float near = a + a * fit_erf_float(a * a);
  float far = 1 - exp_below_f32(fit_erfc_float(at_most_f32(a, 4)));
  return copysignf(a < 0.89f ? near : far, x);
}

#define TN_MATH_THROUGH_F64(name) \
  TN_MATH float name##_f32(float x) { return (float)name##_f64(x); }
// clang-format off
TN_MATH_THROUGH_F64(asin) TN_MATH_THROUGH_F64(acos) TN_MATH_THROUGH_F64(atan)
TN_MATH_THROUGH_F64(sinh) TN_MATH_THROUGH_F64(cosh) TN_MATH_THROUGH_F64(asinh)
TN_MATH_THROUGH_F64(acosh) TN_MATH_THROUGH_F64(atanh) TN_MATH_THROUGH_F64(erfc)
TN_MATH_THROUGH_F64(erfinv) TN_MATH_THROUGH_F64(ndtri)
TN_MATH_THROUGH_F64(sin) TN_MATH_THROUGH_F64(cos) TN_MATH_THROUGH_F64(tan)
    // clang-format on

    TN_MATH float atan2_f32(float y, float x) {
  return (float)atan2_f64(y, x);
}

// y log(x) in double has all the bits that a float needs.
TN_MATH float pow_f32(float x, float y) {
  return (float)pow_ends(x, y, exp_f64(y * log_f64(fabsf(x))));
}

#endif  // TENON_CPU_MATH_F32_H_
