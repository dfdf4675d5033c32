// Reductions of rows that belong together.
#ifndef TENON_CPU_SEGMENT_H_
#define TENON_CPU_SEGMENT_H_

#include "cpu/reduce.h"

// Row s of out [segments, width] is the sum, mean, product, maximum or minimum (as for
// tn_cpu_reduce) of the rows i of data [rows, width] with ids[i] == s, or `empty` in every column
// where there are none. Rows with an id below 0 belong nowhere; ids are below `segments`.
// `workspace` has as many bytes as the function beside it says, at a 64-byte boundary.
size_t tn_cpu_segment_workspace(int64_t rows, int64_t segments);
void tn_cpu_segment(tn_cpu_reduce_op op, tn_dtype dtype, int64_t rows, int64_t width,
                    const void* data, const int64_t* ids, int64_t segments, const void* empty,
                    void* out, void* workspace, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_SEGMENT_H_
