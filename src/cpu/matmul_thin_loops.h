// Inner loops of matmul_thin.c, on numbers of the types that are computed in.
#ifndef TENON_CPU_MATMUL_THIN_LOOPS_H_
#define TENON_CPU_MATMUL_THIN_LOOPS_H_

#include "cpu/loops.h"

enum { TN_THIN_ROWS = 4, TN_THIN_STEP = 4 };

typedef struct tn_matmul_thin_loops {
  // sums[r][j] += a[r][0] * b[0][j] + ... + a[r][STEP - 1] * b[STEP - 1][j].
  void (*add[TN_CPU_DTYPES])(int rows, const void* a, int64_t a_stride,
                             const void* const b[TN_THIN_STEP], int64_t count, void* sums,
                             int64_t sums_stride);
  // sums[r * sums_stride] += a[r][0] * b[0] + ... + a[r][count - 1] * b[count - 1].
  void (*dot[TN_CPU_DTYPES])(int rows, const void* a, int64_t a_stride, const void* b,
                             int64_t count, void* sums, int64_t sums_stride);
  void (*join[TN_CPU_DTYPES])(void* totals, const void* sums, int64_t count);  // totals += sums
  void (*store[TN_CPU_DTYPES])(const void* totals, int64_t count, void* out, int64_t stride);
} tn_matmul_thin_loops;

TN_CPU_DECLARE(tn_matmul_thin_loops);

#endif  // TENON_CPU_MATMUL_THIN_LOOPS_H_
