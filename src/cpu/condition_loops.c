#include <math.h>

#include "cpu/arithmetic_loops.h"

#define EQUAL(a, b) ((a) == (b))
#define NOT_EQUAL(a, b) ((a) != (b))
#define NUMBER_LOOPS(x, dtype, _)               \
  TN_CPU_BINARY_VALUE_LOOP(equal, x, b8, EQUAL) \
  TN_CPU_BINARY_VALUE_LOOP(not_equal, x, b8, NOT_EQUAL)
TN_CPU_EACH_NATIVE_NUMBER(NUMBER_LOOPS, )
NUMBER_LOOPS(b8, , )

#define LESS(a, b) ((a) < (b))
#define LESS_EQUAL(a, b) ((a) <= (b))
#define GREATER(a, b) ((a) > (b))
#define GREATER_EQUAL(a, b) ((a) >= (b))
#define REAL_LOOPS(x, dtype, _)                           \
  TN_CPU_BINARY_VALUE_LOOP(less, x, b8, LESS)             \
  TN_CPU_BINARY_VALUE_LOOP(less_equal, x, b8, LESS_EQUAL) \
  TN_CPU_BINARY_VALUE_LOOP(greater, x, b8, GREATER)       \
  TN_CPU_BINARY_VALUE_LOOP(greater_equal, x, b8, GREATER_EQUAL)
TN_CPU_EACH_NATIVE_REAL(REAL_LOOPS, )

#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define NOT(a) (!(a))
TN_CPU_BINARY_VALUE_LOOP(logical_and, b8, b8, AND)
TN_CPU_BINARY_VALUE_LOOP(logical_or, b8, b8, OR)
TN_CPU_UNARY_VALUE_LOOP(logical_not, b8, b8, NOT)

#define IS_NAN(a) ((a) != (a))
#define IS_INF(a) ((a) == INFINITY || (a) == -INFINITY)
#define IS_FINITE(a) ((a) - (a) == 0)
#define APPROXIMATE_EQUAL(a, b, tolerance) ((a) - (b) <= (tolerance) && (b) - (a) <= (tolerance))
#define FLOAT_LOOPS(x, dtype, _)                       \
  TN_CPU_UNARY_VALUE_LOOP(is_nan, x, b8, IS_NAN)       \
  TN_CPU_UNARY_VALUE_LOOP(is_inf, x, b8, IS_INF)       \
  TN_CPU_UNARY_VALUE_LOOP(is_finite, x, b8, IS_FINITE) \
  TN_CPU_TERNARY_VALUE_LOOP(approximate_equal, x, b8, APPROXIMATE_EQUAL)
TN_CPU_EACH_NATIVE_FLOAT(FLOAT_LOOPS, )

typedef struct pair {
  uint64_t words[2];
} pair;
#define SELECT(size, type)                                                                        \
  static void select_##size(const void* a, const void* b, const void* c, void* out,               \
                            int64_t count) {                                                      \
    const uint8_t* condition = a;                                                                 \
    const type *yes = b, *no = c;                                                                 \
    type* to = out;                                                                               \
    TN_CPU_INDEPENDENT for (int64_t i = 0; i < count; ++i) to[i] = condition[i] ? yes[i] : no[i]; \
  }
SELECT(1, uint8_t)
SELECT(2, uint16_t)
SELECT(4, uint32_t)
SELECT(8, uint64_t)
SELECT(16, pair)

#define AT(op) [TN_CPU_##op - TN_CPU_EQUAL]
#define WITH_BOOL(name) \
  { TN_CPU_EACH_NATIVE_NUMBER(TN_CPU_BODY, name) TN_CPU_BODY(b8, TN_BOOL, name) }
const tn_condition_loops TN_CPU_VARIANT(tn_condition_loops) = {
    .bodies = {AT(EQUAL) = WITH_BOOL(equal), AT(NOT_EQUAL) = WITH_BOOL(not_equal),
               AT(LESS) = TN_CPU_OF_REALS(less), AT(LESS_EQUAL) = TN_CPU_OF_REALS(less_equal),
               AT(GREATER) = TN_CPU_OF_REALS(greater),
               AT(GREATER_EQUAL) = TN_CPU_OF_REALS(greater_equal),
               AT(APPROXIMATE_EQUAL) = TN_CPU_OF_FLOATS(approximate_equal),
               AT(LOGICAL_AND) = {[TN_BOOL] = logical_and_b8},
               AT(LOGICAL_OR) = {[TN_BOOL] = logical_or_b8},
               AT(LOGICAL_NOT) = {[TN_BOOL] = logical_not_b8},
               AT(IS_NAN) = TN_CPU_OF_FLOATS(is_nan), AT(IS_INF) = TN_CPU_OF_FLOATS(is_inf),
               AT(IS_FINITE) = TN_CPU_OF_FLOATS(is_finite)},
    .select = {[1] = select_1, [2] = select_2, [4] = select_4, [8] = select_8, [16] = select_16},
};
