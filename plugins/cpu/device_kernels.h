// Kernels on the device type TENON: the same as on the CPU, each behind functions that put its
// runs on their stream and count them.
#ifndef TENON_PLUGINS_CPU_DEVICE_KERNELS_H_
#define TENON_PLUGINS_CPU_DEVICE_KERNELS_H_

#include "placement.h"

// A builder for the kernel; NULL when there are too many.
TF_KernelBuilder* device_builder(const placed* placed);

// Once: when the variable TENON_CPU_COUNT names a file, how often each op ran is written there at
// the end of the process, a line each.
void count_calls(void);

#endif  // TENON_PLUGINS_CPU_DEVICE_KERNELS_H_
