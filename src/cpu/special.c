#include "cpu/special.h"

#include "cpu/elementwise_loops.h"
#include "cpu/special_functions.h"

#define UNARY(name)                                   \
  TN_CPU_UNARY_LOOP(loop_##name, f32, f32, tn_##name) \
  TN_CPU_UNARY_LOOP(loop_##name, f64, f64, tn_##name)
#define BINARY(name)                                   \
  TN_CPU_BINARY_LOOP(loop_##name, f32, f32, tn_##name) \
  TN_CPU_BINARY_LOOP(loop_##name, f64, f64, tn_##name)
#define BETAINC(x)                                                                     \
  static void loop_betainc_##x(const void* a, const void* b, const void* c, void* out, \
                               int64_t count) {                                        \
    const s_##x *first = a, *second = b, *at = c;                                      \
    for (int64_t i = 0; i < count; ++i)                                                \
      ((s_##x*)out)[i] = (s_##x)tn_betainc(first[i], second[i], at[i]);                \
  }
BETAINC(f32)
BETAINC(f64)
TN_CPU_EACH_UNARY_SPECIAL(UNARY)
TN_CPU_EACH_BINARY_SPECIAL(BINARY)

#define ROW(name) \
  [TN_CPU_SPECIAL_##name] = {[TN_FLOAT] = loop_##name##_f32, [TN_DOUBLE] = loop_##name##_f64},
static const tn_cpu_bodies bodies[TN_CPU_SPECIAL_OPS] = {
    TN_CPU_EACH_UNARY_SPECIAL(ROW) TN_CPU_EACH_BINARY_SPECIAL(ROW) ROW(betainc)};

tn_cpu_loop tn_cpu_special(int op, tn_dtype dtype) {
  const int inputs = op == TN_CPU_SPECIAL_betainc ? 3 : op >= TN_CPU_SPECIAL_igamma ? 2 : 1;
  return tn_cpu_loop_of(bodies[op], inputs, dtype, 0, inputs == 1 ? 20000 : 32000);
}
