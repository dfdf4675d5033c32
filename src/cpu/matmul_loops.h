// Inner loops of matmul.c.
#ifndef TENON_CPU_MATMUL_LOOPS_H_
#define TENON_CPU_MATMUL_LOOPS_H_

#include <stdbool.h>

#include "cpu/loops.h"
#include "cpu/matmul.h"

// A block of b, packed: panels of `columns` columns, each k rows long, padded with zeros.
typedef struct tn_matmul_loops {
  int rows[TN_CPU_DTYPES], columns[TN_CPU_DTYPES];  // of the tile that the registers hold
  void (*pack[TN_CPU_DTYPES])(tn_cpu_matrix b, int64_t k, int64_t columns, void* panel);
  // Multiplies up to `rows` rows of a by n packed columns. `partial` holds sums of earlier blocks
  // of k (unless first) and takes this one's (unless last, which goes to `out`); both have rows of
  // `stride`.
  void (*multiply[TN_CPU_DTYPES])(tn_cpu_matrix a, int rows, int64_t k, const void* packed,
                                  int64_t n, void* partial, void* out, int64_t stride, bool first,
                                  bool last);
} tn_matmul_loops;

enum { TN_MATMUL_DEPTH = 256 };  // rows of b in a block

TN_CPU_DECLARE(tn_matmul_loops);

#endif  // TENON_CPU_MATMUL_LOOPS_H_
