#include "kernel/run_threads.h"

#include <string.h>

#include "base/pool.h"

// One call for each block of a range.
typedef struct block_loop {
  void (*body)(void* arg, int64_t begin, int64_t end);
  void* arg;
  int64_t block, total;
} block_loop;

static void run_blocks(void* arg, int64_t begin, int64_t end) {
  const block_loop* loop = arg;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t first = i * loop->block;
    const int64_t past = loop->total - first > loop->block ? first + loop->block : loop->total;
    loop->body(loop->arg, first, past);
  }
}

void tn_run_parallel_for(tn_run_context* context, int64_t total, int64_t cost_per_unit,
                         void (*body)(void*, int64_t, int64_t), void* arg) {
  void* outer = tn_run_enter(context);
  tn_pool_parallel_for(tn_pool_default(), total, cost_per_unit, body, arg);
  tn_run_leave(outer);
}

void tn_run_parallel_for_with_worker(tn_run_context* context, int64_t total, int64_t cost_per_unit,
                                     void (*body)(void*, int64_t, int64_t, int), void* arg) {
  void* outer = tn_run_enter(context);
  tn_pool_parallel_for_with_worker(tn_pool_default(), total, cost_per_unit, body, arg);
  tn_run_leave(outer);
}

void tn_run_for_blocks(tn_run_context* context, int64_t block_size, int64_t total,
                       void (*body)(void*, int64_t, int64_t), void* arg) {
  if (total <= 0) return;
  if (block_size < 1 || block_size > total) block_size = total;
  block_loop loop = {body, arg, block_size, total};
  // A block is what its author finds worth sharing: each counts as a millisecond.
  tn_run_parallel_for(context, (total - 1) / block_size + 1, 1000000, run_blocks, &loop);
}

bool tn_run_parallel_for_unless_cancelled(tn_run_context* context, int64_t total,
                                          int64_t cost_per_unit,
                                          void (*body)(void*, int64_t, int64_t), void* arg) {
  const tn_cancel* cancel = context ? context->options->cancel : NULL;
  void* outer = tn_run_enter(context);
  const bool whole =
      tn_pool_parallel_for_unless(tn_pool_default(), total, cost_per_unit, body, arg, cancel);
  tn_run_leave(outer);
  if (!whole) tn_run_leave_out(context);
  return whole;
}

// ---- Tasks: the words are those of FuncWrap; what is pending tells the context ----

static tn_run_context* context_of(const tn_task* task) {
  return task->pending ? (tn_run_context*)((char*)task->pending - offsetof(tn_run_context, pending))
                       : NULL;
}

static inline void run_or_drop(const tn_task* task, bool call) {
  void* outer = tn_run_enter(context_of(task));
  if (call) ((void (*)(void*))task->words[1])(task->words[0]);
  if (task->words[2]) ((void (*)(void*))task->words[2])(task->words[0]);
  tn_run_leave(outer);
}

static void run_task(const tn_task* task) { run_or_drop(task, true); }

static void run_task_unless_cancelled(const tn_task* task) {
  const bool call = !tn_run_cancelled(context_of(task));
  if (!call) tn_run_leave_out(context_of(task));
  run_or_drop(task, call);
}

// The first word is the function, the others are its bytes: those of the copy that is run.
static void run_in_place(const tn_task* task) {
  tn_run_context* context = context_of(task);
  void* outer = tn_run_enter(context);
  ((void (*)(tn_run_context*, void*))task->words[0])(context, (void*)(task->words + 1));
  tn_run_leave(outer);
}

static void schedule(tn_run_context* context, tn_task* task) {
  task->pending = context ? &context->pending : NULL;
  if (context) tn_run_begin_pending(context);
  if (tn_pool_schedule_task(tn_pool_default(), task, NULL)) return;
  task->run(task);
  if (context) tn_run_pending_done(context);
}

static tn_task task_of(void (*run)(const tn_task*), FuncWrap wrap) {
  return (tn_task){
      run, {wrap.func_ptr, (void*)wrap.call_func_ptr, (void*)wrap.delete_func_ptr}, NULL};
}

void tn_run_schedule(tn_run_context* context, FuncWrap task) {
  tn_task queued = task_of(run_task, task);
  schedule(context, &queued);
}

void tn_run_schedule_unless_cancelled(tn_run_context* context, FuncWrap task) {
  tn_task queued = task_of(run_task_unless_cancelled, task);
  schedule(context, &queued);
}

void tn_run_schedule_in_place(tn_run_context* context, void (*fn)(tn_run_context*, void*),
                              const void* bytes, size_t size) {
  tn_task queued = {.run = run_in_place, .words = {(void*)fn}};
  _Static_assert(sizeof queued.words - sizeof(void*) >= TF_CLOSURE_BYTES, "room for all bytes");
  if (size) memcpy(queued.words + 1, bytes, size);
  schedule(context, &queued);
}
