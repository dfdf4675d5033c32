// SE_InitPlugin: a platform of one device or several (TENON_CPU_DEVICES), each of which is the
// whole processor.

#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEVICES = 64 };

static void get_device_count(const SP_Platform* platform, int* count, TF_Status* status) {
  const char* text = getenv("TENON_CPU_DEVICES");
  char* end = NULL;
  const long asked = text && *text ? strtol(text, &end, 10) : 1;
  *count = 1;
  if (asked < 0 || asked > MAX_DEVICES || (end && *end)) {
    char message[160];
    snprintf(message, sizeof message,
             "TENON_CPU_DEVICES is \"%.40s\", and must be a number from 0 to %d", text,
             MAX_DEVICES);
    TF_SetStatus(status, TF_INVALID_ARGUMENT, message);
    return;
  }
  *count = (int)asked;
  TF_SetStatus(status, TF_OK, "");
}

static void create_device(const SP_Platform* platform, SE_CreateDeviceParams* params,
                          TF_Status* status) {
  SP_Device* made = params->device;
  device* own = calloc(1, sizeof *own);
  if (!own) {
    TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for a device");
    return;
  }
  pthread_mutex_init(&own->lock, NULL);
  PUT(made, ordinal, params->ordinal);
  PUT(made, device_handle, own);
  PUT(made, hardware_name, "CPU");
  PUT(made, device_vendor, "Tenon");
  PUT(made, pci_bus_id, "");
  FILLED(made, SP_DEVICE_STRUCT_SIZE);
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_device(const SP_Platform* platform, SP_Device* made) {
  device* own = device_of(made);
  if (!own) return;
  pthread_mutex_destroy(&own->lock);
  free(own);
  made->device_handle = NULL;
}

// Where there is but one, it is that one.
static int32_t get_numa_node(const SP_Device* device) {
  return access("/sys/devices/system/node/node1", F_OK) == 0 ? -1 : 0;
}
static int64_t get_memory_bandwidth(const SP_Device* device) { return -1; }
static double get_gflops(const SP_Device* device) { return -1; }

static void create_device_fns(const SP_Platform* platform, SE_CreateDeviceFnsParams* params,
                              TF_Status* status) {
  PUT(params->device_fns, get_numa_node, get_numa_node);
  PUT(params->device_fns, get_memory_bandwidth, get_memory_bandwidth);
  PUT(params->device_fns, get_gflops, get_gflops);
  FILLED(params->device_fns, SP_DEVICE_FNS_STRUCT_SIZE);
  TF_SetStatus(status, TF_OK, "");
}

static void create_timer_fns(const SP_Platform* platform, SP_TimerFns* fns, TF_Status* status) {
  PUT(fns, nanoseconds, timer_nanoseconds);
  FILLED(fns, SP_TIMER_FNS_STRUCT_SIZE);
  TF_SetStatus(status, TF_OK, "");
}

// TensorFlow before 2.7 had no mem_zero, memset and memset32, and host_callback in the place where
// they are now.
enum { OLD_EXECUTOR_SIZE = 264 };

static void create_stream_executor(const SP_Platform* platform,
                                   SE_CreateStreamExecutorParams* params, TF_Status* status) {
  SP_StreamExecutor table = {.struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE};
  fill_memory_functions(&table);
  fill_stream_functions(&table);
  fill_copy_functions(&table);
  SP_StreamExecutor* theirs = params->stream_executor;
  const size_t size = theirs->struct_size;
  if (size == OLD_EXECUTOR_SIZE) memcpy(&table.mem_zero, &table.host_callback, sizeof(void*));
  // All behind ext are functions; what the host has no room for stays behind.
  const size_t begin = offsetof(SP_StreamExecutor, allocate);
  FILLED(theirs, table.struct_size);
  if (size > begin)
    memcpy((char*)theirs + begin, (char*)&table + begin, theirs->struct_size - begin);
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_device_fns(const SP_Platform* platform, SP_DeviceFns* fns) {}
static void destroy_stream_executor(const SP_Platform* platform, SP_StreamExecutor* table) {}
static void destroy_timer_fns(const SP_Platform* platform, SP_TimerFns* fns) {}
static void destroy_platform(SP_Platform* platform) {}
static void destroy_platform_fns(SP_PlatformFns* fns) {}

static bool has_room(const SE_PlatformRegistrationParams* params, TF_Status* status) {
  if (TN_HAS(params, destroy_platform_fns) && params->platform && params->platform_fns &&
      TN_HAS(params->platform, use_bfc_allocator) &&
      TN_HAS(params->platform_fns, destroy_timer_fns))
    return true;
  TF_SetStatus(status, TF_FAILED_PRECONDITION,
               "libtenon_cpu: the host's SE_PlatformRegistrationParams, SP_Platform or "
               "SP_PlatformFns is shorter than TensorFlow 2.5 has them; a newer host is needed");
  return false;
}

__attribute__((visibility("default"))) void SE_InitPlugin(SE_PlatformRegistrationParams* params,
                                                          TF_Status* status) {
  if (!has_room(params, status)) return;
  SP_Platform* platform = params->platform;
  PUT(platform, name, PLATFORM_NAME);
  PUT(platform, type, DEVICE_TYPE);
  PUT(platform, supports_unified_memory, 1);
  PUT(platform, use_bfc_allocator, 1);
  PUT(platform, force_memory_growth, 1);
  FILLED(platform, SP_PLATFORM_STRUCT_SIZE);
  SP_PlatformFns* fns = params->platform_fns;
  PUT(fns, get_device_count, get_device_count);
  PUT(fns, create_device, create_device);
  PUT(fns, destroy_device, destroy_device);
  PUT(fns, create_device_fns, create_device_fns);
  PUT(fns, destroy_device_fns, destroy_device_fns);
  PUT(fns, create_stream_executor, create_stream_executor);
  PUT(fns, destroy_stream_executor, destroy_stream_executor);
  PUT(fns, create_timer_fns, create_timer_fns);
  PUT(fns, destroy_timer_fns, destroy_timer_fns);
  FILLED(fns, SP_PLATFORM_FNS_STRUCT_SIZE);
  PUT(params, destroy_platform, destroy_platform);
  PUT(params, destroy_platform_fns, destroy_platform_fns);
  TF_SetStatus(status, TF_OK, "");
}
