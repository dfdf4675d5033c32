// The host's threads for kernels: loops and tasks that belong to a run. While one of them runs, its
// thread works for that run (tn_run_of_this_thread), and the run does not end before they are done.
#ifndef TENON_KERNEL_RUN_THREADS_H_
#define TENON_KERNEL_RUN_THREADS_H_

#include "kernel/run_context.h"
#include "tenon/kernel_services.h"

// Loops; `context` may be NULL.  [any thread]
void tn_run_parallel_for(tn_run_context* context, int64_t total, int64_t cost_per_unit,
                         void (*body)(void* arg, int64_t begin, int64_t end), void* arg);
void tn_run_parallel_for_with_worker(tn_run_context* context, int64_t total, int64_t cost_per_unit,
                                     void (*body)(void* arg, int64_t begin, int64_t end,
                                                  int worker),
                                     void* arg);
// One call of `body` for each block.
void tn_run_for_blocks(tn_run_context* context, int64_t block_size, int64_t total,
                       void (*body)(void* arg, int64_t begin, int64_t end), void* arg);
// May leave pieces out once the run is cancelled: false then.
bool tn_run_parallel_for_unless_cancelled(tn_run_context* context, int64_t total,
                                          int64_t cost_per_unit,
                                          void (*body)(void* arg, int64_t begin, int64_t end),
                                          void* arg);

// Takes `task`, which has a call; it runs soon on another thread or, when it cannot be queued, on
// this one. `context` may be NULL.  [any thread]
void tn_run_schedule(tn_run_context* context, FuncWrap task);
// The same of a call of `fn` with a copy of `size` bytes, at most TF_CLOSURE_BYTES.
void tn_run_schedule_in_place(tn_run_context* context, void (*fn)(tn_run_context*, void* bytes),
                              const void* bytes, size_t size);
// tn_run_schedule of a task that is left out once the run is cancelled.
void tn_run_schedule_unless_cancelled(tn_run_context* context, FuncWrap task);

#endif  // TENON_KERNEL_RUN_THREADS_H_
