#include "cpu/elementwise_loops.h"

#define BINARY(x, name, expression)                                                             \
  static void name##_##x(const void* a, int64_t a_stride, const void* b, int64_t b_stride,      \
                         void* out, int64_t count) {                                            \
    const s_##x *left = a, *right = b;                                                          \
    s_##x* result = out;                                                                        \
    if (a_stride == 1 && b_stride == 1) {                                                       \
      TN_CPU_INDEPENDENT for (int64_t i = 0; i < count; ++i) result[i] =                        \
          store_##x(expression(load_##x(left[i]), load_##x(right[i])));                         \
    } else if (a_stride == 1 && b_stride == 0) {                                                \
      const c_##x same = load_##x(*right);                                                      \
      TN_CPU_INDEPENDENT for (int64_t i = 0; i < count; ++i) result[i] =                        \
          store_##x(expression(load_##x(left[i]), same));                                       \
    } else if (a_stride == 0 && b_stride == 1) {                                                \
      const c_##x same = load_##x(*left);                                                       \
      TN_CPU_INDEPENDENT for (int64_t i = 0; i < count; ++i) result[i] =                        \
          store_##x(expression(same, load_##x(right[i])));                                      \
    } else {                                                                                    \
      for (int64_t i = 0; i < count; ++i)                                                       \
        result[i] =                                                                             \
            store_##x(expression(load_##x(left[i * a_stride]), load_##x(right[i * b_stride]))); \
    }                                                                                           \
  }

#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define BINARIES(x, dtype, _) BINARY(x, add, ADD) BINARY(x, sub, SUB) BINARY(x, mul, MUL)
TN_CPU_EACH_NUMBER(BINARIES, )

#define RELU(x, dtype, _)                                          \
  static void relu_##x(const void* in, void* out, int64_t count) { \
    const s_##x* from = in;                                        \
    s_##x* to = out;                                               \
    TN_CPU_INDEPENDENT for (int64_t i = 0; i < count; ++i) to[i] = \
        value_##x(from[i]) < (v_##x)0 ? (s_##x)0 : from[i];        \
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits"  // unsigned types are never below 0
TN_CPU_EACH_REAL(RELU, )
#pragma GCC diagnostic pop

#define ENTRY(x, dtype, name) [dtype] = name##_##x,
const tn_elementwise_loops TN_CPU_VARIANT(tn_elementwise_loops) = {
    .binary = {[TN_CPU_ADD] = {TN_CPU_EACH_NUMBER(ENTRY, add)},
               [TN_CPU_SUB] = {TN_CPU_EACH_NUMBER(ENTRY, sub)},
               [TN_CPU_MUL] = {TN_CPU_EACH_NUMBER(ENTRY, mul)}},
    .relu = {TN_CPU_EACH_REAL(ENTRY, relu)},
};
