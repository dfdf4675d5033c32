#ifndef TENON_CPU_RANDOM_LOOPS_H_
#define TENON_CPU_RANDOM_LOOPS_H_

#include "cpu/loops.h"
#include "cpu/random.h"

enum { TN_RANDOM_UNROLLED = 16 };  // tn_random_loops.words makes a multiple of as many blocks

// x mod divisor by multiplication: with t the high half of x * factor, the quotient is
// (t + ((x - t) >> first)) >> second.
typedef struct tn_divisor {
  uint64_t divisor, factor;
  int first, second;
} tn_divisor;

typedef struct tn_random_loops {
  // The words of `blocks` blocks whose counters are `step` apart. Their low halves do not overflow.
  void (*words)(const tn_cpu_philox* at, uint64_t step, int64_t blocks, uint32_t* out);
  // Each takes the words of `count` elements.
  tn_unary_loop uniform[TN_CPU_DTYPES];
  tn_unary_loop normal_f32, normal_f64;  // `count` is even
  void (*integers_i32)(const void* in, int64_t low, tn_divisor divisor, void* out, int64_t count);
  void (*integers_i64)(const void* in, int64_t low, tn_divisor divisor, void* out, int64_t count);
} tn_random_loops;

TN_CPU_DECLARE(tn_random_loops);

#endif  // TENON_CPU_RANDOM_LOOPS_H_
