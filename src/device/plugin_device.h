// A device of a StreamExecutor plugin. Opened when it is first used; never closed.
#ifndef TENON_DEVICE_PLUGIN_DEVICE_H_
#define TENON_DEVICE_PLUGIN_DEVICE_H_

#include <pthread.h>

#include "device/cached_memory.h"
#include "device/device.h"
#include "device/direct_memory.h"
#include "device/platform.h"

struct tn_plugin_device {
  tn_device device;
  tn_platform* platform;
  int plugin_ordinal;
  atomic_bool open;
  pthread_mutex_t opening;
  tn_foreign_room room;                  // the SP_Device that the plugin filled
  char *hardware, *vendor, *pci_bus_id;  // NULL where the plugin says nothing
  pthread_mutex_t streams_lock;
  pthread_cond_t stream_returned;  // by whoever borrowed it
  tn_stream* streams;
  uint32_t last_stream;
  // One of the two.
  tn_cached_memory* cached;
  tn_direct_memory* direct;
  atomic_bool in_doubt;  // its streams could not be waited for
};

static inline const SP_Device* tn_plugin_device_handle(const tn_plugin_device* device) {
  return (const SP_Device*)device->room.bytes;
}
static inline const SP_StreamExecutor* tn_plugin_device_fns(const tn_plugin_device* device) {
  return &device->platform->executor.fns;
}
// tn_platform_told, naming the device too.
bool tn_plugin_device_told(const tn_plugin_device* device, const char* function, tn_status* outcome,
                           tn_status* status);

// What the plugin says of the device's memory; -1 and -1 where that makes no sense.
void tn_plugin_device_usage(const tn_plugin_device* device, int64_t* unused, int64_t* total);

// Appends the platform's devices to the process's list, unopened.
bool tn_plugin_devices_add(tn_platform* platform, tn_status* status);

// A buffer for `stream`, which waits for whoever still works on these bytes.  [any thread]
tn_buffer* tn_plugin_device_allocate(tn_plugin_device* device, tn_stream* stream, size_t size,
                                     tn_status* status);
// What the plugin's functions take for memory.
SP_DeviceMemoryBase tn_plugin_device_memory(const tn_buffer* buffer);

#endif  // TENON_DEVICE_PLUGIN_DEVICE_H_
