#include "cpu/reduce_limits.h"
#include "cpu/reduce_loops.h"

// A NaN wins, and stays.
#define MAXIMA(x, dtype, nan)                                                                      \
  static inline s_##x max_##x(s_##x best, s_##x from) {                                            \
    return (from > best) | nan(from) ? from : best;                                                \
  }                                                                                                \
  static inline s_##x min_##x(s_##x best, s_##x from) {                                            \
    return (from < best) | nan(from) ? from : best;                                                \
  }                                                                                                \
  static inline s_##x same_##x(s_##x best) { return best; }                                        \
  TN_FOLD_LOOPS(greatest_##x, s_##x, s_##x, least_##x, same_##x, max_##x, same_##x, TN_FOLD_CHAIN) \
  TN_FOLD_LOOPS(smallest_##x, s_##x, s_##x, most_##x, same_##x, min_##x, same_##x, TN_FOLD_CHAIN)
#define NEVER(x) 0
#define IS_NAN(x) ((x) != (x))
#define INTEGER(x, dtype, _) MAXIMA(x, dtype, NEVER)
TN_CPU_EACH_INTEGER(INTEGER, )
TN_FOLD_LOOPS(all, uint8_t, uint8_t, 1, same_u8, min_u8, same_u8, TN_FOLD_CHAIN)
MAXIMA(f32, TN_FLOAT, IS_NAN)
MAXIMA(f64, TN_DOUBLE, IS_NAN)

// Vectors choose by masks of all ones or none.
#define SAME(v) (v)
#define CHOOSE(mask, v, w) \
  ((__typeof__(v))(((mask) & (__typeof__(mask))(v)) | (~(mask) & (__typeof__(mask))(w))))
#define MAX(v, w) CHOOSE(((w) > (v)) | ((w) != (w)), w, v)
#define MIN(v, w) CHOOSE(((w) < (v)) | ((w) != (w)), w, v)
#define RUNS(x)                                                                    \
  TN_FOLD_RUN(greatest_##x, s_##x, s_##x, least_##x, same_##x, SAME, max_##x, MAX) \
  TN_FOLD_RUN(smallest_##x, s_##x, s_##x, most_##x, same_##x, SAME, min_##x, MIN)
RUNS(f32)
RUNS(f64)

#define INTEGER_ENTRY(x, dtype, name) [dtype] = TN_FOLD_ENTRY(name##_##x, s_##x, NULL),
#define REAL_ENTRY(x, dtype, name) [dtype] = TN_FOLD_ENTRY(name##_##x, s_##x, name##_##x##_run),
#define ENTRIES(name)                      \
  TN_CPU_EACH_INTEGER(INTEGER_ENTRY, name) \
  REAL_ENTRY(f32, TN_FLOAT, name) REAL_ENTRY(f64, TN_DOUBLE, name)
const tn_reduce_max_loops TN_CPU_VARIANT(tn_reduce_max_loops) = {
    .max = {ENTRIES(greatest)[TN_BOOL] = TN_FOLD_ENTRY(greatest_u8, uint8_t, NULL)},
    .min = {ENTRIES(smallest)[TN_BOOL] = TN_FOLD_ENTRY(all, uint8_t, NULL)},
};
