// Counted memory behind tensors. Several tensors, also of other types and shapes, may share one.
#ifndef TENON_TENSOR_BUFFER_H_
#define TENON_TENSOR_BUFFER_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "tenon/status.h"
#include "tensor/dtype.h"

enum { TN_ALIGNMENT = 64 };

typedef struct tn_buffer tn_buffer;

// Where buffers come from and go back to: a device's memory. Lives for the whole process.
typedef struct tn_allocator {
  // A buffer with one reference and at least `size` bytes aligned to TN_ALIGNMENT, contents
  // undefined. The allocator's `release` gets it back at the last unref. NULL when out of memory;
  // an allocator that knows more than that sets the status, which may be NULL.
  tn_buffer* (*allocate)(struct tn_allocator* allocator, size_t size, tn_status* status);
} tn_allocator;

struct tn_buffer {
  atomic_int references;
  bool owned;  // Tenon's memory, as against a caller's with a deallocator
  bool on_host;
  void* data;                          // never NULL, also when size is 0
  size_t size;                         // bytes asked for
  void (*release)(tn_buffer* buffer);  // frees memory and the buffer object
  void* release_arg;
  tn_dtype held_type;  // elements that own something: destroyed at the last unref (tn_buffer_hold)
  size_t held_count;
  struct tn_device* device;  // NULL: host memory
  atomic_uint stream;        // which stream used it last: 0 none, UINT_MAX several
};

// Plain host memory from tn_alloc, header and bytes in one block.
extern tn_allocator tn_host_allocator;
tn_buffer* tn_buffer_allocate(tn_allocator* allocator, size_t size, tn_status* status);

// Takes foreign memory without copying; `deallocate` (may be NULL) runs at the last unref, and at
// once, when this fails for want of memory (then NULL).
tn_buffer* tn_buffer_adopt(void* data, size_t size, void (*deallocate)(void*, size_t, void*),
                           void* arg, tn_status* status);

// Makes the first `count` elements empty ones of a type that owns something (string, resource,
// variant) and has what they own by then freed with the buffer. For Tenon's own host memory; what
// lies in a caller's memory is the caller's.
void tn_buffer_hold(tn_buffer* buffer, tn_dtype dtype, size_t count);

// What the last unref does; nobody else calls it.
void tn_buffer_release(tn_buffer* buffer);

static inline tn_buffer* tn_buffer_ref(tn_buffer* buffer) {
  atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
  return buffer;
}
// The same through a handle that nobody else has seen yet: when its reference is the only one,
// nobody else can count.
static inline tn_buffer* tn_buffer_ref_unseen(tn_buffer* buffer) {
  if (atomic_load_explicit(&buffer->references, memory_order_relaxed) != 1)
    return tn_buffer_ref(buffer);
  atomic_store_explicit(&buffer->references, 2, memory_order_relaxed);
  return buffer;
}
static inline void tn_buffer_unref(tn_buffer* buffer) {
  // Whoever holds the only reference need not count: nobody else can take another.
  if (buffer && (atomic_load_explicit(&buffer->references, memory_order_acquire) == 1 ||
                 atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) == 1))
    tn_buffer_release(buffer);
}
static inline bool tn_buffer_is_shared(const tn_buffer* buffer) {
  return atomic_load_explicit(&((tn_buffer*)buffer)->references, memory_order_acquire) != 1;
}

#endif  // TENON_TENSOR_BUFFER_H_
