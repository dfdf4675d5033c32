#include "device/executor.h"

#include "base/status.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

bool tn_read_registration(tn_foreign_struct source, tn_registration* out, tn_status* status) {
  static const tn_foreign_field fields[] = {
      TN_FOREIGN(tn_registration, major_version, false),
      TN_FOREIGN(tn_registration, minor_version, false),
      TN_FOREIGN(tn_registration, patch_version, false),
      TN_FOREIGN(tn_registration, destroy_platform, true),
      TN_FOREIGN(tn_registration, destroy_platform_fns, true),
  };
  source.name = "SE_PlatformRegistrationParams";
  source.size_name = "SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE";
  if (!tn_foreign_read(&source, fields, COUNT(fields), out, status)) return false;
  if (out->major_version == SE_MAJOR) return true;
  tn_status_set(status, TN_FAILED_PRECONDITION,
                "%s: it speaks StreamExecutor %d.%d.%d, this host %d.%d.%d; another major version "
                "is another interface: build the plugin with headers of major version %d",
                source.file, out->major_version, out->minor_version, out->patch_version, SE_MAJOR,
                SE_MINOR, SE_PATCH, SE_MAJOR);
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return false;
}

bool tn_read_platform(tn_foreign_struct* source, tn_platform_fields* out, tn_status* status) {
  static const tn_foreign_field fields[] = {
      TN_FOREIGN(tn_platform_fields, name, true),
      TN_FOREIGN(tn_platform_fields, type, true),
      TN_FOREIGN(tn_platform_fields, visible_device_count, false),
      TN_FOREIGN(tn_platform_fields, supports_unified_memory, false),
      TN_FOREIGN(tn_platform_fields, use_bfc_allocator, false),
      TN_FOREIGN(tn_platform_fields, force_memory_growth, false),
  };
  source->name = "SP_Platform";
  source->size_name = "SP_PLATFORM_STRUCT_SIZE";
  return tn_foreign_read(source, fields, COUNT(fields), out, status);
}

bool tn_read_platform_fns(tn_foreign_struct source, SP_PlatformFns* out, tn_status* status) {
  static const tn_foreign_field fields[] = {
      TN_FOREIGN(SP_PlatformFns, get_device_count, true),
      TN_FOREIGN(SP_PlatformFns, create_device, true),
      TN_FOREIGN(SP_PlatformFns, destroy_device, true),
      TN_FOREIGN(SP_PlatformFns, create_device_fns, true),
      TN_FOREIGN(SP_PlatformFns, destroy_device_fns, true),
      TN_FOREIGN(SP_PlatformFns, create_stream_executor, true),
      TN_FOREIGN(SP_PlatformFns, destroy_stream_executor, true),
      TN_FOREIGN(SP_PlatformFns, create_timer_fns, false),
      TN_FOREIGN(SP_PlatformFns, destroy_timer_fns, false),
  };
  source.name = "SP_PlatformFns";
  source.size_name = "SP_PLATFORM_FNS_STRUCT_SIZE";
  return tn_foreign_read(&source, fields, COUNT(fields), out, status);
}

bool tn_read_device_fns(tn_foreign_struct source, SP_DeviceFns* out, tn_status* status) {
  static const tn_foreign_field fields[] = {
      TN_FOREIGN(SP_DeviceFns, get_numa_node, false),
      TN_FOREIGN(SP_DeviceFns, get_memory_bandwidth, false),
      TN_FOREIGN(SP_DeviceFns, get_gflops, false),
  };
  source.name = "SP_DeviceFns";
  source.size_name = "SP_DEVICE_FNS_STRUCT_SIZE";
  return tn_foreign_read(&source, fields, COUNT(fields), out, status);
}

bool tn_read_timer_fns(tn_foreign_struct source, SP_TimerFns* out, tn_status* status) {
  static const tn_foreign_field fields[] = {TN_FOREIGN(SP_TimerFns, nanoseconds, true)};
  source.name = "SP_TimerFns";
  source.size_name = "SP_TIMER_FNS_STRUCT_SIZE";
  return tn_foreign_read(&source, fields, COUNT(fields), out, status);
}

bool tn_read_device(tn_foreign_struct source, SP_Device* out, tn_status* status) {
  static const tn_foreign_field fields[] = {
      TN_FOREIGN(SP_Device, ordinal, false),       TN_FOREIGN(SP_Device, device_handle, false),
      TN_FOREIGN(SP_Device, hardware_name, false), TN_FOREIGN(SP_Device, device_vendor, false),
      TN_FOREIGN(SP_Device, pci_bus_id, false),
  };
  source.name = "SP_Device";
  source.size_name = "SP_DEVICE_STRUCT_SIZE";
  return tn_foreign_read(&source, fields, COUNT(fields), out, status);
}

// Needed are those that TensorFlow refuses a plugin without, where the plugin's layout has them:
// the fills came with 2.7. The fallbacks for the rest are where they are called.
#define NEEDED(member) TN_FOREIGN(SP_StreamExecutor, member, true)
#define OPTIONAL(member) TN_FOREIGN(SP_StreamExecutor, member, false)
static const tn_foreign_field executor_fields[] = {
    NEEDED(allocate),
    NEEDED(deallocate),
    NEEDED(host_memory_allocate),
    NEEDED(host_memory_deallocate),
    OPTIONAL(unified_memory_allocate),
    OPTIONAL(unified_memory_deallocate),
    NEEDED(get_allocator_stats),
    NEEDED(device_memory_usage),
    NEEDED(create_stream),
    NEEDED(destroy_stream),
    NEEDED(create_stream_dependency),
    NEEDED(get_stream_status),
    NEEDED(create_event),
    NEEDED(destroy_event),
    NEEDED(get_event_status),
    NEEDED(record_event),
    NEEDED(wait_for_event),
    OPTIONAL(create_timer),
    OPTIONAL(destroy_timer),
    OPTIONAL(start_timer),
    OPTIONAL(stop_timer),
    NEEDED(memcpy_dtoh),
    NEEDED(memcpy_htod),
    OPTIONAL(memcpy_dtod),
    NEEDED(sync_memcpy_dtoh),
    NEEDED(sync_memcpy_htod),
    OPTIONAL(sync_memcpy_dtod),
    NEEDED(block_host_for_event),
    OPTIONAL(block_host_until_done),
    NEEDED(synchronize_all_activity),
    NEEDED(mem_zero),
    NEEDED(memset),
    NEEDED(memset32),
    NEEDED(host_callback),
    {"create_stream_with_options", offsetof(tn_executor, create_stream_with_options),
     sizeof(((tn_executor*)0)->create_stream_with_options), false, 296},
};

static bool must_be_set(const tn_foreign_struct* source, const char* field, const char* why,
                        tn_status* status) {
  tn_status_set(status, TN_FAILED_PRECONDITION, "%s: '%s' field in SP_StreamExecutor must be set%s",
                source->file, field, why);
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return false;
}

bool tn_read_executor(tn_foreign_struct source, bool unified_memory, tn_executor* out,
                      tn_status* status) {
  source.name = "SP_StreamExecutor";
  source.size_name = "SP_STREAMEXECUTOR_STRUCT_SIZE";
  if (!tn_foreign_read(&source, executor_fields, COUNT(executor_fields), out, status)) return false;
  const SP_StreamExecutor* fns = &out->fns;
  const char* unified = ", because SP_Platform.supports_unified_memory is";
  if (unified_memory && !fns->unified_memory_allocate)
    return must_be_set(&source, "unified_memory_allocate", unified, status);
  if (unified_memory && !fns->unified_memory_deallocate)
    return must_be_set(&source, "unified_memory_deallocate", unified, status);
  return true;
}
