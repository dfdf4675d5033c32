#include "cpu/training_loops.h"

#include <math.h>

// A step: names of the slots' elements a, b, c, of the variable w and the gradient g; s[] are the
// scalars. `before` computes once, `each` for every element.
#define STEP(name, x, before, each)                                                     \
  static void name##_##x(void* variable, void* const* slots, const void* gradient,      \
                         const void* scalars, int64_t count) {                          \
    typedef s_##x number;                                                               \
    number* restrict ws = variable, * restrict as = slots[0], * restrict bs = slots[1]; \
    number* restrict cs = slots[2];                                                     \
    const number* restrict gs = gradient, *s = scalars;                                 \
    before;                                                                             \
    for (int64_t i = 0; i < count; ++i) {                                               \
      const number g = gs[i];                                                           \
      each;                                                                             \
    }                                                                                   \
    (void)as, (void)bs, (void)cs, (void)s;                                              \
  }
#define w ws[i]
#define a as[i]
#define b bs[i]
#define c cs[i]

#define ADAM_SCALARS(x)                                                                     \
  const number alpha = s[2] * SQRT_##x(1 - s[1]) / (1 - s[0]), epsilon = s[5], beta = s[3], \
               rest = 1 - s[3], rest_of_squares = 1 - s[4]

// TensorFlow's order of operations throughout.
#define STEPS(x)                                                                                   \
  STEP(gradient_descent, x, const number alpha = s[0], w -= g * alpha)                             \
  STEP(momentum, x, const number rate = s[0]; const number momentum = s[1], a = a * momentum + g;  \
       w -= a * rate)                                                                              \
  STEP(momentum_nesterov, x, const number rate = s[0];                                             \
       const number momentum = s[1], a = a * momentum + g; w -= g * rate + a * momentum * rate)    \
  STEP(keras_momentum, x, const number rate = s[0];                                                \
       const number momentum = s[1], a = a * momentum - g * rate; w += a)                          \
  STEP(keras_momentum_nesterov, x, const number rate = s[0];                                       \
       const number momentum = s[1], a = a * momentum - g * rate; w += a * momentum - g * rate)    \
  STEP(adam, x, ADAM_SCALARS(x); (void)beta, a += (g - a) * rest;                                  \
       b += (g * g - b) * rest_of_squares; w -= (a * alpha) / (SQRT_##x(b) + epsilon))             \
  STEP(adam_nesterov, x, ADAM_SCALARS(x), a += (g - a) * rest; b += (g * g - b) * rest_of_squares; \
       w -= ((g * rest + beta * a) * alpha) / (SQRT_##x(b) + epsilon))                             \
  STEP(adagrad, x, const number rate = s[0], a += g * g; w -= g * rate * (1 / SQRT_##x(a)))        \
  STEP(adagrad_keep, x, const number rate = s[0], w -= g * rate * (1 / SQRT_##x(a)))               \
  STEP(adagrad_v2, x, const number rate = s[0]; const number epsilon = s[1], a += g * g;           \
       w -= g * rate / (SQRT_##x(a) + epsilon))                                                    \
  STEP(adagrad_v2_keep, x, const number rate = s[0];                                               \
       const number epsilon = s[1], w -= g * rate / (SQRT_##x(a) + epsilon))                       \
  STEP(rmsprop, x, const number rate = s[0]; const number rest = 1 - s[1];                         \
       const number momentum = s[2]; const number epsilon = s[3], a += (g * g - a) * rest;         \
       b = b * momentum + (g * rate) / SQRT_##x(a + epsilon); w -= b)                              \
  STEP(centered_rmsprop, x, const number rate = s[0]; const number rest = 1 - s[1];                \
       const number momentum = s[2]; const number epsilon = s[3], b += (g * g - b) * rest;         \
       a += (g - a) * rest; c = c * momentum + (g * rate) / SQRT_##x((b - a * a) + epsilon);       \
       w -= c)                                                                                     \
  STEP(adadelta, x, const number rate = s[0]; const number rho = s[1];                             \
       const number rest = 1 - s[1]; const number epsilon = s[2], a = a * rho + g * g * rest;      \
       const number update = SQRT_##x(b + epsilon) * (1 / SQRT_##x(a + epsilon)) * g;              \
       w -= update * rate; b = b * rho + update * update * rest)

#define SQRT_f32 sqrtf
#define SQRT_f64 sqrt
#define SQRT_c64 csqrtf
#define SQRT_c128 csqrt
STEPS(f32)
STEPS(f64)
STEPS(c64)
STEPS(c128)

// `times`: what the linear slot and the penalties are multiplied with, `by`: what is divided by
// instead. `power` is -lr_power, mostly a square root.
#define FTRL(x, FABS, POW)                                                                       \
  static inline void ftrl_any_##x(s_##x* ws, void* const* slots, const s_##x* gs, int64_t count, \
                                  s_##x times, s_##x by, s_##x l1, s_##x l2, s_##x shrinkage,    \
                                  s_##x power) {                                                 \
    s_##x* restrict as = slots[0], * restrict bs = slots[1];                                     \
    const s_##x limit = l1 * times, ridge = 2 * l2 * times;                                      \
    for (int64_t i = 0; i < count; ++i) {                                                        \
      const s_##x g = gs[i], sum = a + g * g;                                                    \
      const s_##x shrunk = shrinkage == 0 ? g : g + 2 * shrinkage * w;                           \
      const s_##x was = power == (s_##x)0.5 ? SQRT_##x(a) : POW(a, power);                       \
      const s_##x is = power == (s_##x)0.5 ? SQRT_##x(sum) : POW(sum, power);                    \
      b += shrunk * times - (is - was) / by * w;                                                 \
      const s_##x sign = (s_##x)((b > 0) - (b < 0));                                             \
      w = FABS(b) > limit ? (limit * sign - b) / (is / by + ridge) : 0;                          \
      a = sum;                                                                                   \
    }                                                                                            \
  }                                                                                              \
  static void ftrl_##x(void* ws, void* const* slots, const void* gs, const void* scalars,        \
                       int64_t count) {                                                          \
    const s_##x* s = scalars;                                                                    \
    ftrl_any_##x(ws, slots, gs, count, 1, s[0], s[1], s[2], 0, -s[3]);                           \
  }                                                                                              \
  static void ftrl_lr_##x(void* ws, void* const* slots, const void* gs, const void* scalars,     \
                          int64_t count) {                                                       \
    const s_##x* s = scalars;                                                                    \
    ftrl_any_##x(ws, slots, gs, count, s[0], 1, s[1], s[2], 0, -s[3]);                           \
  }                                                                                              \
  static void ftrl_v2_##x(void* ws, void* const* slots, const void* gs, const void* scalars,     \
                          int64_t count) {                                                       \
    const s_##x* s = scalars;                                                                    \
    ftrl_any_##x(ws, slots, gs, count, 1, s[0], s[1], s[2], s[3], -s[4]);                        \
  }                                                                                              \
  static void ftrl_v2_lr_##x(void* ws, void* const* slots, const void* gs, const void* scalars,  \
                             int64_t count) {                                                    \
    const s_##x* s = scalars;                                                                    \
    ftrl_any_##x(ws, slots, gs, count, s[0], 1, s[1], s[2], s[3], -s[4]);                        \
  }                                                                                              \
  STEP(amsgrad, x, ADAM_SCALARS(x); (void)beta, a += (g - a) * rest;                             \
       b += (g * g - b) * rest_of_squares; c = c < b ? b : c;                                    \
       w -= (a * alpha) / (SQRT_##x(c) + epsilon))
FTRL(f32, fabsf, powf)
FTRL(f64, fabs, pow)

#undef w
#undef a
#undef b
#undef c

#define REALS(name) \
  { [TN_FLOAT] = name##_f32, [TN_DOUBLE] = name##_f64 }
#define NUMBERS(name)                                                               \
  {                                                                                 \
    [TN_FLOAT] = name##_f32, [TN_DOUBLE] = name##_f64, [TN_COMPLEX64] = name##_c64, \
    [TN_COMPLEX128] = name##_c128                                                   \
  }
const tn_training_loops TN_CPU_VARIANT(tn_training_loops) = {
    .step = {[TN_CPU_GRADIENT_DESCENT] = NUMBERS(gradient_descent),
             [TN_CPU_MOMENTUM] = NUMBERS(momentum),
             [TN_CPU_MOMENTUM_NESTEROV] = NUMBERS(momentum_nesterov),
             [TN_CPU_KERAS_MOMENTUM] = NUMBERS(keras_momentum),
             [TN_CPU_KERAS_MOMENTUM_NESTEROV] = NUMBERS(keras_momentum_nesterov),
             [TN_CPU_ADAM] = NUMBERS(adam),
             [TN_CPU_ADAM_NESTEROV] = NUMBERS(adam_nesterov),
             [TN_CPU_ADAGRAD] = NUMBERS(adagrad),
             [TN_CPU_ADAGRAD_KEEP] = NUMBERS(adagrad_keep),
             [TN_CPU_ADAGRAD_V2] = NUMBERS(adagrad_v2),
             [TN_CPU_ADAGRAD_V2_KEEP] = NUMBERS(adagrad_v2_keep),
             [TN_CPU_RMSPROP] = NUMBERS(rmsprop),
             [TN_CPU_CENTERED_RMSPROP] = NUMBERS(centered_rmsprop),
             [TN_CPU_ADADELTA] = NUMBERS(adadelta),
             [TN_CPU_AMSGRAD] = REALS(amsgrad),
             [TN_CPU_FTRL] = REALS(ftrl),
             [TN_CPU_FTRL_LR] = REALS(ftrl_lr),
             [TN_CPU_FTRL_V2] = REALS(ftrl_v2),
             [TN_CPU_FTRL_V2_LR] = REALS(ftrl_v2_lr)}};
