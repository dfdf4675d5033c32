// Steps of optimisers: a gradient changes a variable and its slots, element by element.
#ifndef TENON_CPU_TRAINING_H_
#define TENON_CPU_TRAINING_H_

#include "cpu/cpu.h"

// The slots and scalars that each takes, in their order. `nesterov` and `keep` (slots that are not
// updated) are forms of their own.
typedef enum tn_cpu_optimizer {
  TN_CPU_GRADIENT_DESCENT,  // ; alpha
  TN_CPU_MOMENTUM,          // accum; lr, momentum
  TN_CPU_MOMENTUM_NESTEROV,
  TN_CPU_KERAS_MOMENTUM,  // accum; lr, momentum
  TN_CPU_KERAS_MOMENTUM_NESTEROV,
  TN_CPU_ADAM,  // m, v; beta1_power, beta2_power, lr, beta1, beta2, epsilon
  TN_CPU_ADAM_NESTEROV,
  TN_CPU_ADAGRAD,  // accum; lr
  TN_CPU_ADAGRAD_KEEP,
  TN_CPU_ADAGRAD_V2,  // accum; lr, epsilon
  TN_CPU_ADAGRAD_V2_KEEP,
  TN_CPU_RMSPROP,           // ms, mom; lr, rho, momentum, epsilon
  TN_CPU_CENTERED_RMSPROP,  // mg, ms, mom; lr, rho, momentum, epsilon
  TN_CPU_ADADELTA,          // accum, accum_update; lr, rho, epsilon
  TN_CPU_AMSGRAD,           // m, v, vhat; as Adam. This and the next not for complex numbers.
  TN_CPU_FTRL,              // accum, linear; lr, l1, l2, lr_power
  TN_CPU_FTRL_LR,           // the same with `linear` times lr
  TN_CPU_FTRL_V2,           // accum, linear; lr, l1, l2, l2_shrinkage, lr_power
  TN_CPU_FTRL_V2_LR,
  TN_CPU_OPTIMIZERS
} tn_cpu_optimizer;

enum { TN_CPU_MAX_SLOTS = 3, TN_CPU_MAX_SCALARS = 6 };

// On TN_CPU_FLOATS, up to Adadelta also TN_CPU_COMPLEXES. Half and bfloat16 compute in float. The
// variable and its slots must not overlap.
typedef struct tn_cpu_training {
  tn_cpu_optimizer optimizer;
  tn_dtype dtype;
  int slots;
  void* variable;
  void* slot[TN_CPU_MAX_SLOTS];
  const void* gradient;
  const void* scalar[TN_CPU_MAX_SCALARS];
} tn_cpu_training;
void tn_cpu_train(const tn_cpu_training* training, int64_t count, const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_TRAINING_H_
