// Inner loops of casts.
#ifndef TENON_CPU_CAST_LOOPS_H_
#define TENON_CPU_CAST_LOOPS_H_

#include "cpu/loops.h"

typedef struct tn_cast_loops {
  tn_unary_loop round[TN_CPU_DTYPES][TN_CPU_DTYPES];     // [from][to]
  tn_unary_loop truncate[TN_CPU_DTYPES][TN_CPU_DTYPES];  // NULL where it would not differ
} tn_cast_loops;

TN_CPU_DECLARE(tn_cast_loops);

#endif  // TENON_CPU_CAST_LOOPS_H_
