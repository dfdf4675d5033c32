// Every element of the output comes from the elements at its place.
#ifndef TENON_CPU_ELEMENTWISE_H_
#define TENON_CPU_ELEMENTWISE_H_

#include <stdbool.h>

#include "cpu/cpu.h"

// Elementwise, on TN_CPU_NUMBERS. `a` and `b` are read through their strides, `out` is dense and
// may be exactly one of them.
typedef enum tn_cpu_binary_op {
  TN_CPU_ADD,
  TN_CPU_SUB,
  TN_CPU_MUL,
  TN_CPU_BINARY_OPS
} tn_cpu_binary_op;
void tn_cpu_binary(tn_cpu_binary_op op, tn_dtype dtype, int rank, const int64_t* dims,
                   const void* a, const int64_t* a_strides, const void* b, const int64_t* b_strides,
                   void* out, const tn_cpu_parallel* parallel);

// max(x, 0) on TN_CPU_REALS; NaN stays NaN. `out` may be `in`.
void tn_cpu_relu(tn_dtype dtype, int64_t count, const void* in, void* out,
                 const tn_cpu_parallel* parallel);

// Any pair of TN_CPU_NUMBERS and bool. Complex to real drops the imaginary part. A float that an
// integer cannot hold becomes what x86 makes of it: the smallest int32 (int64 for 32 bits unsigned
// and 64 bits), cut to the low bits. `truncate` drops bits between float types instead of rounding.
void tn_cpu_cast(tn_dtype from, tn_dtype to, bool truncate, int64_t count, const void* in,
                 void* out, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_ELEMENTWISE_H_
