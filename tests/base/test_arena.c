#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "base/memory.h"
#include "harness.h"

TEST(test_arena_memory_is_zeroed_aligned_and_never_shared) {
  uint64_t random = test_seed();
  tn_arena arena = {0};
  enum { count = 500 };
  unsigned char* pieces[count];
  size_t sizes[count];
  for (int i = 0; i < count; ++i) {
    sizes[i] = (size_t)test_between(&random, 0, test_between(&random, 0, 9) ? 100 : 5000);
    pieces[i] = tn_arena_alloc(&arena, sizes[i]);
    CHECK(pieces[i]);
    CHECK_INT((uintptr_t)pieces[i] % alignof(max_align_t), 0);
    for (size_t b = 0; b < sizes[i]; ++b) CHECK_INT(pieces[i][b], 0);
    memset(pieces[i], i & 0xff, sizes[i]);
  }
  for (int i = 0; i < count; ++i)
    for (size_t b = 0; b < sizes[i]; ++b) CHECK_INT(pieces[i][b], i & 0xff);
  tn_arena_deinit(&arena);
}

TEST(test_arena_copies_end_in_a_zero_and_may_hold_one) {
  tn_arena arena = {0};
  char* copy = tn_arena_copy(&arena, (tn_view){"ab\0cd!", 5});
  CHECK(memcmp(copy, "ab\0cd", 6) == 0);
  CHECK_TEXT(tn_arena_copy(&arena, (tn_view){0}), "");
  tn_arena_deinit(&arena);
}

TEST(test_an_impossible_size_is_refused) {
  tn_arena arena = {0};
  CHECK(!tn_arena_alloc(&arena, SIZE_MAX));
  CHECK(!tn_arena_alloc(&arena, SIZE_MAX - 20));
  CHECK(tn_arena_alloc(&arena, 1));
  tn_arena_deinit(&arena);
}

TEST(test_an_arena_is_empty_and_usable_after_its_end) {
  tn_memory_fail_at(-1);
  tn_arena arena = {0};
  CHECK(tn_arena_alloc(&arena, 5000));
  tn_arena_deinit(&arena);
  CHECK_INT(tn_memory_alive(), 0);
  CHECK_TEXT(tn_arena_copy(&arena, tn_view_of("again")), "again");
  tn_arena_deinit(&arena);
  CHECK_INT(tn_memory_alive(), 0);
}

static bool fill_arena(void* arg, tn_status* status) {
  tn_arena arena = {0};
  bool filled = true;
  for (int i = 0; filled && i < 40; ++i) filled = tn_arena_alloc(&arena, 100) != NULL;
  if (!filled) tn_status_set_no_memory(status, "filling an arena");
  tn_arena_deinit(&arena);
  return filled;
}

TEST(test_an_arena_without_memory_gives_null_and_loses_nothing) {
  CHECK(test_sweep_allocations(fill_arena, NULL) >= 3);
}
