// A handle is (generation << 16 | slot + 1). Slots are reused and never freed; a slot's word holds
// the generation it stands for and whether that one is done, so handles of earlier generations fit
// nothing.
#include <pthread.h>

#include "base/futex.h"
#include "base/log.h"
#include "base/memory.h"
#include "kernel/run_context.h"

enum { slots_per_chunk = 256, most_chunks = 255 };

typedef struct slot {
  atomic_int word;        // generation << 1 | done
  atomic_uint next_free;  // slot + 1
} slot;

static _Atomic(slot*) chunks[most_chunks];
// Free slots as a stack: changes so far << 32 | slot + 1. The count of changes keeps a slow thread
// from mistaking a top that went and came back for one that stayed.
static _Atomic uint64_t free_slots;

static slot* slot_at(uint32_t i) {
  slot* chunk = atomic_load_explicit(&chunks[i / slots_per_chunk], memory_order_acquire);
  return chunk ? &chunk[i % slots_per_chunk] : NULL;
}

static void push(uint32_t i) {
  uint64_t top = atomic_load(&free_slots), new_top;
  do {
    atomic_store_explicit(&slot_at(i)->next_free, (uint32_t)top, memory_order_relaxed);
    new_top = ((top >> 32) + 1) << 32 | (i + 1);
  } while (!atomic_compare_exchange_weak(&free_slots, &top, new_top));
}

// The slot + 1, or 0 when none is free.
static uint32_t pop(void) {
  uint64_t top = atomic_load(&free_slots), new_top;
  do {
    if ((uint32_t)top == 0) return 0;
    slot* at = slot_at((uint32_t)top - 1);
    new_top = ((top >> 32) + 1) << 32 | atomic_load_explicit(&at->next_free, memory_order_relaxed);
  } while (!atomic_compare_exchange_weak(&free_slots, &top, new_top));
  return (uint32_t)top;
}

static void add_chunk(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static uint32_t chunk_count;
  pthread_mutex_lock(&lock);
  slot* chunk = chunk_count < most_chunks ? tn_alloc_zeroed(slots_per_chunk, sizeof *chunk) : NULL;
  if (chunk) {
    tn_memory_keep(chunk);
    atomic_store_explicit(&chunks[chunk_count], chunk, memory_order_release);
    for (uint32_t i = slots_per_chunk; i-- > 0;) push(chunk_count * slots_per_chunk + i);
    ++chunk_count;
  }
  pthread_mutex_unlock(&lock);
}

tn_done_callback* tn_done_callback_create(void) {
  uint32_t i = pop();
  if (!i) {
    add_chunk();
    i = pop();
  }
  if (!i) return NULL;
  slot* at = slot_at(i - 1);
  uint32_t generation =
      (((uint32_t)atomic_load_explicit(&at->word, memory_order_relaxed) >> 1) + 1) & 0x3fffffff;
  atomic_store_explicit(&at->word, (int)(generation << 1), memory_order_release);
  return (tn_done_callback*)((uintptr_t)generation << 16 | i);
}

// The slot of a handle and the word that says it waits; NULL for a handle that cannot be.
static slot* decode(const tn_done_callback* done, int* out_waiting) {
  uintptr_t handle = (uintptr_t)done;
  uint32_t i = handle & 0xffff;
  *out_waiting = (int)((uint32_t)(handle >> 16) << 1);
  if (i == 0 || i > most_chunks * slots_per_chunk || handle >> 46) return NULL;
  return slot_at(i - 1);
}

void tn_done_callback_run(tn_done_callback* done) {
  int waiting;
  slot* at = decode(done, &waiting);
  int expected = waiting;
  if (!at || !atomic_compare_exchange_strong(&at->word, &expected, waiting | 1)) {
    tn_log(TN_LOG_WARNING,
           "a kernel ran the completion callback %p that is not waiting; run each exactly once",
           (void*)done);
    return;
  }
  tn_futex_wake(&at->word, INT_MAX);
}

void tn_done_callback_wait(tn_done_callback* done) {
  int waiting;
  slot* at = decode(done, &waiting);
  while (atomic_load_explicit(&at->word, memory_order_acquire) == waiting)
    tn_futex_wait(&at->word, waiting);
  push(((uintptr_t)done & 0xffff) - 1);
}
