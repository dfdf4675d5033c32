// Where an array is not zero.
#ifndef TENON_CPU_WHERE_H_
#define TENON_CPU_WHERE_H_

#include "cpu/cpu.h"

// The work comes in blocks of so many elements: ends[i] is how many elements of blocks 0 to i are
// not zero (NaN is not, -0 is). On TN_CPU_NUMBERS and bool.
enum { TN_CPU_WHERE_BLOCK = 16384 };
void tn_cpu_where_count(tn_dtype dtype, int64_t count, const void* in, int64_t* ends,
                        const tn_cpu_parallel* parallel);
// The coordinates of these elements, in order, `rank` numbers each.
void tn_cpu_where(tn_dtype dtype, int rank, const int64_t* dims, const void* in,
                  const int64_t* ends, int64_t* out, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_WHERE_H_
