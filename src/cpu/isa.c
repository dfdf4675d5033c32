#include <stdatomic.h>

#include "base/cpu_features.h"
#include "base/pool.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"

static tn_cpu_isa best(void) {
  const tn_cpu_features* has = tn_cpu_features_get();
  bool v3 = has->avx2 && has->fma && has->f16c && has->bmi2;
  bool v4 = v3 && has->avx512bw && has->avx512dq && has->avx512vl;
  return v4 ? TN_CPU_V4 : v3 ? TN_CPU_V3 : TN_CPU_BASELINE;
}

tn_cpu_isa tn_cpu_isa_get(void) {
  static atomic_int chosen = -1;
  int isa = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (isa < 0) {
    isa = (int)best();
    atomic_store_explicit(&chosen, isa, memory_order_relaxed);
  }
  return (tn_cpu_isa)isa;
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

int tn_cpu_thread_count(const tn_cpu_parallel* parallel) {
  return parallel ? tn_pool_threads(tn_pool_default()) : 1;
}
