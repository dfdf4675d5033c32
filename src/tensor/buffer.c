#include "tensor/buffer.h"

#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "tensor/object.h"
#include "tensor/tstring.h"

static void release_block(tn_buffer* buffer) { tn_free(buffer); }

static tn_buffer* allocate_block(tn_allocator* allocator, size_t size, tn_status* status) {
  if (size > PTRDIFF_MAX - sizeof(tn_buffer) - TN_ALIGNMENT) return NULL;
  tn_buffer* buffer = tn_alloc(sizeof *buffer + TN_ALIGNMENT - 1 + size);
  if (!buffer) return NULL;
  uintptr_t data = (uintptr_t)(buffer + 1);
  data = (data + TN_ALIGNMENT - 1) & ~(uintptr_t)(TN_ALIGNMENT - 1);
  *buffer = (tn_buffer){.references = 1,
                        .owned = true,
                        .on_host = true,
                        .data = (void*)data,
                        .size = size,
                        .release = release_block};
  return buffer;
}

tn_allocator tn_host_allocator = {allocate_block};

tn_buffer* tn_buffer_allocate(tn_allocator* allocator, size_t size, tn_status* status) {
  tn_buffer* buffer = allocator->allocate(allocator, size, status);
  if (!buffer && status && tn_ok(status)) {
    tn_status_set(status, TN_RESOURCE_EXHAUSTED, "out of memory while allocating %zu bytes", size);
    if (!status->message) tn_status_set_no_memory(status, "allocating a tensor");
  }
  return buffer;
}

typedef struct adopted_buffer {
  tn_buffer buffer;
  void* given;  // as the deallocator wants it back, NULL included
  void (*deallocate)(void*, size_t, void*);
  void* arg;
} adopted_buffer;

static void release_adopted(tn_buffer* buffer) {
  adopted_buffer* adopted = (adopted_buffer*)buffer;
  if (adopted->deallocate) adopted->deallocate(adopted->given, buffer->size, adopted->arg);
  tn_free(adopted);
}

tn_buffer* tn_buffer_adopt(void* data, size_t size, void (*deallocate)(void*, size_t, void*),
                           void* arg, tn_status* status) {
  static _Alignas(TN_ALIGNMENT) char nothing[TN_ALIGNMENT];
  adopted_buffer* adopted = data || size == 0 ? tn_alloc(sizeof *adopted) : NULL;
  if (!adopted) {
    if (data || size == 0)
      tn_status_set_no_memory(status, "taking over memory for a tensor");
    else
      tn_status_set(status, TN_INVALID_ARGUMENT, "%zu bytes at NULL cannot back a tensor", size);
    if (deallocate) deallocate(data, size, arg);
    return NULL;
  }
  *adopted = (adopted_buffer){.buffer = {.references = 1,
                                         .on_host = true,
                                         .data = data ? data : nothing,
                                         .size = size,
                                         .release = release_adopted},
                              .given = data,
                              .deallocate = deallocate,
                              .arg = arg};
  return &adopted->buffer;
}

void tn_buffer_hold(tn_buffer* buffer, tn_dtype dtype, size_t count) {
  memset(buffer->data, 0, count * tn_dtype_stored_size(dtype));
  buffer->held_type = dtype;
  buffer->held_count = count;
}

void tn_buffer_release(tn_buffer* buffer) {
  if (buffer->held_type == TN_STRING) {
    tn_tstring* strings = buffer->data;
    for (size_t i = 0; i < buffer->held_count; ++i) tn_tstring_deinit(&strings[i]);
  } else if (buffer->held_type != TN_INVALID) {
    tn_object** objects = buffer->data;
    for (size_t i = 0; i < buffer->held_count; ++i) tn_object_unref(objects[i]);
  }
  buffer->release(buffer);
}
