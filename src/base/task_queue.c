#include "base/task_queue.h"

#include <stddef.h>
#include <time.h>

#include "base/memory.h"

enum { block_size = 255 };

struct tn_task_block {
  tn_task_link link;
  tn_task tasks[block_size];
};

// The locks are held for nanoseconds: watching one is shorter than any sleep, unless its holder has
// lost its processor.
static void lock(atomic_bool* held) {
  for (unsigned looks = 1; atomic_exchange_explicit(held, true, memory_order_acquire); ++looks) {
    while (atomic_load_explicit(held, memory_order_relaxed) && ++looks % 1024) continue;
    if (looks % 1024 == 0) nanosleep(&(struct timespec){0, 1000}, NULL);
  }
}

static void unlock(atomic_bool* held) { atomic_store_explicit(held, false, memory_order_release); }

void tn_task_queue_init(tn_task_queue* queue) {
  *queue = (tn_task_queue){.last_used = block_size, .first_used = block_size};
  queue->first = queue->last = &queue->none;
}

static void free_blocks(tn_task_block* block) {
  while (block) {
    tn_task_block* next = block->link.next;
    tn_free(block);
    block = next;
  }
}

void tn_task_queue_deinit(tn_task_queue* queue) {
  free_blocks(queue->first == &queue->none ? queue->none.next : (tn_task_block*)queue->first);
  free_blocks(atomic_load(&queue->spare));
}

// Called with the push lock held, so that only one thread takes from the stack of spare blocks.
static tn_task_block* take_block(tn_task_queue* queue) {
  tn_task_block* block = atomic_load_explicit(&queue->spare, memory_order_acquire);
  while (block && !atomic_compare_exchange_weak(&queue->spare, &block, block->link.next)) continue;
  return block ? block : tn_alloc(sizeof *block);
}

static void give_block(tn_task_queue* queue, tn_task_block* block) {
  tn_task_block* top = atomic_load_explicit(&queue->spare, memory_order_relaxed);
  do block->link.next = top;
  while (!atomic_compare_exchange_weak(&queue->spare, &top, block));
}

bool tn_task_queue_push(tn_task_queue* queue, const tn_task* task) {
  lock(&queue->push_lock);
  bool room = true;
  if (queue->last_used == block_size) {
    tn_task_block* block = take_block(queue);
    room = block != NULL;
    if (room) {
      block->link.next = NULL;
      queue->last->next = block;
      queue->last = &block->link;
      queue->last_used = 0;
    }
  }
  if (room) {
    ((tn_task_block*)queue->last)->tasks[queue->last_used++] = *task;
    uint64_t pushed = atomic_load_explicit(&queue->pushed, memory_order_relaxed);
    atomic_store(&queue->pushed, pushed + 1);
  }
  unlock(&queue->push_lock);
  return room;
}

bool tn_task_queue_pop(tn_task_queue* queue, tn_task* out_task) {
  lock(&queue->pop_lock);
  uint64_t popped = atomic_load_explicit(&queue->popped, memory_order_relaxed);
  if (popped == queue->pushed_before)
    queue->pushed_before = atomic_load_explicit(&queue->pushed, memory_order_acquire);
  bool found = popped != queue->pushed_before;
  if (found) {
    if (queue->first_used == block_size) {
      tn_task_link* read = queue->first;
      queue->first = &read->next->link;
      queue->first_used = 0;
      if (read != &queue->none) give_block(queue, (tn_task_block*)read);
    }
    *out_task = ((tn_task_block*)queue->first)->tasks[queue->first_used++];
    atomic_store_explicit(&queue->popped, popped + 1, memory_order_relaxed);
  }
  unlock(&queue->pop_lock);
  return found;
}

bool tn_task_queue_any(const tn_task_queue* queue) {
  return atomic_load(&queue->pushed) != atomic_load(&queue->popped);
}

uint64_t tn_task_queue_popped(const tn_task_queue* queue) { return atomic_load(&queue->popped); }

void tn_task_queue_lock(tn_task_queue* queue) {
  lock(&queue->push_lock);
  lock(&queue->pop_lock);
}

void tn_task_queue_unlock(tn_task_queue* queue) {
  unlock(&queue->pop_lock);
  unlock(&queue->push_lock);
}
