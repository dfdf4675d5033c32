// Functions of two floats, and gradients.

#include "cpu/math_f32.h"
#include "cpu/math_loops.h"

// 0 times anything is 0 here, NaN included.
#define PRODUCTS(x)                                                                     \
  TN_MATH v_##x xlogy_##x(v_##x a, v_##x b) { return a == 0 ? 0 : a * log_##x(b); }     \
  TN_MATH v_##x xlog1py_##x(v_##x a, v_##x b) { return a == 0 ? 0 : a * log1p_##x(b); } \
  TN_MATH v_##x xdivy_##x(v_##x a, v_##x b) { return a == 0 ? 0 : a / b; }
PRODUCTS(f32)
PRODUCTS(f64)

TN_MATH float nextafter_f32(float from, float to) {
  uint32_t bits = bits_of_float(from), up = (from < to) == (from > 0) ? 1 : ~0u;
  float next = float_from_bits(from == 0 ? (bits_of_float(to) & 0x80000000u) | 1 : bits + up);
  return from != from || to != to ? from + to : from == to ? to : next;
}

TN_MATH double nextafter_f64(double from, double to) {
  uint64_t bits = bits_of_f64(from), up = (from < to) == (from > 0) ? 1 : ~(uint64_t)0;
  double next = f64_from_bits(from == 0 ? (bits_of_f64(to) & 0x8000000000000000u) | 1 : bits + up);
  return from != from || to != to ? from + to : from == to ? to : next;
}

// Selu's slope cancels with its constant, which has too few digits as a float. The factors of
// tanh's stand in an order in which a product overflows only when the result does.
#define GRADIENTS(x)                                                                    \
  TN_MATH v_##x tanh_grad_##x(v_##x y, v_##x dy) {                                      \
    v_##x size = y < 0 ? -y : y;                                                        \
    return dy * (1 - size) * (1 + size);                                                \
  }                                                                                     \
  TN_MATH v_##x sigmoid_grad_##x(v_##x y, v_##x dy) { return dy * ((1 - y) * y); }      \
  TN_MATH v_##x softplus_grad_##x(v_##x dy, v_##x a) { return dy / (exp_##x(-a) + 1); } \
  TN_MATH v_##x softsign_grad_##x(v_##x dy, v_##x a) {                                  \
    v_##x d = (a < 0 ? -a : a) + 1;                                                     \
    return dy / (d * d);                                                                \
  }                                                                                     \
  TN_MATH v_##x elu_grad_##x(v_##x dy, v_##x y) { return y < 0 ? (y + 1) * dy : dy; }   \
  TN_MATH v_##x selu_grad_##x(v_##x dy, v_##x y) {                                      \
    return (v_##x)((double)dy * (y < 0 ? (double)y + SELU_SCALE_ALPHA : SELU_SCALE));   \
  }
GRADIENTS(f32)
GRADIENTS(f64)

#define LOOPS(name, cost)                               \
  TN_CPU_BINARY_LOOP(loop_##name, f32, f32, name##_f32) \
  TN_CPU_BINARY_LOOP(loop_##name, f64, f64, name##_f64)
TN_CPU_EACH_BINARY_MATH(LOOPS)

#define ROW(name, cost) \
  [TN_CPU_MATH_##name] = {[TN_FLOAT] = loop_##name##_f32, [TN_DOUBLE] = loop_##name##_f64},
const tn_math_pairs_loops TN_CPU_VARIANT(tn_math_pairs_loops) = {
    .bodies = {TN_CPU_EACH_BINARY_MATH(ROW)}};
