// What a StreamExecutor plugin can do, in the host's own layout, whatever release it was built for.
#ifndef TENON_DEVICE_EXECUTOR_H_
#define TENON_DEVICE_EXECUTOR_H_

#include "device/foreign_struct.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

// Announced, in no release yet.
typedef struct tn_stream_options {
  size_t struct_size;
  void* ext;
  TF_Bool has_priority;
  int priority;
} tn_stream_options;
#define TN_STREAM_OPTIONS_STRUCT_SIZE TF_OFFSET_OF_END(tn_stream_options, priority)

typedef struct tn_executor {
  SP_StreamExecutor fns;
  void (*create_stream_with_options)(const SP_Device* device, SP_Stream* stream,
                                     const tn_stream_options* options, TF_Status* status);
} tn_executor;

typedef struct tn_registration {
  int32_t major_version, minor_version, patch_version;
  void (*destroy_platform)(SP_Platform* platform);
  void (*destroy_platform_fns)(SP_PlatformFns* platform_fns);
} tn_registration;

typedef struct tn_platform_fields {
  const char *name, *type;
  size_t visible_device_count;  // of 2.4, which had no get_device_count
  TF_Bool supports_unified_memory, use_bfc_allocator, force_memory_growth;
} tn_platform_fields;

// Each reads one struct; `source` says whose it is and what was given.
bool tn_read_registration(tn_foreign_struct source, tn_registration* out, tn_status* status);
bool tn_read_platform(tn_foreign_struct* source, tn_platform_fields* out, tn_status* status);
bool tn_read_platform_fns(tn_foreign_struct source, SP_PlatformFns* out, tn_status* status);
bool tn_read_device_fns(tn_foreign_struct source, SP_DeviceFns* out, tn_status* status);
bool tn_read_executor(tn_foreign_struct source, bool unified_memory, tn_executor* out,
                      tn_status* status);
bool tn_read_timer_fns(tn_foreign_struct source, SP_TimerFns* out, tn_status* status);
bool tn_read_device(tn_foreign_struct source, SP_Device* out, tn_status* status);

#endif  // TENON_DEVICE_EXECUTOR_H_
