#include "cpu/math.h"

#include "cpu/math_loops.h"
#include "cpu/math_near_loops.h"

#define INTEGER_POW(x, dtype, _)                        \
  static c_##x power_##x(c_##x base, c_##x exponent) {  \
    c_##x result = 1;                                   \
    for (; exponent != 0; exponent >>= 1, base *= base) \
      if (exponent & 1) result *= base;                 \
    return result;                                      \
  }                                                     \
  TN_CPU_BINARY_LOOP(integer_pow, x, x, power_##x)
// clang-format off
#define EACH_SIGNED(X, arg) \
  X(i8, TN_INT8, arg) X(i16, TN_INT16, arg) X(i32, TN_INT32, arg) X(i64, TN_INT64, arg)
// clang-format on
EACH_SIGNED(INTEGER_POW, )
static const tn_cpu_bodies integer_pow = {EACH_SIGNED(TN_CPU_BODY, integer_pow)};

tn_cpu_loop tn_cpu_math(int op, tn_dtype dtype) {
#define COST(name, cost) [TN_CPU_MATH_##name] = cost,
  static const uint16_t costs[] = {TN_CPU_EACH_ANGLE_MATH(COST) TN_CPU_EACH_UNARY_MATH(COST)
                                       TN_CPU_EACH_BINARY_MATH(COST)};
  const int inputs = op >= TN_CPU_MATH_pow ? 2 : 1;
  if (TN_CPU_TYPE(dtype) & TN_CPU_COMPLEXES) {
    const size_t out_size = op == TN_CPU_MATH_angle ? tn_cpu_size(dtype) / 2 : 0;
    return tn_cpu_loop_of(tn_complex_math_bodies[op], inputs, dtype, out_size, 10000);
  }
  if (op == TN_CPU_MATH_pow && TN_CPU_TYPE(dtype) & TN_CPU_INTEGERS)
    return tn_cpu_loop_of(integer_pow, inputs, dtype, 0, 5000);
  const tn_cpu_bodies* bodies = inputs == 2 ? TN_CPU_CHOOSE(tn_math_pairs_loops)->bodies
                                            : TN_CPU_CHOOSE(tn_math_loops)->bodies;
  tn_cpu_loop loop = tn_cpu_loop_of(bodies[op], inputs, dtype, 0, costs[op]);
  const tn_cpu_loop_body near = TN_CPU_CHOOSE(tn_math_near_loops)->bodies[op];
  if (near && dtype != TN_DOUBLE) loop.body = near;
  return loop;
}
