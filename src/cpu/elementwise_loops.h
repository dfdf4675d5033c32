// Inner loops of elementwise.c.
#ifndef TENON_CPU_ELEMENTWISE_LOOPS_H_
#define TENON_CPU_ELEMENTWISE_LOOPS_H_

#include "cpu/elementwise.h"
#include "cpu/loops.h"

typedef struct tn_elementwise_loops {
  tn_binary_loop binary[TN_CPU_BINARY_OPS][TN_CPU_DTYPES];
  tn_unary_loop relu[TN_CPU_DTYPES];
} tn_elementwise_loops;

TN_CPU_DECLARE(tn_elementwise_loops);

#endif  // TENON_CPU_ELEMENTWISE_LOOPS_H_
