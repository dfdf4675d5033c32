#include "cpu/norm_loops.h"

static void moments(const float* x, int64_t stride, int64_t rows, int64_t width,
                    const float* restrict shift, double* restrict sum,
                    double* restrict product_sum) {
  for (int64_t r = 0; r < rows; ++r, x += stride)
    for (int64_t j = 0; j < width; ++j) {
      const double d = (double)x[j] - (double)shift[j];
      sum[j] += d;
      product_sum[j] += d * d;
    }
}

static void sums(const float* y, const float* x, int64_t stride, int64_t rows, int64_t width,
                 const float* restrict shift, double* restrict sum, double* restrict product_sum) {
  for (int64_t r = 0; r < rows; ++r, x += stride, y += stride)
    for (int64_t j = 0; j < width; ++j) {
      sum[j] += (double)y[j];
      product_sum[j] += (double)y[j] * ((double)x[j] - (double)shift[j]);
    }
}

static void scale(const float* x, int64_t stride, int64_t rows, int64_t width,
                  const float* restrict mean, const float* restrict by,
                  const float* restrict offset, float* out) {
  for (int64_t r = 0; r < rows; ++r, x += stride, out += stride)
    TN_CPU_INDEPENDENT for (int64_t j = 0; j < width; ++j) out[j] =
        (x[j] - mean[j]) * by[j] + offset[j];
}

static void combine(const float* y, const float* x, int64_t stride, int64_t rows, int64_t width,
                    const float* restrict mean, const float* restrict by,
                    const float* restrict slope, const float* restrict offset, float* out) {
  for (int64_t r = 0; r < rows; ++r, x += stride, y += stride, out += stride)
    TN_CPU_INDEPENDENT for (int64_t j = 0; j < width; ++j) out[j] =
        y[j] * by[j] + ((x[j] - mean[j]) * slope[j] + offset[j]);
}

const tn_norm_loops TN_CPU_VARIANT(tn_norm_loops) = {moments, sums, scale, combine};
