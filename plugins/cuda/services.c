// What kernels get beyond SP_StreamExecutor (tenon/device_services.h).
#include "tenon/device_services.h"

#include <pthread.h>

#include "cuda_device.h"

// Who asks is about to use it, by <<<>>> or a library, which want the device current.
static void* native_stream(const SP_Device* handle, SP_Stream stream, TF_Status* status) {
  return report(enter(handle), "cudaSetDevice", status) ? &stream->stream : NULL;
}

static const void* properties(const SP_Device* handle, TF_Status* status) {
  return &device_of(handle)->properties;
}

// Made when it is first asked for: few streams need it.
static char* own_memory(const SP_Device* handle, SP_Stream stream, TF_Status* status) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  const size_t size = SCRATCHPAD_SIZE + sizeof(unsigned);
  void* made = NULL;
  pthread_mutex_lock(&lock);
  if (!stream->own_memory && report(enter(handle), "cudaSetDevice", status) &&
      report(cudaMalloc(&made, size), "cudaMalloc", status)) {
    if (report(cudaMemset(made, 0, size), "cudaMemset", status) &&
        report(cudaDeviceSynchronize(), "cudaDeviceSynchronize", status))
      stream->own_memory = made;
    else
      cudaFree(made);
  }
  char* found = stream->own_memory;
  pthread_mutex_unlock(&lock);
  return found;
}

static void* scratchpad(const SP_Device* handle, SP_Stream stream, TF_Status* status) {
  return own_memory(handle, stream, status);
}

static void* semaphore(const SP_Device* handle, SP_Stream stream, TF_Status* status) {
  char* memory = own_memory(handle, stream, status);
  return memory ? memory + SCRATCHPAD_SIZE : NULL;
}

// Most threads have the stream's device current, and asking for it costs a twentieth of a launch:
// it is made current when CUDA objects.
static cudaError_t launch_on(const SP_Device* handle, cudaStream_t stream,
                             const tn_kernel_launch* launch) {
  const dim3 grid = {launch->grid[0], launch->grid[1], launch->grid[2]};
  const dim3 block = {launch->block[0], launch->block[1], launch->block[2]};
  cudaError_t error =
      cudaLaunchKernel(launch->function, grid, block, launch->args, launch->shared_memory, stream);
  if (error == cudaErrorInvalidResourceHandle && !enter(handle)) {
    cudaGetLastError();
    error = cudaLaunchKernel(launch->function, grid, block, launch->args, launch->shared_memory,
                             stream);
  }
  return error;
}

static void launch(const SP_Device* handle, SP_Stream stream, const tn_kernel_launch* launch,
                   TF_Status* status) {
  const cudaError_t error = launch_on(handle, stream->stream, launch);
  if (error) report(error, "cudaLaunchKernel", status);
}

static int launch_native(const SP_Device* handle, void* stream, const tn_kernel_launch* launch) {
  return (int)launch_on(handle, stream, launch);
}

void TN_InitDeviceServices(tn_device_services* services, TF_Status* status) {
  if (!TN_HAS(services, launch_native)) {
    TF_SetStatus(status, TF_FAILED_PRECONDITION,
                 "libtenon_cuda: the host's tn_device_services is shorter than 0.1 has it");
    return;
  }
  services->struct_size = tn_device_services_STRUCT_SIZE;
  services->native_stream = native_stream;
  services->properties = properties;
  services->scratchpad = scratchpad;
  services->semaphore = semaphore;
  services->launch = launch;
  services->launch_native = launch_native;
}
