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

// GET, ADD and PUT are how numbers come from memory, are multiplied and added, and go back.
#define TILE(name, number, element, GET, ADD, PUT)                                         \
  INLINE void tile_##name(const element* in, const element* filter, tn_depthwise_row row,  \
                          int64_t pixels, element* out) {                                  \
    number sums[PIXELS];                                                                   \
    for (int64_t p = 0; p < pixels; ++p) sums[p] = (number){0};                            \
    for (int64_t r = 0; r < row.rows; ++r)                                                 \
      for (int64_t t = 0; t < row.taps; ++t) {                                             \
        const element* from = in + r * row.row_step + t * row.tap_step;                    \
        const number tap =                                                                 \
            GET(number, filter + r * row.filter_row_step + t * row.filter_tap_step);       \
        for (int64_t p = 0; p < pixels; ++p)                                               \
          ADD(sums[p], GET(number, from + p * row.in_step), tap);                          \
      }                                                                                    \
    for (int64_t p = 0; p < pixels; ++p) PUT(number, out + p * row.out_step, sums[p]);     \
  }                                                                                        \
  INLINE void lanes_##name(const element* in, const element* filter, tn_depthwise_row row, \
                           element* out) {                                                 \
    int64_t p = 0;                                                                         \
    for (; p + PIXELS <= row.pixels; p += PIXELS)                                          \
      tile_##name(in + p * row.in_step, filter, row, PIXELS, out + p * row.out_step);      \
    for (; p < row.pixels; ++p)                                                            \
      tile_##name(in + p * row.in_step, filter, row, 1, out + p * row.out_step);           \
  }
#define ROW(x, element)                                                                         \
  static void row_##x(const void* in, const void* filter, tn_depthwise_row row, int64_t count,  \
                      void* out) {                                                              \
    enum { WIDE = VECTOR / sizeof(element), NARROW = 16 / sizeof(element) };                    \
    const element *from = in, *taps = filter;                                                   \
    element* to = out;                                                                          \
    int64_t j = 0;                                                                              \
    for (; j + WIDE <= count; j += WIDE) lanes_wide_##x(from + j, taps + j, row, to + j);       \
    for (; j + NARROW <= count; j += NARROW) lanes_narrow_##x(from + j, taps + j, row, to + j); \
    for (; j < count; ++j) lanes_one_##x(from + j, taps + j, row, to + j);                      \
  }

#define DOT(name, number, element)                                                                 \
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

#define GET(number, from) (*(const number*)(from))
#define ADD(sum, value, tap) ((sum) += (value) * (tap))
#define PUT(number, to, value) (*(number*)(to) = (value))
#define LOOPS(x, number)                                                                    \
  typedef number wide_##x                                                                   \
      __attribute__((vector_size(VECTOR), aligned(__alignof__(number)), may_alias));        \
  typedef number narrow_##x                                                                 \
      __attribute__((vector_size(16), aligned(__alignof__(number)), may_alias));            \
  enum { WIDE_##x = VECTOR / sizeof(number), NARROW_##x = 16 / sizeof(number) };            \
  TILE(wide_##x, wide_##x, number, GET, ADD, PUT)                                           \
  TILE(narrow_##x, narrow_##x, number, GET, ADD, PUT)                                       \
  TILE(one_##x, number, number, GET, ADD, PUT)                                              \
  ROW(x, number)                                                                            \
  DOT(wide_##x, wide_##x, number)                                                           \
  DOT(narrow_##x, narrow_##x, number)                                                       \
  DOT(one_##x, number, number)                                                              \
  static void dot_##x(const void* in, int64_t in_step, int64_t tap_step, int64_t taps,      \
                      const void* grad, int64_t pixels, int64_t count, void* sums) {        \
    const number *a = in, *b = grad;                                                        \
    number* to = sums;                                                                      \
    int64_t j = 0;                                                                          \
    for (; j + 4 * WIDE_##x <= count; j += 4 * WIDE_##x)                                    \
      dot_some_wide_##x(a + j, in_step, tap_step, taps, b + j, pixels, count, 4, to + j);   \
    for (; j + WIDE_##x <= count; j += WIDE_##x)                                            \
      dot_some_wide_##x(a + j, in_step, tap_step, taps, b + j, pixels, count, 1, to + j);   \
    for (; j + NARROW_##x <= count; j += NARROW_##x)                                        \
      dot_some_narrow_##x(a + j, in_step, tap_step, taps, b + j, pixels, count, 1, to + j); \
    for (; j < count; ++j)                                                                  \
      dot_some_one_##x(a + j, in_step, tap_step, taps, b + j, pixels, count, 1, to + j);    \
  }                                                                                         \
  static void repeat_##x(const void* in, int64_t count, int64_t times, void* out) {         \
    const number* from = in;                                                                \
    number* to = out;                                                                       \
    for (int64_t i = 0; i < count; ++i)                                                     \
      for (int64_t j = 0; j < times; ++j) *to++ = from[i];                                  \
  }                                                                                         \
  static void fold_##x(const void* in, int64_t count, int64_t times, void* out) {           \
    const number* from = in;                                                                \
    number* to = out;                                                                       \
    for (int64_t i = 0; i < count; ++i) {                                                   \
      number sum = 0;                                                                       \
      for (int64_t j = 0; j < times; ++j) sum += *from++;                                   \
      to[i] = sum;                                                                          \
    }                                                                                       \
  }                                                                                         \
  static void add_##x(void* sums, const void* more, int64_t count) {                        \
    const number* from = more;                                                              \
    number* to = sums;                                                                      \
    for (int64_t i = 0; i < count; ++i) to[i] += from[i];                                   \
  }
LOOPS(f32, float)
LOOPS(f64, double)

// A word of memory is two bfloat16, each the high half of a float: those at even and at odd places
// are computed apart, which needs no shuffling.
#define BFLOAT16(number, floats, bytes)                                                         \
  typedef uint32_t words_##number __attribute__((vector_size(bytes), aligned(2), may_alias));   \
  typedef struct number {                                                                       \
    floats even, odd;                                                                           \
  } number;                                                                                     \
  INLINE number get_##number(const uint16_t* from) {                                            \
    const words_##number both = *(const words_##number*)from;                                   \
    return (number){(floats)(both << 16), (floats)(both & 0xffff0000u)};                        \
  }                                                                                             \
  INLINE words_##number rounded_##number(floats value) {                                        \
    const words_##number bits = (words_##number)value, none = (words_##number)(value != value); \
    return ((bits + 0x7fff + (bits >> 16 & 1)) & ~none) | ((bits | 0x400000) & none);           \
  }                                                                                             \
  INLINE void put_##number(uint16_t* to, number value) {                                        \
    *(words_##number*)to =                                                                      \
        rounded_##number(value.even) >> 16 | (rounded_##number(value.odd) & 0xffff0000u);       \
  }
BFLOAT16(wide_bf16, wide_f32, VECTOR)
BFLOAT16(narrow_bf16, narrow_f32, 16)
#define GET_PAIR(number, from) get_##number(from)
#define ADD_PAIR(sum, value, tap)       \
  do {                                  \
    const __typeof__(sum) by = (value); \
    (sum).even += by.even * (tap).even; \
    (sum).odd += by.odd * (tap).odd;    \
  } while (0)
#define PUT_PAIR(number, to, value) put_##number(to, value)
#define GET_ONE(number, from) float_from_bfloat16(*(from))
#define PUT_ONE(number, to, value) (*(to) = bfloat16_from_float(value))
TILE(wide_bf16, wide_bf16, uint16_t, GET_PAIR, ADD_PAIR, PUT_PAIR)
TILE(narrow_bf16, narrow_bf16, uint16_t, GET_PAIR, ADD_PAIR, PUT_PAIR)
TILE(one_bf16, float, uint16_t, GET_ONE, ADD, PUT_ONE)
ROW(bf16, uint16_t)

#define BOTH(name) \
  { [TN_FLOAT] = name##_f32, [TN_DOUBLE] = name##_f64 }
const tn_depthwise_loops TN_CPU_VARIANT(tn_depthwise_loops) = {
    .row = {[TN_FLOAT] = row_f32, [TN_DOUBLE] = row_f64, [TN_BFLOAT16] = row_bf16},
    .dot = BOTH(dot),
    .repeat = BOTH(repeat),
    .fold = BOTH(fold),
    .add = BOTH(add)};
