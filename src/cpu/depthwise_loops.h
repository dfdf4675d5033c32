// Inner loops of depthwise.c.
#ifndef TENON_CPU_DEPTHWISE_LOOPS_H_
#define TENON_CPU_DEPTHWISE_LOOPS_H_

#include "cpu/loops.h"

// Pixels that all have the same taps. Steps are in elements.
typedef struct tn_depthwise_row {
  int64_t pixels, in_step, out_step;        // from one output pixel to the next
  int64_t rows, row_step, filter_row_step;  // from one row of taps to the next
  int64_t taps, tap_step, filter_tap_step;  // from one tap of a row to the next
} tn_depthwise_row;

enum { TN_DEPTHWISE_TAPS = 3 };

// For float and double, on `count` channels that lie side by side.
typedef struct tn_depthwise_loops {
  // out[pixel] = sum over taps of in[pixel, tap] * filter[tap]. For bfloat16 too, summed as floats.
  void (*row[TN_CPU_DTYPES])(const void* in, const void* filter, tn_depthwise_row row,
                             int64_t count, void* out);
  // sums[tap] += sum over pixels of in[pixel, tap] * grad[pixel]. At most TN_DEPTHWISE_TAPS taps;
  // pixels of `grad` and taps of `sums` lie side by side.
  void (*dot[TN_CPU_DTYPES])(const void* in, int64_t in_step, int64_t tap_step, int64_t taps,
                             const void* grad, int64_t pixels, int64_t count, void* sums);
  // Each element `times` times; sums of `times` neighbours.
  void (*repeat[TN_CPU_DTYPES])(const void* in, int64_t count, int64_t times, void* out);
  void (*fold[TN_CPU_DTYPES])(const void* in, int64_t count, int64_t times, void* out);
  void (*add[TN_CPU_DTYPES])(void* sums, const void* more, int64_t count);
} tn_depthwise_loops;

TN_CPU_DECLARE(tn_depthwise_loops);

#endif  // TENON_CPU_DEPTHWISE_LOOPS_H_
