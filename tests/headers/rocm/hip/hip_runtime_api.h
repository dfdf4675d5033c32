// Declarations of ours in the place of ROCm's, as far as Tenon's and Eigen's headers use them: what
// compiles against these is checked, nothing is run.
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ihipStream_t* hipStream_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef struct hipDeviceProp_t {
  char name[256];
  size_t sharedMemPerBlock;
  int maxThreadsPerBlock, major, minor, multiProcessorCount, maxThreadsPerMultiProcessor;
} hipDeviceProp_t;
typedef enum hipError_t { hipSuccess = 0, hipErrorNotReady = 600 } hipError_t;
typedef enum hipMemcpyKind {
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3
} hipMemcpyKind;
typedef struct dim3 {
  uint32_t x, y, z;
#ifdef __cplusplus
  constexpr dim3(uint32_t a = 1, uint32_t b = 1, uint32_t c = 1) : x(a), y(b), z(c) {}
#endif
} dim3;

#define hipStreamDefault 0x00

hipError_t hipGetDeviceCount(int* count);
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);
hipError_t hipMalloc(void** memory, size_t size);
hipError_t hipFree(void* memory);
hipError_t hipMemsetAsync(void* to, int value, size_t size, hipStream_t stream);
hipError_t hipMemcpyAsync(void* to, const void* from, size_t size, hipMemcpyKind kind,
                          hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** args,
                           size_t shared_memory, hipStream_t stream);

#ifdef __cplusplus
}

template <typename Function>
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, Function function,
                                             size_t shared_memory, uint32_t limit);
#endif

#endif  // HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
