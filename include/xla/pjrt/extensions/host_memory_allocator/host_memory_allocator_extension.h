// Extension 23, HostMemoryAllocator, version 0, since 0.103: host memory from which transfers to
// the client's devices are fast.

#ifndef XLA_PJRT_EXTENSIONS_HOST_MEMORY_ALLOCATOR_HOST_MEMORY_ALLOCATOR_EXTENSION_H_
#define XLA_PJRT_EXTENSIONS_HOST_MEMORY_ALLOCATOR_HOST_MEMORY_ALLOCATOR_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PJRT_API_HOST_MEMORY_ALLOCATOR_EXTENSION_VERSION 0

// Allocates. The caller calls the deleter with `ptr` and `deleter_arg` once.
struct PJRT_HostMemoryAllocator_Allocate_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t size;
  int numa_node;                          // negative: any
  uint8_t* ptr;                           // out
  void (*deleter)(void* ptr, void* arg);  // out
  void* deleter_arg;                      // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HostMemoryAllocator_Allocate_Args, deleter_arg);
typedef PJRT_Error* (*PJRT_HostMemoryAllocator_Allocate)(
    PJRT_HostMemoryAllocator_Allocate_Args* args);

typedef struct PJRT_HostMemoryAllocator_Extension {
  PJRT_Extension_Base base;
  PJRT_HostMemoryAllocator_Allocate allocate;
} PJRT_HostMemoryAllocator_Extension;
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HostMemoryAllocator_Extension, allocate);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_EXTENSIONS_HOST_MEMORY_ALLOCATOR_HOST_MEMORY_ALLOCATOR_EXTENSION_H_
