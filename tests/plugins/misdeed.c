// Which misdeed is asked for, and structs spoilt.
#include "misdeed.h"

#include <stdlib.h>
#include <string.h>

#include "tenon/device_services.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static _Atomic(const char*) misdeed = "";
atomic_int misdeed_counts[MISDEED_KINDS];

__attribute__((visibility("default"))) void misdeed_set(const char* name) { misdeed = name; }
__attribute__((visibility("default"))) int misdeed_live(int kind) { return misdeed_counts[kind]; }

bool misdeed_is(const char* name) { return strcmp(misdeed, name) == 0; }

const char* misdeed_argument(const char* kind) {
  const char* name = misdeed;
  const size_t length = strlen(kind);
  return strncmp(name, kind, length) == 0 && name[length] == ':' ? name + length + 1 : NULL;
}

// "fail:create_stream:2" fails the second call, "fail:create_stream" all of them.
bool misdeed_fails(const char* function, TF_Status* status) {
  static atomic_int calls;
  const char* argument = misdeed_argument("fail");
  const size_t length = strlen(function);
  if (!argument || strncmp(argument, function, length) != 0) return false;
  if (argument[length] == ':' ? ++calls != atoi(argument + length + 1) : argument[length] != 0)
    return false;
  if (status) TF_SetStatus(status, TF_UNAVAILABLE, "the device is on strike");
  return true;
}

// Spoiling what was filled.

typedef struct field {
  const char* owner;
  const char* name;
  size_t offset;
} field;
#define FIELD(owner, name) \
  { #owner, #name, offsetof(owner, name) }

static const field fields[] = {
    FIELD(SE_PlatformRegistrationParams, destroy_platform),
    FIELD(SE_PlatformRegistrationParams, destroy_platform_fns),
    FIELD(SP_Platform, name),
    FIELD(SP_Platform, type),
    FIELD(SP_PlatformFns, get_device_count),
    FIELD(SP_PlatformFns, create_device),
    FIELD(SP_PlatformFns, destroy_device),
    FIELD(SP_PlatformFns, create_device_fns),
    FIELD(SP_PlatformFns, destroy_device_fns),
    FIELD(SP_PlatformFns, create_stream_executor),
    FIELD(SP_PlatformFns, destroy_stream_executor),
    FIELD(SP_PlatformFns, create_timer_fns),
    FIELD(SP_PlatformFns, destroy_timer_fns),
    FIELD(SP_StreamExecutor, allocate),
    FIELD(SP_StreamExecutor, deallocate),
    FIELD(SP_StreamExecutor, host_memory_allocate),
    FIELD(SP_StreamExecutor, host_memory_deallocate),
    FIELD(SP_StreamExecutor, get_allocator_stats),
    FIELD(SP_StreamExecutor, device_memory_usage),
    FIELD(SP_StreamExecutor, create_stream),
    FIELD(SP_StreamExecutor, destroy_stream),
    FIELD(SP_StreamExecutor, create_stream_dependency),
    FIELD(SP_StreamExecutor, get_stream_status),
    FIELD(SP_StreamExecutor, create_event),
    FIELD(SP_StreamExecutor, destroy_event),
    FIELD(SP_StreamExecutor, get_event_status),
    FIELD(SP_StreamExecutor, record_event),
    FIELD(SP_StreamExecutor, wait_for_event),
    FIELD(SP_StreamExecutor, create_timer),
    FIELD(SP_StreamExecutor, destroy_timer),
    FIELD(SP_StreamExecutor, start_timer),
    FIELD(SP_StreamExecutor, stop_timer),
    FIELD(SP_StreamExecutor, memcpy_dtoh),
    FIELD(SP_StreamExecutor, memcpy_htod),
    FIELD(SP_StreamExecutor, memcpy_dtod),
    FIELD(SP_StreamExecutor, sync_memcpy_dtoh),
    FIELD(SP_StreamExecutor, sync_memcpy_htod),
    FIELD(SP_StreamExecutor, sync_memcpy_dtod),
    FIELD(SP_StreamExecutor, block_host_for_event),
    FIELD(SP_StreamExecutor, block_host_until_done),
    FIELD(SP_StreamExecutor, synchronize_all_activity),
    FIELD(SP_StreamExecutor, mem_zero),
    FIELD(SP_StreamExecutor, memset),
    FIELD(SP_StreamExecutor, memset32),
    FIELD(SP_StreamExecutor, host_callback),
    FIELD(SP_TimerFns, nanoseconds),
    FIELD(tn_device_services, native_stream),
    FIELD(tn_device_services, properties),
    FIELD(tn_device_services, scratchpad),
    FIELD(tn_device_services, semaphore),
    FIELD(tn_device_services, launch),
    FIELD(tn_device_services, launch_native),
};

void misdeed_spoil(const char* owner, void* object) {
  const size_t length = strlen(owner);
  const char* size = misdeed_argument("size");
  const char* null = misdeed_argument("null");
  const char* ext = misdeed_argument("ext");
  if (size && strncmp(size, owner, length) == 0 && size[length] == ':')
    *(size_t*)object = (size_t)atol(size + length + 1);
  if (ext && strcmp(ext, owner) == 0) ((void**)object)[1] = &misdeed_counts;
  if (!null || strncmp(null, owner, length) != 0 || null[length] != ':') return;
  for (size_t i = 0; i < COUNT(fields); ++i)
    if (strcmp(fields[i].owner, owner) == 0 && strcmp(fields[i].name, null + length + 1) == 0)
      memset((char*)object + fields[i].offset, 0, sizeof(void*));
}
