// What running kernels get from Tenon beyond tensorflow/c/kernels.h: the host's threads.
//
// TensorFlow does not have these functions. They are declared weak, so a plugin that uses them
// loads there too; tn_parallel_for below asks before it calls and needs no more care than that.
#ifndef TENON_KERNEL_SERVICES_H_
#define TENON_KERNEL_SERVICES_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_OpKernelContext TF_OpKernelContext;

// Calls `fn(arg, begin, end)` for pieces that together cover [0, total) exactly once, and returns
// when all are done; what they wrote is visible then. Borrows `context` and `arg` until it returns.
//
// `cost_per_unit` is what one index costs, in nanoseconds of one core, roughly (below 1 counts as
// 1). It decides whether to share the work and how finely: a loop of less than about two
// microseconds in all is one piece on the calling thread and costs nanoseconds more than calling
// `fn` directly. Otherwise pieces run in any order and at once, on the calling thread and on those
// of the host's threads that are idle; no thread is waited for that has not begun a piece.
//
// May be called inside `fn` again, and from several threads for one context. `context` may be NULL,
// for work outside a run. `fn` may use the functions of kernels.h on `context` that are safe on
// several threads, must return (no exception, no longjmp), and reports failure through memory of
// `arg` or TF_OpKernelContext_Failure. A total of 0 or less calls nothing; a NULL `fn` fails the
// context with INVALID_ARGUMENT.  [any thread]  since 0.1
__attribute__((weak)) void TF_ThreadPool_ParallelForClosure(
    TF_OpKernelContext* context, int64_t total, int64_t cost_per_unit,
    void (*fn)(void* arg, int64_t begin, int64_t end), void* arg);

// The same for work that may be left undone: when the run is cancelled, pieces that have not begun
// are left out and the result is false; the kernel should give back what it holds and return. The
// run then ends with CANCELLED whatever the kernel says. Not for work that others see, such as
// changes of a variable, nor where a later step takes what the pieces write for indices or sizes
// without looking at the result. Borrows `context` and `arg` until it returns.
// [any thread]  since 0.1
__attribute__((weak)) bool TF_ThreadPool_ParallelForUnlessCancelled(
    TF_OpKernelContext* context, int64_t total, int64_t cost_per_unit,
    void (*fn)(void* arg, int64_t begin, int64_t end), void* arg);

// TF_ThreadPool_ParallelForClosure in every host: where there are no such threads to be had, all of
// it is one piece on the calling thread. Borrows `context` and `arg` until it returns.  [any
// thread]  since 0.1
static inline void tn_parallel_for(TF_OpKernelContext* context, int64_t total,
                                   int64_t cost_per_unit,
                                   void (*fn)(void* arg, int64_t begin, int64_t end), void* arg) {
  if (TF_ThreadPool_ParallelForClosure) {
    TF_ThreadPool_ParallelForClosure(context, total, cost_per_unit, fn, arg);
  } else if (total > 0 && fn) {
    fn(arg, 0, total);
  }
}

// TF_ThreadPool_ParallelForUnlessCancelled in every host: one that does not have it finishes the
// loop. Borrows `context` and `arg` until it returns.  [any thread]  since 0.1
static inline bool tn_parallel_for_unless_cancelled(
    TF_OpKernelContext* context, int64_t total, int64_t cost_per_unit,
    void (*fn)(void* arg, int64_t begin, int64_t end), void* arg) {
  if (TF_ThreadPool_ParallelForUnlessCancelled)
    return TF_ThreadPool_ParallelForUnlessCancelled(context, total, cost_per_unit, fn, arg);
  tn_parallel_for(context, total, cost_per_unit, fn, arg);
  return true;
}

#ifdef __cplusplus
}
#endif
#endif  // TENON_KERNEL_SERVICES_H_
