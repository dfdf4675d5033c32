// Memory of a device whose platform wants every allocation to reach it: the plugin's own calls, one
// a buffer. A buffer that is freed while a stream may still work on it goes back to the plugin when
// an event behind that work has come.
#ifndef TENON_DEVICE_DIRECT_MEMORY_H_
#define TENON_DEVICE_DIRECT_MEMORY_H_

#include "device/device.h"

typedef struct tn_direct_memory tn_direct_memory;

// NULL without memory.
tn_direct_memory* tn_direct_memory_create(tn_plugin_device* device);

// NULL and RESOURCE_EXHAUSTED when the plugin gives none, also after waiting for what is about to
// be freed.  [any thread]
tn_buffer* tn_direct_memory_take(tn_direct_memory* memory, size_t size, uint32_t stream,
                                 tn_status* status);
// The plugin's own number beside the address.
uint64_t tn_direct_memory_payload(const tn_buffer* buffer);
bool tn_direct_memory_owns(const tn_buffer* buffer);

#endif  // TENON_DEVICE_DIRECT_MEMORY_H_
