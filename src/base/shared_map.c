#include "base/shared_map.h"

#include "base/memory.h"

typedef struct slot {
  atomic_uint_least64_t hash;
  _Atomic(void*) entry;  // NULL: free. Written after the hash, so whoever sees it sees the hash
} slot;

struct tn_shared_slots {
  tn_shared_slots* outgrown;
  size_t mask;
  slot at[];
};

void* tn_shared_map_find(const tn_shared_map* map, uint64_t hash,
                         bool (*match)(const void* entry, const void* key), const void* key) {
  const tn_shared_slots* slots =
      atomic_load_explicit(&((tn_shared_map*)map)->slots, memory_order_acquire);
  if (!slots) return NULL;
  for (size_t i = hash & slots->mask;; i = (i + 1) & slots->mask) {
    slot* at = (slot*)&slots->at[i];
    void* entry = atomic_load_explicit(&at->entry, memory_order_acquire);
    if (!entry) return NULL;
    if (atomic_load_explicit(&at->hash, memory_order_relaxed) == hash && match(entry, key))
      return entry;
  }
}

static void put(tn_shared_slots* slots, uint64_t hash, void* entry) {
  size_t i = hash & slots->mask;
  while (atomic_load_explicit(&slots->at[i].entry, memory_order_relaxed)) i = (i + 1) & slots->mask;
  atomic_store_explicit(&slots->at[i].hash, hash, memory_order_relaxed);
  atomic_store_explicit(&slots->at[i].entry, entry, memory_order_release);
}

bool tn_shared_map_add(tn_shared_map* map, uint64_t hash, void* entry) {
  tn_shared_slots* slots = atomic_load_explicit(&map->slots, memory_order_relaxed);
  size_t size = slots ? slots->mask + 1 : 0;
  if (!slots || (map->count + 1) * 2 > size) {
    size = size ? size * 2 : 64;
    tn_shared_slots* larger = tn_alloc_zeroed(1, sizeof *larger + size * sizeof(slot));
    if (!larger) return false;
    tn_memory_keep(larger);
    larger->outgrown = slots;
    larger->mask = size - 1;
    for (size_t i = 0; slots && i <= slots->mask; ++i) {
      void* moved = atomic_load_explicit(&slots->at[i].entry, memory_order_relaxed);
      if (moved) put(larger, atomic_load_explicit(&slots->at[i].hash, memory_order_relaxed), moved);
    }
    slots = larger;
    put(slots, hash, entry);
    atomic_store_explicit(&map->slots, slots, memory_order_release);
  } else {
    put(slots, hash, entry);
  }
  ++map->count;
  return true;
}
