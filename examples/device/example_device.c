// EXAMPLE_DEVICE: a device as a plugin, whole and small. TensorFlow from 2.7 on lists it as a
// PluggableDevice, and Tenon drives it. Memory of the host stands for the device's, and streams are
// synchronous: work is done by the thread that enqueues it, at that moment, so nothing is pending
// when a function returns. REPLACE marks where the calls of a real device's driver go.
//
// Every struct that is filled here belongs to the host, whose struct_size says how much of it there
// is. Nothing behind that may be written: the host may be older than the headers of this build.

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/kernels.h"

#define DEVICE_TYPE "EXAMPLE_DEVICE"  // capital letters and _ only
#define EXPORT __attribute__((visibility("default")))

// True when the host's struct has this field, and so all before it.
#define HAS(object, field) \
  ((object)->struct_size >= (size_t)((char*)(&(object)->field + 1) - (char*)(object)))

static int ok(TF_Status* status) { return TF_GetCode(status) == TF_OK; }

static void* new_object(size_t size, TF_Status* status) {
  void* object = calloc(1, size);
  if (!object) TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, DEVICE_TYPE ": no memory");
  return object;
}

// Memory. All threads of the host may be here at once. REPLACE: your driver's allocations. What
// stands in `opaque` comes back to copies and, as a tensor's data, to kernels.

enum { MEMORY_LIMIT = 1 << 30 };

static void allocate(const SP_Device* device, uint64_t size, int64_t memory_space,
                     SP_DeviceMemoryBase* memory) {
  // NULL tells the host that there is no memory left.
  memory->opaque = size <= MEMORY_LIMIT ? aligned_alloc(64, (size + 64) / 64 * 64) : NULL;
  memory->size = memory->opaque ? size : 0;
}
static void deallocate(const SP_Device* device, SP_DeviceMemoryBase* memory) {
  free(memory->opaque);
}
// REPLACE: memory of the host that the device reaches (pinned).
static void* host_memory_allocate(const SP_Device* device, uint64_t size) { return malloc(size); }
static void host_memory_deallocate(const SP_Device* device, void* memory) { free(memory); }
static TF_Bool get_allocator_stats(const SP_Device* device, SP_AllocatorStats* stats) {
  return 0;  // there are none: the host's allocator counts
}
static TF_Bool device_memory_usage(const SP_Device* device, int64_t* available, int64_t* total) {
  *available = *total = MEMORY_LIMIT;
  return 1;
}

// Streams: what is enqueued on one is done in order. REPLACE: your driver's queues. Then nothing
// but sync_*, block_* and synchronize_* may wait.
struct SP_Stream_st {
  _Atomic int64_t enqueued;
};

static void create_stream(const SP_Device* device, SP_Stream* stream, TF_Status* status) {
  *stream = new_object(sizeof **stream, status);
}
static void destroy_stream(const SP_Device* device, SP_Stream stream) { free(stream); }
static void create_stream_dependency(const SP_Device* device, SP_Stream dependent, SP_Stream other,
                                     TF_Status* status) {
}  // `other` has done all that it was given
// REPLACE: report here what went wrong on the stream after it was enqueued.
static void get_stream_status(const SP_Device* device, SP_Stream stream, TF_Status* status) {}
static void block_host_until_done(const SP_Device* device, SP_Stream stream, TF_Status* status) {}
static void synchronize_all_activity(const SP_Device* device, TF_Status* status) {}

// A call of the host's in the stream's order: once, whatever happens, for it frees `argument`.
static TF_Bool host_callback(const SP_Device* device, SP_Stream stream,
                             SE_StatusCallbackFn callback, void* argument) {
  TF_Status* status = TF_NewStatus();
  ++stream->enqueued;
  callback(argument, status);
  TF_DeleteStatus(status);
  return 1;
}

// Events mark a place in a stream.
struct SP_Event_st {
  atomic_bool reached;
};

static void create_event(const SP_Device* device, SP_Event* event, TF_Status* status) {
  *event = new_object(sizeof **event, status);
}
static void destroy_event(const SP_Device* device, SP_Event event) { free(event); }
static SE_EventStatus get_event_status(const SP_Device* device, SP_Event event) {
  return event->reached ? SE_EVENT_COMPLETE : SE_EVENT_PENDING;
}
static void record_event(const SP_Device* device, SP_Stream stream, SP_Event event,
                         TF_Status* status) {
  event->reached = true;
}
static void wait_for_event(const SP_Device* device, SP_Stream stream, SP_Event event,
                           TF_Status* status) {}
static void block_host_for_event(const SP_Device* device, SP_Event event, TF_Status* status) {}

// Timers measure what a stream does between two places. TensorFlow needs them up to 2.13.
struct SP_Timer_st {
  uint64_t start, stop;
};

static uint64_t now(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
static void create_timer(const SP_Device* device, SP_Timer* timer, TF_Status* status) {
  *timer = new_object(sizeof **timer, status);
}
static void destroy_timer(const SP_Device* device, SP_Timer timer) { free(timer); }
static void start_timer(const SP_Device* d, SP_Stream stream, SP_Timer timer, TF_Status* status) {
  timer->start = now();
}
static void stop_timer(const SP_Device* d, SP_Stream stream, SP_Timer timer, TF_Status* status) {
  timer->stop = now();
}
static uint64_t nanoseconds(SP_Timer timer) { return timer->stop - timer->start; }

// Copies and fills; sizes are in bytes. REPLACE: transfers. Without a stream the caller waits.

static void sync_memcpy_dtoh(const SP_Device* device, void* to, const SP_DeviceMemoryBase* from,
                             uint64_t size, TF_Status* status) {
  memcpy(to, from->opaque, size);
}
static void sync_memcpy_htod(const SP_Device* device, SP_DeviceMemoryBase* to, const void* from,
                             uint64_t size, TF_Status* status) {
  memcpy(to->opaque, from, size);
}
static void sync_memcpy_dtod(const SP_Device* device, SP_DeviceMemoryBase* to,
                             const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  memcpy(to->opaque, from->opaque, size);
}
static void memcpy_dtoh(const SP_Device* device, SP_Stream stream, void* to,
                        const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  sync_memcpy_dtoh(device, to, from, size, status);
}
static void memcpy_htod(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                        const void* from, uint64_t size, TF_Status* status) {
  sync_memcpy_htod(device, to, from, size, status);
}
static void memcpy_dtod(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                        const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  sync_memcpy_dtod(device, to, from, size, status);
}
static void fill(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* memory,
                 uint8_t byte, uint64_t size, TF_Status* status) {
  memset(memory->opaque, byte, size);
}
static void fill_zero(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* memory,
                      uint64_t size, TF_Status* status) {
  memset(memory->opaque, 0, size);
}
static void fill_words(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* memory,
                       uint32_t word, uint64_t size, TF_Status* status) {
  for (uint64_t i = 0; i < size / 4; ++i) ((uint32_t*)memory->opaque)[i] = word;
}

// Devices. The host keeps copies of what is filled in here, at addresses of its own.

static void get_device_count(const SP_Platform* platform, int* count, TF_Status* status) {
  *count = 1;  // REPLACE: how many are found; 0 is an answer too
}
static void create_device(const SP_Platform* platform, SE_CreateDeviceParams* params,
                          TF_Status* status) {
  params->device->ordinal = params->ordinal;
  params->device->device_handle = NULL;  // REPLACE: your driver's handle
  params->device->hardware_name = "memory of the host";
  params->device->device_vendor = "example_device";
}
static void destroy_device(const SP_Platform* platform, SP_Device* device) {}
static void create_device_fns(const SP_Platform* platform, SE_CreateDeviceFnsParams* params,
                              TF_Status* status) {}  // NUMA node and the like: all optional
static void destroy_device_fns(const SP_Platform* platform, SP_DeviceFns* functions) {}
static void create_timer_fns(const SP_Platform* platform, SP_TimerFns* functions,
                             TF_Status* status) {
  functions->nanoseconds = nanoseconds;
}
static void destroy_timer_fns(const SP_Platform* platform, SP_TimerFns* functions) {}

static void create_stream_executor(const SP_Platform* platform,
                                   SE_CreateStreamExecutorParams* params, TF_Status* status) {
  SP_StreamExecutor* functions = params->stream_executor;
  // Hosts before 2.7 have host_callback elsewhere, and only the size tells.
  if (!HAS(functions, host_callback)) {
    TF_SetStatus(status, TF_FAILED_PRECONDITION, DEVICE_TYPE " needs TensorFlow 2.7 or later");
    return;
  }
  functions->struct_size = TF_OFFSET_OF_END(SP_StreamExecutor, host_callback);
  functions->allocate = allocate;
  functions->deallocate = deallocate;
  functions->host_memory_allocate = host_memory_allocate;
  functions->host_memory_deallocate = host_memory_deallocate;
  functions->get_allocator_stats = get_allocator_stats;
  functions->device_memory_usage = device_memory_usage;
  functions->create_stream = create_stream;
  functions->destroy_stream = destroy_stream;
  functions->create_stream_dependency = create_stream_dependency;
  functions->get_stream_status = get_stream_status;
  functions->create_event = create_event;
  functions->destroy_event = destroy_event;
  functions->get_event_status = get_event_status;
  functions->record_event = record_event;
  functions->wait_for_event = wait_for_event;
  functions->create_timer = create_timer;
  functions->destroy_timer = destroy_timer;
  functions->start_timer = start_timer;
  functions->stop_timer = stop_timer;
  functions->memcpy_dtoh = memcpy_dtoh;
  functions->memcpy_htod = memcpy_htod;
  functions->memcpy_dtod = memcpy_dtod;
  functions->sync_memcpy_dtoh = sync_memcpy_dtoh;
  functions->sync_memcpy_htod = sync_memcpy_htod;
  functions->sync_memcpy_dtod = sync_memcpy_dtod;
  functions->block_host_for_event = block_host_for_event;
  functions->block_host_until_done = block_host_until_done;
  functions->synchronize_all_activity = synchronize_all_activity;
  functions->mem_zero = fill_zero;
  functions->memset = fill;
  functions->memset32 = fill_words;
  functions->host_callback = host_callback;
}
static void destroy_stream_executor(const SP_Platform* platform, SP_StreamExecutor* functions) {}

// The platform: the first thing a host asks for.

static void destroy_platform(SP_Platform* platform) {}
static void destroy_platform_fns(SP_PlatformFns* functions) {}

EXPORT void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
  SP_Platform* platform = params->platform;
  SP_PlatformFns* functions = params->platform_fns;
  if (!HAS(params, destroy_platform_fns) || !HAS(functions, destroy_timer_fns) ||
      !HAS(platform, use_bfc_allocator)) {
    TF_SetStatus(status, TF_FAILED_PRECONDITION, DEVICE_TYPE " needs TensorFlow 2.5 or later");
    return;
  }
  platform->name = platform->type = DEVICE_TYPE;
  platform->use_bfc_allocator = 1;  // the host asks for large blocks and shares them out
  if (HAS(platform, force_memory_growth)) platform->force_memory_growth = 1;
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

// A kernel. Its tensors are in device memory: only work on the stream touches their data.
// REPLACE: launch it, do not wait.
static void run_relu(SP_Stream stream, const float* x, float* y, int64_t count) {
  ++stream->enqueued;
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

static void compute_relu(void* kernel, TF_OpKernelContext* context) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor *x = NULL, *y = NULL;
  int64_t dims[254];
  SP_Stream stream = TF_GetStream(context, status);
  if (ok(status)) TF_GetInput(context, 0, &x, status);
  if (ok(status)) {
    for (int i = 0; i < TF_NumDims(x); ++i) dims[i] = TF_Dim(x, i);
    y = TF_AllocateOutput(context, 0, TF_FLOAT, dims, TF_NumDims(x), TF_TensorByteSize(x), status);
  }
  if (ok(status))
    run_relu(stream, TF_TensorData(x), TF_TensorData(y), TF_TensorElementCount(x));
  else
    TF_OpKernelContext_Failure(context, status);
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

EXPORT void TF_InitKernel(void) {
  TF_Status* status = TF_NewStatus();
  // Of TensorFlow's own op, on this device type alone.
  TF_KernelBuilder* relu = TF_NewKernelBuilder("Relu", DEVICE_TYPE, NULL, compute_relu, NULL);
  TF_KernelBuilder_TypeConstraint(relu, "T", TF_FLOAT, status);
  if (ok(status)) TF_RegisterKernelBuilder("ExampleDeviceRelu", relu, status);
  if (!ok(status)) fprintf(stderr, DEVICE_TYPE ": %s\n", TF_Message(status));
  TF_DeleteStatus(status);
}
