// Inner loops of math.c: the functions of floats that large tensors meet most.
#ifndef TENON_CPU_MATH_NEAR_LOOPS_H_
#define TENON_CPU_MATH_NEAR_LOOPS_H_

#include "cpu/elementwise_loops.h"
#include "cpu/math.h"

typedef struct tn_math_near_loops {
  // By tn_cpu_math_op; NULL: only math_loops.c has it.
  tn_cpu_loop_body bodies[TN_CPU_MATH_OPS];
  // The same, written past the caches: `out` lies at a line of them and is no input. The writer
  // ends with tn_stream_loops' end.
  tn_cpu_loop_body streamed[TN_CPU_MATH_OPS];
} tn_math_near_loops;
TN_CPU_DECLARE(tn_math_near_loops);

#endif  // TENON_CPU_MATH_NEAR_LOOPS_H_
