#include "base/text.h"

#include "base/memory.h"
#include "harness.h"

TEST(test_text_grows_by_every_kind_of_addition) {
  tn_text text = {0};
  CHECK_INT(tn_text_view(&text).size, 0);
  tn_text_puts(&text, "one ");
  tn_text_putc(&text, '2');
  tn_text_printf(&text, " %s %d", "three", 4);
  tn_text_append(&text, "\0five", 5);
  CHECK_INT(text.size, 18);
  CHECK(memcmp(text.data, "one 2 three 4\0five", 18) == 0);
  CHECK_INT(text.data[text.size], 0);
  tn_text_deinit(&text);
}

TEST(test_text_agrees_with_a_plain_buffer_under_random_insertions) {
  uint64_t random = test_seed();
  tn_text text = {0};
  static char expected[1 << 16];
  size_t size = 0;
  for (int round = 0; round < 1000; ++round) {
    char piece[20];
    size_t length = (size_t)test_between(&random, 0, sizeof piece);
    for (size_t i = 0; i < length; ++i) piece[i] = (char)test_random(&random);
    size_t at = (size_t)test_between(&random, 0, (int64_t)size);
    tn_text_insert(&text, at, piece, length);
    memmove(expected + at + length, expected + at, size - at);
    memcpy(expected + at, piece, length);
    size += length;
    CHECK_INT(text.size, size);
    CHECK(memcmp(text.data, expected, size) == 0 && text.data[size] == 0);
  }
  tn_text_deinit(&text);
}

TEST(test_taking_the_bytes_empties_the_text) {
  tn_text text = {0};
  tn_text_puts(&text, "bytes");
  size_t size = 0;
  char* bytes = tn_text_take(&text, &size);
  CHECK_TEXT(bytes, "bytes");
  CHECK_INT(size, 5);
  CHECK(!text.data && text.size == 0);
  tn_free(bytes);
  bytes = tn_text_take(&text, NULL);
  CHECK_TEXT(bytes, "");
  tn_free(bytes);
}

static bool write_text(void* arg, tn_status* status) {
  tn_text text = {0};
  for (int i = 0; i < 50; ++i) tn_text_printf(&text, "line %d\n", i);
  char* bytes = tn_text_take(&text, NULL);
  if (!bytes) tn_status_set_no_memory(status, "writing");
  bool written = bytes != NULL;
  tn_free(bytes);
  return written;
}

TEST(test_a_text_remembers_that_memory_ran_out) {
  CHECK(test_sweep_allocations(write_text, NULL) > 50);
  tn_text text = {0};
  tn_memory_fail_at(0);
  tn_text_puts(&text, "lost");
  tn_memory_fail_at(-1);
  tn_text_puts(&text, "too late");
  CHECK(text.failed);
  CHECK_INT(tn_text_view(&text).size, 0);
  tn_text_deinit(&text);
  CHECK(!text.failed);
}
