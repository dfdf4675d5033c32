#include <stdatomic.h>

#include "base/cpu_features.h"
#include "base/pool.h"
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
  const tn_cpu_features* has = tn_cpu_features_get();
  bool v3 = has->avx2 && has->fma && has->f16c && has->bmi2;
  bool v4 = v3 && has->avx512bw && has->avx512dq && has->avx512vl;
  return v4 ? 2 : v3 ? 1 : 0;
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

static void run_own(void* pool, int64_t total, int64_t cost, void (*body)(void*, int64_t, int64_t),
                    void* arg) {
  tn_pool_parallel_for(tn_pool_default(), total, cost, body, arg);
}

const tn_cpu_parallel* tn_cpu_own_threads(void) {
  static const tn_cpu_parallel own = {run_own, NULL};
  return &own;
}
