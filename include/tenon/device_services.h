// What a device plugin may offer to kernels beyond SP_StreamExecutor: its vendor's streams and
// properties, and launches. A plugin that has it exports the function TN_InitDeviceServices, which
// Tenon calls once after SE_InitPlugin; TensorFlow looks for no such symbol. Kernels reach all of
// it through tenon/kernel_services.h.
#ifndef TENON_DEVICE_SERVICES_H_
#define TENON_DEVICE_SERVICES_H_

#include <stddef.h>
#include <stdint.h>

#include "tenon/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SP_Device SP_Device;
typedef struct SP_Stream_st* SP_Stream;
typedef struct TF_Status TF_Status;

// A launch of one kernel. The host fills it; borrowed while the plugin's function runs.
typedef struct tn_kernel_launch {
  size_t struct_size;    // tn_kernel_launch_STRUCT_SIZE of the host                 since 0.1
  void* ext;             // NULL                                                     since 0.1
  const void* function;  // what the vendor launches                                 since 0.1
  uint32_t grid[3];      // blocks                                                   since 0.1
  uint32_t block[3];     // threads of one                                           since 0.1
  void** args;           // the addresses of the arguments                           since 0.1
  size_t shared_memory;  // bytes for each block                                     since 0.1
} tn_kernel_launch;
TN_DEFINE_STRUCT_SIZE(tn_kernel_launch, shared_memory);

// The services of a platform, filled by the plugin. Any function may be NULL: kernels that ask for
// it get FAILED_PRECONDITION. All may be called on any thread, several at once.
typedef struct tn_device_services {
  // The host writes the size of the struct that it knows; the plugin writes none of what lies
  // behind, and the size that it knows.                                              since 0.1
  size_t struct_size;
  void* ext;  // NULL                                                                 since 0.1
  // Where the vendor's stream behind `stream` is kept (a cudaStream_t*, say); valid as long as
  // `stream`. Where the vendor has a current device for each thread, this makes it the stream's.
  //                                                                                  since 0.1
  void* (*native_stream)(const SP_Device* device, SP_Stream stream, TF_Status* status);
  // The vendor's description of the device (a cudaDeviceProp*, say); valid as long as the device.
  //                                                                                  since 0.1
  const void* (*properties)(const SP_Device* device, TF_Status* status);
  // 1024 bytes of device memory that belong to `stream` for as long as it is there.  since 0.1
  void* (*scratchpad)(const SP_Device* device, SP_Stream stream, TF_Status* status);
  // A 32-bit word of device memory that belongs to `stream`, zero at first.          since 0.1
  void* (*semaphore)(const SP_Device* device, SP_Stream stream, TF_Status* status);
  // Puts a kernel on `stream`. The arguments are read before it returns.             since 0.1
  void (*launch)(const SP_Device* device, SP_Stream stream, const tn_kernel_launch* launch,
                 TF_Status* status);
  // The same on a stream of the vendor's (a cudaStream_t, say), with the vendor's error code; 0 is
  // success.                                                                         since 0.1
  int (*launch_native)(const SP_Device* device, void* native_stream,
                       const tn_kernel_launch* launch);
} tn_device_services;
TN_DEFINE_STRUCT_SIZE(tn_device_services, launch_native);

// What the plugin exports: fills `services`, or sets `status`, which refuses the plugin.  since 0.1
typedef void tn_init_device_services(tn_device_services* services, TF_Status* status);
extern __attribute__((visibility("default"))) tn_init_device_services TN_InitDeviceServices;

// The name it is found by.  since 0.1
#define TN_INIT_DEVICE_SERVICES "TN_InitDeviceServices"

#ifdef __cplusplus
}
#endif
#endif  // TENON_DEVICE_SERVICES_H_
