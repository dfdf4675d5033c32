// SE_InitPlugin: NVIDIA's devices through the CUDA runtime.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_device.h"

bool report(cudaError_t error, const char* function, TF_Status* status) {
  if (error == cudaSuccess) {
    TF_SetStatus(status, TF_OK, "");
    return true;
  }
  char message[256];
  snprintf(message, sizeof message, "%s: %s (%s)", function, cudaGetErrorString(error),
           cudaGetErrorName(error));
  const TF_Code code = error == cudaErrorMemoryAllocation ? TF_RESOURCE_EXHAUSTED
                       : error == cudaErrorInvalidValue   ? TF_INVALID_ARGUMENT
                       : error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver
                           ? TF_UNAVAILABLE
                           : TF_INTERNAL;
  TF_SetStatus(status, code, message);
  return false;
}

// A machine without a driver has no device, which is no error.
static void get_device_count(const SP_Platform* platform, int* count, TF_Status* status) {
  *count = 0;
  const cudaError_t error = cudaGetDeviceCount(count);
  if (error == cudaErrorNoDevice) {
    *count = 0;
    TF_SetStatus(status, TF_OK, "");
  } else {
    report(error, "cudaGetDeviceCount", status);
  }
}

static void create_device(const SP_Platform* platform, SE_CreateDeviceParams* params,
                          TF_Status* status) {
  device* own = calloc(1, sizeof *own);
  if (!own) {
    TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for a device");
    return;
  }
  own->ordinal = params->ordinal;
  cudaMemPool_t pool;
  uint64_t keep_all = UINT64_MAX;  // memory that is given back stays with the device
  if (!report(cudaSetDevice(own->ordinal), "cudaSetDevice", status) ||
      !report(cudaGetDeviceProperties(&own->properties, own->ordinal), "cudaGetDeviceProperties",
              status) ||
      !report(cudaDeviceGetPCIBusId(own->pci_bus_id, sizeof own->pci_bus_id, own->ordinal),
              "cudaDeviceGetPCIBusId", status) ||
      !report(cudaDeviceGetDefaultMemPool(&pool, own->ordinal), "cudaDeviceGetDefaultMemPool",
              status) ||
      !report(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all),
              "cudaMemPoolSetAttribute", status) ||
      !report(cudaStreamCreateWithFlags(&own->memory, cudaStreamNonBlocking),
              "cudaStreamCreateWithFlags", status)) {
    free(own);
    return;
  }
  memcpy(own->name, own->properties.name, sizeof own->name - 1);
  SP_Device* made = params->device;
  made->ordinal = params->ordinal;
  made->device_handle = own;
  if (TN_HAS(made, hardware_name)) made->hardware_name = own->name;
  if (TN_HAS(made, device_vendor)) made->device_vendor = "NVIDIA";
  if (TN_HAS(made, pci_bus_id)) made->pci_bus_id = own->pci_bus_id;
}

static void destroy_device(const SP_Platform* platform, SP_Device* made) {
  device* own = device_of(made);
  if (!own) return;
  enter(made);
  cudaStreamDestroy(own->memory);
  free(own);
  made->device_handle = NULL;
}

static int64_t get_memory_bandwidth(const SP_Device* handle) {
  int kilohertz = 0, bits = 0;
  if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device_of(handle)->ordinal) ||
      cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device_of(handle)->ordinal))
    return -1;
  return 2 * (int64_t)kilohertz * 1000 * bits / 8;  // two transfers a clock
}

static int32_t get_numa_node(const SP_Device* handle) {
  int node = -1;
  return cudaDeviceGetAttribute(&node, cudaDevAttrHostNumaId, device_of(handle)->ordinal) ? -1
                                                                                          : node;
}

static void create_device_fns(const SP_Platform* platform, SE_CreateDeviceFnsParams* params,
                              TF_Status* status) {
  params->device_fns->get_numa_node = get_numa_node;
  params->device_fns->get_memory_bandwidth = get_memory_bandwidth;
}

static void create_timer_fns(const SP_Platform* platform, SP_TimerFns* functions,
                             TF_Status* status) {
  functions->nanoseconds = timer_nanoseconds;
}

static void create_stream_executor(const SP_Platform* platform,
                                   SE_CreateStreamExecutorParams* params, TF_Status* status) {
  SP_StreamExecutor* functions = params->stream_executor;
  if (!TN_HAS(functions, host_callback)) {
    TF_SetStatus(
        status, TF_FAILED_PRECONDITION,
        "libtenon_cuda: the host's SP_StreamExecutor is shorter than TensorFlow 2.7 has it");
    return;
  }
  functions->struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE;
  fill_memory_functions(functions);
  fill_stream_functions(functions);
  fill_copy_functions(functions);
}

static void destroy_device_fns(const SP_Platform* platform, SP_DeviceFns* functions) {}
static void destroy_stream_executor(const SP_Platform* platform, SP_StreamExecutor* functions) {}
static void destroy_timer_fns(const SP_Platform* platform, SP_TimerFns* functions) {}
static void destroy_platform(SP_Platform* platform) {}
static void destroy_platform_fns(SP_PlatformFns* functions) {}

__attribute__((visibility("default"))) void SE_InitPlugin(SE_PlatformRegistrationParams* params,
                                                          TF_Status* status) {
  SP_Platform* platform = params->platform;
  SP_PlatformFns* functions = params->platform_fns;
  if (!TN_HAS(params, destroy_platform_fns) || !TN_HAS(platform, use_bfc_allocator) ||
      !TN_HAS(functions, destroy_timer_fns)) {
    TF_SetStatus(status, TF_FAILED_PRECONDITION,
                 "libtenon_cuda: the host's structs are shorter than TensorFlow 2.5 has them");
    return;
  }
  platform->name = "CUDA";
  platform->type = "GPU";
  platform->supports_unified_memory = 1;
  platform->use_bfc_allocator = 1;
  if (TN_HAS(platform, force_memory_growth)) platform->force_memory_growth = 1;
  functions->get_device_count = get_device_count;
  functions->create_device = create_device;
  functions->destroy_device = destroy_device;
  functions->create_device_fns = create_device_fns;
  functions->destroy_device_fns = destroy_device_fns;
  functions->create_stream_executor = create_stream_executor;
  functions->destroy_stream_executor = destroy_stream_executor;
  functions->create_timer_fns = create_timer_fns;
  functions->destroy_timer_fns = destroy_timer_fns;
  params->destroy_platform = destroy_platform;
  params->destroy_platform_fns = destroy_platform_fns;
}
