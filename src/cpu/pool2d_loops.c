#include "cpu/pool2d_loops.h"

#include <float.h>

#include "cpu/cast_loops.h"

#define INLINE static inline __attribute__((always_inline))

// Strips of channels stay in registers while the window's pixels pass by.

#define LOWEST_f32 (-FLT_MAX)
#define LOWEST_f64 (-DBL_MAX)
#define LOWEST_i8 INT8_MIN
#define LOWEST_i16 INT16_MIN
#define LOWEST_i32 INT32_MIN
#define LOWEST_i64 INT64_MIN
#define LOWEST_u8 0
#define LOWEST_u16 0
#define LOWEST_u32 0
#define LOWEST_u64 0

// In this order of operands a NaN in `in` is passed over.
#define MAX(x, dtype, _)                                                                       \
  INLINE void max_strip_##x(const s_##x* in, tn_pool_patch p, int64_t count, s_##x* out) {     \
    s_##x best[128 / sizeof(s_##x)];                                                           \
    for (int64_t j = 0; j < count; ++j) best[j] = LOWEST_##x;                                  \
    for (int64_t r = 0; r < p.rows; ++r)                                                       \
      for (int64_t c = 0; c < p.columns; ++c) {                                                \
        const s_##x* pixel = in + r * p.row_step + c * p.column_step;                          \
        for (int64_t j = 0; j < count; ++j) best[j] = best[j] < pixel[j] ? pixel[j] : best[j]; \
      }                                                                                        \
    for (int64_t j = 0; j < count; ++j) out[j] = best[j];                                      \
  }                                                                                            \
  static void max_##x(const void* in, tn_pool_patch p, int64_t count, void* out) {             \
    const int64_t width = 128 / sizeof(s_##x);                                                 \
    int64_t j = 0;                                                                             \
    for (; j + width <= count; j += width)                                                     \
      max_strip_##x((const s_##x*)in + j, p, width, (s_##x*)out + j);                          \
    if (j < count) max_strip_##x((const s_##x*)in + j, p, count - j, (s_##x*)out + j);         \
  }
TN_CPU_EACH_INTEGER(MAX, )
MAX(f32, TN_FLOAT, )
MAX(f64, TN_DOUBLE, )

// Half and bfloat16 compare like integers, once the order of the negative ones is turned round.
static inline int16_t ordered(uint16_t bits) { return (int16_t)(bits ^ (bits >> 15 ? 0x7fff : 0)); }

INLINE void max_16_strip(const uint16_t* in, tn_pool_patch p, int64_t count, uint16_t* out,
                         uint16_t infinity) {
  int16_t best[64];
  const int16_t lowest = ordered((uint16_t)(0x8000 | (infinity - 1)));
  for (int64_t j = 0; j < count; ++j) best[j] = lowest;
  for (int64_t r = 0; r < p.rows; ++r)
    for (int64_t c = 0; c < p.columns; ++c) {
      const uint16_t* pixel = in + r * p.row_step + c * p.column_step;
      for (int64_t j = 0; j < count; ++j) {
        int16_t value = (pixel[j] & 0x7fff) > infinity ? lowest : ordered(pixel[j]);
        best[j] = best[j] < value ? value : best[j];
      }
    }
  for (int64_t j = 0; j < count; ++j) out[j] = (uint16_t)ordered((uint16_t)best[j]);
}

#define MAX_16(x, infinity)                                                              \
  static void max_##x(const void* in, tn_pool_patch p, int64_t count, void* out) {       \
    int64_t j = 0;                                                                       \
    for (; j + 64 <= count; j += 64)                                                     \
      max_16_strip((const uint16_t*)in + j, p, 64, (uint16_t*)out + j, infinity);        \
    if (j < count)                                                                       \
      max_16_strip((const uint16_t*)in + j, p, count - j, (uint16_t*)out + j, infinity); \
  }
MAX_16(f16, 0x7c00)
MAX_16(bf16, 0x7f80)

// Values and positions of one width, so that one comparison serves both. Positions are chosen by a
// mask: compilers make branches of a condition here.
#define LARGEST(name, value, position)                                                    \
  INLINE void largest_##name(const value* pixel, position at, int64_t count, value* best, \
                             position* where) {                                           \
    for (int64_t j = 0; j < count; ++j) {                                                 \
      const position mask = -(position)(best[j] < pixel[j]);                              \
      where[j] = (where[j] & ~mask) | (at & mask);                                        \
      best[j] = best[j] < pixel[j] ? pixel[j] : best[j];                                  \
    }                                                                                     \
  }
LARGEST(f32, float, int32_t)
LARGEST(i32, int32_t, int32_t)
LARGEST(u32, uint32_t, int32_t)
LARGEST(f64, double, int64_t)
LARGEST(i64, int64_t, int64_t)
LARGEST(u64, uint64_t, int64_t)

enum { LANES = 32 };  // fewer would be unrolled before they are made vectors of
#define ARGMAX(x, position)                                                                     \
  INLINE void argmax_strip_##x(const s_##x* in, tn_pool_patch p, int64_t count, s_##x* out,     \
                               int32_t* positions) {                                            \
    s_##x best[LANES];                                                                          \
    position where[LANES];                                                                      \
    for (int64_t j = 0; j < count; ++j) best[j] = in[j];                                        \
    for (int64_t j = 0; j < count; ++j) where[j] = 0;                                           \
    for (int64_t r = 0, at = 0; r < p.rows; ++r)                                                \
      for (int64_t c = 0; c < p.columns; ++c, ++at)                                             \
        largest_##x(in + r * p.row_step + c * p.column_step, (position)at, count, best, where); \
    if (out)                                                                                    \
      for (int64_t j = 0; j < count; ++j) out[j] = best[j];                                     \
    for (int64_t j = 0; j < count; ++j) positions[j] = (int32_t)where[j];                       \
  }                                                                                             \
  static void argmax_##x(const void* in, tn_pool_patch p, int64_t count, void* out,             \
                         int32_t* positions) {                                                  \
    const s_##x* from = in;                                                                     \
    s_##x* to = out;                                                                            \
    int64_t j = 0;                                                                              \
    for (; j + LANES <= count; j += LANES)                                                      \
      argmax_strip_##x(from + j, p, LANES, to ? to + j : NULL, positions + j);                  \
    if (j < count) argmax_strip_##x(from + j, p, count - j, to ? to + j : NULL, positions + j); \
  }
ARGMAX(f32, int32_t)
ARGMAX(i32, int32_t)
ARGMAX(u32, int32_t)
ARGMAX(f64, int64_t)
ARGMAX(i64, int64_t)
ARGMAX(u64, int64_t)

// Narrow types by way of float, which holds all their values.
static void argmax_narrow(tn_unary_loop widen, tn_unary_loop narrow, size_t size, const char* in,
                          tn_pool_patch p, int64_t count, void* out, int32_t* positions) {
  float best[TN_POOL_STRIP], pixel[TN_POOL_STRIP];
  widen(in, best, count);
  for (int64_t j = 0; j < count; ++j) positions[j] = 0;
  for (int64_t r = 0, at = 0; r < p.rows; ++r)
    for (int64_t c = 0; c < p.columns; ++c, ++at) {
      widen(in + (r * p.row_step + c * p.column_step) * (int64_t)size, pixel, count);
      largest_f32(pixel, (int32_t)at, count, best, positions);
    }
  if (out) narrow(best, out, count);
}
#define ARGMAX_NARROW(x, dtype)                                                                    \
  static void argmax_##x(const void* in, tn_pool_patch p, int64_t count, void* out,                \
                         int32_t* positions) {                                                     \
    const tn_cast_loops* casts = &TN_CPU_VARIANT(tn_cast_loops);                                   \
    argmax_narrow(casts->round[dtype][TN_FLOAT], casts->round[TN_FLOAT][dtype], sizeof(s_##x), in, \
                  p, count, out, positions);                                                       \
  }
ARGMAX_NARROW(i8, TN_INT8)
ARGMAX_NARROW(u8, TN_UINT8)
ARGMAX_NARROW(i16, TN_INT16)
ARGMAX_NARROW(u16, TN_UINT16)
ARGMAX_NARROW(f16, TN_HALF)
ARGMAX_NARROW(bf16, TN_BFLOAT16)

#define SPREAD(x, dtype, _)                                                                      \
  static void spread_##x(void* out, tn_pool_patch p, int64_t count, const void* grad,            \
                         const int32_t* positions) {                                             \
    const s_##x* from = grad;                                                                    \
    int32_t at = 0;                                                                              \
    for (int64_t r = 0; r < p.rows; ++r)                                                         \
      for (int64_t c = 0; c < p.columns; ++c, ++at) {                                            \
        s_##x* pixel = (s_##x*)out + r * p.row_step + c * p.column_step;                         \
        TN_CPU_INDEPENDENT                                                                       \
        for (int64_t j = 0; j < count; ++j)                                                      \
          pixel[j] =                                                                             \
              positions[j] == at ? store_##x(load_##x(pixel[j]) + load_##x(from[j])) : pixel[j]; \
      }                                                                                          \
  }
TN_CPU_EACH_REAL(SPREAD, )

#define PICK(x, dtype, _)                                                                     \
  static void pick_##x(const void* in, tn_pool_patch p, const void* pooled, const void* grad, \
                       void* out) {                                                           \
    *(s_##x*)out = 0;                                                                         \
    for (int64_t r = 0; r < p.rows; ++r)                                                      \
      for (int64_t c = 0; c < p.columns; ++c) {                                               \
        const int64_t at = r * p.row_step + c * p.column_step;                                \
        if (load_##x(((const s_##x*)in)[at]) != load_##x(*(const s_##x*)pooled)) continue;    \
        *(s_##x*)out = ((const s_##x*)grad)[at];                                              \
        return;                                                                               \
      }                                                                                       \
  }
TN_CPU_EACH_REAL(PICK, )

#define MEAN(x, number)                                                                        \
  INLINE void mean_strip_##x(const number* in, tn_pool_patch p, int64_t count, number* out) {  \
    number sums[128 / sizeof(number)];                                                         \
    const number total = (number)(p.rows * p.columns);                                         \
    for (int64_t j = 0; j < count; ++j) sums[j] = 0;                                           \
    for (int64_t r = 0; r < p.rows; ++r)                                                       \
      for (int64_t c = 0; c < p.columns; ++c) {                                                \
        const number* pixel = in + r * p.row_step + c * p.column_step;                         \
        for (int64_t j = 0; j < count; ++j) sums[j] += pixel[j];                               \
      }                                                                                        \
    for (int64_t j = 0; j < count; ++j) out[j] = sums[j] / total;                              \
  }                                                                                            \
  static void mean_##x(const void* in, tn_pool_patch p, int64_t count, void* out) {            \
    const int64_t width = 128 / sizeof(number);                                                \
    int64_t j = 0;                                                                             \
    for (; j + width <= count; j += width)                                                     \
      mean_strip_##x((const number*)in + j, p, width, (number*)out + j);                       \
    if (j < count) mean_strip_##x((const number*)in + j, p, count - j, (number*)out + j);      \
  }                                                                                            \
  INLINE void weigh_one_##x(const number* pixel, number weight, int64_t count, number* sums) { \
    for (int64_t j = 0; j < count; ++j) sums[j] += pixel[j] * weight;                          \
  }                                                                                            \
  static void weigh_##x(const void* in, int64_t columns, int64_t column_step,                  \
                        const double* weights, int64_t count, void* sums) {                    \
    const number* pixels = in;                                                                 \
    for (int64_t c = 0; c < columns; ++c)                                                      \
      weigh_one_##x(pixels + c * column_step, (number)weights[c], count, sums);                \
  }
MEAN(f32, float)
MEAN(f64, double)

#define MEAN_NARROW(x, dtype)                                                                      \
  static void mean_##x(const void* in, tn_pool_patch p, int64_t count, void* out) {                \
    const tn_cast_loops* casts = &TN_CPU_VARIANT(tn_cast_loops);                                   \
    const float total = (float)(p.rows * p.columns);                                               \
    for (int64_t j = 0; j < count; j += TN_POOL_STRIP) {                                           \
      const int64_t some = count - j < TN_POOL_STRIP ? count - j : TN_POOL_STRIP;                  \
      float sums[TN_POOL_STRIP] = {0}, pixel[TN_POOL_STRIP];                                       \
      for (int64_t r = 0; r < p.rows; ++r)                                                         \
        for (int64_t c = 0; c < p.columns; ++c) {                                                  \
          casts->round[dtype][TN_FLOAT]((const s_##x*)in + r * p.row_step + c * p.column_step + j, \
                                        pixel, some);                                              \
          for (int64_t i = 0; i < some; ++i) sums[i] += pixel[i];                                  \
        }                                                                                          \
      for (int64_t i = 0; i < some; ++i) sums[i] /= total;                                         \
      casts->round[TN_FLOAT][dtype](sums, (s_##x*)out + j, some);                                  \
    }                                                                                              \
  }                                                                                                \
  static void weigh_##x(const void* in, int64_t columns, int64_t column_step,                      \
                        const double* weights, int64_t count, void* sums) {                        \
    float pixel[TN_POOL_STRIP];                                                                    \
    for (int64_t c = 0; c < columns; ++c) {                                                        \
      TN_CPU_VARIANT(tn_cast_loops)                                                                \
          .round[dtype][TN_FLOAT]((const s_##x*)in + c * column_step, pixel, count);               \
      weigh_one_f32(pixel, (float)weights[c], count, sums);                                        \
    }                                                                                              \
  }
MEAN_NARROW(f16, TN_HALF)
MEAN_NARROW(bf16, TN_BFLOAT16)

#define ENTRY(x, dtype, table) [dtype] = table##_##x,
const tn_pool2d_loops TN_CPU_VARIANT(tn_pool2d_loops) = {
    .max = {TN_CPU_EACH_REAL(ENTRY, max)},
    .argmax = {TN_CPU_EACH_REAL(ENTRY, argmax)},
    .spread = {TN_CPU_EACH_REAL(ENTRY, spread)},
    .pick = {TN_CPU_EACH_REAL(ENTRY, pick)},
    .mean = {TN_CPU_EACH_FLOAT(ENTRY, mean)},
    .weigh = {TN_CPU_EACH_FLOAT(ENTRY, weigh)},
};
