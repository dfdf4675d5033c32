// Products of matrices with few rows or few columns, which are not worth packing: every element of
// the large matrix is used that few times.
#ifndef TENON_CPU_MATMUL_THIN_H_
#define TENON_CPU_MATMUL_THIN_H_

#include "cpu/matmul.h"

// Real numbers only, and not too few of them.
bool tn_is_thin(tn_dtype dtype, int64_t m, int64_t n, int64_t k);
size_t tn_thin_workspace(tn_dtype dtype, int64_t m, int64_t n, int64_t k);
void tn_thin_run(tn_dtype dtype, int64_t m, int64_t n, int64_t k, tn_cpu_matrix a, tn_cpu_matrix b,
                 void* out, void* workspace, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_MATMUL_THIN_H_
