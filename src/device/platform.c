#include "device/platform.h"

#include <ctype.h>

#include "base/memory.h"
#include "base/status.h"
#include "device/plugin_device.h"

static tn_platform* published;

const tn_platform* tn_platform_first(void) { return published; }

bool tn_platform_told(const tn_platform* platform, const char* function, tn_status* outcome,
                      tn_status* status) {
  const bool fine = tn_ok(outcome);
  if (!fine) {
    tn_status_set(status, tn_status_code(outcome), "%s: %s: %s", platform->file, function,
                  tn_status_message(outcome));
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
  }
  tn_status_deinit(outcome);
  return fine;
}

static bool refuse(tn_status* status) {
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return false;
}

static void set_size(tn_foreign_room* room, size_t size) {
  memcpy(room->bytes, &size, sizeof size);
}

static tn_foreign_struct source_of(const tn_platform* platform, const tn_foreign_room* room,
                                   size_t given) {
  return (tn_foreign_struct){.file = platform->file,
                             .since = platform->since,
                             .like = platform->like,
                             .given = given,
                             .bytes = room->bytes};
}

// TensorFlow's rule for names and types of devices.
static bool check_name(const tn_platform* platform, const char* name, tn_status* status) {
  bool fits = isupper((unsigned char)*name);
  for (const char* at = name; *at; ++at) fits &= isupper((unsigned char)*at) || *at == '_';
  if (fits) return true;
  tn_status_set(status, TN_FAILED_PRECONDITION,
                "%s: Device name/type '%.100s' must match [A-Z][A-Z_]*.", platform->file, name);
  return refuse(status);
}

// Kernels of the type CPU work on the host's memory.
static bool check_type(const tn_platform* platform, const char* type, tn_status* status) {
  if (strcmp(type, "CPU") != 0) return check_name(platform, type, status);
  tn_status_set(status, TN_FAILED_PRECONDITION,
                "%s: its platform has the type CPU, which is the host's: kernels for it expect the "
                "host's memory. Give SP_Platform.type a name of its own",
                platform->file);
  return refuse(status);
}

static bool check_unique(const tn_platform* platform, const char* name, tn_status* status) {
  for (const tn_platform* at = published; at; at = at->next) {
    if (strcmp(at->name, name) != 0) continue;
    tn_status_set(
        status, TN_ALREADY_EXISTS,
        "%s: platform is already registered with name: \"%s\"; %s has it. Load one of the "
        "two, or give one another SP_Platform.name",
        platform->file, name, at->file);
    return refuse(status);
  }
  return true;
}

static bool init_platform(tn_platform* platform,
                          void (*init)(SE_PlatformRegistrationParams*, TF_Status*),
                          tn_status* status) {
  SE_PlatformRegistrationParams* params =
      (SE_PlatformRegistrationParams*)platform->params_room.bytes;
  *params =
      (SE_PlatformRegistrationParams){.struct_size = SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE,
                                      .major_version = SE_MAJOR,
                                      .minor_version = SE_MINOR,
                                      .patch_version = SE_PATCH,
                                      .platform = (SP_Platform*)platform->platform_room.bytes,
                                      .platform_fns = (SP_PlatformFns*)platform->fns_room.bytes};
  set_size(&platform->platform_room, SP_PLATFORM_STRUCT_SIZE);
  set_size(&platform->fns_room, SP_PLATFORM_FNS_STRUCT_SIZE);
  tn_status outcome = {0};
  init(params, &outcome);
  if (!tn_platform_told(platform, "SE_InitPlugin", &outcome, status)) return false;
  if (params->platform != (SP_Platform*)platform->platform_room.bytes ||
      params->platform_fns != (SP_PlatformFns*)platform->fns_room.bytes) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "%s: SE_InitPlugin replaced 'platform' or 'platform_fns' of its params; it is to "
                  "fill the structs that they point to",
                  platform->file);
    return refuse(status);
  }
  tn_platform_fields fields;
  tn_foreign_struct source = source_of(platform, &platform->platform_room, SP_PLATFORM_STRUCT_SIZE);
  if (!tn_read_registration(
          source_of(platform, &platform->params_room, SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE),
          &platform->registration, status) ||
      !tn_read_platform(&source, &fields, status) || !check_name(platform, fields.name, status) ||
      !check_type(platform, fields.type, status) || !check_unique(platform, fields.name, status))
    return false;
  if (source.by_size) platform->like = source.release;
  if (!tn_read_platform_fns(source_of(platform, &platform->fns_room, SP_PLATFORM_FNS_STRUCT_SIZE),
                            &platform->fns, status))
    return false;
  platform->unified_memory = fields.supports_unified_memory;
  platform->pools_memory = fields.use_bfc_allocator;
  platform->grows_memory = fields.force_memory_growth;
  platform->device_count =
      fields.visible_device_count < 4096 ? (int)fields.visible_device_count : 4096;
  platform->name = tn_strdup(fields.name);
  platform->type = tn_strdup(fields.type);
  if (platform->name && platform->type) return true;
  tn_status_set_no_memory(status, "registering a platform");
  return false;
}

static bool make_device_fns(tn_platform* platform, tn_status* status) {
  set_size(&platform->device_fns_room, SP_DEVICE_FNS_STRUCT_SIZE);
  SE_CreateDeviceFnsParams params = {.struct_size = SE_CREATE_DEVICE_FNS_PARAMS_STRUCT_SIZE,
                                     .device_fns = (SP_DeviceFns*)platform->device_fns_room.bytes};
  tn_status outcome = {0};
  platform->fns.create_device_fns(tn_platform_handle(platform), &params, &outcome);
  if (!tn_platform_told(platform, "create_device_fns", &outcome, status)) return false;
  platform->made_device_fns = true;
  return tn_read_device_fns(
      source_of(platform, &platform->device_fns_room, SP_DEVICE_FNS_STRUCT_SIZE),
      &platform->device_fns, status);
}

static bool make_executor(tn_platform* platform, tn_status* status) {
  set_size(&platform->executor_room, SP_STREAMEXECUTOR_STRUCT_SIZE);
  SE_CreateStreamExecutorParams params = {
      .struct_size = SE_CREATE_STREAM_EXECUTOR_PARAMS_STRUCT_SIZE,
      .stream_executor = (SP_StreamExecutor*)platform->executor_room.bytes};
  tn_status outcome = {0};
  platform->fns.create_stream_executor(tn_platform_handle(platform), &params, &outcome);
  if (!tn_platform_told(platform, "create_stream_executor", &outcome, status)) return false;
  platform->made_executor = true;
  return tn_read_executor(
      source_of(platform, &platform->executor_room, SP_STREAMEXECUTOR_STRUCT_SIZE),
      platform->unified_memory, &platform->executor, status);
}

// A platform without timers is a platform all the same: TensorFlow asks for none since 2.14.
static void make_timer_fns(tn_platform* platform, tn_text* notes) {
  if (!platform->fns.create_timer_fns) return;
  set_size(&platform->timer_room, SP_TIMER_FNS_STRUCT_SIZE);
  tn_status outcome = {0}, status = {0};
  platform->fns.create_timer_fns(tn_platform_handle(platform),
                                 (SP_TimerFns*)platform->timer_room.bytes, &outcome);
  platform->made_timer_fns = tn_platform_told(platform, "create_timer_fns", &outcome, &status);
  if (!platform->made_timer_fns ||
      !tn_read_timer_fns(source_of(platform, &platform->timer_room, SP_TIMER_FNS_STRUCT_SIZE),
                         &platform->timer_fns, &status)) {
    tn_text_printf(notes, "%splatform %s has no timers: %s", notes->size ? "\n" : "",
                   platform->name, tn_status_message(&status));
    platform->timer_fns.nanoseconds = NULL;
  }
  tn_status_deinit(&status);
}

// A platform that cannot count its devices has none, as TensorFlow sees it; the reason is told.
static void count_devices(tn_platform* platform, tn_text* notes) {
  enum { MOST = 4096 };
  const char* lead = notes->size ? "\n" : "";
  tn_status outcome = {0}, status = {0};
  int count = platform->device_count;
  if (platform->fns.get_device_count)
    platform->fns.get_device_count(tn_platform_handle(platform), &count, &outcome);
  platform->device_count = 0;
  if (!tn_platform_told(platform, "get_device_count", &outcome, &status))
    tn_text_printf(notes, "%splatform %s (type %s) has no device: %s", lead, platform->name,
                   platform->type, tn_status_message(&status));
  else if (count < 0 || count > MOST)
    tn_text_printf(notes, "%splatform %s (type %s) has no device: get_device_count gave %d", lead,
                   platform->name, platform->type, count);
  else if (count == 0)
    tn_text_printf(notes, "%splatform %s (type %s) found no device on this machine", lead,
                   platform->name, platform->type);
  else
    platform->device_count = count;
  tn_status_deinit(&status);
}

tn_platform* tn_platform_create(void (*init)(SE_PlatformRegistrationParams*, TF_Status*),
                                const char* file, const char* since, tn_text* notes,
                                tn_status* status) {
  tn_platform* platform = tn_alloc_zeroed(1, sizeof *platform);
  if (!platform) {
    tn_status_set_no_memory(status, "registering a platform");
    return NULL;
  }
  platform->file = file;
  platform->since = since;
  if (!init_platform(platform, init, status) || !make_device_fns(platform, status) ||
      !make_executor(platform, status)) {
    tn_platform_destroy(platform);
    return NULL;
  }
  make_timer_fns(platform, notes);
  count_devices(platform, notes);
  return platform;
}

void tn_platform_destroy(tn_platform* platform) {
  if (!platform) return;
  const SP_Platform* handle = tn_platform_handle(platform);
  if (platform->made_timer_fns && platform->fns.destroy_timer_fns)
    platform->fns.destroy_timer_fns(handle, (SP_TimerFns*)platform->timer_room.bytes);
  if (platform->made_executor)
    platform->fns.destroy_stream_executor(handle,
                                          (SP_StreamExecutor*)platform->executor_room.bytes);
  if (platform->made_device_fns)
    platform->fns.destroy_device_fns(handle, (SP_DeviceFns*)platform->device_fns_room.bytes);
  if (platform->registration.destroy_platform_fns)
    platform->registration.destroy_platform_fns((SP_PlatformFns*)platform->fns_room.bytes);
  if (platform->registration.destroy_platform)
    platform->registration.destroy_platform((SP_Platform*)platform->platform_room.bytes);
  tn_free(platform->name);
  tn_free(platform->type);
  tn_free(platform);
}

bool tn_platform_publish(tn_platform* platform, tn_status* status) {
  if (!tn_plugin_devices_add(platform, status)) return false;
  tn_memory_keep(platform->name);
  tn_memory_keep(platform->type);
  tn_memory_keep(platform);
  tn_platform** link = &published;
  while (*link) link = &(*link)->next;
  *link = platform;
  return true;
}
