#include "cpu/reduce_arg_loops.h"

#include "cpu/reduce_limits.h"

enum { LANES = 64, BLOCK = 16 * LANES };

// In blocks: first the best element, which vectors do well, then, if it is an improvement, where.
#define ARG(name, x, better, worst)                                                                \
  static void begin_##name##_##x(void* best, int64_t width) {                                      \
    for (int64_t j = 0; j < width; ++j) ((s_##x*)best)[j] = worst;                                 \
  }                                                                                                \
  static s_##x best_of_##name##_##x(const s_##x* in) {                                             \
    s_##x lanes[LANES];                                                                            \
    for (int j = 0; j < LANES; ++j) lanes[j] = worst;                                              \
    for (int i = 0; i < BLOCK; i += LANES)                                                         \
      for (int j = 0; j < LANES; ++j) lanes[j] = in[i + j] better lanes[j] ? in[i + j] : lanes[j]; \
    for (int half = LANES / 2; half > 0; half /= 2)                                                \
      for (int j = 0; j < half; ++j)                                                               \
        lanes[j] = lanes[j + half] better lanes[j] ? lanes[j + half] : lanes[j];                   \
    return lanes[0];                                                                               \
  }                                                                                                \
  static void run_##name##_##x(const void* in, int64_t count, int32_t base, void* best,            \
                               int32_t* index) {                                                   \
    const s_##x* from = in;                                                                        \
    s_##x found = *(s_##x*)best;                                                                   \
    int64_t i = 0;                                                                                 \
    for (; i + BLOCK <= count; i += BLOCK) {                                                       \
      const s_##x most = best_of_##name##_##x(from + i);                                           \
      if (!(most better found)) continue;                                                          \
      int32_t j = 0;                                                                               \
      while (from[i + j] != most) ++j;                                                             \
      found = most;                                                                                \
      *index = base + (int32_t)i + j;                                                              \
    }                                                                                              \
    for (; i < count; ++i)                                                                         \
      if (from[i] better found) {                                                                  \
        found = from[i];                                                                           \
        *index = base + (int32_t)i;                                                                \
      }                                                                                            \
    *(s_##x*)best = found;                                                                         \
  }                                                                                                \
  static void columns_##name##_##x(const void* in, int64_t row_stride, int64_t rows,               \
                                   int64_t width, int32_t base, void* best, int32_t* index) {      \
    const s_##x* from = in;                                                                        \
    s_##x* restrict found = best;                                                                  \
    int32_t* restrict at = index;                                                                  \
    for (int64_t r = 0; r < rows; ++r, from += row_stride)                                         \
      for (int64_t j = 0; j < width; ++j) {                                                        \
        at[j] = from[j] better found[j] ? base + (int32_t)r : at[j];                               \
        found[j] = from[j] better found[j] ? from[j] : found[j];                                   \
      }                                                                                            \
  }

#define INTEGER(x, dtype, _) ARG(greatest, x, >, least_##x) ARG(least, x, <, most_##x)
TN_CPU_EACH_INTEGER(INTEGER, )
ARG(greatest, f32, >, least_f32)
ARG(greatest, f64, >, least_f32)
ARG(least, f32, <, most_f32)
ARG(least, f64, <, most_f32)

#define EACH(X, arg) TN_CPU_EACH_INTEGER(X, arg) X(f32, TN_FLOAT, arg) X(f64, TN_DOUBLE, arg)
#define ENTRY(x, dtype, name) [dtype] = name##_##x,
#define BOTH(loop)                                                  \
  {                                                                 \
    {EACH(ENTRY, loop##_greatest)[TN_BOOL] = loop##_greatest_u8}, { \
      EACH(ENTRY, loop##_least)[TN_BOOL] = loop##_least_u8          \
    }                                                               \
  }
const tn_reduce_arg_loops TN_CPU_VARIANT(tn_reduce_arg_loops) = {
    .begin = BOTH(begin), .run = BOTH(run), .columns = BOTH(columns)};
