// Sums of products over labelled dimensions (Einstein's notation), with one operand or two.
#ifndef TENON_CPU_EINSUM_H_
#define TENON_CPU_EINSUM_H_

#include <stdbool.h>

#include "cpu/cpu.h"

// Enough for any two arrays whose labels are characters or dimensions that broadcast.
enum { TN_CPU_EINSUM_LABELS = 256 + TN_CPU_MAX_RANK };

// Labels are numbers below `labels`, each with a size. An operand has strides for those it has: the
// sum of strides where a label stands at several of its dimensions (a diagonal), 0 where the
// operand repeats itself. The result is dense, its dimensions in the order of `out`; labels that
// are not there are summed over.
typedef struct tn_cpu_einsum {
  int labels, operands, out_rank;
  int64_t dims[TN_CPU_EINSUM_LABELS];
  bool has[2][TN_CPU_EINSUM_LABELS];
  int64_t strides[2][TN_CPU_EINSUM_LABELS];
  int out[TN_CPU_EINSUM_LABELS];
} tn_cpu_einsum;

// On TN_CPU_NUMBERS; `workspace` is at a 64-byte boundary.
size_t tn_cpu_einsum_workspace(tn_dtype dtype, const tn_cpu_einsum* einsum);
void tn_cpu_einsum_run(tn_dtype dtype, const tn_cpu_einsum* einsum, const void* const operands[2],
                       void* out, void* workspace, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_EINSUM_H_
