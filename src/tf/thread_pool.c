// kernel_services.h: the host's threads for kernels.

#include "tenon/kernel_services.h"

#include "base/pool.h"
#include "kernel/run_context.h"

void TF_ThreadPool_ParallelForClosure(TF_OpKernelContext* context, int64_t total,
                                      int64_t cost_per_unit,
                                      void (*fn)(void* arg, int64_t begin, int64_t end),
                                      void* arg) {
  if (fn) {
    tn_pool_parallel_for(tn_pool_default(), total, cost_per_unit, fn, arg);
  } else {
    tn_run_failf(context, TN_INVALID_ARGUMENT, "%s: fn is NULL", __func__);
  }
}

bool TF_ThreadPool_ParallelForUnlessCancelled(TF_OpKernelContext* context, int64_t total,
                                              int64_t cost_per_unit,
                                              void (*fn)(void* arg, int64_t begin, int64_t end),
                                              void* arg) {
  if (fn) return tn_run_parallel_for_unless_cancelled(context, total, cost_per_unit, fn, arg);
  tn_run_failf(context, TN_INVALID_ARGUMENT, "%s: fn is NULL", __func__);
  return false;
}
