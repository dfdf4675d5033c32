// Inner loops of reduce.c, and the macro that makes them.
#ifndef TENON_CPU_REDUCE_LOOPS_H_
#define TENON_CPU_REDUCE_LOOPS_H_

#include "cpu/loops.h"
#include "cpu/reduce.h"

// One way to reduce one type. Half and bfloat16 have none: they are widened to float.
typedef struct tn_fold {
  int64_t acc_size;                         // bytes of an accumulator
  void (*begin)(void* acc, int64_t lanes);  // accumulators of nothing
  // acc[j] takes in[r * row_stride + j] for all rows and j < width.
  void (*rows)(const void* in, int64_t row_stride, int64_t rows, int64_t width, void* acc);
  // `count` blocks of [depth, width], one after the other: acc[i * width + j] is block i's.
  void (*blocks)(const void* in, int64_t count, int64_t depth, int64_t width, void* acc);
  void (*merge)(void* acc, const void* other, int64_t lanes);  // acc[j] takes other[j]
  // *acc takes `count` neighbours. NULL for types that have nothing better than rows.
  void (*run)(const void* in, int64_t count, void* acc);
  tn_unary_loop store;  // accumulators to elements
} tn_fold;

typedef struct tn_sum_loops {
  tn_fold sum[TN_CPU_DTYPES];      // accumulators: double or uint64_t
  tn_fold squares[TN_CPU_DTYPES];  // the same
} tn_sum_loops;
typedef struct tn_reduce_prod_loops {
  tn_fold prod[TN_CPU_DTYPES];  // double, uint64_t or two doubles
} tn_reduce_prod_loops;
typedef struct tn_reduce_max_loops {
  tn_fold max[TN_CPU_DTYPES], min[TN_CPU_DTYPES];  // the type itself
} tn_reduce_max_loops;

TN_CPU_DECLARE(tn_sum_loops);
TN_CPU_DECLARE(tn_reduce_prod_loops);
TN_CPU_DECLARE(tn_reduce_max_loops);

// The fold behind a reduction, before its last step (division, root). Not for half and bfloat16,
// nor for complex numbers but in products.
tn_fold tn_cpu_fold(tn_cpu_reduce_op op, tn_dtype dtype);

// The loops `name`_* from elements of type s to accumulators of type a. `lift` makes an accumulator
// of an element, `put` an element of an accumulator; `merge` makes one of two. `four` says how
// four elements are taken: TN_FOLD_TREE or TN_FOLD_CHAIN, of which the compiler makes vectors.
#define TN_FOLD_TREE(merge, acc, a, b, c, d) merge(acc, merge(merge(a, b), merge(c, d)))
#define TN_FOLD_CHAIN(merge, acc, a, b, c, d) merge(merge(merge(merge(acc, a), b), c), d)
#define TN_FOLD_LOOPS(name, s, a, nothing, lift, merge, put, four)                             \
  static void name##_begin(void* acc, int64_t lanes) {                                         \
    a* to = acc;                                                                               \
    for (int64_t j = 0; j < lanes; ++j) to[j] = nothing;                                       \
  }                                                                                            \
  static void name##_rows(const void* in, int64_t row_stride, int64_t rows, int64_t width,     \
                          void* acc) {                                                         \
    a* restrict to = acc;                                                                      \
    const s* row = in;                                                                         \
    int64_t r = 0;                                                                             \
    for (; r + 4 <= rows; r += 4, row += 4 * row_stride) {                                     \
      const s *row1 = row + row_stride, *row2 = row1 + row_stride, *row3 = row2 + row_stride;  \
      for (int64_t j = 0; j < width; ++j)                                                      \
        to[j] = four(merge, to[j], lift(row[j]), lift(row1[j]), lift(row2[j]), lift(row3[j])); \
    }                                                                                          \
    for (; r < rows; ++r, row += row_stride)                                                   \
      for (int64_t j = 0; j < width; ++j) to[j] = merge(to[j], lift(row[j]));                  \
  }                                                                                            \
  static void name##_blocks(const void* in, int64_t count, int64_t depth, int64_t width,       \
                            void* acc) {                                                       \
    a* restrict to = acc;                                                                      \
    const s* from = in;                                                                        \
    int64_t i = 0;                                                                             \
    if (width == 1) /* four chains at once: each waits for itself */                           \
      for (; i + 4 <= count; i += 4, from += 4 * depth) {                                      \
        a a0 = nothing, a1 = nothing, a2 = nothing, a3 = nothing;                              \
        for (int64_t d = 0; d < depth; ++d) {                                                  \
          a0 = merge(a0, lift(from[d]));                                                       \
          a1 = merge(a1, lift(from[depth + d]));                                               \
          a2 = merge(a2, lift(from[2 * depth + d]));                                           \
          a3 = merge(a3, lift(from[3 * depth + d]));                                           \
        }                                                                                      \
        to[i] = a0, to[i + 1] = a1, to[i + 2] = a2, to[i + 3] = a3;                            \
      }                                                                                        \
    for (; i < count; ++i, from += depth * width)                                              \
      for (int64_t j = 0; j < width; ++j) {                                                    \
        a sum = nothing;                                                                       \
        for (int64_t d = 0; d < depth; ++d) sum = merge(sum, lift(from[d * width + j]));       \
        to[i * width + j] = sum;                                                               \
      }                                                                                        \
  }                                                                                            \
  static void name##_merge(void* acc, const void* other, int64_t lanes) {                      \
    a* restrict to = acc;                                                                      \
    const a* restrict from = other;                                                            \
    for (int64_t j = 0; j < lanes; ++j) to[j] = merge(to[j], from[j]);                         \
  }                                                                                            \
  static void name##_store(const void* acc, void* out, int64_t count) {                        \
    const a* from = acc;                                                                       \
    s* to = out;                                                                               \
    for (int64_t j = 0; j < count; ++j) to[j] = put(from[j]);                                  \
  }
#define TN_FOLD_ENTRY(name, a, run) \
  { sizeof(a), name##_begin, name##_rows, name##_blocks, name##_merge, run, name##_store }

// name_run. Four quarters are read side by side, each with its vector of accumulators: memory gives
// more to several streams than to one. `lift` and `merge` are as above, for vectors too.
#if defined __AVX512F__
enum { TN_VECTOR = 64 };
#elif defined __AVX__
enum { TN_VECTOR = 32 };
#else
enum { TN_VECTOR = 16 };
#endif
#define TN_FOLD_RUN(name, s, a, nothing, lift, lift_vector, merge, merge_vector)       \
  static void name##_run(const void* in, int64_t count, void* acc) {                   \
    enum { N = TN_VECTOR / sizeof(a) };                                                \
    typedef a accs __attribute__((vector_size(TN_VECTOR)));                            \
    typedef s elements __attribute__((vector_size(N * sizeof(s))));                    \
    const s* from = in;                                                                \
    accs v0 = (accs){0} + (a)nothing, v1 = v0, v2 = v0, v3 = v0;                       \
    const int64_t quarter = count / (4 * N) * N;                                       \
    for (int64_t j = 0; j < quarter; j += N) {                                         \
      elements e0, e1, e2, e3;                                                         \
      memcpy(&e0, from + j, sizeof e0);                                                \
      memcpy(&e1, from + quarter + j, sizeof e1);                                      \
      memcpy(&e2, from + 2 * quarter + j, sizeof e2);                                  \
      memcpy(&e3, from + 3 * quarter + j, sizeof e3);                                  \
      v0 = merge_vector(v0, lift_vector(__builtin_convertvector(e0, accs)));           \
      v1 = merge_vector(v1, lift_vector(__builtin_convertvector(e1, accs)));           \
      v2 = merge_vector(v2, lift_vector(__builtin_convertvector(e2, accs)));           \
      v3 = merge_vector(v3, lift_vector(__builtin_convertvector(e3, accs)));           \
    }                                                                                  \
    v0 = merge_vector(merge_vector(v0, v1), merge_vector(v2, v3));                     \
    a total = v0[0];                                                                   \
    for (int j = 1; j < N; ++j) total = merge(total, v0[j]);                           \
    for (int64_t i = 4 * quarter; i < count; ++i) total = merge(total, lift(from[i])); \
    *(a*)acc = merge(*(a*)acc, total);                                                 \
  }

#endif  // TENON_CPU_REDUCE_LOOPS_H_
