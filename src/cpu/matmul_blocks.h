// The blocked product behind matrix products and convolutions: whoever knows where the numbers lie
// fills panels of a and b, and says where a row of the result goes.
#ifndef TENON_CPU_MATMUL_BLOCKS_H_
#define TENON_CPU_MATMUL_BLOCKS_H_

#include "cpu/matmul.h"
#include "cpu/matmul_loops.h"

typedef struct tn_product tn_product;
struct tn_product {
  tn_dtype dtype;
  int64_t m, n, k;
  const void* source;  // for the callbacks
  bool by_column;      // the layout of a's panels
  // Rows [row, row + rows) and columns [p, p + depth) of a.
  void (*fill_a)(const tn_product* product, const tn_matmul_loops* loops, int64_t row, int rows,
                 int64_t p, int64_t depth, void* panel);
  // Rows [p, p + depth) and columns [column, column + columns) of b.
  void (*fill_b)(const tn_product* product, const tn_matmul_loops* loops, int64_t p, int64_t depth,
                 int64_t column, int columns, void* panel);
  // Where row `row` of the result begins, in elements from `out`; NULL: at row * n.
  int64_t (*place)(const tn_product* product, int64_t row);
  void* out;
};

// Bytes that tn_product_run wants, whatever the source.
size_t tn_product_workspace(tn_dtype dtype, int64_t m, int64_t n, int64_t k);
void tn_product_run(const tn_product* product, void* workspace, const tn_cpu_parallel* parallel);
// The same without any, slower; not for half and bfloat16.
void tn_product_run_without(const tn_product* product, const tn_cpu_parallel* parallel);

// Bytes of the numbers that `dtype` is computed in.
size_t tn_cpu_compute_size(tn_dtype dtype);

static inline int64_t tn_smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t tn_pieces(int64_t total, int64_t piece) {
  return total / piece + (total % piece != 0);
}
static inline int64_t tn_round_up(int64_t value, int64_t unit) {
  return tn_pieces(value, unit) * unit;
}

#endif  // TENON_CPU_MATMUL_BLOCKS_H_
