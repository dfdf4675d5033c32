// Orders: the greatest elements of rows, one order statistic, places in sorted rows.
//
// On TN_CPU_REALS. Where nothing else is said, NaN counts as greater than anything.
#ifndef TENON_CPU_SORT_H_
#define TENON_CPU_SORT_H_

#include <stdbool.h>

#include "cpu/cpu.h"

// The k greatest of each row of [rows, columns], the greatest first and equal ones in their order,
// and where they were, as `index_type` (TN_INT16, TN_INT32 or TN_INT64). `workspace` has as many
// bytes as the function beside it says, at a 64-byte boundary. 0 < k <= columns < 2^32.
size_t tn_cpu_top_k_workspace(tn_dtype dtype, int64_t rows, int64_t columns, int64_t k);
void tn_cpu_top_k(tn_dtype dtype, tn_dtype index_type, int64_t rows, int64_t columns, int64_t k,
                  const void* in, void* values, void* indices, void* workspace,
                  const tn_cpu_parallel* parallel);

// The n-th greatest element of each row, counted from 0. Workspace as for top_k with k = columns.
void tn_cpu_nth_greatest(tn_dtype dtype, int64_t rows, int64_t columns, int64_t n, const void* in,
                         void* out, void* workspace, const tn_cpu_parallel* parallel);

// For each value of [rows, values], how many elements of the row of [rows, columns], which is in
// rising order, are less (`upper`: not greater), as TN_INT32 or TN_INT64.
void tn_cpu_search_sorted(tn_dtype dtype, tn_dtype index_type, bool upper, int64_t rows,
                          int64_t columns, const void* sorted, int64_t values, const void* in,
                          void* out, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_SORT_H_
