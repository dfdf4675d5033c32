// Inner loops of math.c.
#ifndef TENON_CPU_MATH_LOOPS_H_
#define TENON_CPU_MATH_LOOPS_H_

#include "cpu/elementwise_loops.h"
#include "cpu/math.h"

// Both tables are indexed by tn_cpu_math_op, and have only their own rows.
typedef struct tn_math_loops {
  tn_cpu_bodies bodies[TN_CPU_MATH_OPS];
} tn_math_loops;
TN_CPU_DECLARE(tn_math_loops);

typedef struct tn_math_pairs_loops {
  tn_cpu_bodies bodies[TN_CPU_MATH_OPS];
} tn_math_pairs_loops;
TN_CPU_DECLARE(tn_math_pairs_loops);

// Complex numbers, for all instruction sets.
extern const tn_cpu_bodies tn_complex_math_bodies[TN_CPU_MATH_OPS];

#endif  // TENON_CPU_MATH_LOOPS_H_
