#include "base/memory.h"

#include <pthread.h>

#include "base/status.h"
#include "harness.h"

TEST(test_size_zero_is_memory_too) {
  void *a = tn_alloc(0), *b = tn_alloc_zeroed(0, 8), *c = tn_resize(NULL, 0);
  CHECK(a && b && c);
  tn_free(a);
  tn_free(b);
  tn_free(c);
  tn_free(NULL);
}

TEST(test_copies_and_printed_text_are_complete) {
  char* copy = tn_strdup("whole");
  char* part = tn_strndup("whole", 3);
  char* printed = tn_printf("%s-%05d", "x", 42);
  CHECK_TEXT(copy, "whole");
  CHECK_TEXT(part, "who");
  CHECK_TEXT(printed, "x-00042");
  tn_free(copy);
  tn_free(part);
  tn_free(printed);
}

TEST(test_the_chosen_allocation_fails_once) {
  tn_memory_fail_at(2);
  void* blocks[5];
  for (int i = 0; i < 5; ++i) blocks[i] = tn_alloc(8);
  CHECK_INT(tn_memory_asked(), 5);
  CHECK_INT(tn_memory_alive(), 4);
  for (int i = 0; i < 5; ++i) {
    CHECK((blocks[i] == NULL) == (i == 2));
    tn_free(blocks[i]);
  }
  CHECK_INT(tn_memory_alive(), 0);
}

TEST(test_every_kind_of_allocation_can_be_made_to_fail) {
  void* block = tn_alloc(8);
  tn_memory_fail_at(0);
  CHECK(!tn_alloc_zeroed(1, 8));
  tn_memory_fail_at(0);
  CHECK(!tn_resize(block, 100));
  tn_memory_fail_at(0);
  CHECK(!tn_strdup("x"));
  tn_memory_fail_at(0);
  CHECK(!tn_printf("x"));
  tn_memory_fail_at(-1);
  tn_free(block);
}

TEST(test_impossible_sizes_fail_without_overflow) {
  CHECK(!tn_alloc_zeroed(SIZE_MAX / 2, 4));
  int* items = NULL;
  size_t capacity = 0;
  CHECK(!tn_grow(&items, &capacity, SIZE_MAX / 2, sizeof *items));
  CHECK(!items && capacity == 0);
  CHECK(!tn_strndup("", SIZE_MAX));
}

TEST(test_growing_keeps_what_is_there_and_doubles) {
  int* items = NULL;
  size_t capacity = 0, grown = 0;
  for (int i = 0; i < 10000; ++i) {
    size_t before = capacity;
    CHECK(tn_grow(&items, &capacity, (size_t)i + 1, sizeof *items));
    grown += capacity != before;
    items[i] = i;
  }
  for (int i = 0; i < 10000; ++i) CHECK_INT(items[i], i);
  CHECK(grown < 15);
  int* same = items;
  tn_memory_fail_at(0);
  CHECK(!tn_grow(&items, &capacity, capacity + 1, sizeof *items));
  tn_memory_fail_at(-1);
  CHECK(items == same);
  tn_free(items);
}

TEST(test_a_block_meant_to_stay_does_not_count_as_alive) {
  tn_memory_fail_at(-1);
  static void* kept;
  kept = tn_alloc(8);
  void* other = tn_alloc(8);
  CHECK_INT(tn_memory_alive(), 2);
  tn_memory_keep(kept);
  CHECK_INT(tn_memory_alive(), 1);
  tn_free(other);
  CHECK_INT(tn_memory_alive(), 0);
}

TEST(test_out_of_memory_is_said_even_without_memory) {
  tn_status status = {0};
  tn_status_set_no_memory(&status, "making tea");
  CHECK_TEXT(tn_status_message(&status), "out of memory while making tea");
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  tn_memory_fail_at(0);
  tn_status_set_no_memory(&status, "making tea");
  tn_memory_fail_at(-1);
  CHECK_TEXT(tn_status_message(&status), "out of memory");
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
}
