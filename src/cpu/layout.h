// Moving elements without looking at them: they have a size, and no type.
#ifndef TENON_CPU_LAYOUT_H_
#define TENON_CPU_LAYOUT_H_

#include "cpu/cpu.h"

// Element [i, j, ...] of `in` becomes element [i, j, ...] of `out`, both with strides of their own.
// They may be negative, and those of `in` 0; no two elements of `out` meet, nor does one of `in`.
// `size` is any number of bytes, `rank` at most 2 * TN_CPU_MAX_RANK.
void tn_cpu_move(size_t size, int rank, const int64_t* dims, const void* in,
                 const int64_t* in_strides, void* out, const int64_t* out_strides,
                 const tn_cpu_parallel* parallel);

// Strides of a dense array.
void tn_cpu_dense_strides(int rank, const int64_t* dims, int64_t* strides);

// Dimension i of `out` is dimension perm[i] of `in`.
void tn_cpu_transpose(size_t size, int rank, const int64_t* dims, const int* perm, const void* in,
                      void* out, const tn_cpu_parallel* parallel);

// `rows` rows of `out`, each one row of every part after the other.
typedef struct tn_cpu_part {
  const void* data;
  int64_t row_bytes;
} tn_cpu_part;
void tn_cpu_concat(int64_t rows, const tn_cpu_part* parts, size_t count, void* out,
                   const tn_cpu_parallel* parallel);

// `count` elements of `size` bytes, all equal to the one at `value`.
void tn_cpu_fill(size_t size, int64_t count, const void* value, void* out,
                 const tn_cpu_parallel* parallel);

// `in` with before[i] and after[i] elements equal to the one at `value` around it in dimension i;
// an element has at most 1024 bytes.
void tn_cpu_pad(size_t size, int rank, const int64_t* dims, const int64_t* before,
                const int64_t* after, const void* in, const void* value, void* out,
                const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_LAYOUT_H_
