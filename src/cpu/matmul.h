// Products of matrices.
#ifndef TENON_CPU_MATMUL_H_
#define TENON_CPU_MATMUL_H_

#include <stdbool.h>

#include "cpu/cpu.h"

// Transposes are strides; `conjugate` is for complex numbers.
typedef struct tn_cpu_matrix {
  const void* data;
  int64_t row_stride, column_stride;
  bool conjugate;
} tn_cpu_matrix;

// out[m, n] = a[m, k] * b[k, n] on TN_CPU_NUMBERS. `workspace` has as many bytes as
// tn_cpu_matmul_workspace says, at a 64-byte boundary.
size_t tn_cpu_matmul_workspace(tn_dtype dtype, int64_t m, int64_t n, int64_t k);
void tn_cpu_matmul(tn_dtype dtype, int64_t m, int64_t n, int64_t k, tn_cpu_matrix a,
                   tn_cpu_matrix b, void* out, void* workspace, const tn_cpu_parallel* parallel);

// As many products as `dims` say, one after the other in `out`. The matrices of a and b are strides
// apart (0: the same one again).
typedef struct tn_cpu_batch {
  int rank;
  const int64_t *dims, *a_strides, *b_strides;
} tn_cpu_batch;
size_t tn_cpu_batch_matmul_workspace(tn_dtype dtype, const tn_cpu_batch* batch, int64_t m,
                                     int64_t n, int64_t k);
void tn_cpu_batch_matmul(tn_dtype dtype, const tn_cpu_batch* batch, int64_t m, int64_t n, int64_t k,
                         tn_cpu_matrix a, tn_cpu_matrix b, void* out, void* workspace,
                         const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_MATMUL_H_
