#include "base/memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// INT64_MAX: failing is off and nothing is counted, the state outside tests.
_Atomic int64_t tn_memory_until_failure = INT64_MAX;
static _Atomic int64_t asked;
static _Atomic int64_t alive;
// The thread whose allocations count, by the address of its own copy of a variable; NULL: all.
static _Atomic(const char*) counted_thread;
static _Thread_local char this_thread;

static void fail_at(int64_t nth, const char* thread) {
  atomic_store(&tn_memory_until_failure,
               INT64_MAX / 2);  // nobody meets a failure meant for another
  atomic_store(&counted_thread, thread);
  atomic_store(&asked, 0);
  if (nth >= 0) atomic_store(&tn_memory_until_failure, nth);
}

void tn_memory_fail_at(int64_t nth) { fail_at(nth, NULL); }
void tn_memory_fail_here_at(int64_t nth) { fail_at(nth, &this_thread); }

int64_t tn_memory_asked(void) { return atomic_load(&asked); }
int64_t tn_memory_alive(void) { return atomic_load(&alive); }

void tn_memory_keep(void* memory) {
  if (memory && tn_memory_counting()) atomic_fetch_sub(&alive, 1);
}

bool tn_memory_should_fail(void) {
  if (!tn_memory_counting()) return false;
  const char* counted = atomic_load(&counted_thread);
  if (counted && counted != &this_thread) return false;
  atomic_fetch_add(&asked, 1);
  return atomic_fetch_sub(&tn_memory_until_failure, 1) == 0;
}

static void* count(void* memory) {
  if (memory && tn_memory_counting()) atomic_fetch_add(&alive, 1);
  return memory;
}

// Large blocks are mostly tensors, which are walked from end to end: with large pages, that takes a
// hundredth of the faults and of the address translations.
static void* prefer_large_pages(void* memory, size_t size) {
  enum { large_page = 2 << 20 };
  if (!memory || size < 2 * large_page) return memory;
  uintptr_t begin = ((uintptr_t)memory + large_page - 1) / large_page * large_page;
  uintptr_t end = ((uintptr_t)memory + size) / large_page * large_page;
  int error = errno;  // a system without such pages says so
  madvise((void*)begin, end - begin, MADV_HUGEPAGE);
  errno = error;
  return memory;
}

void* tn_alloc(size_t size) {
  if (tn_memory_should_fail()) return NULL;
  return count(prefer_large_pages(malloc(size ? size : 1), size));
}

void* tn_alloc_zeroed(size_t items, size_t size) {
  if (tn_memory_should_fail()) return NULL;
  return count(calloc(items ? items : 1, size ? size : 1));
}

void* tn_resize(void* memory, size_t size) {
  if (!memory) return tn_alloc(size);
  if (tn_memory_should_fail()) return NULL;
  return realloc(memory, size ? size : 1);
}

void tn_free(void* memory) {
  if (memory && tn_memory_counting()) atomic_fetch_sub(&alive, 1);
  free(memory);
}

char* tn_strndup(const char* text, size_t size) {
  char* copy = size == SIZE_MAX ? NULL : tn_alloc(size + 1);
  if (!copy) return NULL;
  memcpy(copy, text, size);
  copy[size] = 0;
  return copy;
}

char* tn_strdup(const char* text) { return tn_strndup(text, strlen(text)); }

char* tn_vprintf(const char* format, va_list args) {
  if (!format) return tn_strdup("");
  va_list again;
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char* text = size < 0 ? NULL : tn_alloc((size_t)size + 1);
  if (text) vsnprintf(text, (size_t)size + 1, format, args);
  return text;
}

char* tn_printf(const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* text = tn_vprintf(format, args);
  va_end(args);
  return text;
}

bool tn_grow(void* items, size_t* capacity, size_t needed, size_t item_size) {
  if (needed <= *capacity) return true;
  size_t target = *capacity < 4 ? 8 : *capacity * 2;
  if (target < needed) target = needed;
  void** array = items;
  void* larger = target > SIZE_MAX / item_size ? NULL : tn_resize(*array, target * item_size);
  if (!larger) return false;
  *array = larger;
  *capacity = target;
  return true;
}
