// The matrix of an image's patches, which is never made: parts of it are put into panels. A row is
// a position (image, y, x); its columns are the channels of one tap after the other.
#ifndef TENON_CPU_CONV_PATCHES_H_
#define TENON_CPU_CONV_PATCHES_H_

#include "cpu/matmul_blocks.h"

// Taps along one axis: position i sees the places i * step + first + tap * apart.
typedef struct tn_taps {
  int64_t positions, step;
  int64_t count, first, apart;
  int64_t size;  // of the image
} tn_taps;

typedef struct tn_patches {
  tn_dtype dtype;
  const char* data;
  int64_t depth, pixel_stride;  // channels to look at, and all there are
  tn_taps y, x;
} tn_patches;

static inline int64_t tn_patches_columns(const tn_patches* patches) {
  return patches->y.count * patches->x.count * patches->depth;
}

// Rows [row, row + rows), columns [column, column + columns) as a panel of a by row.
void tn_patches_as_a(const tn_patches* patches, const tn_matmul_loops* loops, int64_t row, int rows,
                     int64_t column, int64_t columns, void* panel);

// Rows [row, row + rows), columns [column, column + columns) as a part of b; zeros in the panel's
// columns beyond.
void tn_patches_as_b(const tn_patches* patches, const tn_matmul_loops* loops, int64_t row,
                     int64_t rows, int64_t column, int columns, void* panel);

#endif  // TENON_CPU_CONV_PATCHES_H_
