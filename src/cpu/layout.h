// Moving elements without looking at them.
#ifndef TENON_CPU_LAYOUT_H_
#define TENON_CPU_LAYOUT_H_

#include "cpu/cpu.h"

// Elements of `size` bytes (1, 2, 4, 8 or 16): dimension i of `out` is dimension perm[i] of `in`.
void tn_cpu_transpose(size_t size, int rank, const int64_t* dims, const int* perm, const void* in,
                      void* out, const tn_cpu_parallel* parallel);

// `rows` rows of `out`, each one row of every part after the other.
typedef struct tn_cpu_part {
  const void* data;
  int64_t row_bytes;
} tn_cpu_part;
void tn_cpu_concat(int64_t rows, const tn_cpu_part* parts, size_t count, void* out,
                   const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_LAYOUT_H_
