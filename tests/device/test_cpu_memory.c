#include "device/cpu_memory.h"

#include <pthread.h>
#include <stdint.h>

#include "base/memory.h"
#include "harness.h"

static tn_buffer* allocate(size_t size) {
  tn_buffer* buffer = tn_cpu_allocator.allocate(&tn_cpu_allocator, size, NULL);
  CHECK(buffer);
  CHECK_INT(buffer->size, size);
  CHECK_INT((uintptr_t)buffer->data % TN_ALIGNMENT, 0);
  CHECK(buffer->owned && buffer->on_host);
  return buffer;
}

TEST(test_a_large_buffer_is_kept_and_comes_back_for_the_next_of_its_size) {
  tn_buffer* first = allocate(64 << 20);
  void* data = first->data;
  memset(data, 1, 64 << 20);
  tn_buffer_unref(first);
  CHECK(tn_cpu_memory_kept() >= 64 << 20);
  tn_buffer* second = allocate((64 << 20) - 100);
  CHECK(second->data == data);
  CHECK_INT(tn_cpu_memory_kept(), 0);
  tn_buffer_unref(second);
  tn_cpu_memory_trim();
  CHECK_INT(tn_cpu_memory_kept(), 0);
}

TEST(test_small_buffers_are_not_kept) {
  tn_buffer_unref(allocate(TN_KEEP_FROM - 1));
  CHECK_INT(tn_cpu_memory_kept(), 0);
  tn_buffer_unref(allocate(TN_KEEP_FROM));
  CHECK_INT(tn_cpu_memory_kept(), TN_KEEP_FROM);
}

static void* free_one(void* arg) {
  tn_buffer_unref(arg);
  CHECK_INT(tn_cpu_memory_kept(), 8192);
  return NULL;
}

TEST(test_a_thread_keeps_its_last_small_buffer_and_gives_it_back_at_its_end) {
  tn_buffer *small = allocate(4096), *larger = allocate(8192), *other = allocate(8192);
  void *small_data = small->data, *larger_data = larger->data;
  pthread_t thread;
  pthread_create(&thread, NULL, free_one, other);
  pthread_join(thread, NULL);
  CHECK_INT(tn_cpu_memory_kept(), 0);
  tn_buffer_unref(small);
  tn_buffer_unref(larger);
  CHECK_INT(tn_cpu_memory_kept(), 4096 + 8192);
  larger = allocate(8192);
  CHECK(larger->data == larger_data);
  small = allocate(4000);
  CHECK(small->data == small_data);
  CHECK_INT(tn_cpu_memory_kept(), 0);
  tn_buffer_unref(small);
  tn_buffer_unref(larger);
  tn_cpu_memory_trim();
  CHECK_INT(tn_cpu_memory_kept(), 0);
}

TEST(test_every_size_gets_at_least_its_bytes) {
  uint64_t random = test_seed();
  for (int i = 0; i < 2000; ++i) {
    size_t size = (size_t)test_between(&random, TN_KEEP_FROM, 5 << 20);
    if (i % 4 == 0) size = (size_t)TN_KEEP_FROM << (i / 4 % 3);
    if (i % 4 == 1) size = ((size_t)TN_KEEP_FROM << (i / 4 % 3)) + 1;
    tn_buffer* buffer = allocate(size);
    ((char*)buffer->data)[0] = 1;
    ((char*)buffer->data)[size - 1] = 1;
    tn_buffer_unref(buffer);
  }
}

TEST(test_what_is_kept_stays_under_the_limit_and_the_newest_stays) {
  setenv("TENON_KEEP_MB", "16", 1);
  tn_buffer* buffers[12];
  for (int i = 0; i < 12; ++i) buffers[i] = allocate((size_t)(2 + i % 6) << 20);
  for (int i = 0; i < 12; ++i) {
    tn_buffer_unref(buffers[i]);
    CHECK(tn_cpu_memory_kept() <= 16 << 20);
  }
  size_t kept = tn_cpu_memory_kept();
  tn_buffer* last = allocate(7 << 20);
  CHECK(tn_cpu_memory_kept() < kept);
  tn_buffer_unref(last);
}

TEST(test_a_limit_of_nothing_keeps_nothing) {
  setenv("TENON_KEEP_MB", "0", 1);
  tn_buffer_unref(allocate(8 << 20));
  CHECK_INT(tn_cpu_memory_kept(), 0);
}

TEST(test_a_size_that_no_machine_has_is_out_of_memory) {
  CHECK(!tn_cpu_allocator.allocate(&tn_cpu_allocator, SIZE_MAX, NULL));
  CHECK(!tn_cpu_allocator.allocate(&tn_cpu_allocator, (size_t)1 << 60, NULL));
}

static void* churn(void* arg) {
  uint64_t random = (uint64_t)(uintptr_t)arg;
  for (int i = 0; i < 300; ++i) {
    size_t size = (size_t)test_between(&random, TN_KEEP_FROM, 3 << 20);
    tn_buffer* buffer = allocate(size);
    // Whoever else had this memory at the same time would change these.
    uint64_t* words = buffer->data;
    for (size_t at = 0; at < size / 8; at += 512) words[at] = random + at;
    for (size_t at = 0; at < size / 8; at += 512) CHECK(words[at] == random + at);
    tn_buffer_unref(buffer);
  }
  return NULL;
}

TEST(test_threads_never_get_the_same_memory) {
  pthread_t threads[4];
  uint64_t seed = test_seed();
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, churn, (void*)(uintptr_t)(seed + (uint64_t)i));
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  tn_cpu_memory_trim();
  CHECK_INT(tn_cpu_memory_kept(), 0);
}

TEST(test_without_memory_a_large_buffer_is_refused) {
  tn_memory_fail_at(0);
  CHECK(!tn_cpu_allocator.allocate(&tn_cpu_allocator, 4 << 20, NULL));
  tn_memory_fail_at(-1);
  tn_buffer_unref(allocate(4 << 20));
}
