// A hash table that any number of threads search without a lock while one at a time adds to it. For
// registries and caches that live as long as the process: entries are never taken out, and arrays
// that were outgrown stay (a reader may be in one); together they are smaller than the current one.
#ifndef TENON_BASE_SHARED_MAP_H_
#define TENON_BASE_SHARED_MAP_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tn_shared_slots tn_shared_slots;

// Zero bytes are an empty map.
typedef struct tn_shared_map {
  _Atomic(tn_shared_slots*) slots;
  size_t count;  // the writer's
} tn_shared_map;

// The entry added with `hash` for which `match` is true; NULL when there is none.  [any thread]
void* tn_shared_map_find(const tn_shared_map* map, uint64_t hash,
                         bool (*match)(const void* entry, const void* key), const void* key);

// Adds an entry, which must not change or go away from now on as far as `match` looks at it. False
// when out of memory.  [one thread at a time per map: callers hold a lock of their own]
bool tn_shared_map_add(tn_shared_map* map, uint64_t hash, void* entry);

#endif  // TENON_BASE_SHARED_MAP_H_
