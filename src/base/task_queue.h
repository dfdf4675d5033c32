// A queue of calls, first in, first out, for any number of threads. It grows as needed and keeps
// its memory, so a queue that has found its size allocates nothing. The two ends have a lock and
// cache lines each: who schedules and who runs meet only at the tasks themselves.
#ifndef TENON_BASE_TASK_QUEUE_H_
#define TENON_BASE_TASK_QUEUE_H_

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// A call with what it needs, in place: queueing one allocates nothing for it.
typedef struct tn_task {
  void (*run)(const struct tn_task* task);
  void* words[5];
  // Goes down by one after the run, and whoever sleeps on it is woken at 0; NULL for none. Tasks
  // with the same one that a thread runs in a row are counted together.
  atomic_int* pending;
} tn_task;

typedef struct tn_task_block tn_task_block;
typedef struct tn_task_link {
  tn_task_block* next;
} tn_task_link;

typedef struct tn_task_queue {
  // Where tasks come in. What follows a lock is guarded by it.
  alignas(128) atomic_bool push_lock;
  tn_task_link* last;
  int last_used;  // tasks written to the last block
  _Atomic uint64_t pushed;

  // Where they go out.
  alignas(128) atomic_bool pop_lock;
  tn_task_link* first;
  int first_used;          // tasks read from the first block
  uint64_t pushed_before;  // a late copy of `pushed`
  _Atomic uint64_t popped;

  alignas(128) tn_task_block* _Atomic spare;  // read blocks, for use at the other end
  tn_task_link none;                          // stands for a full block before there is one
} tn_task_queue;

void tn_task_queue_init(tn_task_queue* queue);
// Forgets the tasks that are still in it.
void tn_task_queue_deinit(tn_task_queue* queue);

// False when out of memory. Ordered before whatever the caller loads next.  [any thread]
bool tn_task_queue_push(tn_task_queue* queue, const tn_task* task);
// False when empty.  [any thread]
bool tn_task_queue_pop(tn_task_queue* queue, tn_task* out_task);
// Without a lock: true means that a pop may find one.  [any thread]
bool tn_task_queue_any(const tn_task_queue* queue);
// How many were popped since init.  [any thread]
uint64_t tn_task_queue_popped(const tn_task_queue* queue);

// Both ends stand still in between, so that a fork copies a whole queue.  [one thread]
void tn_task_queue_lock(tn_task_queue* queue);
void tn_task_queue_unlock(tn_task_queue* queue);

#endif  // TENON_BASE_TASK_QUEUE_H_
