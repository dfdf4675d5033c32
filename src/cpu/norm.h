// Sums and affine maps per channel: what batch normalisation and its gradient are made of.
//
// Arrays are [outer, channels, inner], of TN_FLOAT, TN_HALF or TN_BFLOAT16. Sums are made in
// double, in an order that does not depend on the number of threads.
#ifndef TENON_CPU_NORM_H_
#define TENON_CPU_NORM_H_

#include "cpu/cpu.h"

typedef struct tn_cpu_channels {
  tn_dtype dtype;
  int64_t outer, channels, inner;
} tn_cpu_channels;

// Bytes of workspace, at a 64-byte boundary, that the two below need.
size_t tn_cpu_channels_workspace(const tn_cpu_channels* shape);

// Mean and variance (of what is there: divided by the number of elements, which is not 0).
void tn_cpu_channels_moments(const tn_cpu_channels* shape, const void* x, double* mean,
                             double* variance, void* workspace, const tn_cpu_parallel* parallel);
// The sums of y and of y * (x - mean).
void tn_cpu_channels_sums(const tn_cpu_channels* shape, const void* y, const void* x,
                          const float* mean, double* sum, double* product_sum, void* workspace,
                          const tn_cpu_parallel* parallel);

// out = (x - mean) * scale + offset
void tn_cpu_channels_scale(const tn_cpu_channels* shape, const void* x, const float* mean,
                           const float* scale, const float* offset, void* out,
                           const tn_cpu_parallel* parallel);
// out = y * scale + (x - mean) * slope + offset
void tn_cpu_channels_combine(const tn_cpu_channels* shape, const void* y, const void* x,
                             const float* mean, const float* scale, const float* slope,
                             const float* offset, void* out, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_NORM_H_
