// Streams: queues of work on a device, each in order. Memory belongs to the order of the stream
// that used it last, so that it may be freed, and used again, while that work is still queued.
#ifndef TENON_DEVICE_STREAM_H_
#define TENON_DEVICE_STREAM_H_

#include "device/device.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

typedef struct tn_parked tn_parked;

struct tn_stream {
  tn_allocator allocator;  // the device's memory for this stream; first, so that it is the stream
  tn_device* device;
  SP_Stream handle;  // NULL on the CPU
  uint32_t id;       // of its device, never used again; 0 on the CPU
  struct tn_stream* next;
  // Under the device's streams_lock:
  tn_event* overdue;  // waits for it that ran out of time
  tn_parked* parked;  // what is dropped when it is known to be done
  tn_timer* timers;   // that measure on it (event.c)
  unsigned borrowed;
  bool left_behind;  // destroyed by its owner while it could not be waited for
};

// Makes a stream of a device that is open, or being opened.
tn_stream* tn_stream_make(tn_plugin_device* device, int priority, bool has_priority,
                          tn_status* status);

// Makes `stream` wait for what is queued on the stream(s) that `tag` names (tn_buffer.stream).
bool tn_stream_follow(tn_stream* stream, uint32_t tag, tn_status* status);

// `stream` is about to use `buffer`, which lies in its device's memory: it waits for others that
// did, and the buffer remembers.  [any thread]
bool tn_stream_use(tn_stream* stream, tn_buffer* buffer, tn_status* status);

// A stream that cannot be taken down before it is returned: the newest with an id below `below`, or
// NULL; the one that `tag` names, else the device's own.  [any thread]
tn_stream* tn_stream_borrow(tn_plugin_device* device, uint32_t below);
tn_stream* tn_stream_borrow_tagged(tn_plugin_device* device, uint32_t tag);
void tn_stream_return(tn_stream* stream);

// Adds `event`, which may be NULL, to a list of those that somebody waited for in vain; destroys
// what has come by now.
void tn_event_push_overdue(tn_event** list, tn_event* event);
// Whether a wait that ran out of time is still not over; `event`, which may be NULL, is one more.
bool tn_stream_hangs(tn_stream* stream, tn_event* event);

// Its owner destroys the stream: timers on it measure nothing from now on. `done`: nothing is
// queued on it.
void tn_stream_leave_timers(tn_stream* stream, bool done);

// Waits for what is queued now, by whichever of the plugin's functions manages. False when none
// does, or the stream hangs: what the work uses must then stay.  [any thread]
bool tn_stream_drain(tn_stream* stream);
// The same for all streams of a device.
bool tn_device_drain(tn_plugin_device* device);
// Calls `drop` once, when what is queued now is known to be done: at once if it can be waited for,
// else after a later wait.  [any thread]
void tn_stream_park(tn_stream* stream, void (*drop)(void* arg), void* arg);

// False and INVALID_ARGUMENT for NULL.
bool tn_device_given(const void* object, const char* what, tn_status* status);

// Keeps `buffer` until what is now queued on the stream is done. Takes one reference of it.
void tn_stream_hold(tn_stream* stream, tn_buffer* buffer);

#endif  // TENON_DEVICE_STREAM_H_
