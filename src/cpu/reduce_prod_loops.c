#include "cpu/reduce_loops.h"

typedef double a_f32, a_f64;
typedef uint64_t a_i8, a_i16, a_i32, a_i64, a_u8, a_u16, a_u32, a_u64;
typedef struct pair_f64 {
  double re, im;
} pair_f64, a_c64, a_c128;
typedef struct pair_f32 {
  float re, im;
} pair_f32;
#define EACH(X, arg) TN_CPU_EACH_INTEGER(X, arg) X(f32, TN_FLOAT, arg) X(f64, TN_DOUBLE, arg)

#define PRODS(x, dtype, _)                                                        \
  static inline a_##x lift_##x(s_##x from) { return (a_##x)value_##x(from); }     \
  static inline a_##x merge_##x(a_##x prod, a_##x other) { return prod * other; } \
  static inline s_##x put_##x(a_##x prod) { return (s_##x)prod; }                 \
  TN_FOLD_LOOPS(prod_##x, s_##x, a_##x, 1, lift_##x, merge_##x, put_##x, TN_FOLD_TREE)
EACH(PRODS, )

static inline pair_f64 product(pair_f64 a, pair_f64 b) {
  return (pair_f64){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
#define COMPLEX_PRODS(x, part)                                                        \
  static inline pair_f64 lift_##x(part from) { return (pair_f64){from.re, from.im}; } \
  static inline part put_##x(pair_f64 prod) {                                         \
    return (part){(typeof_##part)prod.re, (typeof_##part)prod.im};                    \
  }
typedef float typeof_pair_f32;
typedef double typeof_pair_f64;
COMPLEX_PRODS(c64, pair_f32)
COMPLEX_PRODS(c128, pair_f64)
#define ONE ((pair_f64){1, 0})
TN_FOLD_LOOPS(prod_c64, pair_f32, pair_f64, ONE, lift_c64, product, put_c64, TN_FOLD_TREE)
TN_FOLD_LOOPS(prod_c128, pair_f64, pair_f64, ONE, lift_c128, product, put_c128, TN_FOLD_TREE)

#define SAME(v) (v)
#define TIMES(v, w) ((v) * (w))
TN_FOLD_RUN(prod_f32, float, double, 1, lift_f32, SAME, merge_f32, TIMES)
TN_FOLD_RUN(prod_f64, double, double, 1, lift_f64, SAME, merge_f64, TIMES)

#define ENTRY(x, dtype, name) [dtype] = TN_FOLD_ENTRY(name##_##x, a_##x, NULL),
#define REAL(x, dtype, name) [dtype] = TN_FOLD_ENTRY(name##_##x, a_##x, name##_##x##_run),
const tn_reduce_prod_loops TN_CPU_VARIANT(tn_reduce_prod_loops) = {
    .prod = {TN_CPU_EACH_INTEGER(ENTRY, prod) TN_CPU_EACH_COMPLEX(ENTRY, prod)
                 REAL(f32, TN_FLOAT, prod) REAL(f64, TN_DOUBLE, prod)},
};
