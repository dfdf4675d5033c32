#include "cpu/sum_loops.h"

// Complex numbers come here as pairs of reals.
typedef double a_f32, a_f64, a_f16, a_bf16;
typedef uint64_t a_i8, a_i16, a_i32, a_i64, a_u8, a_u16, a_u32, a_u64;

#define SUM(x, dtype, _)                                                                    \
  static void add_rows_##x(const void* in, int64_t row_stride, int64_t rows, int64_t width, \
                           void* acc) {                                                     \
    const s_##x* row = in;                                                                  \
    a_##x* restrict sums = acc;                                                             \
    for (int64_t r = 0; r < rows; ++r, row += row_stride)                                   \
      for (int64_t j = 0; j < width; ++j) sums[j] += (a_##x)value_##x(row[j]);              \
  }                                                                                         \
  static void store_sum_##x(const void* acc, void* out, int64_t count) {                    \
    const a_##x* sums = acc;                                                                \
    s_##x* to = out;                                                                        \
    for (int64_t j = 0; j < count; ++j) to[j] = store_##x((c_##x)sums[j]);                  \
  }                                                                                         \
  static void add_##x(void* acc, const void* other, int64_t width) {                        \
    a_##x* sums = acc;                                                                      \
    const a_##x* more = other;                                                              \
    for (int64_t j = 0; j < width; ++j) sums[j] += more[j];                                 \
  }
TN_CPU_EACH_REAL(SUM, )

#define ENTRY(x, dtype, name) [dtype] = name##_##x,
const tn_sum_loops TN_CPU_VARIANT(tn_sum_loops) = {
    .add_rows = {TN_CPU_EACH_REAL(ENTRY, add_rows)},
    .add = {TN_CPU_EACH_REAL(ENTRY, add)},
    .store = {TN_CPU_EACH_REAL(ENTRY, store_sum)},
};
