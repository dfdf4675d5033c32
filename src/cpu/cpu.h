// Numeric routines on plain buffers, for kernels and engines alike. They know no tensors, allocate
// nothing and cannot fail: whoever calls has checked shapes and types. Vector code is chosen once,
// by what the processor has (TENON_CPU_OFF=avx512f or avx2 takes something away).
//
// Elements lie in row-major order unless strides say otherwise; strides count elements, and 0
// repeats one element. Half and bfloat16 are computed in float, integers wrap around.
#ifndef TENON_CPU_CPU_H_
#define TENON_CPU_CPU_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/dtype.h"

// The parallel-for that the caller lends: calls `body(arg, begin, end)` on ranges that cover
// [0, total), and returns when all are done. `cost` is a guess at the nanoseconds of one unit.
// A NULL pointer to this, in any routine, means "on this thread".
typedef struct tn_cpu_parallel {
  void (*run)(void* pool, int64_t total, int64_t cost,
              void (*body)(void* arg, int64_t begin, int64_t end), void* arg);
  void* pool;
} tn_cpu_parallel;

// The threads of this library, for callers whose host lends none. Static.
const tn_cpu_parallel* tn_cpu_own_threads(void);

enum { TN_CPU_MAX_RANK = 254 };

// A set of types, as bits by their numbers.
typedef uint64_t tn_cpu_types;
#define TN_CPU_TYPE(dtype) ((tn_cpu_types)1 << (dtype))
#define TN_CPU_INTEGERS                                                                           \
  (TN_CPU_TYPE(TN_INT8) | TN_CPU_TYPE(TN_INT16) | TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64) | \
   TN_CPU_TYPE(TN_UINT8) | TN_CPU_TYPE(TN_UINT16) | TN_CPU_TYPE(TN_UINT32) |                      \
   TN_CPU_TYPE(TN_UINT64))
#define TN_CPU_FLOATS \
  (TN_CPU_TYPE(TN_FLOAT) | TN_CPU_TYPE(TN_DOUBLE) | TN_CPU_TYPE(TN_HALF) | TN_CPU_TYPE(TN_BFLOAT16))
#define TN_CPU_COMPLEXES (TN_CPU_TYPE(TN_COMPLEX64) | TN_CPU_TYPE(TN_COMPLEX128))
#define TN_CPU_REALS (TN_CPU_INTEGERS | TN_CPU_FLOATS)
#define TN_CPU_NUMBERS (TN_CPU_REALS | TN_CPU_COMPLEXES)

// Bytes of an element of TN_CPU_NUMBERS or bool.
size_t tn_cpu_size(tn_dtype dtype);

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

// Sums over the dimensions that are `reduced`, on TN_CPU_NUMBERS. Floats are summed in double, in
// pairwise order, integers in 64 bits; the order never depends on the number of threads.
void tn_cpu_sum(tn_dtype dtype, int rank, const int64_t* dims, const bool* reduced, const void* in,
                void* out, const tn_cpu_parallel* parallel);

// out[m, n] = a[m, k] * b[k, n] on TN_CPU_NUMBERS. Transposes are strides. `workspace` has as many
// bytes as tn_cpu_matmul_workspace says, at a 64-byte boundary.
typedef struct tn_cpu_matrix {
  const void* data;
  int64_t row_stride, column_stride;
} tn_cpu_matrix;
size_t tn_cpu_matmul_workspace(tn_dtype dtype, int64_t m, int64_t n, int64_t k);
void tn_cpu_matmul(tn_dtype dtype, int64_t m, int64_t n, int64_t k, tn_cpu_matrix a,
                   tn_cpu_matrix b, void* out, void* workspace, const tn_cpu_parallel* parallel);

// Elements of `size` bytes (1, 2, 4, 8 or 16): dimension i of `out` is dimension perm[i] of `in`.
void tn_cpu_transpose(size_t size, int rank, const int64_t* dims, const int* perm, const void* in,
                      void* out, const tn_cpu_parallel* parallel);

// `rows` rows of `out`, each one row of every part after the other.
typedef struct tn_cpu_part {
  const void* data;
  int64_t row_bytes;
} tn_cpu_part;
void tn_cpu_concat(int64_t rows, const tn_cpu_part* parts, size_t count, void* out,
                   const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_CPU_H_
