#include "cpu/reduce_loops.h"

// Complex numbers come here as pairs of reals, half and bfloat16 as floats.
typedef double a_f32, a_f64;
typedef uint64_t a_i8, a_i16, a_i32, a_i64, a_u8, a_u16, a_u32, a_u64;
#define EACH(X, arg) TN_CPU_EACH_INTEGER(X, arg) X(f32, TN_FLOAT, arg) X(f64, TN_DOUBLE, arg)

#define SUMS(x, dtype, _)                                                             \
  static inline a_##x lift_##x(s_##x from) { return (a_##x)value_##x(from); }         \
  static inline a_##x square_##x(s_##x from) {                                        \
    return (a_##x)value_##x(from) * (a_##x)value_##x(from);                           \
  }                                                                                   \
  static inline a_##x merge_##x(a_##x sum, a_##x other) { return sum + other; }       \
  static inline s_##x put_##x(a_##x sum) { return (s_##x)sum; }                       \
  TN_FOLD_LOOPS(sum_##x, s_##x, a_##x, 0, lift_##x, merge_##x, put_##x, TN_FOLD_TREE) \
  TN_FOLD_LOOPS(squares_##x, s_##x, a_##x, 0, square_##x, merge_##x, put_##x, TN_FOLD_TREE)
EACH(SUMS, )

#define SAME(v) (v)
#define SQUARE(v) ((v) * (v))
#define PLUS(v, w) ((v) + (w))
#define RUNS(x)                                                           \
  TN_FOLD_RUN(sum_##x, s_##x, double, 0, lift_##x, SAME, merge_##x, PLUS) \
  TN_FOLD_RUN(squares_##x, s_##x, double, 0, square_##x, SQUARE, merge_##x, PLUS)
RUNS(f32)
RUNS(f64)

#define INTEGER(x, dtype, name) [dtype] = TN_FOLD_ENTRY(name##_##x, a_##x, NULL),
#define REAL(x, dtype, name) [dtype] = TN_FOLD_ENTRY(name##_##x, a_##x, name##_##x##_run),
#define ENTRIES(name) \
  { TN_CPU_EACH_INTEGER(INTEGER, name) REAL(f32, TN_FLOAT, name) REAL(f64, TN_DOUBLE, name) }
const tn_sum_loops TN_CPU_VARIANT(tn_sum_loops) = {
    .sum = ENTRIES(sum),
    .squares = ENTRIES(squares),
};
