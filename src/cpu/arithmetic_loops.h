// Inner loops of arithmetic.c, in four groups that are compiled apart.
#ifndef TENON_CPU_ARITHMETIC_LOOPS_H_
#define TENON_CPU_ARITHMETIC_LOOPS_H_

#include "cpu/arithmetic.h"
#include "cpu/elementwise_loops.h"

typedef struct tn_arithmetic_loops {
  tn_cpu_bodies bodies[TN_CPU_DIV];
} tn_arithmetic_loops;
TN_CPU_DECLARE(tn_arithmetic_loops);

typedef struct tn_division_loops {
  tn_cpu_bodies bodies[TN_CPU_EQUAL - TN_CPU_DIV];
} tn_division_loops;
TN_CPU_DECLARE(tn_division_loops);

typedef struct tn_condition_loops {
  tn_cpu_bodies bodies[TN_CPU_BITWISE_AND - TN_CPU_EQUAL];
  tn_cpu_loop_body select[17];  // by the size of elements
} tn_condition_loops;
TN_CPU_DECLARE(tn_condition_loops);

typedef struct tn_bit_loops {
  tn_cpu_bodies bodies[TN_CPU_ARITHMETIC_OPS - TN_CPU_BITWISE_AND];
} tn_bit_loops;
TN_CPU_DECLARE(tn_bit_loops);

// Entries of the tables.
#define TN_CPU_OF_INTEGERS(name) \
  { TN_CPU_EACH_INTEGER(TN_CPU_BODY, name) }
#define TN_CPU_OF_FLOATS(name) \
  { TN_CPU_EACH_NATIVE_FLOAT(TN_CPU_BODY, name) }
#define TN_CPU_OF_REALS(name) \
  { TN_CPU_EACH_NATIVE_REAL(TN_CPU_BODY, name) }
#define TN_CPU_OF_COMPLEXES(name) \
  { TN_CPU_EACH_COMPLEX(TN_CPU_BODY, name) }
#define TN_CPU_OF_NUMBERS(name) \
  { TN_CPU_EACH_NATIVE_NUMBER(TN_CPU_BODY, name) }
#define TN_CPU_OF_FRACTIONS(name) \
  { TN_CPU_EACH_NATIVE_FLOAT(TN_CPU_BODY, name) TN_CPU_EACH_COMPLEX(TN_CPU_BODY, name) }

// Products of complex numbers by their parts: C's own look for infinities after every one.
#define TN_CPU_COMPLEX_MUL(a, b)                                           \
  __builtin_complex(__real__(a) * __real__(b) - __imag__(a) * __imag__(b), \
                    __real__(a) * __imag__(b) + __imag__(a) * __real__(b))

#endif  // TENON_CPU_ARITHMETIC_LOOPS_H_
