// Kernels that the host itself brings: what variables need to be usable at all. A plugin's kernel
// for the same op wins, whatever its priority (unless it asks for less than TN_BUILTIN_PRIORITY).
#ifndef TENON_KERNEL_BUILTIN_KERNELS_H_
#define TENON_KERNEL_BUILTIN_KERNELS_H_

#include "kernel/kernel.h"

enum { TN_BUILTIN_PRIORITY = -1000000 };

typedef struct tn_builtin_kernel {
  const char* op;
  const char* device_type;
  tn_kernel_functions functions;
  const char* host_memory;  // an argument that lies in host memory; NULL: none
} tn_builtin_kernel;

extern const tn_builtin_kernel tn_builtin_kernels[];
extern const size_t tn_builtin_kernel_count;

#endif  // TENON_KERNEL_BUILTIN_KERNELS_H_
