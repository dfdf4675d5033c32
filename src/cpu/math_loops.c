// Functions of one float.

#include "cpu/math_loops.h"

#include "cpu/math_f32.h"

#define ACTIVATIONS(x)                                                             \
  TN_MATH v_##x softsign_##x(v_##x a) { return a / ((a < 0 ? -a : a) + 1); }       \
  TN_MATH v_##x elu_##x(v_##x a) { return a < 0 ? expm1_##x(a) : a; }              \
  TN_MATH v_##x selu_##x(v_##x a) {                                                \
    return a < 0 ? (v_##x)SELU_SCALE_ALPHA * expm1_##x(a) : (v_##x)SELU_SCALE * a; \
  }
ACTIVATIONS(f32)
ACTIVATIONS(f64)

// Angles too large to be reduced in vectors are left to the C library, tile by tile.
enum { TILE = 256 };
#define FAR(a) (!(fabs((double)(a)) <= ANGLE_LIMIT))
#define ANGLE_LOOP(name, x)                                                             \
  static void loop_##name##_##x(const void* a, const void* b, const void* c, void* out, \
                                int64_t count) {                                        \
    for (int64_t begin = 0; begin < count; begin += TILE) {                             \
      const s_##x* in = (const s_##x*)a + begin;                                        \
      const int64_t size = count - begin < TILE ? count - begin : TILE;                 \
      s_##x results[TILE];                                                              \
      int far = 0;                                                                      \
      for (int64_t i = 0; i < size; ++i) {                                              \
        results[i] = name##_##x(in[i]);                                                 \
        far |= FAR(in[i]);                                                              \
      }                                                                                 \
      if (far)                                                                          \
        for (int64_t i = 0; i < size; ++i)                                              \
          if (FAR(in[i])) results[i] = (s_##x)name(in[i]);                              \
      memcpy((s_##x*)out + begin, results, (size_t)size * sizeof(s_##x));               \
    }                                                                                   \
  }
#define ANGLE_LOOPS(name, cost) ANGLE_LOOP(name, f32) ANGLE_LOOP(name, f64)
TN_CPU_EACH_ANGLE_MATH(ANGLE_LOOPS)

#define LOOPS(name, cost)                              \
  TN_CPU_UNARY_LOOP(loop_##name, f32, f32, name##_f32) \
  TN_CPU_UNARY_LOOP(loop_##name, f64, f64, name##_f64)
TN_CPU_EACH_UNARY_MATH(LOOPS)

#define ROW(name, cost) \
  [TN_CPU_MATH_##name] = {[TN_FLOAT] = loop_##name##_f32, [TN_DOUBLE] = loop_##name##_f64},
const tn_math_loops TN_CPU_VARIANT(tn_math_loops) = {
    .bodies = {TN_CPU_EACH_ANGLE_MATH(ROW) TN_CPU_EACH_UNARY_MATH(ROW)}};
