// Streams: queues of work on a device, each in order. Memory belongs to the order of the stream
// that used it last, so that it may be freed, and used again, while that work is still queued.
#ifndef TENON_DEVICE_STREAM_H_
#define TENON_DEVICE_STREAM_H_

#include "device/device.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

struct tn_stream {
  tn_allocator allocator;  // the device's memory for this stream; first, so that it is the stream
  tn_device* device;
  SP_Stream handle;  // NULL on the CPU
  uint32_t id;       // of its device, never used again; 0 on the CPU
  struct tn_stream* next;
  tn_event* overdue;  // waits for it that ran out of time; under the device's streams_lock
};

// Makes a stream of a device that is open, or being opened.
tn_stream* tn_stream_make(tn_plugin_device* device, int priority, bool has_priority,
                          tn_status* status);

// Makes `stream` wait for what is queued on the stream(s) that `tag` names (tn_buffer.stream).
bool tn_stream_follow(tn_stream* stream, uint32_t tag, tn_status* status);

// `stream` is about to use `buffer`, which lies in its device's memory: it waits for others that
// did, and the buffer remembers.  [any thread]
bool tn_stream_use(tn_stream* stream, tn_buffer* buffer, tn_status* status);

// Adds `event`, which may be NULL, to a list of those that somebody waited for in vain; destroys
// what has come by now.
void tn_event_push_overdue(tn_event** list, tn_event* event);

// Keeps `buffer` until what is now queued on the stream is done. Takes one reference of it.
void tn_stream_hold(tn_stream* stream, tn_buffer* buffer);

#endif  // TENON_DEVICE_STREAM_H_
