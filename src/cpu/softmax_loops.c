#include "cpu/softmax_loops.h"

#include "cpu/math_f32.h"

// Sums and maxima are kept in LANES lanes, blocks of BLOCK elements at a time.
enum { LANES = 16, BLOCK = 256 };

#define SOFTMAX(x)                                                                             \
  static double most_##x(const void* in, int64_t count) {                                      \
    const s_##x* from = in;                                                                    \
    s_##x lanes[4 * LANES];                                                                    \
    int64_t i = 0;                                                                             \
    for (int j = 0; j < 4 * LANES; ++j) lanes[j] = -INFINITY;                                  \
    for (; i + 4 * LANES <= count; i += 4 * LANES)                                             \
      for (int j = 0; j < 4 * LANES; ++j)                                                      \
        lanes[j] = from[i + j] > lanes[j] ? from[i + j] : lanes[j];                            \
    for (; i < count; ++i) lanes[0] = from[i] > lanes[0] ? from[i] : lanes[0];                 \
    for (int half = 2 * LANES; half > 0; half /= 2)                                            \
      for (int j = 0; j < half; ++j)                                                           \
        lanes[j] = lanes[j + half] > lanes[j] ? lanes[j + half] : lanes[j];                    \
    return (double)lanes[0];                                                                   \
  }                                                                                            \
  static double sum_##x(const s_##x* from, int64_t count) {                                    \
    double lanes[LANES] = {0};                                                                 \
    int64_t i = 0;                                                                             \
    for (; i + LANES <= count; i += LANES)                                                     \
      for (int j = 0; j < LANES; ++j) lanes[j] += (double)from[i + j];                         \
    for (; i < count; ++i) lanes[0] += (double)from[i];                                        \
    for (int half = LANES / 2; half > 0; half /= 2)                                            \
      for (int j = 0; j < half; ++j) lanes[j] += lanes[j + half];                              \
    return lanes[0];                                                                           \
  }                                                                                            \
  static double exp_sum_##x(const void* in, int64_t count, double most, void* out) {           \
    const s_##x *from = in, top = (s_##x)most;                                                 \
    s_##x* to = out;                                                                           \
    double sum = 0;                                                                            \
    for (int64_t i = 0; i < count; i += BLOCK) {                                               \
      const int64_t some = count - i < BLOCK ? count - i : BLOCK;                              \
      TN_CPU_INDEPENDENT for (int64_t j = 0; j < some; ++j) to[i + j] =                        \
          exp_##x(from[i + j] - top);                                                          \
      sum += sum_##x(to + i, some);                                                            \
    }                                                                                          \
    return sum;                                                                                \
  }                                                                                            \
  static void scale_##x(const void* in, int64_t count, double factor, void* out) {             \
    const s_##x *from = in, by = (s_##x)factor;                                                \
    s_##x* to = out;                                                                           \
    TN_CPU_INDEPENDENT for (int64_t i = 0; i < count; ++i) to[i] = from[i] * by;               \
  }                                                                                            \
  static void shift_##x(const void* in, int64_t count, double most, double shift, void* out) { \
    const s_##x *from = in, top = (s_##x)most, by = (s_##x)shift;                              \
    s_##x* to = out;                                                                           \
    TN_CPU_INDEPENDENT for (int64_t i = 0; i < count; ++i) to[i] = (from[i] - top) - by;       \
  }                                                                                            \
  static double loss_##x(const void* in, const void* labels, int64_t count, double most,       \
                         double shift, double factor, void* gradient) {                        \
    const s_##x *from = in, *label = labels, top = (s_##x)most, by = (s_##x)factor;            \
    s_##x* to = gradient;                                                                      \
    double lanes[LANES] = {0};                                                                 \
    int64_t i = 0;                                                                             \
    for (; i + LANES <= count; i += LANES)                                                     \
      for (int j = 0; j < LANES; ++j)                                                          \
        lanes[j] += (double)label[i + j] * (shift - ((double)from[i + j] - most));             \
    for (; i < count; ++i) lanes[0] += (double)label[i] * (shift - ((double)from[i] - most));  \
    for (int j = 1; j < LANES; ++j) lanes[0] += lanes[j];                                      \
    TN_CPU_INDEPENDENT for (int64_t j = 0; j < count; ++j) to[j] =                             \
        exp_##x(from[j] - top) * by - label[j];                                                \
    return lanes[0];                                                                           \
  }
SOFTMAX(f32)
SOFTMAX(f64)

#define ENTRY(x) \
  { most_##x, exp_sum_##x, scale_##x, shift_##x, loss_##x }
const tn_softmax_loops TN_CPU_VARIANT(tn_softmax_loops) = {
    .of = {[TN_FLOAT] = ENTRY(f32), [TN_DOUBLE] = ENTRY(f64)}};
