// Inner loops of training.c.
#ifndef TENON_CPU_TRAINING_LOOPS_H_
#define TENON_CPU_TRAINING_LOOPS_H_

#include "cpu/loops.h"
#include "cpu/training.h"

// `scalars` are numbers of the loop's type, one after the other.
typedef void (*tn_training_loop)(void* variable, void* const* slots, const void* gradient,
                                 const void* scalars, int64_t count);

typedef struct tn_training_loops {
  tn_training_loop step[TN_CPU_OPTIMIZERS][TN_CPU_DTYPES];  // float, double, complex
} tn_training_loops;

TN_CPU_DECLARE(tn_training_loops);

#endif  // TENON_CPU_TRAINING_LOOPS_H_
