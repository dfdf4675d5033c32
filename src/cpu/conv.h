// Convolutions of images, and their gradients.
#ifndef TENON_CPU_CONV_H_
#define TENON_CPU_CONV_H_

#include "cpu/cpu.h"

// Images are [batch, height, width, depth]; the filter is [height, width, in_depth / groups,
// out_depth]. Channels fall into groups that have nothing to do with each other. Element (y, x) of
// the output looks at the input from (y * stride_height - pad_top, x * stride_width - pad_left) on,
// at every dilation-th place; beyond its borders there are zeros.
typedef struct tn_cpu_conv2d {
  int64_t batch, groups;
  int64_t in_height, in_width, in_depth;
  int64_t out_height, out_width, out_depth;
  int64_t filter_height, filter_width;
  int64_t stride_height, stride_width, dilation_height, dilation_width;
  int64_t pad_top, pad_left;
} tn_cpu_conv2d;

// Bytes of `workspace`, at a 64-byte boundary, for any of the three.
size_t tn_cpu_conv2d_workspace(tn_dtype dtype, const tn_cpu_conv2d* conv);

// On TN_CPU_REALS. A gradient has the shape of what it is the gradient of, and is zero where
// nothing depends on it.
void tn_cpu_conv2d_run(tn_dtype dtype, const tn_cpu_conv2d* conv, const void* input,
                       const void* filter, void* output, void* workspace,
                       const tn_cpu_parallel* parallel);
void tn_cpu_conv2d_input_gradient(tn_dtype dtype, const tn_cpu_conv2d* conv, const void* filter,
                                  const void* output_gradient, void* input_gradient,
                                  void* workspace, const tn_cpu_parallel* parallel);
void tn_cpu_conv2d_filter_gradient(tn_dtype dtype, const tn_cpu_conv2d* conv, const void* input,
                                   const void* output_gradient, void* filter_gradient,
                                   void* workspace, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_CONV_H_
