// Inner loops. <family>_loops.c is compiled once per instruction set, each time filling one table,
// tn_<family>_loops; <family>.c takes the one that suits the processor with TN_CPU_CHOOSE.
#ifndef TENON_CPU_LOOPS_H_
#define TENON_CPU_LOOPS_H_

#include "cpu/number.h"

enum { TN_CPU_DTYPES = TN_UINT64 + 1 };  // a table's size: the last of TN_CPU_NUMBERS

typedef void (*tn_binary_loop)(const void* a, int64_t a_stride, const void* b, int64_t b_stride,
                               void* out, int64_t count);
typedef void (*tn_unary_loop)(const void* in, void* out, int64_t count);

// The instruction set chosen for this process.
typedef enum tn_cpu_isa { TN_CPU_BASELINE, TN_CPU_V3, TN_CPU_V4 } tn_cpu_isa;
tn_cpu_isa tn_cpu_isa_get(void);

// Declares a table `type` (a struct and also the name of its constant) in every variant, and takes
// the address of the right one. In the variant being compiled, TN_CPU_VARIANT(type) is its name.
#ifdef __x86_64__
#define TN_CPU_DECLARE(type) extern const type type##_baseline, type##_v3, type##_v4
#define TN_CPU_CHOOSE(type)                     \
  (tn_cpu_isa_get() == TN_CPU_V4   ? &type##_v4 \
   : tn_cpu_isa_get() == TN_CPU_V3 ? &type##_v3 \
                                   : &type##_baseline)
#else
#define TN_CPU_DECLARE(type) extern const type type##_baseline
#define TN_CPU_CHOOSE(type) (&type##_baseline)
#endif
#define TN_CPU_PASTE(name, isa) name##_##isa
#define TN_CPU_NAME(name, isa) TN_CPU_PASTE(name, isa)
#define TN_CPU_VARIANT(type) TN_CPU_NAME(type, TN_CPU_ISA)

// Before a loop whose element i depends on elements i only, although an output may be exactly an
// input.
// Clang has no such word that would not also insist on a vector loop; it checks at run time.
#ifdef __clang__
#define TN_CPU_INDEPENDENT
#else
#define TN_CPU_INDEPENDENT _Pragma("GCC ivdep")
#endif

#endif  // TENON_CPU_LOOPS_H_
