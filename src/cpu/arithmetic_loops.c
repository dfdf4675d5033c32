#include "cpu/arithmetic_loops.h"

#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define NUMBERS(x, dtype, _)         \
  TN_CPU_BINARY_LOOP(add, x, x, ADD) \
  TN_CPU_BINARY_LOOP(sub, x, x, SUB) \
  TN_CPU_BINARY_LOOP(mul, x, x, MUL)
TN_CPU_EACH_NATIVE_NUMBER(NUMBERS, )

// The compiler's complaint: unsigned types are never below 0.
#pragma GCC diagnostic ignored "-Wtype-limits"
#define RELU(x, dtype, _)                                                                        \
  static void relu_##x(const void* a, const void* b, const void* c, void* out, int64_t count) {  \
    const s_##x* in = a;                                                                         \
    s_##x* to = out;                                                                             \
    TN_CPU_INDEPENDENT for (int64_t i = 0; i < count; ++i) to[i] = in[i] < 0 ? (s_##x)0 : in[i]; \
  }
TN_CPU_EACH_NATIVE_REAL(RELU, )

#define OF_NUMBERS(name) \
  { TN_CPU_EACH_NATIVE_NUMBER(TN_CPU_BODY, name) }
#define OF_REALS(name) \
  { TN_CPU_EACH_NATIVE_REAL(TN_CPU_BODY, name) }
const tn_arithmetic_loops TN_CPU_VARIANT(tn_arithmetic_loops) = {
    .bodies = {[TN_CPU_ADD] = OF_NUMBERS(add),
               [TN_CPU_SUB] = OF_NUMBERS(sub),
               [TN_CPU_MUL] = OF_NUMBERS(mul),
               [TN_CPU_RELU] = OF_REALS(relu)},
};
