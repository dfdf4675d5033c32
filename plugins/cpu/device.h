// The device TENON: this machine's processor and memory behind StreamExecutor's tables.
#ifndef TENON_PLUGINS_CPU_DEVICE_H_
#define TENON_PLUGINS_CPU_DEVICE_H_

#include <pthread.h>
#include <stdatomic.h>

#include "stream.h"
#include "tenon/abi.h"

#define PLATFORM_NAME "TENON_CPU"
// TensorFlow takes every device with "CPU" in its name for the CPU when it puts in ops that only
// the CPU has (oneDNN's, compositions of elementwise ops).
#define DEVICE_TYPE "TENON"

typedef struct stream_list stream_list;

typedef struct device {
  pthread_mutex_t lock;
  stream_list* streams;  // guarded by the lock
  uint64_t removals;     // from them
  _Atomic int64_t allocations, in_use, peak, largest;
} device;

static inline device* device_of(const SP_Device* device) { return device->device_handle; }

// Until all that was given to the device's streams before has run. On a stream's thread: at once.
void device_wait(device* device);

// Each fills its part of the table.
void fill_memory_functions(SP_StreamExecutor* table);
void fill_stream_functions(SP_StreamExecutor* table);
void fill_copy_functions(SP_StreamExecutor* table);
uint64_t timer_nanoseconds(SP_Timer timer);

// Sets a field that the host's struct has room for: it may be older than this plugin.
#define PUT(ptr, field, value)                      \
  do {                                              \
    if (TN_HAS(ptr, field)) (ptr)->field = (value); \
  } while (0)
// The host may be newer too: its struct has been filled as far as this plugin knows it.
#define FILLED(ptr, size)                                         \
  do {                                                            \
    if ((ptr)->struct_size > (size)) (ptr)->struct_size = (size); \
  } while (0)

#endif  // TENON_PLUGINS_CPU_DEVICE_H_
