// kernel_services.h: the host's threads for kernels, and what a run tells.

#include "tenon/kernel_services.h"

#include "base/pool.h"
#include "kernel/run_threads.h"
#include "tf/entry.h"

// INVALID_ARGUMENT in the context when there is no function to call.
static bool given(TF_OpKernelContext* context, bool has_function, const char* function) {
  if (!has_function)
    tn_run_failf(context, TN_INVALID_ARGUMENT, "%s: there is no function to call (NULL)", function);
  return has_function;
}
#define GIVEN(context, fn) given(context, (fn) != NULL, __func__)

// ---- Loops ----

// Functions without an argument of their own are called through their address.
static void call_range(void* arg, int64_t begin, int64_t end) {
  (*(void (**)(int64_t, int64_t))arg)(begin, end);
}
static void call_range_with_worker(void* arg, int64_t begin, int64_t end, int worker) {
  (*(void (**)(int64_t, int64_t, int))arg)(begin, end, worker);
}

void TF_ThreadPool_ParallelForClosure(TF_OpKernelContext* context, int64_t total,
                                      int64_t cost_per_unit,
                                      void (*fn)(void* arg, int64_t begin, int64_t end),
                                      void* arg) {
  if (GIVEN(context, fn)) tn_run_parallel_for(context, total, cost_per_unit, fn, arg);
}

bool TF_ThreadPool_ParallelForUnlessCancelled(TF_OpKernelContext* context, int64_t total,
                                              int64_t cost_per_unit,
                                              void (*fn)(void* arg, int64_t begin, int64_t end),
                                              void* arg) {
  return GIVEN(context, fn) &&
         tn_run_parallel_for_unless_cancelled(context, total, cost_per_unit, fn, arg);
}

void TF_ThreadPool_ParallelFor(TF_OpKernelContext* context, int64_t total, int64_t cost_per_unit,
                               void (*fn)(int64_t begin, int64_t end)) {
  if (GIVEN(context, fn)) tn_run_parallel_for(context, total, cost_per_unit, call_range, &fn);
}

void TF_ThreadPool_ParallelForWithWorkerIdClosure(
    TF_OpKernelContext* context, int64_t total, int64_t cost_per_unit,
    void (*fn)(void* arg, int64_t begin, int64_t end, int worker), void* arg) {
  if (GIVEN(context, fn)) tn_run_parallel_for_with_worker(context, total, cost_per_unit, fn, arg);
}

void TF_ThreadPool_ParallelForWithWorkerId(TF_OpKernelContext* context, int64_t total,
                                           int64_t cost_per_unit,
                                           void (*fn)(int64_t begin, int64_t end, int worker)) {
  if (GIVEN(context, fn))
    tn_run_parallel_for_with_worker(context, total, cost_per_unit, call_range_with_worker, &fn);
}

void TF_ThreadPool_TransformRangeConcurrentlyClosure(
    TF_OpKernelContext* context, int64_t block_size, int64_t total,
    void (*fn)(void* arg, int64_t begin, int64_t end), void* arg) {
  if (GIVEN(context, fn)) tn_run_for_blocks(context, block_size, total, fn, arg);
}

void TF_ThreadPool_TransformRangeConcurrently(TF_OpKernelContext* context, int64_t block_size,
                                              int64_t total,
                                              void (*fn)(int64_t begin, int64_t end)) {
  if (GIVEN(context, fn)) tn_run_for_blocks(context, block_size, total, call_range, &fn);
}

// ---- Tasks ----

static void call_plain(void* fn) { ((void (*)(void))fn)(); }

static bool callable(TF_OpKernelContext* context, FuncWrap task, const char* function) {
  if (given(context, task.call_func_ptr != NULL, function)) return true;
  if (task.delete_func_ptr) task.delete_func_ptr(task.func_ptr);
  return false;
}

void TF_ThreadPool_Schedule(TF_OpKernelContext* context, void (*fn)(void)) {
  if (GIVEN(context, fn)) tn_run_schedule(context, (FuncWrap){(void*)fn, call_plain, NULL});
}

void TF_ThreadPool_ScheduleWithHint(TF_OpKernelContext* context, void (*fn)(void), int start,
                                    int limit) {
  if (GIVEN(context, fn)) tn_run_schedule(context, (FuncWrap){(void*)fn, call_plain, NULL});
}

void TF_ThreadPool_ScheduleClosure(TF_OpKernelContext* context, FuncWrap task) {
  if (callable(context, task, __func__)) tn_run_schedule(context, task);
}

void TF_ThreadPool_ScheduleClosureWithHint(TF_OpKernelContext* context, FuncWrap task, int start,
                                           int limit) {
  if (callable(context, task, __func__)) tn_run_schedule(context, task);
}

void TF_ThreadPool_ScheduleUnlessCancelled(TF_OpKernelContext* context, FuncWrap task) {
  if (callable(context, task, __func__)) tn_run_schedule_unless_cancelled(context, task);
}

void TF_ThreadPool_ScheduleInPlace(TF_OpKernelContext* context,
                                   void (*fn)(TF_OpKernelContext* context, void* bytes),
                                   const void* bytes, size_t size) {
  if (!GIVEN(context, fn)) return;
  if (size > TF_CLOSURE_BYTES || (size && !bytes))
    tn_run_failf(context, TN_INVALID_ARGUMENT, "%s: %s of %zu bytes, %d is the most", __func__,
                 bytes ? "a closure" : "a NULL closure", size, TF_CLOSURE_BYTES);
  else
    tn_run_schedule_in_place(context, fn, bytes, size);
}

int TF_ThreadPool_NumThreads(TF_OpKernelContext* context) {
  return tn_pool_threads(tn_pool_default());
}

int TF_ThreadPool_CurrentThreadId(TF_OpKernelContext* context) {
  return tn_pool_current_thread(tn_pool_default());
}

// ---- The run ----

void TF_OpKernelContext_UpdateStatusOf(TF_OpKernelContext* context, TF_Status* status) {
  if (!tn_ok(status)) return;
  if (context)
    tn_run_failed(context, status);
  else
    tn_status_set(status, TN_FAILED_PRECONDITION, "no kernel is running here");
}

void TF_OpKernelContext_UpdateStatus(TF_Status* status) {
  TF_OpKernelContext_UpdateStatusOf(tn_run_of_this_thread(), status);
}

bool TF_OpKernelContext_IsCancelled(TF_OpKernelContext* context) {
  return tn_run_cancelled(context);
}
