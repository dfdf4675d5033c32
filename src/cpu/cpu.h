// What all numeric routines share; each family of them has a header beside this one.
//
// They work on plain buffers, for kernels and engines alike. They know no tensors, allocate
// nothing and cannot fail: whoever calls has checked shapes and types. Vector code is chosen once,
// by what the processor has (TENON_CPU_OFF=avx512f or avx2 takes something away).
//
// Elements lie in row-major order unless strides say otherwise; strides count elements, and 0
// repeats one element. Half and bfloat16 are computed in float, integers wrap around.
#ifndef TENON_CPU_CPU_H_
#define TENON_CPU_CPU_H_

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

#endif  // TENON_CPU_CPU_H_
