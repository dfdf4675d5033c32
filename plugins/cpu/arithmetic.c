// Elementwise ops of a few instructions each.

#include "cpu/arithmetic.h"

#include "elementwise.h"

// clang-format off
#define OPS(X)                                            \
  X(AddV2, tn_cpu_arithmetic, TN_CPU_ADD, TN_CPU_NUMBERS) \
  X(Sub, tn_cpu_arithmetic, TN_CPU_SUB, TN_CPU_NUMBERS)   \
  X(Mul, tn_cpu_arithmetic, TN_CPU_MUL, TN_CPU_NUMBERS)   \
  X(Relu, tn_cpu_arithmetic, TN_CPU_RELU, TN_CPU_REALS)
// clang-format on
OPS(ELEMENTWISE_COMPUTE)

void register_arithmetic(void) {
  static const kernel kernels[] = {OPS(ELEMENTWISE_KERNEL)};
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
