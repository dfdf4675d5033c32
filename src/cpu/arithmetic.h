// Elementwise operations that take a few instructions: sums, products, comparisons, bits.
#ifndef TENON_CPU_ARITHMETIC_H_
#define TENON_CPU_ARITHMETIC_H_

#include "cpu/elementwise.h"

typedef enum tn_cpu_arithmetic_op {
  // Two inputs.
  TN_CPU_ADD,
  TN_CPU_SUB,
  TN_CPU_MUL,
  // One input.
  TN_CPU_RELU,
  TN_CPU_ARITHMETIC_OPS
} tn_cpu_arithmetic_op;

// `op` is a tn_cpu_arithmetic_op. The body is NULL where the operation makes no sense on the type.
tn_cpu_loop tn_cpu_arithmetic(int op, tn_dtype dtype);

#endif  // TENON_CPU_ARITHMETIC_H_
