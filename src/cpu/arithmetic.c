#include "cpu/arithmetic_loops.h"

tn_cpu_loop tn_cpu_arithmetic(int op, tn_dtype dtype) {
  const tn_cpu_bodies* bodies = TN_CPU_CHOOSE(tn_arithmetic_loops)->bodies;
  return tn_cpu_loop_of(bodies[op], op < TN_CPU_RELU ? 2 : 1, dtype, 0, 300);
}
