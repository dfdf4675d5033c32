// Where kernels' arguments live on the device TENON.
#ifndef TENON_PLUGINS_CPU_PLACEMENT_H_
#define TENON_PLUGINS_CPU_PLACEMENT_H_

#include "kernel.h"

// The kernels that stand for `kernel` on the device: none, one, or two (`on_host` is set for one
// that has all arguments in host memory). Returns how many.
enum { MAX_PLACED = 2 };
typedef struct placed {
  kernel kernel;
  bool on_host;
} placed;
int place_kernel(const kernel* kernel, placed out[MAX_PLACED]);

#endif  // TENON_PLUGINS_CPU_PLACEMENT_H_
