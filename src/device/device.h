// Devices that kernels run on. The built-in one is the CPU; others come with device plugins.
#ifndef TENON_DEVICE_DEVICE_H_
#define TENON_DEVICE_DEVICE_H_

#include "base/pool.h"
#include "tensor/buffer.h"

typedef struct tn_device {
  const char* type;  // "CPU"
  const char* name;  // "/job:localhost/replica:0/task:0/device:CPU:0"
  int ordinal;
  tn_allocator* allocator;       // device memory
  tn_allocator* host_allocator;  // memory the host can touch
  tn_pool* pool;
} tn_device;

// The CPU. Large freed buffers are kept for the next output of that size, up to a limit.
tn_device* tn_device_cpu(void);

// All of them, the CPU first; NULL past the end.
size_t tn_device_count(void);
tn_device* tn_device_at(size_t i);

// By full name or short form: "CPU", "CPU:0", "/device:CPU:0", "/cpu:0", "" or NULL (the CPU).
// NOT_FOUND lists what there is.
tn_device* tn_device_find(const char* name, tn_status* status);

#endif  // TENON_DEVICE_DEVICE_H_
