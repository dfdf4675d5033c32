// Products of matrices.
#ifndef TENON_CPU_MATMUL_H_
#define TENON_CPU_MATMUL_H_

#include "cpu/cpu.h"

// out[m, n] = a[m, k] * b[k, n] on TN_CPU_NUMBERS. Transposes are strides. `workspace` has as many
// bytes as tn_cpu_matmul_workspace says, at a 64-byte boundary.
typedef struct tn_cpu_matrix {
  const void* data;
  int64_t row_stride, column_stride;
} tn_cpu_matrix;
size_t tn_cpu_matmul_workspace(tn_dtype dtype, int64_t m, int64_t n, int64_t k);
void tn_cpu_matmul(tn_dtype dtype, int64_t m, int64_t n, int64_t k, tn_cpu_matrix a,
                   tn_cpu_matrix b, void* out, void* workspace, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_MATMUL_H_
