#include "cpu/math.h"

#include "cpu/math_loops.h"

tn_cpu_loop tn_cpu_math(int op, tn_dtype dtype) {
#define COST(name, cost) [TN_CPU_MATH_##name] = cost,
  static const uint16_t costs[] = {TN_CPU_EACH_ANGLE_MATH(COST) TN_CPU_EACH_UNARY_MATH(COST)
                                       TN_CPU_EACH_BINARY_MATH(COST)};
  const bool pair = op >= TN_CPU_MATH_pow;
  if (TN_CPU_TYPE(dtype) & TN_CPU_COMPLEXES)
    return tn_cpu_loop_of(tn_complex_math_bodies[op], pair ? 2 : 1, dtype, 0, 20000);
  const tn_cpu_bodies* bodies =
      pair ? TN_CPU_CHOOSE(tn_math_pairs_loops)->bodies : TN_CPU_CHOOSE(tn_math_loops)->bodies;
  return tn_cpu_loop_of(bodies[op], pair ? 2 : 1, dtype, 0, costs[op]);
}
