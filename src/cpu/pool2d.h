// Pooling over windows of images, and its gradients.
#ifndef TENON_CPU_POOL2D_H_
#define TENON_CPU_POOL2D_H_

#include <stdbool.h>

#include "cpu/window.h"

// The largest element under each window, on TN_CPU_REALS. NaN loses against everything, and nothing
// is below the type's smallest finite number, not even minus infinity.
void tn_cpu_max_pool(tn_dtype dtype, const tn_cpu_window* w, const void* in, void* out,
                     const tn_cpu_parallel* parallel);

// The first of the largest elements under each window, and where it is: its index in its image, or
// in all images (`across_images`). Here a NaN stays if it comes first. `out` or `where` may be
// NULL; windows are not empty. `where_dtype` is TN_INT32 or TN_INT64.
void tn_cpu_max_pool_where(tn_dtype dtype, const tn_cpu_window* w, const void* in, void* out,
                           tn_dtype where_dtype, bool across_images, void* where,
                           const tn_cpu_parallel* parallel);

// Adds every element of `grad` (of the pool's output) to where its maximum is, by the same rule.
void tn_cpu_max_pool_grad(tn_dtype dtype, const tn_cpu_window* w, const void* in, const void* grad,
                          void* out, const tn_cpu_parallel* parallel);

// The same at places that are given, as tn_cpu_max_pool_where tells them. Returns the index of the
// first place that is not in its image, which is passed over, or -1.
int64_t tn_cpu_max_pool_grad_at(tn_dtype dtype, const tn_cpu_window* w, const void* grad,
                                tn_dtype where_dtype, bool across_images, const void* where,
                                void* out, const tn_cpu_parallel* parallel);

// For every window, the element of `grad` (like the input) at the first place whose input equals
// the pooled value; 0 where none does.
void tn_cpu_max_pool_grad_grad(tn_dtype dtype, const tn_cpu_window* w, const void* in,
                               const void* pooled, const void* grad, void* out,
                               const tn_cpu_parallel* parallel);

// Means of what is under each window, on TN_CPU_FLOATS.
void tn_cpu_average_pool(tn_dtype dtype, const tn_cpu_window* w, const void* in, void* out,
                         const tn_cpu_parallel* parallel);
// Every input's share of the gradients of the windows it is in.
void tn_cpu_average_pool_grad(tn_dtype dtype, const tn_cpu_window* w, const void* grad, void* out,
                              const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_POOL2D_H_
