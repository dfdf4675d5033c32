// Devices, and the streams, events and memory they have. The CPU is always there; others come with
// plugins (SE_InitPlugin) when these are loaded. A device is made ready at its first use.
//
// A stream is a queue: what is put on it runs in order, and mostly after the call has returned.
// Results of different streams may be used together; Tenon makes one stream wait for the other.
#ifndef TENON_DEVICE_H_
#define TENON_DEVICE_H_

#include <stddef.h>
#include <stdint.h>

#include "tenon/abi.h"
#include "tenon/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// A device. Belongs to the library until the process ends.
typedef struct tn_device tn_device;

// A queue of work on one device. Belongs to whoever made it.
typedef struct tn_stream tn_stream;

// A place in a stream that can be waited for. Belongs to whoever made it.
typedef struct tn_event tn_event;

// The number of devices, which are owned by the library, the CPU among them; grows when a plugin
// brings some.  [any thread]  since 0.1
size_t tn_device_count(void);

// Device `i`, the CPU first; NULL past the end. Owned by the library, valid for ever.
// [any thread]  since 0.1
tn_device* tn_device_at(size_t i);

// The device by full name or short form: "CPU", "CPU:0", "/device:MY_DEVICE:1", "my_device:1"; ""
// and NULL are the CPU. NULL and NOT_FOUND, with what there is, for none. Owned by the library,
// valid for ever.  [any thread]  since 0.1
tn_device* tn_device_find(const char* name, tn_status* status);

// "/job:localhost/replica:0/task:0/device:CPU:0". Owned by the library, valid for ever.
// [any thread]  since 0.1
const char* tn_device_name(const tn_device* device);

// "CPU". Owned by the library, valid for ever.  [any thread]  since 0.1
const char* tn_device_type(const tn_device* device);

// The plugin file it came with, "tenon" for the CPU; the device is not made ready for it. Owned by
// the library, valid for ever.  [any thread]  since 0.1
const char* tn_device_plugin(const tn_device* device);

// What is known of a device. Texts are owned by the library, valid for ever.
typedef struct tn_device_info {
  size_t struct_size;        // TN_DEVICE_INFO_STRUCT_SIZE, set by the caller         since 0.1
  void* ext;                 // must be NULL                                          since 0.1
  const char* plugin;        // the file it came with; "tenon" for the CPU            since 0.1
  const char* platform;      // the name of the plugin's platform; "CPU" for the CPU  since 0.1
  const char* hardware;      // "" where unknown                                      since 0.1
  const char* vendor;        // "" where unknown                                      since 0.1
  const char* pci_bus_id;    // "" where unknown                                      since 0.1
  int64_t memory_total;      // bytes; -1 where unknown                               since 0.1
  int64_t memory_free;       // bytes; -1 where unknown                               since 0.1
  int64_t memory_bandwidth;  // bytes a second; -1 where unknown                      since 0.1
  double gflops;             // -1 where unknown                                      since 0.1
  int32_t numa_node;         // -1 where unknown                                      since 0.1
  bool unified_memory;       // it gives memory that both can touch                   since 0.1
} tn_device_info;
TN_DEFINE_STRUCT_SIZE(tn_device_info, unified_memory);
#define TN_DEVICE_INFO_STRUCT_SIZE ((size_t)tn_device_info_STRUCT_SIZE)

// Makes the device ready and fills the fields that `info` has room for. Borrows both. False with
// what the plugin said.  [any thread]  since 0.1
bool tn_device_describe(tn_device* device, tn_device_info* info, tn_status* status);

// Memory of a device, in bytes. -1 where unknown.
typedef struct tn_device_memory {
  size_t struct_size;          // TN_DEVICE_MEMORY_STRUCT_SIZE, set by the caller     since 0.1
  void* ext;                   // must be NULL                                        since 0.1
  int64_t allocations;         // ever made                                           since 0.1
  int64_t in_use;              // by tensors                                          since 0.1
  int64_t peak_in_use;         //                                                     since 0.1
  int64_t largest_allocation;  //                                                     since 0.1
  int64_t limit;               // of in_use and what is kept                          since 0.1
  int64_t reserved;            // in use or kept for later                            since 0.1
  int64_t peak_reserved;       //                                                     since 0.1
  int64_t largest_free_block;  // of what is kept                                     since 0.1
} tn_device_memory;
TN_DEFINE_STRUCT_SIZE(tn_device_memory, largest_free_block);
#define TN_DEVICE_MEMORY_STRUCT_SIZE ((size_t)tn_device_memory_STRUCT_SIZE)

// Makes the device ready and fills the fields that `memory` has room for: from Tenon's own account
// where Tenon shares the memory out, else from the plugin's. Borrows both.
// [any thread]  since 0.1
bool tn_device_memory_now(tn_device* device, tn_device_memory* memory, tn_status* status);

// The stream that calls on the device take when none is named. Makes the device ready. Owned by the
// library, valid for ever; NULL with what the plugin said.  [any thread]  since 0.1
tn_stream* tn_device_stream(tn_device* device, tn_status* status);

// Waits until all streams of the device are done. Borrows it.  [any thread]  since 0.1
bool tn_device_wait(tn_device* device, tn_status* status);

// A stream of its own on the device, which is made ready. Owned by the caller until
// tn_stream_destroy.  [any thread]  since 0.1
tn_stream* tn_stream_create(tn_device* device, tn_status* status);

// A stream with a priority: lower numbers go first, as far as the device knows them.
// INVALID_ARGUMENT where the plugin has no priorities. Owned by the caller until tn_stream_destroy.
// [any thread]  since 0.1
tn_stream* tn_stream_create_with_priority(tn_device* device, int priority, tn_status* status);

// Waits until the stream is done and frees it; NULL is fine. The caller's pointer is dead
// afterwards; tensors that were made on it stay.  [one thread per stream]  since 0.1
void tn_stream_destroy(tn_stream* stream);

// The device of a stream. Owned by the library, valid for ever.  [any thread]  since 0.1
tn_device* tn_stream_device(const tn_stream* stream);

// Waits until all that was put on the stream is done, at most `limit_ms` milliseconds (0: no
// limit). False with the first failure on the stream, or with DEADLINE_EXCEEDED. Borrows it.
// [any thread]  since 0.1
bool tn_stream_wait(tn_stream* stream, uint32_t limit_ms, tn_status* status);

// What is put on `stream` from now on starts after what is on `other` by now. Both are of one
// device; both are borrowed.  [any thread]  since 0.1
bool tn_stream_depend(tn_stream* stream, tn_stream* other, tn_status* status);

// Calls `function` with `arg` once, on a thread of the plugin's, when the stream gets there; at
// once on the CPU. When this fails it is not called. Borrows the stream; `arg` is the caller's.
// [any thread]  since 0.1
bool tn_stream_call(tn_stream* stream, void (*function)(void* arg), void* arg, tn_status* status);

// Marks the place that the stream has come to by now. Owned by the caller until tn_event_destroy.
// [any thread]  since 0.1
tn_event* tn_event_record(tn_stream* stream, tn_status* status);

// Frees an event; NULL is fine. The caller's pointer is dead afterwards.
// [one thread per event]  since 0.1
void tn_event_destroy(tn_event* event);

// 1 when the stream has passed the event, 0 when not yet, -1 with a status when the plugin reports
// an error. Borrows the event.  [any thread]  since 0.1
int tn_event_poll(tn_event* event, tn_status* status);

// Waits for the event, at most `limit_ms` milliseconds (0: no limit). False with what the plugin
// reports, or with DEADLINE_EXCEEDED. Borrows the event.  [any thread]  since 0.1
bool tn_event_wait(tn_event* event, uint32_t limit_ms, tn_status* status);

// What is put on `stream` from now on starts after the event. Both are of one device; both are
// borrowed.  [any thread]  since 0.1
bool tn_stream_wait_for_event(tn_stream* stream, tn_event* event, tn_status* status);

// Measures the time between two places of a stream. Belongs to whoever made it.
typedef struct tn_timer tn_timer;

// Puts the start on the stream. Owned by the caller until tn_timer_destroy; once its stream is
// destroyed it cannot be stopped any more.
// [any thread]  since 0.1
tn_timer* tn_timer_start(tn_stream* stream, tn_status* status);

// Puts the end on the stream, waits for it, and gives the nanoseconds between the two; -1 with a
// status. Borrows the timer. By the plugin's timers where it has them, else by the host's clock
// in callbacks of the stream.  [one thread per timer]  since 0.1
int64_t tn_timer_stop(tn_timer* timer, tn_status* status);

// Frees a timer; NULL is fine. The caller's pointer is dead afterwards.
// [one thread per timer]  since 0.1
void tn_timer_destroy(tn_timer* timer);

// The device whose memory holds the tensor's elements. Owned by the library, valid for ever.
// [any thread]  since 0.1
tn_device* tn_tensor_device(const tn_tensor* tensor);

// Kinds of memory that a device gives.
typedef enum tn_memory_kind {
  TN_MEMORY_DEVICE = 0,   // its own
  TN_MEMORY_HOST = 1,     // the host's, which the device's copies reach best
  TN_MEMORY_UNIFIED = 2,  // one that both can touch; the host after tn_tensor_to_host
} tn_memory_kind;

// A tensor of numbers, not initialised, in memory that the device gives; it is made ready. Owned by
// the caller until tn_tensor_destroy. NULL and UNIMPLEMENTED where the device has no such memory;
// RESOURCE_EXHAUSTED where there is none left.  [any thread]  since 0.1
tn_tensor* tn_tensor_create_on(tn_device* device, tn_memory_kind kind, tn_dtype dtype,
                               const int64_t* dims, int rank, tn_status* status);

// Puts a fill of all bytes on the stream, which is of the tensor's device. Borrows both.
// [any thread]  since 0.1
bool tn_tensor_fill_bytes(tn_tensor* tensor, uint8_t byte, tn_stream* stream, tn_status* status);

// The same with words of four bytes; the tensor's bytes are a multiple of four. Borrows both.
// [any thread]  since 0.1
bool tn_tensor_fill_words(tn_tensor* tensor, uint32_t word, tn_stream* stream, tn_status* status);

// Copies the first `size` bytes of a tensor of numbers to `target`, after the work that makes them.
// Borrows both.  [any thread]  since 0.1
bool tn_tensor_read(const tn_tensor* tensor, void* target, size_t size, tn_status* status);

// Copies `size` bytes of `source` to the front of a tensor of numbers, after all work on it.
// Borrows both.  [any thread]  since 0.1
bool tn_tensor_write(tn_tensor* tensor, const void* source, size_t size, tn_status* status);

// The tensor in the memory of the stream's device, there when the stream gets so far: the same
// memory under a new handle when it is there already, else a copy. Strings and objects stay with
// the host. Owned by the caller until tn_tensor_destroy; `tensor` is borrowed.
// [any thread]  since 0.1
tn_tensor* tn_tensor_to_stream(const tn_tensor* tensor, tn_stream* stream, tn_status* status);

// The tensor in host memory, complete: waits for the work that makes it. The same memory under a
// new handle when it is there already, else a copy. Owned by the caller until tn_tensor_destroy;
// `tensor` is borrowed.  [any thread]  since 0.1
tn_tensor* tn_tensor_to_host(const tn_tensor* tensor, tn_status* status);

#ifdef __cplusplus
}
#endif
#endif  // TENON_DEVICE_H_
