// Inner loops of resize.c.
#ifndef TENON_CPU_RESIZE_LOOPS_H_
#define TENON_CPU_RESIZE_LOOPS_H_

#include "cpu/loops.h"

// Where an output lies: between two inputs, as many elements from the row's start, and how far from
// the first to the second.
typedef struct tn_resize_place {
  int64_t lower, upper;
  float share;
} tn_resize_place;

// The same among four inputs.
typedef struct tn_resize_quad {
  int64_t index[4];
  float weight[4];
} tn_resize_quad;

typedef struct tn_resize_loops {
  // `count` pixels of `channels` channels each, mixed from the two neighbours in a row.
  void (*mix_columns[TN_CPU_DTYPES])(const void* row, const tn_resize_place* places, int64_t count,
                                     int64_t channels, float* out);
  void (*mix_rows)(const float* upper, const float* lower, float share, int64_t count, float* out);
  void (*mix_quads[TN_CPU_DTYPES])(const void* row, const tn_resize_quad* quads, int64_t count,
                                   int64_t channels, float* out);
  void (*mix_quad_rows)(const float* const* rows, const float* weights, int64_t count, float* out);
  // Of float and double: sums += weight * grad, and spreading a row's sums over the two neighbours.
  void (*weigh[TN_CPU_DTYPES])(const float* grad, float weight, int64_t count, void* sums);
  void (*spread[TN_CPU_DTYPES])(const void* sums, const tn_resize_place* places, int64_t count,
                                int64_t channels, void* row);
  // Sums of rows x columns pixels, channel by channel. Steps are in elements.
  void (*sum[TN_CPU_DTYPES])(const void* in, int64_t rows, int64_t row_step, int64_t columns,
                             int64_t column_step, int64_t channels, void* out);
  // Pixels of `bytes` bytes; a place's `lower` is where each comes from, in bytes.
  void (*pick)(const char* row, const tn_resize_place* places, int64_t count, int64_t bytes,
               char* out);
} tn_resize_loops;

TN_CPU_DECLARE(tn_resize_loops);

#endif  // TENON_CPU_RESIZE_LOOPS_H_
