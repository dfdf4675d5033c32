// Inner loops of reduce_arg.c: [0] looks for the greatest, [1] for the least. The first of equals
// is found; NaN is passed over.
#ifndef TENON_CPU_REDUCE_ARG_LOOPS_H_
#define TENON_CPU_REDUCE_ARG_LOOPS_H_

#include "cpu/loops.h"

typedef struct tn_reduce_arg_loops {
  // *best, or best[j] of `width` columns, becomes what any number is better than.
  void (*begin[2][TN_CPU_DTYPES])(void* best, int64_t width);
  // Elements base, base + 1, ...: *best and *index change if one is better.
  void (*run[2][TN_CPU_DTYPES])(const void* in, int64_t count, int32_t base, void* best,
                                int32_t* index);
  // Rows base, base + 1, ...: the same for each column.
  void (*columns[2][TN_CPU_DTYPES])(const void* in, int64_t row_stride, int64_t rows, int64_t width,
                                    int32_t base, void* best, int32_t* index);
} tn_reduce_arg_loops;

TN_CPU_DECLARE(tn_reduce_arg_loops);

#endif  // TENON_CPU_REDUCE_ARG_LOOPS_H_
