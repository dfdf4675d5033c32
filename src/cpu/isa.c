#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/loops.h"

#define VARIANT(isa) \
  { &tn_elementwise_loops_##isa, &tn_cast_loops_##isa, &tn_sum_loops_##isa, &tn_matmul_loops_##isa }

static const tn_cpu_loops variants[] = {
    VARIANT(baseline),
#ifdef __x86_64__
    VARIANT(v3),
    VARIANT(v4),
#endif
};

static int best_variant(void) {
#ifdef __x86_64__
  __builtin_cpu_init();
  // Every processor with these has the rest of the level (x86-64-v3, v4) too.
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
            __builtin_cpu_supports("bmi2");
  bool v4 = v3 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  const char* asked = getenv("TENON_CPU_ISA");
  if (asked && strcmp(asked, "baseline") == 0) return 0;
  if (asked && strcmp(asked, "v3") == 0) v4 = false;
  return v4 ? 2 : v3 ? 1 : 0;
#else
  return 0;
#endif
}

const tn_cpu_loops* tn_cpu_loops_get(void) {
  static _Atomic(const tn_cpu_loops*) chosen;
  const tn_cpu_loops* loops = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (!loops) {
    loops = &variants[best_variant()];
    atomic_store_explicit(&chosen, loops, memory_order_relaxed);
  }
  return loops;
}

size_t tn_cpu_size(tn_dtype dtype) {
#define SIZE(x, dtype, _) [dtype] = sizeof(s_##x),
  static const uint8_t sizes[TN_CPU_DTYPES] = {TN_CPU_EACH_NUMBER(SIZE, )[TN_BOOL] = 1};
  return sizes[dtype];
}
