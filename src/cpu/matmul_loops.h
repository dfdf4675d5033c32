// Inner loops of matmul_blocks.c: panels of a and b, and the tile that multiplies them.
#ifndef TENON_CPU_MATMUL_LOOPS_H_
#define TENON_CPU_MATMUL_LOOPS_H_

#include <stdbool.h>

#include "cpu/loops.h"

enum {
  TN_MATMUL_DEPTH = 256,                      // the most rows of b in a panel
  TN_MATMUL_A_STRIDE = TN_MATMUL_DEPTH + 16,  // between rows of a panel of a, against aliasing
  TN_MATMUL_MAX_ROWS = 12,                    // of a panel of a
};

// Panels hold numbers of the type that is computed in.
// - b: `columns` columns, element (p, j) at p * columns + j; complex ones have the real parts of a
//   row before the imaginary ones.
// - a by row: element (i, p) at i * TN_MATMUL_A_STRIDE + p.
// - a by column: element (p, i) at p * rows + i.
// Strides count elements; `conjugate` concerns complex numbers only.
typedef struct tn_matmul_loops {
  int rows[TN_CPU_DTYPES], columns[TN_CPU_DTYPES];  // of the tile that the registers hold
  // `count` elements into one row of a panel by row.
  void (*gather[TN_CPU_DTYPES])(const void* in, int64_t stride, bool conjugate, int64_t count,
                                void* out);
  // Elements (p, i) for p < depth, i < count to p * panel_stride + i: into panels of a by column,
  // or parts of panels of real b.
  void (*pack[TN_CPU_DTYPES])(const void* in, int64_t p_stride, int64_t i_stride, bool conjugate,
                              int64_t depth, int count, void* panel, int panel_stride);
  // panel(p, j) for p < depth, j < columns into a panel of b; zeros in the columns beyond.
  void (*pack_b[TN_CPU_DTYPES])(const void* in, int64_t p_stride, int64_t j_stride, bool conjugate,
                                int64_t depth, int columns, void* panel);
  // Multiplies a panel of a by all panels of b that cover n columns. Row i's sums are added to
  // those at sums[i] (unless first) and kept there (unless last: then they go to outs[i]).
  void (*multiply[TN_CPU_DTYPES])(const void* a, bool by_column, int rows, int64_t depth,
                                  const void* b, int64_t n, void* const* sums, void* const* outs,
                                  bool first, bool last);
} tn_matmul_loops;

TN_CPU_DECLARE(tn_matmul_loops);

#endif  // TENON_CPU_MATMUL_LOOPS_H_
