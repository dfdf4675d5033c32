// Images of another size: bilinear and nearest with their gradients, bicubic.
#ifndef TENON_CPU_RESIZE_H_
#define TENON_CPU_RESIZE_H_

#include <stdbool.h>

#include "cpu/cpu.h"

// From [images, rows, columns, channels] to [images, out_rows, out_columns, channels]; no size is
// 0. Output i lies at input i * in / out; with `align_corners` at i * (in - 1) / (out - 1), with
// `half_pixel_centers` at (i + 0.5) * in / out - 0.5, all in float.
typedef struct tn_cpu_resizing {
  int64_t images, rows, columns, channels, out_rows, out_columns;
  bool align_corners, half_pixel_centers;
} tn_cpu_resizing;

// From TN_CPU_REALS to float.
void tn_cpu_resize_bilinear(tn_dtype dtype, const tn_cpu_resizing* r, const void* in, float* out,
                            const tn_cpu_parallel* parallel);
// The input's gradient in TN_CPU_FLOATS. `workspace`: as many bytes as the other function says.
size_t tn_cpu_resize_bilinear_grad_workspace(tn_dtype dtype, const tn_cpu_resizing* r);
void tn_cpu_resize_bilinear_grad(tn_dtype dtype, const tn_cpu_resizing* r, const float* grad,
                                 void* out, void* workspace, const tn_cpu_parallel* parallel);

// From TN_CPU_REALS to float, of 4 x 4 neighbours.
void tn_cpu_resize_bicubic(tn_dtype dtype, const tn_cpu_resizing* r, const void* in, float* out,
                           const tn_cpu_parallel* parallel);

// The nearest input for every output; elements of `size` bytes.
void tn_cpu_resize_nearest(size_t size, const tn_cpu_resizing* r, const void* in, void* out,
                           const tn_cpu_parallel* parallel);
// Sums of what was made of each input, on TN_CPU_REALS; here out_rows and out_columns may be 0.
void tn_cpu_resize_nearest_grad(tn_dtype dtype, const tn_cpu_resizing* r, const void* grad,
                                void* out, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_RESIZE_H_
