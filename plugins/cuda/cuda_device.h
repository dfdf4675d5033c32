// What the files of the CUDA device share.
#ifndef TENON_PLUGINS_CUDA_CUDA_DEVICE_H_
#define TENON_PLUGINS_CUDA_CUDA_DEVICE_H_

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "tenon/abi.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/tf_status.h"

// Behind SP_Device.device_handle.
typedef struct device {
  int ordinal;
  cudaStream_t memory;  // on which memory is taken and given back
  char name[256], pci_bus_id[32];
  struct cudaDeviceProp properties;
} device;

struct SP_Stream_st {
  cudaStream_t stream;  // first: whoever has the address of an SP_Stream has that of CUDA's
  char* own_memory;     // the scratchpad and, behind it, the semaphore; NULL until asked for
};
enum { SCRATCHPAD_SIZE = 1024 };

static inline device* device_of(const SP_Device* handle) { return handle->device_handle; }

// Makes the device current for the calling thread. Most threads use one device, and CUDA answers at
// once when it is current already.
static inline cudaError_t enter(const SP_Device* handle) {
  return cudaSetDevice(device_of(handle)->ordinal);
}

// OK, or "<function>: <what CUDA says>". False for an error.
bool report(cudaError_t error, const char* function, TF_Status* status);

void fill_memory_functions(SP_StreamExecutor* functions);
void fill_stream_functions(SP_StreamExecutor* functions);
void fill_copy_functions(SP_StreamExecutor* functions);
uint64_t timer_nanoseconds(SP_Timer timer);

#endif  // TENON_PLUGINS_CUDA_CUDA_DEVICE_H_
