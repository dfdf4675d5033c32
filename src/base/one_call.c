#include "base/one_call.h"

#include <pthread.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct slot {
  void (*function)(void* arg);
  void* arg;
  bool waits;
  uint32_t generation;
  uint32_t next_free;  // slot + 1
} slot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static slot* slots;
static size_t slot_count, slot_capacity;
static uint32_t first_free;  // slot + 1

void* tn_one_call_create(void (*function)(void* arg), void* arg) {
  void* call = NULL;
  pthread_mutex_lock(&lock);
  if (!first_free && tn_grow(&slots, &slot_capacity, slot_count + 1, sizeof *slots)) {
    tn_memory_keep(slots);
    slots[slot_count] = (slot){.generation = 1};
    first_free = (uint32_t)++slot_count;
  }
  if (first_free) {
    slot* at = &slots[first_free - 1];
    call = (void*)((uintptr_t)at->generation << 32 | first_free);
    first_free = at->next_free;
    at->function = function;
    at->arg = arg;
    at->waits = true;
  }
  pthread_mutex_unlock(&lock);
  return call;
}

static bool take(void* call, slot* out) {
  const uint32_t i = (uint32_t)(uintptr_t)call;
  const uint32_t generation = (uint32_t)((uintptr_t)call >> 32);
  pthread_mutex_lock(&lock);
  slot* at = i && i <= slot_count ? &slots[i - 1] : NULL;
  const bool found = at && at->waits && at->generation == generation;
  if (found) {
    *out = *at;
    *at = (slot){.generation = generation + 1, .next_free = first_free};
    first_free = i;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

bool tn_one_call_take(void* call, void** arg) {
  slot taken;
  if (!take(call, &taken)) return false;
  *arg = taken.arg;
  return true;
}

bool tn_one_call_cancel(void* call) {
  slot taken;
  return take(call, &taken);
}

bool tn_one_call_run(void* call) {
  slot taken;
  if (!take(call, &taken)) return false;
  taken.function(taken.arg);
  return true;
}
