// Reductions over some dimensions. The order of sums and products never depends on the number of
// threads.
#ifndef TENON_CPU_REDUCE_H_
#define TENON_CPU_REDUCE_H_

#include <stdbool.h>

#include "cpu/cpu.h"

// Floats are summed and multiplied in double, sums in pairwise order; integers in 64 bits.
typedef enum tn_cpu_reduce_op {
  TN_CPU_SUM,              // TN_CPU_NUMBERS; of nothing: 0
  TN_CPU_MEAN,             // TN_CPU_NUMBERS; integers are cut; of nothing: NaN, 0 for complex
  TN_CPU_PROD,             // TN_CPU_NUMBERS; of nothing: 1
  TN_CPU_MAX,              // TN_CPU_REALS and bool (any); a NaN wins; of nothing: the least value
  TN_CPU_MIN,              // the same, with all for any
  TN_CPU_EUCLIDEAN_NORM,   // TN_CPU_NUMBERS; integers: the root of what the type holds of the sum
  TN_CPU_HALF_OF_SQUARES,  // TN_CPU_FLOATS: half the sum of the squares
} tn_cpu_reduce_op;

// Bytes of workspace, at a 64-byte boundary, that tn_cpu_reduce needs; often none.
size_t tn_cpu_reduce_workspace(tn_cpu_reduce_op op, tn_dtype dtype, int rank, const int64_t* dims,
                               const bool* reduced);
// Over the dimensions that are `reduced`.
void tn_cpu_reduce(tn_cpu_reduce_op op, tn_dtype dtype, int rank, const int64_t* dims,
                   const bool* reduced, const void* in, void* out, void* workspace,
                   const tn_cpu_parallel* parallel);

// Where the first greatest (or least) element along the middle of [outer, depth, inner] is, as
// `index_type` (TN_INT16, TN_UINT16, TN_INT32 or TN_INT64). On TN_CPU_REALS and bool. NaN is never
// chosen, and where there is nothing else the answer is 0. Depth is positive.
size_t tn_cpu_arg_workspace(int64_t outer, int64_t depth, int64_t inner);
void tn_cpu_arg(bool least, tn_dtype dtype, tn_dtype index_type, int64_t outer, int64_t depth,
                int64_t inner, const void* in, void* out, void* workspace,
                const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_REDUCE_H_
