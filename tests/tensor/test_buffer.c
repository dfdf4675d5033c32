#include <pthread.h>

#include "base/status.h"
#include "harness.h"
#include "tensor/buffer.h"
#include "tensor/object.h"
#include "tensor/tstring.h"

typedef struct deallocation {
  int calls;
  void* data;
  size_t size;
} deallocation;

static void note_deallocation(void* data, size_t size, void* arg) {
  deallocation* seen = arg;
  *seen = (deallocation){seen->calls + 1, data, size};
}

TEST(test_host_memory_is_aligned_whatever_its_size) {
  tn_status status = {0};
  uint64_t random = test_seed();
  for (int round = 0; round < 200; ++round) {
    size_t size = (size_t)test_between(&random, 0, round < 100 ? 200 : 100000);
    tn_buffer* buffer = tn_buffer_allocate(&tn_host_allocator, size, &status);
    CHECK_OK(&status);
    CHECK(buffer->data && (uintptr_t)buffer->data % TN_ALIGNMENT == 0);
    CHECK(buffer->owned && buffer->on_host && buffer->size == size);
    memset(buffer->data, 0xa5, size);
    tn_buffer_unref(buffer);
  }
}

TEST(test_more_memory_than_there_is_is_a_status) {
  tn_status status = {0};
  CHECK(!tn_buffer_allocate(&tn_host_allocator, SIZE_MAX, &status));
  CHECK_CONTAINS(tn_status_message(&status), "18446744073709551615 bytes");
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  CHECK(!tn_buffer_allocate(&tn_host_allocator, PTRDIFF_MAX, NULL));
}

TEST(test_adopted_memory_goes_back_at_the_last_unref) {
  tn_status status = {0};
  deallocation seen = {0};
  char memory[100];
  tn_buffer* buffer = tn_buffer_adopt(memory, sizeof memory, note_deallocation, &seen, &status);
  CHECK_OK(&status);
  CHECK(buffer->data == memory && !buffer->owned);
  CHECK(!tn_buffer_is_shared(buffer));
  tn_buffer_ref(buffer);
  CHECK(tn_buffer_is_shared(buffer));
  tn_buffer_unref(buffer);
  CHECK_INT(seen.calls, 0);
  tn_buffer_unref(buffer);
  CHECK_INT(seen.calls, 1);
  CHECK(seen.data == memory && seen.size == sizeof memory);
  tn_buffer_unref(NULL);
}

TEST(test_adopted_memory_may_be_nothing_and_may_lack_a_deallocator) {
  tn_status status = {0};
  deallocation seen = {0};
  tn_buffer* buffer = tn_buffer_adopt(NULL, 0, note_deallocation, &seen, &status);
  CHECK(buffer && buffer->data);
  tn_buffer_unref(buffer);
  CHECK(seen.calls == 1 && seen.data == NULL);
  char byte;
  tn_buffer_unref(tn_buffer_adopt(&byte, 1, NULL, NULL, &status));
  CHECK_OK(&status);
  CHECK(!tn_buffer_adopt(NULL, 8, note_deallocation, &seen, &status));
  CHECK_INT(seen.calls, 2);
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
}

static bool adopt_once(void* arg, tn_status* status) {
  deallocation seen = {0};
  char memory[8];
  tn_buffer* buffer = tn_buffer_adopt(memory, 8, note_deallocation, &seen, status);
  if (!buffer) CHECK_INT(seen.calls, 1);
  tn_buffer_unref(buffer);
  CHECK_INT(seen.calls, 1);
  return buffer != NULL;
}

TEST(test_adopting_without_memory_still_deallocates) {
  CHECK_INT(test_sweep_allocations(adopt_once, NULL), 1);
}

typedef struct counted {
  tn_object object;
  int* destroyed;
} counted;

static void count_destroyed(tn_object* object) { ++*((counted*)object)->destroyed; }

TEST(test_held_objects_go_with_the_buffer) {
  static const tn_object_type type = {"counted", count_destroyed};
  int destroyed = 0;
  counted first = {{1, &type}, &destroyed}, second = {{1, &type}, &destroyed};
  tn_buffer* buffer = tn_buffer_allocate(&tn_host_allocator, 3 * sizeof(tn_object*), NULL);
  tn_buffer_hold(buffer, TN_RESOURCE, 3);
  tn_object** elements = buffer->data;
  elements[0] = &first.object;
  elements[2] = tn_object_ref(&second.object);
  tn_buffer_unref(buffer);
  CHECK_INT(destroyed, 1);
  tn_object_unref(&second.object);
  CHECK_INT(destroyed, 2);
  CHECK(!tn_object_ref(NULL));
  tn_object_unref(NULL);
}

// What is left behind is the leak checker's to find.
TEST(test_held_strings_go_with_the_buffer) {
  tn_buffer* buffer = tn_buffer_allocate(&tn_host_allocator, 100 * sizeof(tn_tstring), NULL);
  memset(buffer->data, 0xee, buffer->size);
  tn_buffer_hold(buffer, TN_STRING, 100);
  tn_tstring* strings = buffer->data;
  char text[50] = {0};
  for (int i = 0; i < 100; ++i) {
    CHECK_INT(tn_tstring_size(&strings[i]), 0);
    CHECK(tn_tstring_copy(&strings[i], text, (size_t)i / 2));
  }
  tn_buffer_unref(buffer);
}

static void* share_and_drop(void* arg) {
  for (int i = 0; i < 100000; ++i) tn_buffer_unref(tn_buffer_ref(arg));
  tn_buffer_unref(arg);
  return NULL;
}

TEST(test_references_from_many_threads_add_up) {
  enum { threads = 4 };
  deallocation seen = {0};
  char memory[8];
  tn_buffer* buffer = tn_buffer_adopt(memory, 8, note_deallocation, &seen, NULL);
  pthread_t thread[threads];
  for (int i = 0; i < threads; ++i) {
    tn_buffer_ref(buffer);
    CHECK(pthread_create(&thread[i], NULL, share_and_drop, buffer) == 0);
  }
  for (int i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
  CHECK_INT(seen.calls, 0);
  tn_buffer_unref(buffer);
  CHECK_INT(seen.calls, 1);
}
