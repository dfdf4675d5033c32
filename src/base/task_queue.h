// A queue of calls, first in, first out, for any number of threads. It grows when it is full and
// keeps its memory, so a queue that has found its size allocates nothing.
#ifndef TENON_BASE_TASK_QUEUE_H_
#define TENON_BASE_TASK_QUEUE_H_

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct tn_task {
  void (*run)(void* arg);
  void* arg;
} tn_task;

typedef struct tn_task_queue {
  pthread_mutex_t lock;
  tn_task* tasks;
  size_t capacity, head;
  _Atomic size_t count;
} tn_task_queue;

void tn_task_queue_init(tn_task_queue* queue);
// Forgets the tasks that are still in it.
void tn_task_queue_deinit(tn_task_queue* queue);

// False when out of memory.  [any thread]
bool tn_task_queue_push(tn_task_queue* queue, tn_task task);
// False when empty.  [any thread]
bool tn_task_queue_pop(tn_task_queue* queue, tn_task* out_task);
// Without the lock: true means that a pop may find one.  [any thread]
bool tn_task_queue_any(const tn_task_queue* queue);

#endif  // TENON_BASE_TASK_QUEUE_H_
