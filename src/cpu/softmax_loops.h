// Inner loops of softmax.c, for float and double.
#ifndef TENON_CPU_SOFTMAX_LOOPS_H_
#define TENON_CPU_SOFTMAX_LOOPS_H_

#include "cpu/loops.h"

typedef struct tn_softmax {
  // The greatest element; NaN may be passed over.
  double (*most)(const void* in, int64_t count);
  // The sum of exp(x - most), which go to `out` too.
  double (*exp_sum)(const void* in, int64_t count, double most, void* out);
  void (*scale)(const void* in, int64_t count, double factor, void* out);
  // out = (x - most) - shift
  void (*shift)(const void* in, int64_t count, double most, double shift, void* out);
  // The sum of label * (shift - (x - most)); gradient = exp(x - most) * factor - label.
  double (*loss)(const void* in, const void* labels, int64_t count, double most, double shift,
                 double factor, void* gradient);
} tn_softmax;

typedef struct tn_softmax_loops {
  tn_softmax of[TN_CPU_DTYPES];
} tn_softmax_loops;
TN_CPU_DECLARE(tn_softmax_loops);

#endif  // TENON_CPU_SOFTMAX_LOOPS_H_
