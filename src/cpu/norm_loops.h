// Inner loops of norm.c, on rows of floats; parameters and sums have one entry per column.
#ifndef TENON_CPU_NORM_LOOPS_H_
#define TENON_CPU_NORM_LOOPS_H_

#include "cpu/loops.h"

typedef struct tn_norm_loops {
  // sum += x - shift, product_sum += (x - shift)^2
  void (*moments)(const float* x, int64_t stride, int64_t rows, int64_t width, const float* shift,
                  double* sum, double* product_sum);
  // sum += y, product_sum += y * (x - shift)
  void (*sums)(const float* y, const float* x, int64_t stride, int64_t rows, int64_t width,
               const float* shift, double* sum, double* product_sum);
  // out = (x - mean) * scale + offset
  void (*scale)(const float* x, int64_t stride, int64_t rows, int64_t width, const float* mean,
                const float* scale, const float* offset, float* out);
  // out = y * scale + (x - mean) * slope + offset
  void (*combine)(const float* y, const float* x, int64_t stride, int64_t rows, int64_t width,
                  const float* mean, const float* scale, const float* slope, const float* offset,
                  float* out);
} tn_norm_loops;
TN_CPU_DECLARE(tn_norm_loops);

#endif  // TENON_CPU_NORM_LOOPS_H_
