// Text keys to pointers. Borrows keys and values; not for several threads at once.
#ifndef TENON_BASE_MAP_H_
#define TENON_BASE_MAP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/view.h"

typedef struct tn_map_entry {
  tn_view key;
  uint64_t hash;
  void* value;
} tn_map_entry;

// Zero bytes are an empty map. Entries stay in order of insertion.
typedef struct tn_map {
  tn_map_entry* entries;
  size_t count, capacity;
  uint32_t* slots;  // index + 1 into entries, 0 when free
  size_t slot_count;
} tn_map;

uint64_t tn_hash(const void* bytes, size_t size, uint64_t seed);
void* tn_map_get(const tn_map* map, tn_view key);
// Sets or replaces; `key` must live as long as the map. False when out of memory.
bool tn_map_put(tn_map* map, tn_view key, void* value);
void tn_map_deinit(tn_map* map);

#endif  // TENON_BASE_MAP_H_
