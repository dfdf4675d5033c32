// Inner loops of casts.
#ifndef TENON_CPU_CAST_LOOPS_H_
#define TENON_CPU_CAST_LOOPS_H_

#include "cpu/loops.h"

// Half, bfloat16 and float8 come from other types, and go to them, by way of float (cast.c).
typedef struct tn_cast_loops {
  tn_unary_loop round[TN_CPU_DTYPES][TN_CPU_DTYPES];  // [from][to]
  // Between integers and numbers of 4 bits, a byte each. (uint4 is read as uint8.)
  tn_unary_loop to_4_bits[TN_CPU_DTYPES], from_int4[TN_CPU_DTYPES];
  // To floats that have no more bits than `to`, or that lose nothing when they are rounded again.
  tn_unary_loop truncate[TN_CPU_DTYPES][TN_CPU_DTYPES];
  tn_unary_loop double_to_odd;
} tn_cast_loops;

TN_CPU_DECLARE(tn_cast_loops);

#endif  // TENON_CPU_CAST_LOOPS_H_
