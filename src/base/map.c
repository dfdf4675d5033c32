#include "base/map.h"

#include "base/memory.h"

uint64_t tn_hash(const void* bytes, size_t size, uint64_t seed) {
  const unsigned char* at = bytes;
  uint64_t hash = seed ^ 0x9e3779b97f4a7c15u ^ size;
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  // The last bytes, in pieces of known size: a call of memcpy would cost more than all the rest.
  uint64_t rest = 0;
  if (size & 4) {
    uint32_t word;
    memcpy(&word, at, 4);
    rest = word;
    at += 4;
  }
  if (size & 2) {
    uint16_t word;
    memcpy(&word, at, 2);
    rest = rest << 16 | word;
    at += 2;
  }
  if (size & 1) rest = rest << 8 | *at;
  hash = (hash ^ rest) * 0xc4ceb9fe1a85ec53u;
  return hash ^ (hash >> 29);
}

// The slot that holds `key`, or the free one where it belongs.
static uint32_t* find_slot(const tn_map* map, tn_view key, uint64_t hash) {
  for (size_t i = hash & (map->slot_count - 1);; i = (i + 1) & (map->slot_count - 1)) {
    uint32_t index = map->slots[i];
    if (index == 0) return &map->slots[i];
    const tn_map_entry* entry = &map->entries[index - 1];
    if (entry->hash == hash && tn_view_equal(entry->key, key)) return &map->slots[i];
  }
}

void* tn_map_get(const tn_map* map, tn_view key) {
  if (map->count == 0) return NULL;
  uint32_t index = *find_slot(map, key, tn_hash(key.data, key.size, 0));
  return index ? map->entries[index - 1].value : NULL;
}

static bool grow_slots(tn_map* map) {
  size_t slot_count = map->slot_count ? map->slot_count * 2 : 16;
  uint32_t* slots = tn_alloc_zeroed(slot_count, sizeof *slots);
  if (!slots) return false;
  tn_free(map->slots);
  map->slots = slots;
  map->slot_count = slot_count;
  for (size_t i = 0; i < map->count; ++i)
    *find_slot(map, map->entries[i].key, map->entries[i].hash) = (uint32_t)(i + 1);
  return true;
}

bool tn_map_put(tn_map* map, tn_view key, void* value) {
  if ((map->count + 1) * 2 > map->slot_count && !grow_slots(map)) return false;
  uint64_t hash = tn_hash(key.data, key.size, 0);
  uint32_t* slot = find_slot(map, key, hash);
  if (*slot) {
    map->entries[*slot - 1].value = value;
    return true;
  }
  if (!tn_grow(&map->entries, &map->capacity, map->count + 1, sizeof *map->entries)) return false;
  map->entries[map->count] = (tn_map_entry){key, hash, value};
  *slot = (uint32_t)++map->count;
  return true;
}

void tn_map_deinit(tn_map* map) {
  tn_free(map->entries);
  tn_free(map->slots);
  *map = (tn_map){0};
}
