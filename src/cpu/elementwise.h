// Every element of the output comes from the elements at its place.
//
// A tn_cpu_loop says what an operation does on one type; families of operations hand them out
// (tn_cpu_arithmetic), and the drivers here run them over whole arrays. What a loop computes is
// written once, for dense runs (cpu/elementwise_loops.h): drivers spread repeated elements, gather
// strided ones, and take half and bfloat16 through float, all in tiles that stay in the first
// cache.
#ifndef TENON_CPU_ELEMENTWISE_H_
#define TENON_CPU_ELEMENTWISE_H_

#include <stdbool.h>

#include "cpu/cpu.h"

enum { TN_CPU_MAX_INPUTS = 3 };

// out[i] = op(a[i], b[i], c[i]) for i < count; a loop that has fewer inputs does not look at the
// others. `out` may be exactly one of the inputs where their elements have the same size.
typedef void (*tn_cpu_loop_body)(const void* a, const void* b, const void* c, void* out,
                                 int64_t count);

typedef struct tn_cpu_loop {
  tn_cpu_loop_body body;  // NULL: there is no such operation on this type
  uint8_t inputs;
  uint8_t in_size[TN_CPU_MAX_INPUTS], out_size;  // bytes of the elements in memory
  // TN_HALF or TN_BFLOAT16: elements of 2 bytes are of that type in memory, and float for the body.
  uint8_t narrow;
  uint16_t cost;  // picoseconds per element in cache, roughly
} tn_cpu_loop;

// A dense run of no more elements than are worth sharing out: there is nothing to do but to call
// the body.
enum { TN_CPU_LITTLE = 4096 };
static inline bool tn_cpu_is_little(tn_cpu_loop loop, int64_t count) {
  return count <= TN_CPU_LITTLE && !loop.narrow;
}

// One input, dense. `out` may be `in` where the sizes are equal.
void tn_cpu_map(tn_cpu_loop loop, int64_t count, const void* in, void* out,
                const tn_cpu_parallel* parallel);

// All of the loop's inputs, each read through its strides; `out` is dense, and may be exactly an
// input that is dense too.
void tn_cpu_zip(tn_cpu_loop loop, int rank, const int64_t* dims, const void* const* in,
                const int64_t* const* strides, void* out, const tn_cpu_parallel* parallel);

// Between all numbers and bool; to float8_e5m2 and float8_e4m3fn from floats, from them to all; to
// int4 and uint4 (a byte each) from integers, from them to integers. Quantized numbers are the
// integers that they lie in memory as. Complex to real drops the imaginary part. A float that an
// integer cannot hold becomes what x86 makes of it: the smallest int32 (int64 for 32 bits unsigned
// and 64 bits), cut to the low bits. `truncate` drops bits between float types instead of rounding.
bool tn_cpu_can_cast(tn_dtype from, tn_dtype to);
void tn_cpu_cast(tn_dtype from, tn_dtype to, bool truncate, int64_t count, const void* in,
                 void* out, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_ELEMENTWISE_H_
