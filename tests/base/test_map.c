#include "base/map.h"

#include "base/memory.h"
#include "harness.h"

TEST(test_an_empty_map_finds_nothing) {
  tn_map map = {0};
  CHECK(!tn_map_get(&map, tn_view_of("x")));
  tn_map_deinit(&map);
}

TEST(test_a_map_agrees_with_a_plain_list_under_random_use) {
  uint64_t random = test_seed();
  enum { keys = 3000 };
  static char names[keys][24];
  static void* expected[keys];
  static int order[keys];
  memset(expected, 0, sizeof expected);
  for (int i = 0; i < keys; ++i) snprintf(names[i], sizeof names[i], "op/%d/%d", i % 7, i);
  tn_map map = {0};
  int count = 0;
  for (int round = 0; round < 20000; ++round) {
    int64_t key = test_between(&random, 0, keys - 1);
    if (test_between(&random, 0, 1)) {
      void* value = &names[test_between(&random, 0, keys - 1)];
      if (!expected[key]) order[count++] = (int)key;
      expected[key] = value;
      CHECK(tn_map_put(&map, tn_view_of(names[key]), value));
    } else {
      CHECK(tn_map_get(&map, tn_view_of(names[key])) == expected[key]);
    }
  }
  CHECK_INT(map.count, count);
  for (int i = 0; i < count; ++i) {
    CHECK(tn_view_is(map.entries[i].key, names[order[i]]));
    CHECK(map.entries[i].value == expected[order[i]]);
  }
  tn_map_deinit(&map);
}

TEST(test_keys_are_bytes_of_any_kind) {
  tn_map map = {0};
  int a, b, c;
  CHECK(tn_map_put(&map, (tn_view){"k\0a", 3}, &a));
  CHECK(tn_map_put(&map, (tn_view){"k\0b", 3}, &b));
  CHECK(tn_map_put(&map, (tn_view){"", 0}, &c));
  CHECK(tn_map_get(&map, (tn_view){"k\0a", 3}) == &a);
  CHECK(tn_map_get(&map, (tn_view){"k\0b", 3}) == &b);
  CHECK(tn_map_get(&map, (tn_view){NULL, 0}) == &c);
  CHECK(!tn_map_get(&map, tn_view_of("k")));
  tn_map_deinit(&map);
}

TEST(test_hashes_differ_by_every_byte_by_size_and_by_seed) {
  char zeros[24] = {0};
  for (size_t size = 0; size < 24; ++size) {
    uint64_t hash = tn_hash(zeros, size, 0);
    CHECK(hash != tn_hash(zeros, size + 1, 0));
    CHECK(hash != tn_hash(zeros, size, 1));
    for (size_t i = 0; i < size; ++i) {
      char changed[24] = {0};
      changed[i] = 1;
      CHECK(hash != tn_hash(changed, size, 0));
    }
  }
}

static bool fill_map(void* arg, tn_status* status) {
  static char names[100][8];
  tn_map map = {0};
  bool filled = true;
  for (int i = 0; i < 100; ++i) {
    snprintf(names[i], sizeof names[i], "k%d", i);
    if (!tn_map_put(&map, tn_view_of(names[i]), names[i])) {
      tn_status_set_no_memory(status, "filling a map");
      filled = false;
    }
  }
  // What was refused is absent, and the rest is there.
  size_t found = 0;
  for (int i = 0; i < 100; ++i) found += tn_map_get(&map, tn_view_of(names[i])) == names[i];
  CHECK_INT(found, map.count);
  CHECK(!filled || found == 100);
  tn_map_deinit(&map);
  return filled;
}

TEST(test_a_map_that_cannot_grow_keeps_what_it_has) {
  CHECK(test_sweep_allocations(fill_map, NULL) > 5);
}
