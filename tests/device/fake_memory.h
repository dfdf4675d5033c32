// A device for tests of its memory: gives out addresses that nobody may touch.
#ifndef TENON_TESTS_DEVICE_FAKE_MEMORY_H_
#define TENON_TESTS_DEVICE_FAKE_MEMORY_H_

#include <pthread.h>

#include "base/status.h"
#include "device/blocks.h"
#include "device/cached_memory.h"
#include "harness.h"

typedef struct source {
  pthread_mutex_t lock;
  uintptr_t next;
  size_t budget;  // bytes it gives at most
  size_t given;
  size_t offset;  // regions start that far from a page
  struct {
    uintptr_t data;
    size_t size;
  } regions[4096];
  int count;
  size_t asked[64];  // sizes of the first requests
  int requests;
  int synchronized;
} source;

static inline bool give(void* arg, size_t size, void** out_data, uint64_t* out_payload) {
  source* source = arg;
  pthread_mutex_lock(&source->lock);
  if (source->requests < 64) source->asked[source->requests] = size;
  ++source->requests;
  bool enough = source->budget - source->given >= size && source->count < 4096;
  if (enough) {
    source->given += size;
    uintptr_t data = (source->next & ~(uintptr_t)4095) + 8192 + source->offset;
    source->next = data + size;
    source->regions[source->count].data = data;
    source->regions[source->count++].size = size;
    *out_data = (void*)data;
    *out_payload = data * 3;
  }
  pthread_mutex_unlock(&source->lock);
  return enough;
}

static inline void take_back(void* arg, void* data, size_t size, uint64_t payload) {
  source* source = arg;
  pthread_mutex_lock(&source->lock);
  int i = 0;
  while (i < source->count && source->regions[i].data != (uintptr_t)data) ++i;
  CHECK(i < source->count);
  CHECK_INT(source->regions[i].size, size);
  CHECK(payload == (uintptr_t)data * 3);
  source->regions[i] = source->regions[--source->count];
  source->given -= size;
  pthread_mutex_unlock(&source->lock);
}

static inline void synchronize(void* arg) { ++((source*)arg)->synchronized; }

static source device = {PTHREAD_MUTEX_INITIALIZER, .next = (uintptr_t)1 << 40, .budget = SIZE_MAX};

static inline tn_cached_memory* create(size_t limit, bool whole) {
  tn_status status = {0};
  tn_cached_memory_options options = {.source = {give, take_back, synchronize, &device},
                                      .device = (struct tn_device*)&device,
                                      .name = "/device:X:0",
                                      .limit = limit,
                                      .whole = whole};
  tn_cached_memory* memory = tn_cached_memory_create(&options, &status);
  CHECK_OK(&status);
  CHECK(memory);
  return memory;
}

static inline tn_buffer* take(tn_cached_memory* memory, size_t size, uint32_t stream,
                              uint32_t* previous) {
  tn_status status = {0};
  uint32_t unasked;
  tn_buffer* buffer =
      tn_cached_memory_take(memory, size, stream, previous ? previous : &unasked, &status);
  CHECK_OK(&status);
  CHECK(buffer);
  return buffer;
}

static inline size_t block_size(tn_buffer* buffer) { return ((tn_block*)buffer)->size; }

#endif  // TENON_TESTS_DEVICE_FAKE_MEMORY_H_
