// Devices that kernels run on. The built-in one is the CPU; others come with device plugins.
#ifndef TENON_DEVICE_DEVICE_H_
#define TENON_DEVICE_DEVICE_H_

#include "base/pool.h"
#include "tenon/device.h"
#include "tensor/buffer.h"

typedef struct tn_plugin_device tn_plugin_device;

struct tn_device {
  const char* type;  // "CPU"
  const char* name;  // "/job:localhost/replica:0/task:0/device:CPU:0"
  int ordinal;
  tn_allocator* allocator;       // device memory, in the order of `stream`
  tn_allocator* host_allocator;  // memory the host can touch
  tn_pool* pool;
  tn_plugin_device* plugin;  // NULL for the CPU, on which work is done when the call returns
  tn_stream* stream;         // the device's own; NULL for the CPU
};

// The CPU. Large freed buffers are kept for the next output of that size, up to a limit.
tn_device* tn_device_cpu(void);

// Appends devices, which live as long as the process; all or, with RESOURCE_EXHAUSTED when there
// are too many, none.  [one thread at a time]
bool tn_devices_add(tn_device* const* devices, size_t added, tn_status* status);
// How many there are of a type.
int tn_device_count_of_type(const char* type);

// Makes a plugin's device ready; true at once for one that is. What fails is tried again the next
// time.  [any thread]
bool tn_device_open(tn_device* device, tn_status* status);

#endif  // TENON_DEVICE_DEVICE_H_
