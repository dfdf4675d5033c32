#include "cpu/matmul_thin_loops.h"

#if defined(__AVX512F__)
enum { VECTOR = 64 };
#elif defined(__AVX__)
enum { VECTOR = 32 };
#else
enum { VECTOR = 16 };
#endif

#define THIN(type)                                                                                \
  typedef type type##_vector __attribute__((vector_size(VECTOR), may_alias));                     \
  typedef type type##_unaligned                                                                   \
      __attribute__((vector_size(VECTOR), may_alias, aligned(sizeof(type))));                     \
  static void add_##type(int rows, const void* a, int64_t a_stride,                               \
                         const void* const b[TN_THIN_STEP], int64_t count, void* sums,            \
                         int64_t sums_stride) {                                                   \
    const type *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];                                    \
    for (int r = 0; r < rows; ++r) {                                                              \
      const type* with = (const type*)a + r * a_stride;                                           \
      const type a0 = with[0], a1 = with[1], a2 = with[2], a3 = with[3];                          \
      type* to = (type*)sums + r * sums_stride;                                                   \
      TN_CPU_INDEPENDENT                                                                          \
      for (int64_t j = 0; j < count; ++j)                                                         \
        to[j] += (a0 * b0[j] + a1 * b1[j]) + (a2 * b2[j] + a3 * b3[j]);                           \
    }                                                                                             \
  }                                                                                               \
  static void dot_##type(int rows, const void* a, int64_t a_stride, const void* b, int64_t count, \
                         void* sums, int64_t sums_stride) {                                       \
    enum { LANES = VECTOR / sizeof(type), RUN = 4 * LANES };                                      \
    const type* right = b;                                                                        \
    for (int r = 0; r < rows; ++r) {                                                              \
      const type* left = (const type*)a + r * a_stride;                                           \
      type##_vector parts[4] = {{0}};                                                             \
      int64_t p = 0;                                                                              \
      for (; p + RUN <= count; p += RUN)                                                          \
        for (int i = 0; i < 4; ++i)                                                               \
          parts[i] += *(const type##_unaligned*)(left + p + i * LANES) *                          \
                      *(const type##_unaligned*)(right + p + i * LANES);                          \
      type total = 0;                                                                             \
      for (; p < count; ++p) total += left[p] * right[p];                                         \
      const type##_vector sum = (parts[0] + parts[1]) + (parts[2] + parts[3]);                    \
      for (int i = 0; i < LANES; ++i) total += sum[i];                                            \
      ((type*)sums)[r * sums_stride] += total;                                                    \
    }                                                                                             \
  }                                                                                               \
  static void join_##type(void* totals, const void* sums, int64_t count) {                        \
    type* to = totals;                                                                            \
    const type* from = sums;                                                                      \
    for (int64_t i = 0; i < count; ++i) to[i] += from[i];                                         \
  }
THIN(float)
THIN(double)
THIN(uint32_t)
THIN(uint64_t)

#define STORE(x, dtype, _)                                                                  \
  static void store_all_##x(const void* totals, int64_t count, void* out, int64_t stride) { \
    const c_##x* from = totals;                                                             \
    s_##x* to = out;                                                                        \
    for (int64_t i = 0; i < count; ++i) to[i * stride] = store_##x(from[i]);                \
  }
TN_CPU_EACH_REAL(STORE, )

#define FOR_ALL(name)                                                                           \
  {                                                                                             \
    [TN_FLOAT] = name##_float, [TN_HALF] = name##_float, [TN_BFLOAT16] = name##_float,          \
    [TN_DOUBLE] = name##_double, [TN_INT8] = name##_uint32_t, [TN_UINT8] = name##_uint32_t,     \
    [TN_INT16] = name##_uint32_t, [TN_UINT16] = name##_uint32_t, [TN_INT32] = name##_uint32_t,  \
    [TN_UINT32] = name##_uint32_t, [TN_INT64] = name##_uint64_t, [TN_UINT64] = name##_uint64_t, \
  }
#define STORE_OF(x, dtype, _) [dtype] = store_all_##x,
const tn_matmul_thin_loops TN_CPU_VARIANT(tn_matmul_thin_loops) = {
    .add = FOR_ALL(add),
    .dot = FOR_ALL(dot),
    .join = FOR_ALL(join),
    .store = {TN_CPU_EACH_REAL(STORE_OF, )},
};
