// Running sums and products.
#ifndef TENON_CPU_SCAN_H_
#define TENON_CPU_SCAN_H_

#include <stdbool.h>

#include "cpu/cpu.h"

// Floats are accumulated in double, integers wrap around.
typedef enum tn_cpu_scan_op {
  TN_CPU_CUMSUM,        // TN_CPU_NUMBERS
  TN_CPU_CUMPROD,       // TN_CPU_NUMBERS
  TN_CPU_CUMLOGSUMEXP,  // TN_CPU_FLOATS: the logarithm of the running sum of exponentials
  TN_CPU_SCAN_OPS
} tn_cpu_scan_op;

// Along the middle of [outer, depth, inner]. Element i of the output stands for the inputs up to i;
// `exclusive` leaves i itself out, `reverse` comes from the other end. `workspace` has as many
// bytes as tn_cpu_scan_workspace says, often none. `out` is not `in`.
size_t tn_cpu_scan_workspace(int64_t outer, int64_t depth, int64_t inner);
void tn_cpu_scan(tn_cpu_scan_op op, tn_dtype dtype, bool exclusive, bool reverse, int64_t outer,
                 int64_t depth, int64_t inner, const void* in, void* out, void* workspace,
                 const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_SCAN_H_
