#include "cpu/depthwise_loops.h"

#define INLINE static inline __attribute__((always_inline))

// A tile of some pixels by some vectors stays in registers while the taps pass by: a tap of the
// filter serves all pixels. `number` is one element in memory or a vector of them.
enum { PIXELS = 4 };
#ifdef __AVX512F__
#define VECTOR 64
#elif defined(__AVX__)
#define VECTOR 32
#else
#define VECTOR 16
#endif

#define TILE(name, number, element)                                                                \
  INLINE void tile_##name(const element* in, const element* filter, tn_depthwise_row row,          \
                          int64_t pixels, element* out) {                                          \
    number sums[PIXELS];                                                                           \
    for (int64_t p = 0; p < pixels; ++p) sums[p] = (number){0};                                    \
    for (int64_t r = 0; r < row.rows; ++r)                                                         \
      for (int64_t t = 0; t < row.taps; ++t) {                                                     \
        const element* from = in + r * row.row_step + t * row.tap_step;                            \
        const number tap =                                                                         \
            *(const number*)(filter + r * row.filter_row_step + t * row.filter_tap_step);          \
        for (int64_t p = 0; p < pixels; ++p)                                                       \
          sums[p] += *(const number*)(from + p * row.in_step) * tap;                               \
      }                                                                                            \
    for (int64_t p = 0; p < pixels; ++p) *(number*)(out + p * row.out_step) = sums[p];             \
  }                                                                                                \
  INLINE void lanes_##name(const element* in, const element* filter, tn_depthwise_row row,         \
                           element* out) {                                                         \
    int64_t p = 0;                                                                                 \
    for (; p + PIXELS <= row.pixels; p += PIXELS)                                                  \
      tile_##name(in + p * row.in_step, filter, row, PIXELS, out + p * row.out_step);              \
    for (; p < row.pixels; ++p)                                                                    \
      tile_##name(in + p * row.in_step, filter, row, 1, out + p * row.out_step);                   \
  }                                                                                                \
  INLINE void dot_lanes_##name(const element* in, int64_t in_step, int64_t tap_step, int64_t taps, \
                               const element* grad, int64_t pixels, int64_t step, int64_t vectors, \
                               element* sums) {                                                    \
    const int64_t lanes = sizeof(number) / sizeof(element);                                        \
    number some[TN_DEPTHWISE_TAPS][4];                                                             \
    for (int64_t t = 0; t < taps; ++t)                                                             \
      for (int64_t v = 0; v < vectors; ++v) some[t][v] = (number){0};                              \
    for (int64_t p = 0; p < pixels; ++p)                                                           \
      for (int64_t v = 0; v < vectors; ++v) {                                                      \
        const number by = *(const number*)(grad + p * step + v * lanes);                           \
        for (int64_t t = 0; t < taps; ++t)                                                         \
          some[t][v] += *(const number*)(in + p * in_step + t * tap_step + v * lanes) * by;        \
      }                                                                                            \
    for (int64_t t = 0; t < taps; ++t)                                                             \
      for (int64_t v = 0; v < vectors; ++v) *(number*)(sums + t * step + v * lanes) += some[t][v]; \
  }                                                                                                \
  INLINE void dot_some_##name(const element* in, int64_t in_step, int64_t tap_step, int64_t taps,  \
                              const element* grad, int64_t pixels, int64_t step, int64_t vectors,  \
                              element* sums) {                                                     \
    if (taps == 3) {                                                                               \
      dot_lanes_##name(in, in_step, tap_step, 3, grad, pixels, step, vectors, sums);               \
    } else if (taps == 2) {                                                                        \
      dot_lanes_##name(in, in_step, tap_step, 2, grad, pixels, step, vectors, sums);               \
    } else {                                                                                       \
      dot_lanes_##name(in, in_step, tap_step, 1, grad, pixels, step, vectors, sums);               \
    }                                                                                              \
  }

#define LOOPS(x, number)                                                                          \
  typedef number wide_##x                                                                         \
      __attribute__((vector_size(VECTOR), aligned(__alignof__(number)), may_alias));              \
  typedef number narrow_##x                                                                       \
      __attribute__((vector_size(16), aligned(__alignof__(number)), may_alias));                  \
  enum { WIDE_##x = VECTOR / sizeof(number), NARROW_##x = 16 / sizeof(number) };                  \
  TILE(wide_##x, wide_##x, number)                                                                \
  TILE(narrow_##x, narrow_##x, number)                                                            \
  TILE(one_##x, number, number)                                                                   \
  static void row_##x(const void* in, const void* filter, tn_depthwise_row row, int64_t count,    \
                      void* out) {                                                                \
    const number *from = in, *taps = filter;                                                      \
    number* to = out;                                                                             \
    int64_t j = 0;                                                                                \
    for (; j + WIDE_##x <= count; j += WIDE_##x) lanes_wide_##x(from + j, taps + j, row, to + j); \
    for (; j + NARROW_##x <= count; j += NARROW_##x)                                              \
      lanes_narrow_##x(from + j, taps + j, row, to + j);                                          \
    for (; j < count; ++j) lanes_one_##x(from + j, taps + j, row, to + j);                        \
  }                                                                                               \
  static void dot_##x(const void* in, int64_t in_step, int64_t tap_step, int64_t taps,            \
                      const void* grad, int64_t pixels, int64_t count, void* sums) {              \
    const number *a = in, *b = grad;                                                              \
    number* to = sums;                                                                            \
    int64_t j = 0;                                                                                \
    for (; j + 4 * WIDE_##x <= count; j += 4 * WIDE_##x)                                          \
      dot_some_wide_##x(a + j, in_step, tap_step, taps, b + j, pixels, count, 4, to + j);         \
    for (; j + WIDE_##x <= count; j += WIDE_##x)                                                  \
      dot_some_wide_##x(a + j, in_step, tap_step, taps, b + j, pixels, count, 1, to + j);         \
    for (; j + NARROW_##x <= count; j += NARROW_##x)                                              \
      dot_some_narrow_##x(a + j, in_step, tap_step, taps, b + j, pixels, count, 1, to + j);       \
    for (; j < count; ++j)                                                                        \
      dot_some_one_##x(a + j, in_step, tap_step, taps, b + j, pixels, count, 1, to + j);          \
  }                                                                                               \
  static void repeat_##x(const void* in, int64_t count, int64_t times, void* out) {               \
    const number* from = in;                                                                      \
    number* to = out;                                                                             \
    for (int64_t i = 0; i < count; ++i)                                                           \
      for (int64_t j = 0; j < times; ++j) *to++ = from[i];                                        \
  }                                                                                               \
  static void fold_##x(const void* in, int64_t count, int64_t times, void* out) {                 \
    const number* from = in;                                                                      \
    number* to = out;                                                                             \
    for (int64_t i = 0; i < count; ++i) {                                                         \
      number sum = 0;                                                                             \
      for (int64_t j = 0; j < times; ++j) sum += *from++;                                         \
      to[i] = sum;                                                                                \
    }                                                                                             \
  }                                                                                               \
  static void add_##x(void* sums, const void* more, int64_t count) {                              \
    const number* from = more;                                                                    \
    number* to = sums;                                                                            \
    for (int64_t i = 0; i < count; ++i) to[i] += from[i];                                         \
  }
LOOPS(f32, float)
LOOPS(f64, double)

#define BOTH(name) \
  { [TN_FLOAT] = name##_f32, [TN_DOUBLE] = name##_f64 }
const tn_depthwise_loops TN_CPU_VARIANT(tn_depthwise_loops) = {.row = BOTH(row),
                                                               .dot = BOTH(dot),
                                                               .repeat = BOTH(repeat),
                                                               .fold = BOTH(fold),
                                                               .add = BOTH(add)};
