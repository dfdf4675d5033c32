// Vectors by hand, for what gcc does not do with loops over math_f32.h: results go past the caches
// from where they are computed, and the input is asked for ahead (a long computation leaves the
// processor too little room to see the next loads by itself).
//
// What is computed here holds for arguments that are not large; blocks with others, or NaN, are
// left to math_loops.c.

#include "cpu/math_near_loops.h"

#include "cpu/math_f32.h"
#include "cpu/math_loops.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#ifdef __AVX512F__
#define STREAM(to, value) _mm512_stream_ps(to, (__m512)(value))
enum { LINE = 64 };
#elif defined __AVX2__
#define STREAM(to, value) _mm256_stream_ps(to, (__m256)(value))
enum { LINE = 32 };
#else
#ifdef __x86_64__
#define STREAM(to, value) _mm_stream_ps(to, (__m128)(value))
#else
#define STREAM(to, value) STORE(to, value)
#endif
enum { LINE = 16 };
#endif
typedef float lanes __attribute__((vector_size(LINE)));
typedef uint32_t words __attribute__((vector_size(LINE)));
typedef float loose_lanes __attribute__((vector_size(LINE), aligned(4), may_alias));
#define STORE(to, value) (*(loose_lanes*)(to) = (value))

enum {
  LANES = LINE / 4,
  BLOCK = 256,   // elements that are looked at before they are computed
  AHEAD = 1024,  // elements between what is computed and what is asked for
};

TN_MATH lanes exp_lanes(lanes x) {
  lanes shifted = x * LOG2_E_F32 + 0x1.8p23f, n = shifted - 0x1.8p23f;
  lanes r = (x - n * LN2_HIGH_F32) - n * LN2_LOW_F32;
  lanes e = 1 + r * (1 + r * FIT_EXP_FLOAT(r));
  return (lanes)((words)e + ((words)shifted << 23));
}

TN_MATH lanes expm1_lanes(lanes x) {
  lanes shifted = x * LOG2_E_F32 + (0x1.8p23f + 127), n = shifted - (0x1.8p23f + 127);
  lanes r = (x - n * LN2_HIGH_F32) - n * LN2_LOW_F32;
  lanes power = (lanes)((words)shifted << 23);
  return power * (r + r * r * FIT_EXP_FLOAT(r)) + (power - 1);
}

#define LIMIT_exp 87.0f
#define LIMIT_sigmoid LIMIT_exp
TN_MATH lanes sigmoid_lanes(lanes x) { return 1 / (1 + exp_lanes(-x)); }

#define LIMIT_tanh (LIMIT_exp / 2)
TN_MATH lanes tanh_lanes(lanes x) {
  lanes m = expm1_lanes(x + x), result = m / (2 + m);
  // Zeros keep their signs.
  return (lanes)((words)result | ((words)x & 0x80000000u));
}

static bool are_near(const float* in, float limit) {
  uint32_t most = 0;
  for (int i = 0; i < BLOCK / 4; ++i)
    for (int k = 0; k < 4; ++k) {
      const uint32_t magnitude = bits_of_float(in[k * (BLOCK / 4) + i]) & 0x7fffffff;
      most = magnitude > most ? magnitude : most;
    }
  return most <= bits_of_float(limit);
}

#define LOOP(kind, name, PUT)                                                               \
  static void kind##_##name(const void* a, const void* b, const void* c, void* out,         \
                            int64_t count) {                                                \
    for (int64_t at = 0; at < count; at += BLOCK) {                                         \
      const float* in = (const float*)a + at;                                               \
      float* to = (float*)out + at;                                                         \
      if (count - at < BLOCK || !are_near(in, LIMIT_##name)) {                              \
        TN_CPU_VARIANT(tn_math_loops)                                                       \
            .bodies[TN_CPU_MATH_##name][TN_FLOAT](in, b, c, to,                             \
                                                  count - at < BLOCK ? count - at : BLOCK); \
        continue;                                                                           \
      }                                                                                     \
      for (int i = 0; i < BLOCK; i += LANES) {                                              \
        __builtin_prefetch(in + i + AHEAD);                                                 \
        PUT(to + i, name##_lanes(*(const loose_lanes*)(in + i)));                           \
      }                                                                                     \
    }                                                                                       \
  }
#define EACH(X, kind, PUT) X(kind, exp, PUT) X(kind, tanh, PUT) X(kind, sigmoid, PUT)
EACH(LOOP, plain, STORE)
EACH(LOOP, streamed, STREAM)

#define ROW(kind, name, PUT) [TN_CPU_MATH_##name] = kind##_##name,
const tn_math_near_loops TN_CPU_VARIANT(tn_math_near_loops) = {.bodies = {EACH(ROW, plain, )},
                                                               .streamed = {EACH(ROW, streamed, )}};
