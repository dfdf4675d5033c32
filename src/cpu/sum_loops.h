// Inner loops of sum.c.
#ifndef TENON_CPU_SUM_LOOPS_H_
#define TENON_CPU_SUM_LOOPS_H_

#include "cpu/loops.h"

// An accumulator is a double or, for integers, a uint64_t.
typedef struct tn_sum_loops {
  // acc[j] += in[r * row_stride + j] for all rows and j < width.
  void (*add_rows[TN_CPU_DTYPES])(const void* in, int64_t row_stride, int64_t rows, int64_t width,
                                  void* acc);
  void (*add[TN_CPU_DTYPES])(void* acc, const void* other, int64_t width);  // acc[j] += other[j]
  tn_unary_loop store[TN_CPU_DTYPES];  // accumulators to elements
} tn_sum_loops;

TN_CPU_DECLARE(tn_sum_loops);

#endif  // TENON_CPU_SUM_LOOPS_H_
