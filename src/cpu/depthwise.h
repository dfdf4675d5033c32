// Convolution of every channel of images with filters of its own, and its gradients.
#ifndef TENON_CPU_DEPTHWISE_H_
#define TENON_CPU_DEPTHWISE_H_

#include "cpu/window.h"

// On TN_CPU_FLOATS. A channel has `multiplier` filters: the filter is [window_rows, window_columns,
// channels, multiplier], the output [images, out_rows, out_columns, channels * multiplier].
// `workspace` has as many bytes as tn_cpu_depthwise_workspace says, at a 64-byte boundary.
size_t tn_cpu_depthwise_workspace(tn_dtype dtype, const tn_cpu_window* w, int64_t multiplier);
void tn_cpu_depthwise(tn_dtype dtype, const tn_cpu_window* w, int64_t multiplier, const void* in,
                      const void* filter, void* out, void* workspace,
                      const tn_cpu_parallel* parallel);

// The gradient of the input, `out`, from `grad`, which is like the output.
void tn_cpu_depthwise_grad_input(tn_dtype dtype, const tn_cpu_window* w, int64_t multiplier,
                                 const void* filter, const void* grad, void* out, void* workspace,
                                 const tn_cpu_parallel* parallel);
// The gradient of the filter.
void tn_cpu_depthwise_grad_filter(tn_dtype dtype, const tn_cpu_window* w, int64_t multiplier,
                                  const void* in, const void* grad, void* out, void* workspace,
                                  const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_DEPTHWISE_H_
