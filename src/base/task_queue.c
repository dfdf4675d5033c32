#include "base/task_queue.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"

void tn_task_queue_init(tn_task_queue* queue) {
  // The lock is held for nanoseconds: spinning for it is shorter than any sleep.
  *queue = (tn_task_queue){.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};
}

void tn_task_queue_deinit(tn_task_queue* queue) {
  tn_free(queue->tasks);
  pthread_mutex_destroy(&queue->lock);
}

// Called with the lock held. Unrolls the ring, so that it has room at its end.
static bool double_capacity(tn_task_queue* queue) {
  size_t capacity = queue->capacity ? queue->capacity * 2 : 256;
  tn_task* tasks = tn_alloc(capacity * sizeof *tasks);
  if (!tasks) return false;
  size_t first = queue->capacity - queue->head;
  if (queue->tasks) {
    memcpy(tasks, queue->tasks + queue->head, first * sizeof *tasks);
    memcpy(tasks + first, queue->tasks, queue->head * sizeof *tasks);
  }
  tn_free(queue->tasks);
  queue->tasks = tasks;
  queue->capacity = capacity;
  queue->head = 0;
  return true;
}

bool tn_task_queue_push(tn_task_queue* queue, tn_task task) {
  pthread_mutex_lock(&queue->lock);
  size_t count = atomic_load_explicit(&queue->count, memory_order_relaxed);
  bool room = count < queue->capacity || double_capacity(queue);
  if (room) {
    queue->tasks[(queue->head + count) & (queue->capacity - 1)] = task;
    atomic_store(&queue->count, count + 1);
  }
  pthread_mutex_unlock(&queue->lock);
  return room;
}

bool tn_task_queue_pop(tn_task_queue* queue, tn_task* out_task) {
  if (!tn_task_queue_any(queue)) return false;
  pthread_mutex_lock(&queue->lock);
  size_t count = atomic_load_explicit(&queue->count, memory_order_relaxed);
  if (count) {
    *out_task = queue->tasks[queue->head];
    queue->head = (queue->head + 1) & (queue->capacity - 1);
    atomic_store_explicit(&queue->count, count - 1, memory_order_relaxed);
  }
  pthread_mutex_unlock(&queue->lock);
  return count != 0;
}

bool tn_task_queue_any(const tn_task_queue* queue) {
  return atomic_load(&queue->count) != 0;
}
