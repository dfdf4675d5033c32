// Threads that share work: loops (parallel-for) and tasks.
//
// A loop is run by its caller and by workers that are idle at that moment; work too small to share
// runs on the caller alone. A worker that finds nothing to do watches for work for some
// microseconds (50; environment TENON_SPIN_US), because waking a thread costs as much, then sleeps
// until called. A pool of N threads is N-1 workers for loops, next to the caller; one more worker
// is only for tasks. Threads start at the first use. Their signals are blocked: handlers run on the
// program's own threads.
//
// After fork() the child's pools have no threads and no tasks, and start threads of their own at
// the first use. A child that was forked inside a loop or task must not return from it.
#ifndef TENON_BASE_POOL_H_
#define TENON_BASE_POOL_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/task_queue.h"
#include "tenon/cancel.h"
#include "tenon/status.h"

typedef struct tn_pool tn_pool;

// The most threads a pool has.
enum { TN_POOL_MAX_THREADS = 256 };

// The pool of the process: as many threads as it may use CPUs (affinity and cgroup quota), or as
// TENON_THREADS says. Never destroyed. NULL when out of memory, which every call below takes for a
// pool without workers.  [any thread]
tn_pool* tn_pool_default(void);

// A pool of its own; owned by the caller until tn_pool_destroy. `threads` below 1 means as many as
// the default pool has.  [any thread]
tn_pool* tn_pool_create(int threads, tn_status* status);

// Waits for all tasks, then ends the threads; NULL is fine. No loop may be running, and nobody else
// may use the pool any more.  [any thread but the pool's own]
void tn_pool_destroy(tn_pool* pool);

// What this thread works for: an address of the caller's choice, NULL for nothing. A loop hands its
// caller's on to the workers that help; tasks begin with none. Whoever changes it sets it back.
extern _Thread_local void* tn_pool_owner
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// How many threads can be in one loop, its caller among them; 1 for NULL.  [any thread]
int tn_pool_threads(const tn_pool* pool);

// Calls `body` for pieces that together cover [0, total) exactly once, and returns when all are
// done. What the pieces wrote is visible to the caller then. Pieces run in any order and at once,
// on the caller and on workers; `cost_per_unit` is what one index costs in nanoseconds, roughly
// (below 1 counts as 1), and decides whether to share at all and how finely to cut. May be called
// from anywhere, also inside a body or a task, and never waits for a thread that is not already at
// work on this loop. A body must return: it must not throw, longjmp or end its thread.
// [any thread]
void tn_pool_parallel_for(tn_pool* pool, int64_t total, int64_t cost_per_unit,
                          void (*body)(void* arg, int64_t begin, int64_t end), void* arg);

// The same; `worker` is in [0, tn_pool_threads), 0 for the caller, and no two pieces of this call
// run at once with the same number. Memory set aside per worker needs no lock.  [any thread]
void tn_pool_parallel_for_with_worker(tn_pool* pool, int64_t total, int64_t cost_per_unit,
                                      void (*body)(void* arg, int64_t begin, int64_t end,
                                                   int worker),
                                      void* arg);

// tn_pool_parallel_for of work that may be left undone: once `cancel` (may be NULL) is asked, no
// piece is begun any more. False when pieces were left out. A piece takes some milliseconds at
// most, if `cost_per_unit` is right, also without workers.  [any thread]
bool tn_pool_parallel_for_unless(tn_pool* pool, int64_t total, int64_t cost_per_unit,
                                 void (*body)(void* arg, int64_t begin, int64_t end), void* arg,
                                 const tn_cancel* cancel);

// Runs `task(arg)` soon, on a thread of the pool, never on the caller's. Tasks begin in the order
// they were given; they may block, schedule more and run loops. A task that waits long keeps no
// other from beginning: threads are added (up to 64) while all are stuck. False and
// RESOURCE_EXHAUSTED, with the task not run, when there is no memory to queue it or no thread could
// be started.  [any thread]
bool tn_pool_schedule(tn_pool* pool, void (*task)(void* arg), void* arg, tn_status* status);
// The same for a task of several words, which is copied.  [any thread]
bool tn_pool_schedule_task(tn_pool* pool, const tn_task* task, tn_status* status);

// Which of the pool's workers this is, from 0 up to tn_pool_threads; -1 on any other thread, those
// that were added for tasks among them.  [any thread]
int tn_pool_current_thread(const tn_pool* pool);

#endif  // TENON_BASE_POOL_H_
