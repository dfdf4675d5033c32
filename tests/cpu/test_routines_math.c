// Elementary functions of doubles against the C library's of long doubles, in every variant that
// this machine has, in place, at every place of a vector; and what large tensors meet most.

#include <math.h>
#include <stdlib.h>

#include "cpu/math.h"
#include "harness.h"

enum { COUNT = 1501 };  // no multiple of a vector or a tile

typedef struct function {
  int op;
  long double (*exact)(long double);
} function;

static long double sigmoid(long double x) { return 1 / (1 + expl(-x)); }

static const function functions[] = {
    {TN_CPU_MATH_exp, expl},        {TN_CPU_MATH_expm1, expm1l}, {TN_CPU_MATH_log, logl},
    {TN_CPU_MATH_log1p, log1pl},    {TN_CPU_MATH_sin, sinl},     {TN_CPU_MATH_cos, cosl},
    {TN_CPU_MATH_tan, tanl},        {TN_CPU_MATH_asin, asinl},   {TN_CPU_MATH_acos, acosl},
    {TN_CPU_MATH_atan, atanl},      {TN_CPU_MATH_sinh, sinhl},   {TN_CPU_MATH_cosh, coshl},
    {TN_CPU_MATH_tanh, tanhl},      {TN_CPU_MATH_asinh, asinhl}, {TN_CPU_MATH_acosh, acoshl},
    {TN_CPU_MATH_atanh, atanhl},    {TN_CPU_MATH_erf, erfl},     {TN_CPU_MATH_erfc, erfcl},
    {TN_CPU_MATH_sigmoid, sigmoid},
};

// Exponents all over the range, and everything odd; angles that no vector reduces among them.
static double number_of(uint64_t* random) {
  static const double odd[] = {0,     -0.0,   1,      -1,    INFINITY, -INFINITY, NAN,  1e22,
                               1e300, 5e-324, 1e-310, 709.7, -745,     0.5,       -0.5, 1048577};
  const int64_t choice = test_between(random, 0, 60);
  if (choice < 16) return odd[choice];
  const double sign = choice & 1 ? -1 : 1, mantissa = (double)test_between(random, 1, 1 << 30);
  return sign * ldexp(mantissa, (int)test_between(random, -40, -24));
}

static bool is_near(double found, long double exact, double least, double eps) {
  if (isnan(exact) || isinf((double)exact))
    return isnan(exact) ? isnan(found) : found == (double)exact;
  int exponent;
  frexpl(exact, &exponent);
  return fabsl(found - exact) <= 4 * fmaxl(ldexpl(eps, exponent - 1), least);
}

static bool float_is_near(float found, long double exact) {
  if (isinf(found) && fabsl(exact) > 0x1.fffffep127L) return true;  // rounds up
  return is_near(found, exact, 0x1p-149, 0x1p-23);
}

static void check_all(const char* without) {
  setenv("TENON_CPU_OFF", without, 1);
  uint64_t random = test_seed();
  double in[COUNT], out[COUNT];
  float narrow[COUNT];
  for (size_t k = 0; k < sizeof functions / sizeof functions[0]; ++k) {
    for (int i = 0; i < COUNT; ++i) narrow[i] = (float)(out[i] = in[i] = number_of(&random));
    tn_cpu_map(tn_cpu_math(functions[k].op, TN_DOUBLE), COUNT, out, out, NULL);
    tn_cpu_map(tn_cpu_math(functions[k].op, TN_FLOAT), COUNT, narrow, narrow, NULL);
    for (int i = 0; i < COUNT; ++i) {
      const double single = (float)in[i];
      if (!is_near(out[i], functions[k].exact(in[i]), 0x1p-1074, 0x1p-52))
        test_fail(__FILE__, __LINE__, "function %d of %a is %a", functions[k].op, in[i], out[i]);
      if (!float_is_near(narrow[i], functions[k].exact(single)))
        test_fail(__FILE__, __LINE__, "function %d of the float %a is %a", functions[k].op, single,
                  (double)narrow[i]);
    }
  }
}

// Large enough to be written past the caches; most blocks have near numbers only.
static void check_large(const char* without) {
  enum { LARGE = (1 << 22) + 37 };
  setenv("TENON_CPU_OFF", without, 1);
  uint64_t random = test_seed();
  float* in = aligned_alloc(64, (LARGE * sizeof(float) + 63) / 64 * 64);
  float* out = aligned_alloc(64, (LARGE * sizeof(float) + 63) / 64 * 64);
  CHECK(in && out);
  for (int i = 0; i < LARGE; ++i) in[i] = (float)test_between(&random, -9000000, 9000000) * 1e-6f;
  for (int i = 0; i < 900; ++i) in[test_between(&random, 0, LARGE - 1)] = (float)number_of(&random);
  const function large[] = {
      {TN_CPU_MATH_exp, expl}, {TN_CPU_MATH_tanh, tanhl}, {TN_CPU_MATH_sigmoid, sigmoid}};
  for (int k = 0; k < 3; ++k) {
    tn_cpu_map(tn_cpu_math(large[k].op, TN_FLOAT), LARGE, in, out, NULL);
    // Every number of some blocks, then those at odd places.
    for (int i = 0; i < LARGE; i += i < 50000 ? 1 : 13)
      if (!float_is_near(out[i], large[k].exact(in[i])))
        test_fail(__FILE__, __LINE__, "function %d of the float %a is %a", large[k].op,
                  (double)in[i], (double)out[i]);
  }
  free(in);
  free(out);
}

TEST(large_tensors_are_within_four_ulp_by_baseline_code) { check_large("avx2"); }
TEST(large_tensors_are_within_four_ulp_by_avx2_code) { check_large("avx512f"); }
TEST(large_tensors_are_within_four_ulp_by_the_best_code) { check_large(""); }

TEST(baseline_code_is_within_four_ulp) { check_all("avx2"); }
TEST(avx2_code_is_within_four_ulp) { check_all("avx512f"); }
TEST(the_best_code_is_within_four_ulp) { check_all(""); }
