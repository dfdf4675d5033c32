// Exponentials of rows, divided by their sums, and the losses made of them. On TN_CPU_FLOATS.
#ifndef TENON_CPU_SOFTMAX_H_
#define TENON_CPU_SOFTMAX_H_

#include <stdbool.h>

#include "cpu/cpu.h"

// Each row of [rows, depth]: exp(x) / sum(exp(x)), or its logarithm. `out` may be `in`.
void tn_cpu_softmax(bool logarithm, tn_dtype dtype, int64_t rows, int64_t depth, const void* in,
                    void* out, const tn_cpu_parallel* parallel);

// Cross entropy of each row's softmax and its labels, and the gradient for the logits. Strides
// count elements from row to row; 0 repeats a row.
void tn_cpu_cross_entropy(tn_dtype dtype, int64_t rows, int64_t depth, const void* logits,
                          int64_t logits_stride, const void* labels, int64_t labels_stride,
                          void* loss, void* gradient, const tn_cpu_parallel* parallel);

// The same where row i's label is 1 at labels[i] (in [0, depth)) and 0 elsewhere.
void tn_cpu_sparse_cross_entropy(tn_dtype dtype, int64_t rows, int64_t depth, const void* logits,
                                 const int64_t* labels, void* loss, void* gradient,
                                 const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_SOFTMAX_H_
