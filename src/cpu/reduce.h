// Reductions over some dimensions.
#ifndef TENON_CPU_REDUCE_H_
#define TENON_CPU_REDUCE_H_

#include <stdbool.h>

#include "cpu/cpu.h"

// Sums over the dimensions that are `reduced`, on TN_CPU_NUMBERS. Floats are summed in double, in
// pairwise order, integers in 64 bits; the order never depends on the number of threads.
void tn_cpu_sum(tn_dtype dtype, int rank, const int64_t* dims, const bool* reduced, const void* in,
                void* out, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_REDUCE_H_
