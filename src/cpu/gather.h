// Rows picked by indices, and rows put where indices say.
#ifndef TENON_CPU_GATHER_H_
#define TENON_CPU_GATHER_H_

#include "cpu/cpu.h"

// Indices point into dimensions `dims` (`depth` of them, at most TN_CPU_MAX_RANK), with a number of
// type `dtype` (int16, int32 or int64) for each; what lies behind these dimensions is a row.
typedef struct tn_cpu_indices {
  tn_dtype dtype;
  int depth;
  const int64_t* dims;
  const void* data;
  int64_t count;  // tuples of `depth` numbers
} tn_cpu_indices;

// The row numbers that tuples [begin, begin + count) stand for; -1 for one that is out of range.
// Returns the first such tuple, or -1.
int64_t tn_cpu_index_rows(const tn_cpu_indices* indices, int64_t begin, int64_t count,
                          int64_t* rows);

// out[b, o, i] = in[b, o, row i of batch b], rows of `row_bytes`; indices->count is that of all
// `batches` together. A row that is out of range becomes zeros. Returns the first such tuple, or
// -1.
int64_t tn_cpu_gather(const tn_cpu_indices* indices, int64_t batches, int64_t outer,
                      int64_t row_bytes, const void* in, void* out,
                      const tn_cpu_parallel* parallel);

// out[row i] op= updates[i], in the order of i, rows of `row` elements. All ops on TN_CPU_NUMBERS,
// min and max on TN_CPU_REALS, and bool, where to add is to or. Rows that are out of range are
// passed over; returns the first of them, or -1.
typedef enum tn_cpu_scatter_op {
  TN_CPU_SCATTER_UPDATE,
  TN_CPU_SCATTER_ADD,
  TN_CPU_SCATTER_SUB,
  TN_CPU_SCATTER_MIN,
  TN_CPU_SCATTER_MAX
} tn_cpu_scatter_op;
int64_t tn_cpu_scatter(tn_cpu_scatter_op op, tn_dtype dtype, const tn_cpu_indices* indices,
                       int64_t row, const void* updates, void* out,
                       const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_GATHER_H_
