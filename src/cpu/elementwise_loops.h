// Writing the bodies of elementwise loops. In <family>_loops.c:
//
//   #define HYPOT(x, y) sqrt...               an expression on c_x values (see number.h)
//   #define LOOPS(x, dtype, _) TN_CPU_BINARY_LOOP(hypot, x, x, HYPOT)
//   LOOPS(f32, , ) LOOPS(f64, , )             gives hypot_f32 and hypot_f64
//   const tn_family_loops TN_CPU_VARIANT(tn_family_loops) = {.bodies = {[TN_CPU_HYPOT] = {
//       [TN_FLOAT] = hypot_f32, [TN_DOUBLE] = hypot_f64}}};
//
// and in <family>.c, tn_cpu_loop_of(table row, inputs, dtype, out size, cost) makes the
// tn_cpu_loop; it takes half and bfloat16 to the float body where the row has none of their own.
#ifndef TENON_CPU_ELEMENTWISE_LOOPS_H_
#define TENON_CPU_ELEMENTWISE_LOOPS_H_

#include "cpu/elementwise.h"
#include "cpu/loops.h"

// What a family has for one operation, by the type of its inputs.
typedef tn_cpu_loop_body tn_cpu_bodies[TN_CPU_DTYPES];

// `out_size` 0 means the size of the inputs. `cost` is float's; other types cost by their size.
tn_cpu_loop tn_cpu_loop_of(const tn_cpu_bodies bodies, int inputs, tn_dtype dtype, size_t out_size,
                           int cost);

// x is the suffix of the inputs' type, y of the output's. The expression gets values as load_x
// makes them (integers: unsigned), and its own goes through store_y.
#define TN_CPU_UNARY_LOOP(name, x, y, expression) \
  TN_CPU_LOOP(name, x, y, store_##y(expression(load_##x(first[i]))))
#define TN_CPU_BINARY_LOOP(name, x, y, expression) \
  TN_CPU_LOOP(name, x, y, store_##y(expression(load_##x(first[i]), load_##x(second[i]))))
// The expression gets values as they are (signed integers are signed), and gives what is stored.
#define TN_CPU_UNARY_VALUE_LOOP(name, x, y, expression) \
  TN_CPU_LOOP(name, x, y, (s_##y)(expression(value_##x(first[i]))))
#define TN_CPU_BINARY_VALUE_LOOP(name, x, y, expression) \
  TN_CPU_LOOP(name, x, y, (s_##y)(expression(value_##x(first[i]), value_##x(second[i]))))
#define TN_CPU_TERNARY_VALUE_LOOP(name, x, y, expression) \
  TN_CPU_LOOP(name, x, y,                                 \
              (s_##y)(expression(value_##x(first[i]), value_##x(second[i]), value_##x(third[i]))))
#define TN_CPU_LOOP(name, x, y, element)                                                          \
  static void name##_##x(const void* a, const void* b, const void* c, void* out, int64_t count) { \
    const s_##x *first = a, *second = b, *third = c;                                              \
    s_##y* to = out;                                                                              \
    (void)first, (void)second, (void)third;                                                       \
    TN_CPU_INDEPENDENT for (int64_t i = 0; i < count; ++i) to[i] = element;                       \
  }

// An entry of tn_cpu_bodies.
#define TN_CPU_BODY(x, dtype, name) [dtype] = name##_##x,

// Between float and its narrow kinds: half, bfloat16, float8_e5m2, float8_e4m3fn.
enum { TN_CPU_NARROW_DTYPES = TN_FLOAT8_E4M3FN + 1 };
typedef struct tn_narrow_loops {
  void (*widen[TN_CPU_NARROW_DTYPES])(const void* in, float* out, int64_t count);
  void (*narrow[TN_CPU_NARROW_DTYPES])(const float* in, void* out, int64_t count);
} tn_narrow_loops;
TN_CPU_DECLARE(tn_narrow_loops);

#endif  // TENON_CPU_ELEMENTWISE_LOOPS_H_
