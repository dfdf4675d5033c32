// Inner loops of arithmetic.c.
#ifndef TENON_CPU_ARITHMETIC_LOOPS_H_
#define TENON_CPU_ARITHMETIC_LOOPS_H_

#include "cpu/arithmetic.h"
#include "cpu/elementwise_loops.h"

typedef struct tn_arithmetic_loops {
  tn_cpu_bodies bodies[TN_CPU_ARITHMETIC_OPS];
} tn_arithmetic_loops;

TN_CPU_DECLARE(tn_arithmetic_loops);

#endif  // TENON_CPU_ARITHMETIC_LOOPS_H_
