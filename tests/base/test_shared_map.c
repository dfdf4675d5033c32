#include "base/shared_map.h"

#include <pthread.h>

#include "base/map.h"
#include "base/memory.h"
#include "harness.h"

enum { entry_count = 20000 };

static uint64_t entries[entry_count];

static bool same_number(const void* entry, const void* key) {
  return *(const uint64_t*)entry == *(const uint64_t*)key;
}

// Few distinct hashes near each other, so that probing and equal hashes are met.
static uint64_t hash_of(uint64_t number) { return tn_hash(&number, 8, 0) & 0xffff; }

static void* find(const tn_shared_map* map, uint64_t number) {
  return tn_shared_map_find(map, hash_of(number), same_number, &number);
}

TEST(test_what_was_added_is_found_and_nothing_else) {
  static tn_shared_map map;  // lives as long as the process, like those it stands for
  CHECK(!find(&map, 1));
  for (uint64_t i = 0; i < entry_count; ++i) {
    entries[i] = i;
    CHECK(tn_shared_map_add(&map, hash_of(i), &entries[i]));
  }
  for (uint64_t i = 0; i < entry_count; ++i) CHECK(find(&map, i) == &entries[i]);
  CHECK(!find(&map, entry_count));
}

typedef struct race {
  tn_shared_map map;
  atomic_size_t added;
} race;

static void* search(void* arg) {
  race* r = arg;
  for (size_t added = 0; added < entry_count;) {
    added = atomic_load_explicit(&r->added, memory_order_acquire);
    for (uint64_t i = added > 100 ? added - 100 : 0; i < added; ++i)
      CHECK(find(&r->map, i) == &entries[i]);
  }
  return NULL;
}

TEST(test_readers_find_every_entry_while_a_writer_adds) {
  static race r;
  pthread_t readers[3];
  for (int i = 0; i < 3; ++i) pthread_create(&readers[i], NULL, search, &r);
  for (uint64_t i = 0; i < entry_count; ++i) {
    entries[i] = i;
    CHECK(tn_shared_map_add(&r.map, hash_of(i), &entries[i]));
    atomic_store_explicit(&r.added, i + 1, memory_order_release);
  }
  for (int i = 0; i < 3; ++i) pthread_join(readers[i], NULL);
}

TEST(test_adding_without_memory_leaves_the_map_as_it_was) {
  static tn_shared_map map;  // lives as long as the process, like those it stands for
  for (uint64_t i = 0; i < 32; ++i) {
    entries[i] = i;
    CHECK(tn_shared_map_add(&map, hash_of(i), &entries[i]));
  }
  tn_memory_fail_at(0);
  CHECK(!tn_shared_map_add(&map, hash_of(32), &entries[32]));
  tn_memory_fail_at(-1);
  CHECK(find(&map, 31) == &entries[31]);
  CHECK(!find(&map, 32));
  CHECK(tn_shared_map_add(&map, hash_of(32), &entries[32]));
}
