// Inner loops of pool2d.c.
#ifndef TENON_CPU_POOL2D_LOOPS_H_
#define TENON_CPU_POOL2D_LOOPS_H_

#include "cpu/loops.h"

// What lies under one window: rows x columns pixels, steps in elements.
typedef struct tn_pool_patch {
  int64_t rows, columns, row_step, column_step;
} tn_pool_patch;

enum { TN_POOL_STRIP = 64 };  // channels of a pixel that are worked on at a time

// All on `count` channels of the pixels, which lie side by side.
typedef struct tn_pool2d_loops {
  void (*max[TN_CPU_DTYPES])(const void* in, tn_pool_patch patch, int64_t count, void* out);
  // At most TN_POOL_STRIP channels. A position counts pixels of the patch, row by row.
  void (*argmax[TN_CPU_DTYPES])(const void* in, tn_pool_patch patch, int64_t count, void* out,
                                int32_t* positions);
  // Adds grad[j] to the pixel of the patch at positions[j].
  void (*spread[TN_CPU_DTYPES])(void* out, tn_pool_patch patch, int64_t count, const void* grad,
                                const int32_t* positions);
  // One channel: the first of `grad` where `in` equals `pooled`, or 0.
  void (*pick[TN_CPU_DTYPES])(const void* in, tn_pool_patch patch, const void* pooled,
                              const void* grad, void* out);
  void (*mean[TN_CPU_DTYPES])(const void* in, tn_pool_patch patch, int64_t count, void* out);
  // At most TN_POOL_STRIP channels: sums of pixels times weights[column] into float (for double:
  // double) sums. One row.
  void (*weigh[TN_CPU_DTYPES])(const void* in, int64_t columns, int64_t column_step,
                               const double* weights, int64_t count, void* sums);
} tn_pool2d_loops;

TN_CPU_DECLARE(tn_pool2d_loops);

#endif  // TENON_CPU_POOL2D_LOOPS_H_
