// Inner loops of sort.c. A key is an unsigned number, the smaller the greater its element; of 32
// bits where the element has no more, else of 64.
#ifndef TENON_CPU_SORT_LOOPS_H_
#define TENON_CPU_SORT_LOOPS_H_

#include "cpu/loops.h"

typedef struct tn_sort_loops {
  tn_unary_loop keys[TN_CPU_DTYPES];  // none for half and bfloat16
  // Whether any key is below `limit`.
  bool (*any_below_32)(const uint32_t* keys, int64_t count, uint32_t limit);
  bool (*any_below_64)(const uint64_t* keys, int64_t count, uint64_t limit);
} tn_sort_loops;
TN_CPU_DECLARE(tn_sort_loops);

#endif  // TENON_CPU_SORT_LOOPS_H_
