// A device's memory, cut into buffers on the host. Regions come from the device in large pieces and
// are kept; all bookkeeping lies in host memory, because the host may not touch a device's.
//
// Sizes: a block is larger than what was asked for by less than `alignment` or by at most a 32nd.
// Free neighbours become one block, and the smallest that fits is cut (to within a 32nd). Each
// thread has a place for blocks of up to 1 MiB that were freed lately; together these places hold
// at most 8 x 8 MiB, and all of it is put back before a region is asked for. So an allocation fails
// only when no free range holds it, the device gives no more, and regions without a buffer are back
// with the device.
//
// Streams: a buffer may be freed while a stream still works on it. A free block keeps the tag
// `buffer->stream` had then; whoever gets the block is told, and makes its stream wait for that one
// unless it is the same. Free neighbours of different streams become one block (of "several") only
// when memory is short.
#ifndef TENON_DEVICE_CACHED_MEMORY_H_
#define TENON_DEVICE_CACHED_MEMORY_H_

#include <stdint.h>

#include "tensor/buffer.h"

enum { TN_NO_STREAM = 0 };
#define TN_SEVERAL_STREAMS UINT32_MAX

// Where regions come from. No function of the memory may be called from within these, but buffers
// may be freed while one runs.
typedef struct tn_memory_source {
  // False when there is no more.
  bool (*allocate)(void* arg, size_t size, void** out_data, uint64_t* out_payload);
  void (*release)(void* arg, void* data, size_t size, uint64_t payload);
  // Returns when all that was queued on the device's streams is done: called before the release of
  // a region that a stream may still work on. May be NULL.
  void (*synchronize)(void* arg);
  void* arg;
} tn_memory_source;

typedef struct tn_cached_memory_options {
  tn_memory_source source;
  struct tn_device* device;  // what its buffers say they are on
  const char* name;          // of that device, for messages; copied
  size_t alignment;          // of every buffer: a power of two from 64 on; 0: 256
  size_t limit;              // bytes of all regions together; 0: as much as the source gives
  bool whole;  // the first region is as large as `limit`; else 2 MiB, and twice that each time
} tn_cached_memory_options;

// What SP_AllocatorStats says. Sizes are those of blocks.
typedef struct tn_memory_stats {
  int64_t allocations;  // all that were ever made
  int64_t live_buffers;
  size_t in_use;
  size_t peak_in_use;  // of several threads at once, it may lack what lay in their places
  size_t largest_allocation;
  size_t limit;  // 0: none
  size_t reserved;
  size_t peak_reserved;
  size_t largest_free_block;
} tn_memory_stats;

typedef struct tn_cached_memory tn_cached_memory;

// NULL when the options are wrong or there is no host memory. Asks the source for nothing yet.
tn_cached_memory* tn_cached_memory_create(const tn_cached_memory_options* options,
                                          tn_status* status);

// The streams are idle. Regions go back to the source, but for those with live buffers: they, and
// the memory itself, go with the last of these, and the source has to stay until then.
void tn_cached_memory_destroy(tn_cached_memory* memory);

// A buffer of at least `size` bytes with one reference and `stream` as its tag. `out_previous` is
// the stream that may still work on these bytes: TN_NO_STREAM, an id, or TN_SEVERAL_STREAMS.
// NULL with RESOURCE_EXHAUSTED says what is in use.  [any thread]
tn_buffer* tn_cached_memory_take(tn_cached_memory* memory, size_t size, uint32_t stream,
                                 uint32_t* out_previous, tn_status* status);

// A stream is about to use the buffer: the tag that it has from now on, given the one before.
static inline uint32_t tn_stream_tag_with(uint32_t tag, uint32_t stream) {
  return tag == TN_NO_STREAM || tag == stream ? stream
         : stream == TN_NO_STREAM             ? tag
                                              : TN_SEVERAL_STREAMS;
}

// Nothing is queued any more on `stream`, or on any stream, of what was queued before the call:
// free blocks forget the tag. No other thread may queue work and free its buffers meanwhile. Tags
// of live buffers are their users'.  [any thread]
void tn_cached_memory_forget_stream(tn_cached_memory* memory, uint32_t stream);
void tn_cached_memory_settle(tn_cached_memory* memory);

// Gives regions without buffers back to the source. Bytes given back.  [any thread]
size_t tn_cached_memory_trim(tn_cached_memory* memory);

tn_memory_stats tn_cached_memory_stats(tn_cached_memory* memory);  // [any thread]

#endif  // TENON_DEVICE_CACHED_MEMORY_H_
