#include "cpu/reduce_limits.h"
#include "cpu/reduce_loops.h"

// A NaN wins, and stays.
#define MAXIMA(x, dtype, nan)                                                       \
  static inline s_##x max_##x(s_##x best, s_##x from) {                             \
    return (from > best) | nan(from) ? from : best;                                 \
  }                                                                                 \
  static inline s_##x min_##x(s_##x best, s_##x from) {                             \
    return (from < best) | nan(from) ? from : best;                                 \
  }                                                                                 \
  static inline s_##x same_##x(s_##x best) { return best; }                         \
  TN_FOLD_LOOPS(greatest_##x, s_##x, s_##x, least_##x, same_##x, max_##x, same_##x) \
  TN_FOLD_LOOPS(smallest_##x, s_##x, s_##x, most_##x, same_##x, min_##x, same_##x)
#define NEVER(x) 0
#define IS_NAN(x) ((x) != (x))
#define INTEGER(x, dtype, _) MAXIMA(x, dtype, NEVER)
TN_CPU_EACH_INTEGER(INTEGER, )
TN_FOLD_LOOPS(all, uint8_t, uint8_t, 1, same_u8, min_u8, same_u8)
MAXIMA(f32, TN_FLOAT, IS_NAN)
MAXIMA(f64, TN_DOUBLE, IS_NAN)

#define EACH(X, arg) TN_CPU_EACH_INTEGER(X, arg) X(f32, TN_FLOAT, arg) X(f64, TN_DOUBLE, arg)
#define ENTRY(x, dtype, name) [dtype] = TN_FOLD_ENTRY(name##_##x, s_##x),
const tn_reduce_max_loops TN_CPU_VARIANT(tn_reduce_max_loops) = {
    .max = {EACH(ENTRY, greatest)[TN_BOOL] = TN_FOLD_ENTRY(greatest_u8, uint8_t)},
    .min = {EACH(ENTRY, smallest)[TN_BOOL] = TN_FOLD_ENTRY(all, uint8_t)},
};
