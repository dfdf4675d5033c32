// One reduction, for kernels that are more than that.
#ifndef TENON_PLUGINS_CPU_REDUCTIONS_H_
#define TENON_PLUGINS_CPU_REDUCTIONS_H_

#include "cpu/reduce.h"
#include "kernel.h"

// Reduces the elements of `input`, seen as `dims`, into `output`. False when the run has failed.
bool reduce_to(run* run, tn_cpu_reduce_op op, const array* input, int rank, const int64_t* dims,
               const bool* reduced, const array* output);

#endif  // TENON_PLUGINS_CPU_REDUCTIONS_H_
