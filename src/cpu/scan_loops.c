#include "cpu/scan_loops.h"

#include <math.h>

enum { LANES = 32 };

// `step` takes an element (lifted) into an accumulator, `value` is the element an accumulator
// stands for.
#define SCAN(name, s, a, nothing, lift, step, value)                                         \
  static void begin_##name(void* acc, int64_t lanes) {                                       \
    for (int64_t j = 0; j < lanes; ++j) ((a*)acc)[j] = nothing;                              \
  }                                                                                          \
  static inline void step_##name(const s* in, s* out, int64_t count, int by, bool exclusive, \
                                 a* acc) {                                                   \
    a sum = *acc;                                                                            \
    if (exclusive) {                                                                         \
      for (int64_t i = 0; i < count; ++i) {                                                  \
        const a next = step(sum, lift(in[i * by]));                                          \
        out[i * by] = value(sum);                                                            \
        sum = next;                                                                          \
      }                                                                                      \
    } else {                                                                                 \
      for (int64_t i = 0; i < count; ++i) {                                                  \
        sum = step(sum, lift(in[i * by]));                                                   \
        out[i * by] = value(sum);                                                            \
      }                                                                                      \
    }                                                                                        \
    *acc = sum;                                                                              \
  }                                                                                          \
  static void columns_##name(const void* in, void* out, int64_t stride, int64_t rows,        \
                             int64_t width, bool exclusive, void* acc) {                     \
    const s* from = in;                                                                      \
    s* restrict to = out;                                                                    \
    a* restrict sums = acc;                                                                  \
    for (int64_t r = 0; r < rows; ++r, from += stride, to += stride) {                       \
      if (exclusive) {                                                                       \
        for (int64_t j = 0; j < width; ++j) {                                                \
          const a next = step(sums[j], lift(from[j]));                                       \
          to[j] = value(sums[j]);                                                            \
          sums[j] = next;                                                                    \
        }                                                                                    \
      } else {                                                                               \
        for (int64_t j = 0; j < width; ++j) {                                                \
          sums[j] = step(sums[j], lift(from[j]));                                            \
          to[j] = value(sums[j]);                                                            \
        }                                                                                    \
      }                                                                                      \
    }                                                                                        \
  }                                                                                          \
  static void merge_##name(void* acc, const void* other) {                                   \
    *(a*)acc = step(*(a*)acc, *(const a*)other);                                             \
  }
#define PLAIN_RUN(name, s, a)                                                              \
  static void run_##name(const void* in, void* out, int64_t count, int by, bool exclusive, \
                         void* acc) {                                                      \
    step_##name(in, out, count, by, exclusive, acc);                                       \
  }
#define TOTAL(name, s, a, nothing, lift, step)                                      \
  static void total_##name(const void* in, int64_t count, void* acc) {              \
    const s* from = in;                                                             \
    a lanes[LANES], sum = *(a*)acc;                                                 \
    int64_t i = 0;                                                                  \
    for (int j = 0; j < LANES; ++j) lanes[j] = nothing;                             \
    for (; i + LANES <= count; i += LANES)                                          \
      for (int j = 0; j < LANES; ++j) lanes[j] = step(lanes[j], lift(from[i + j])); \
    for (int j = 0; j < LANES; ++j) sum = step(sum, lanes[j]);                      \
    for (; i < count; ++i) sum = step(sum, lift(from[i]));                          \
    *(a*)acc = sum;                                                                 \
  }

#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))

#define INTEGER_SCANS(x, dtype, _)                                       \
  static inline uint64_t lift_##x(s_##x from) { return (uint64_t)from; } \
  static inline s_##x value_of_##x(uint64_t acc) { return (s_##x)acc; }  \
  SCAN(sum_##x, s_##x, uint64_t, 0, lift_##x, PLUS, value_of_##x)        \
  PLAIN_RUN(sum_##x, s_##x, uint64_t)                                    \
  TOTAL(sum_##x, s_##x, uint64_t, 0, lift_##x, PLUS)                     \
  SCAN(prod_##x, s_##x, uint64_t, 1, lift_##x, TIMES, value_of_##x)      \
  PLAIN_RUN(prod_##x, s_##x, uint64_t)                                   \
  TOTAL(prod_##x, s_##x, uint64_t, 1, lift_##x, TIMES)
TN_CPU_EACH_INTEGER(INTEGER_SCANS, )

// A vector of neighbours is scanned in three steps (its elements take those 1, 2 and 4 places
// before), so that only one operation per vector waits for the one before.
#if defined __AVX512F__
enum { VECTOR = 8 };
#define SHIFT(v, w, n) SHIFT_##n(v, w)
#define SHIFT_1(v, w) __builtin_shufflevector(v, w, 8, 0, 1, 2, 3, 4, 5, 6)
#define SHIFT_2(v, w) __builtin_shufflevector(v, w, 8, 9, 0, 1, 2, 3, 4, 5)
#define SHIFT_4(v, w) __builtin_shufflevector(v, w, 8, 9, 10, 11, 0, 1, 2, 3)
#define REVERSE(v) __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0)
#define LAST(v) __builtin_shufflevector(v, v, 7, 7, 7, 7, 7, 7, 7, 7)
#define SCAN_VECTOR(v, w, step) \
  v = step(v, SHIFT_1(v, w));   \
  v = step(v, SHIFT_2(v, w));   \
  v = step(v, SHIFT_4(v, w))
#else
enum { VECTOR = 4 };
#define SHIFT_1(v, w) __builtin_shufflevector(v, w, 4, 0, 1, 2)
#define SHIFT_2(v, w) __builtin_shufflevector(v, w, 4, 5, 0, 1)
#define REVERSE(v) __builtin_shufflevector(v, v, 3, 2, 1, 0)
#define LAST(v) __builtin_shufflevector(v, v, 3, 3, 3, 3)
#define SCAN_VECTOR(v, w, step) \
  v = step(v, SHIFT_1(v, w));   \
  v = step(v, SHIFT_2(v, w))
#endif
typedef double vector_f64 __attribute__((vector_size(VECTOR * sizeof(double))));
typedef float vector_f32 __attribute__((vector_size(VECTOR * sizeof(float))));

#define FLOAT_RUN(name, x, nothing, step)                                                  \
  static void run_##name(const void* in, void* out, int64_t count, int by, bool exclusive, \
                         void* acc) {                                                      \
    const s_##x* from = in;                                                                \
    s_##x* to = out;                                                                       \
    const vector_f64 none = (vector_f64){0} + nothing;                                     \
    vector_f64 sum = (vector_f64){0} + *(double*)acc;                                      \
    int64_t i = 0;                                                                         \
    for (; i + VECTOR <= count; i += VECTOR) {                                             \
      const int64_t at = by > 0 ? i : 1 - i - VECTOR;                                      \
      vector_##x loaded, stored;                                                           \
      memcpy(&loaded, from + at, sizeof loaded);                                           \
      vector_f64 v = __builtin_convertvector(loaded, vector_f64);                          \
      if (by < 0) v = REVERSE(v);                                                          \
      SCAN_VECTOR(v, none, step);                                                          \
      vector_f64 result = step(sum, exclusive ? SHIFT_1(v, none) : v);                     \
      sum = step(sum, LAST(v));                                                            \
      if (by < 0) result = REVERSE(result);                                                \
      stored = __builtin_convertvector(result, vector_##x);                                \
      memcpy(to + at, &stored, sizeof stored);                                             \
    }                                                                                      \
    *(double*)acc = sum[0];                                                                \
    step_##name(from + i * by, to + i * by, count - i, by, exclusive, acc);                \
  }
#define FLOAT_SCANS(x)                                                \
  static inline double lift_##x(s_##x from) { return (double)from; }  \
  static inline s_##x value_of_##x(double acc) { return (s_##x)acc; } \
  SCAN(sum_##x, s_##x, double, 0, lift_##x, PLUS, value_of_##x)       \
  FLOAT_RUN(sum_##x, x, 0, PLUS)                                      \
  TOTAL(sum_##x, s_##x, double, 0, lift_##x, PLUS)                    \
  SCAN(prod_##x, s_##x, double, 1, lift_##x, TIMES, value_of_##x)     \
  FLOAT_RUN(prod_##x, x, 1, TIMES)                                    \
  TOTAL(prod_##x, s_##x, double, 1, lift_##x, TIMES)
FLOAT_SCANS(f32)
FLOAT_SCANS(f64)

typedef struct pair {
  double re, im;
} pair;
typedef struct pair_f32 {
  float re, im;
} pair_f32;
static inline pair plus(pair a, pair b) { return (pair){a.re + b.re, a.im + b.im}; }
static inline pair times(pair a, pair b) {
  return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline pair lift_c64(pair_f32 from) { return (pair){from.re, from.im}; }
static inline pair_f32 value_of_c64(pair acc) { return (pair_f32){(float)acc.re, (float)acc.im}; }
static inline pair same(pair from) { return from; }
#define ZERO ((pair){0, 0})
#define ONE ((pair){1, 0})
SCAN(sum_c64, pair_f32, pair, ZERO, lift_c64, plus, value_of_c64)
PLAIN_RUN(sum_c64, pair_f32, pair)
SCAN(prod_c64, pair_f32, pair, ONE, lift_c64, times, value_of_c64)
PLAIN_RUN(prod_c64, pair_f32, pair)
SCAN(sum_c128, pair, pair, ZERO, same, plus, same)
PLAIN_RUN(sum_c128, pair, pair)
SCAN(prod_c128, pair, pair, ONE, same, times, same)
PLAIN_RUN(prod_c128, pair, pair)

// exp(x) summed up so far is sum * exp(most).
typedef struct logsumexp {
  double most, sum;
} logsumexp;
static inline logsumexp take(logsumexp acc, logsumexp x) {
  if (x.most != x.most) return x;
  if (x.most == acc.most) return (logsumexp){acc.most, acc.sum + x.sum};
  if (x.most > acc.most) return (logsumexp){x.most, acc.sum * exp(acc.most - x.most) + x.sum};
  return (logsumexp){acc.most, acc.sum + x.sum * exp(x.most - acc.most)};
}
static inline logsumexp lift_log(double x) { return (logsumexp){x, 1}; }
static inline double value_of_log(logsumexp acc) { return acc.most + log(acc.sum); }
#define NONE ((logsumexp){-INFINITY, 0})
SCAN(log_f32, float, logsumexp, NONE, lift_log, take, (float)value_of_log)
PLAIN_RUN(log_f32, float, logsumexp)
SCAN(log_f64, double, logsumexp, NONE, lift_log, take, value_of_log)
PLAIN_RUN(log_f64, double, logsumexp)

#define ENTRY(dtype, name, a, total) \
  [dtype] = {sizeof(a), begin_##name, run_##name, columns_##name, total, merge_##name},
#define INTEGER(x, dtype, name) ENTRY(dtype, name##_##x, uint64_t, total_##name##_##x)
#define ROW(name)                                            \
  {                                                          \
    TN_CPU_EACH_INTEGER(INTEGER, name)                       \
    ENTRY(TN_FLOAT, name##_f32, double, total_##name##_f32)  \
    ENTRY(TN_DOUBLE, name##_f64, double, total_##name##_f64) \
    ENTRY(TN_COMPLEX64, name##_c64, pair, NULL)              \
    ENTRY(TN_COMPLEX128, name##_c128, pair, NULL)            \
  }
const tn_scan_loops TN_CPU_VARIANT(tn_scan_loops) = {
    .scan = {[TN_CPU_CUMSUM] = ROW(sum),
             [TN_CPU_CUMPROD] = ROW(prod),
             [TN_CPU_CUMLOGSUMEXP] = {ENTRY(TN_FLOAT, log_f32, logsumexp, NULL)
                                          ENTRY(TN_DOUBLE, log_f64, logsumexp, NULL)}}};
