// A window that slides over the rows and columns of images.
#ifndef TENON_CPU_WINDOW_H_
#define TENON_CPU_WINDOW_H_

#include "cpu/cpu.h"

// Images lie as [images, rows, columns, channels]. The window's first tap on output y is input row
// y * row_stride - top; taps outside of the image count as not there.
typedef struct tn_cpu_window {
  int64_t images, rows, columns, channels;
  int64_t out_rows, out_columns;
  int64_t window_rows, window_columns;
  int64_t row_stride, column_stride;
  int64_t row_dilation, column_dilation;  // the distance between taps; pools take 1
  int64_t top, left;
} tn_cpu_window;

#endif  // TENON_CPU_WINDOW_H_
