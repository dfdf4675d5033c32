#include "cpu/resize_loops.h"

#define INLINE static inline __attribute__((always_inline))

// The order of operations is TensorFlow's, so that results are the same to the last bit.
#define MIX(x, dtype, _)                                                                     \
  INLINE void mix_##x(const s_##x* row, const tn_resize_place* places, int64_t count,        \
                      int64_t channels, float* out) {                                        \
    for (int64_t i = 0; i < count; ++i) {                                                    \
      const s_##x *left = row + places[i].lower, *right = row + places[i].upper;             \
      const float share = places[i].share;                                                   \
      for (int64_t c = 0; c < channels; ++c) {                                               \
        const float from = (float)value_##x(left[c]);                                        \
        out[i * channels + c] = from + ((float)value_##x(right[c]) - from) * share;          \
      }                                                                                      \
    }                                                                                        \
  }                                                                                          \
  static void mix_columns_##x(const void* row, const tn_resize_place* places, int64_t count, \
                              int64_t channels, float* out) {                                \
    if (channels == 1) {                                                                     \
      mix_##x(row, places, count, 1, out);                                                   \
    } else if (channels == 3) {                                                              \
      mix_##x(row, places, count, 3, out);                                                   \
    } else {                                                                                 \
      mix_##x(row, places, count, channels, out);                                            \
    }                                                                                        \
  }
TN_CPU_EACH_REAL(MIX, )

static void mix_rows(const float* upper, const float* lower, float share, int64_t count,
                     float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = upper[i] + (lower[i] - upper[i]) * share;
}

#define QUADS(x, dtype, _)                                                                      \
  static void mix_quads_##x(const void* row, const tn_resize_quad* quads, int64_t count,        \
                            int64_t channels, float* out) {                                     \
    for (int64_t i = 0; i < count; ++i) {                                                       \
      const s_##x *p = (const s_##x*)row + quads[i].index[0],                                   \
                  *q = (const s_##x*)row + quads[i].index[1];                                   \
      const s_##x *r = (const s_##x*)row + quads[i].index[2],                                   \
                  *s = (const s_##x*)row + quads[i].index[3];                                   \
      const float* w = quads[i].weight;                                                         \
      for (int64_t c = 0; c < channels; ++c)                                                    \
        out[i * channels + c] = (float)value_##x(p[c]) * w[0] + (float)value_##x(q[c]) * w[1] + \
                                (float)value_##x(r[c]) * w[2] + (float)value_##x(s[c]) * w[3];  \
    }                                                                                           \
  }
TN_CPU_EACH_REAL(QUADS, )

static void mix_quad_rows(const float* const* rows, const float* weights, int64_t count,
                          float* out) {
  const float *p = rows[0], *q = rows[1], *r = rows[2], *s = rows[3];
  for (int64_t i = 0; i < count; ++i)
    out[i] = p[i] * weights[0] + q[i] * weights[1] + r[i] * weights[2] + s[i] * weights[3];
}

#define GRAD(x, number)                                                                       \
  static void weigh_##x(const float* grad, float weight, int64_t count, void* sums) {         \
    number* to = sums;                                                                        \
    for (int64_t i = 0; i < count; ++i) to[i] += (number)grad[i] * (number)weight;            \
  }                                                                                           \
  static void spread_##x(const void* sums, const tn_resize_place* places, int64_t count,      \
                         int64_t channels, void* row) {                                       \
    const number* from = sums;                                                                \
    for (int64_t i = 0; i < count; ++i) {                                                     \
      number *left = (number*)row + places[i].lower, *right = (number*)row + places[i].upper; \
      const number share = (number)places[i].share, rest = (number)(1 - places[i].share);     \
      for (int64_t c = 0; c < channels; ++c) left[c] += from[i * channels + c] * rest;        \
      for (int64_t c = 0; c < channels; ++c) right[c] += from[i * channels + c] * share;      \
    }                                                                                         \
  }
GRAD(f32, float)
GRAD(f64, double)

#define SUM(x, dtype, _)                                                                      \
  INLINE void sum_strip_##x(const s_##x* in, int64_t rows, int64_t row_step, int64_t columns, \
                            int64_t column_step, int64_t channels, s_##x* out) {              \
    c_##x sums[32];                                                                           \
    for (int64_t c = 0; c < channels; ++c) sums[c] = 0;                                       \
    for (int64_t r = 0; r < rows; ++r)                                                        \
      for (int64_t i = 0; i < columns; ++i) {                                                 \
        const s_##x* pixel = in + r * row_step + i * column_step;                             \
        for (int64_t c = 0; c < channels; ++c) sums[c] += load_##x(pixel[c]);                 \
      }                                                                                       \
    for (int64_t c = 0; c < channels; ++c) out[c] = store_##x(sums[c]);                       \
  }                                                                                           \
  static void sum_##x(const void* in, int64_t rows, int64_t row_step, int64_t columns,        \
                      int64_t column_step, int64_t channels, void* out) {                     \
    const s_##x* from = in;                                                                   \
    s_##x* to = out;                                                                          \
    int64_t c = 0;                                                                            \
    for (; c + 32 <= channels; c += 32)                                                       \
      sum_strip_##x(from + c, rows, row_step, columns, column_step, 32, to + c);              \
    if (c < channels)                                                                         \
      sum_strip_##x(from + c, rows, row_step, columns, column_step, channels - c, to + c);    \
  }
TN_CPU_EACH_REAL(SUM, )

INLINE void pick_bytes(const char* row, const tn_resize_place* places, int64_t count, size_t bytes,
                       char* out) {
  for (int64_t i = 0; i < count; ++i) memcpy(out + (size_t)i * bytes, row + places[i].lower, bytes);
}

static void pick(const char* row, const tn_resize_place* places, int64_t count, int64_t bytes,
                 char* out) {
  switch (bytes) {  // copies of a known size are a few moves
    case 1: pick_bytes(row, places, count, 1, out); break;
    case 3: pick_bytes(row, places, count, 3, out); break;
    case 4: pick_bytes(row, places, count, 4, out); break;
    case 12: pick_bytes(row, places, count, 12, out); break;
    default: pick_bytes(row, places, count, (size_t)bytes, out);
  }
}

#define ENTRY(x, dtype, table) [dtype] = table##_##x,
const tn_resize_loops TN_CPU_VARIANT(tn_resize_loops) = {
    .mix_columns = {TN_CPU_EACH_REAL(ENTRY, mix_columns)},
    .mix_rows = mix_rows,
    .mix_quads = {TN_CPU_EACH_REAL(ENTRY, mix_quads)},
    .mix_quad_rows = mix_quad_rows,
    .weigh = {[TN_FLOAT] = weigh_f32, [TN_DOUBLE] = weigh_f64},
    .spread = {[TN_FLOAT] = spread_f32, [TN_DOUBLE] = spread_f64},
    .sum = {TN_CPU_EACH_REAL(ENTRY, sum)},
    .pick = pick,
};
