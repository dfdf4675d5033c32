#include "device/cpu_memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/thread_end.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(data, size) ((void)(data), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(data, size) ((void)(data), (void)(size))
#endif

// Sizes are rounded up to one of eight steps per power of two (at most an eighth is wasted). Each
// step has a few places that whole buffers are exchanged with, so nobody locks and nothing can be
// taken twice.
enum { least_power = 10, most_power = 47, steps = 8, places = 8 };
_Static_assert(TN_KEEP_FROM == 2 << least_power, "the smallest class holds the smallest buffer");
enum { class_count = (most_power - least_power) * steps };

typedef struct kept_buffer {
  tn_buffer buffer;
  int class;
} kept_buffer;

static _Atomic(kept_buffer*) kept[class_count][places];
static atomic_size_t kept_bytes;
static atomic_uint next_victim;

// The last small buffer that this thread freed: the next call mostly wants just that, and gets it
// without an atomic operation.
enum { most_own_class = (16 - least_power) * steps - 1 };
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
  kept_buffer* buffer;
  bool open;  // from the first use until the thread ends
  tn_thread_end end;
} own;

static size_t class_size(int class) {
  size_t power = (size_t)1 << (class / steps + least_power);
  return power + power / steps * (size_t)(class % steps + 1);
}

// The smallest class that holds `size` bytes.
static int class_of(size_t size) {
  int power = 63 - __builtin_clzll((unsigned long long)size - 1);
  size_t step = ((size_t)1 << power) / steps;
  return (power - least_power) * steps + (int)((size - 1 - ((size_t)1 << power)) / step);
}

static size_t keep_limit(void) {
  static atomic_size_t known;  // the limit + 1
  size_t limit = atomic_load_explicit(&known, memory_order_relaxed);
  if (limit) return limit - 1;
  const char* given = getenv("TENON_KEEP_MB");
  if (given) {
    limit = (size_t)strtoull(given, NULL, 10) << 20;
  } else {
    size_t machine = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    limit = machine / 8 < ((size_t)1 << 30) ? machine / 8 : (size_t)1 << 30;
  }
  atomic_store_explicit(&known, limit + 1, memory_order_relaxed);
  return limit;
}

static void free_buffer(kept_buffer* buffer) {
  ASAN_UNPOISON_MEMORY_REGION(buffer->buffer.data, class_size(buffer->class));
  tn_free(buffer);
}

static kept_buffer* take(int class) {
  for (int i = 0; i < places; ++i) {
    if (!atomic_load_explicit(&kept[class][i], memory_order_relaxed)) continue;
    kept_buffer* buffer = atomic_exchange_explicit(&kept[class][i], NULL, memory_order_acquire);
    if (!buffer) continue;
    atomic_fetch_sub_explicit(&kept_bytes, class_size(class), memory_order_relaxed);
    return buffer;
  }
  return NULL;
}

// Frees buffers of classes in turn until `needed` more bytes would stay under the limit.
static void make_room(size_t needed, size_t limit) {
  for (int i = 0; i < class_count; ++i) {
    if (atomic_load_explicit(&kept_bytes, memory_order_relaxed) + needed <= limit) return;
    unsigned class = atomic_fetch_add_explicit(&next_victim, 1, memory_order_relaxed) % class_count;
    for (kept_buffer* buffer; (buffer = take((int)class));) free_buffer(buffer);
  }
}

static kept_buffer* take_own(void) {
  kept_buffer* buffer = own.buffer;
  own.buffer = NULL;
  return buffer;
}

static void end_thread(void) {
  own.open = false;
  if (own.buffer) free_buffer(take_own());
}

static bool open_own(void) {
  own.end.end = end_thread;
  return own.open = tn_thread_on_end(&own.end);
}

static void release(tn_buffer* freed) {
  kept_buffer* buffer = (kept_buffer*)freed;
  size_t size = class_size(buffer->class), limit = keep_limit();
  ASAN_POISON_MEMORY_REGION(freed->data, size);
  if (size <= limit && !tn_memory_counting()) {
    if (buffer->class <= most_own_class && (own.open || open_own())) {
      kept_buffer* before = take_own();
      own.buffer = buffer;
      if (!before) return;
      buffer = before;
      size = class_size(buffer->class);
    }
    make_room(size, limit);
    // Counted before it can be taken, so that the count never falls below what is there.
    size_t before = atomic_fetch_add_explicit(&kept_bytes, size, memory_order_relaxed);
    for (int i = 0; before + size <= limit && i < places; ++i) {
      kept_buffer* none = NULL;
      if (atomic_compare_exchange_strong_explicit(&kept[buffer->class][i], &none, buffer,
                                                  memory_order_release, memory_order_relaxed))
        return;
    }
    atomic_fetch_sub_explicit(&kept_bytes, size, memory_order_relaxed);
  }
  free_buffer(buffer);
}

static tn_buffer* allocate(tn_allocator* allocator, size_t size, tn_status* status) {
  if (size < TN_KEEP_FROM) return tn_host_allocator.allocate(&tn_host_allocator, size, status);
  if (size > (size_t)1 << most_power) return NULL;
  int class = class_of(size);
  kept_buffer* buffer = NULL;
  if (!tn_memory_counting())
    buffer = own.buffer && own.buffer->class == class ? take_own() : take(class);
  if (!buffer) {
    buffer = tn_alloc(sizeof *buffer + TN_ALIGNMENT - 1 + class_size(class));
    if (!buffer) return NULL;
    uintptr_t data = (uintptr_t)(buffer + 1);
    data = (data + TN_ALIGNMENT - 1) & ~(uintptr_t)(TN_ALIGNMENT - 1);
    buffer->buffer.data = (void*)data;
  }
  ASAN_UNPOISON_MEMORY_REGION(buffer->buffer.data, class_size(class));
  *buffer = (kept_buffer){.buffer = {.references = 1,
                                     .owned = true,
                                     .on_host = true,
                                     .data = buffer->buffer.data,
                                     .size = size,
                                     .release = release},
                          .class = class};
  return &buffer->buffer;
}

tn_allocator tn_cpu_allocator = {allocate};

size_t tn_cpu_memory_kept(void) {
  return atomic_load_explicit(&kept_bytes, memory_order_relaxed) +
         (own.buffer ? class_size(own.buffer->class) : 0);
}

void tn_cpu_memory_trim(void) {
  if (own.buffer) free_buffer(take_own());
  for (int class = 0; class < class_count; ++class)
    for (kept_buffer* buffer; (buffer = take(class));) free_buffer(buffer);
}
