#include "device/services.h"

#include "base/status.h"
#include "device/plugin_device.h"

bool tn_platform_add_services(tn_platform* platform, tn_init_device_services* init,
                              tn_status* status) {
  tn_foreign_room room = {0};
  tn_device_services* given = (tn_device_services*)room.bytes;
  given->struct_size = tn_device_services_STRUCT_SIZE;
  tn_status outcome = {0};
  init(given, &outcome);
  if (!tn_platform_told(platform, TN_INIT_DEVICE_SERVICES, &outcome, status)) return false;
  const char* wrong = TN_CHECK_RESERVED(given, ext);
  if (wrong) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "%s: " TN_INIT_DEVICE_SERVICES ": tn_device_services: struct_size %zu: %s",
                  platform->file, given->struct_size, wrong);
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
    return false;
  }
#define TAKE(field) \
  if (TN_HAS(given, field)) platform->services.field = given->field
  TAKE(native_stream);
  TAKE(properties);
  TAKE(scratchpad);
  TAKE(semaphore);
  TAKE(launch);
  TAKE(launch_native);
#undef TAKE
  return true;
}

static const tn_device_services* services_of(const tn_stream* stream) {
  return &stream->device->plugin->platform->services;
}

static bool refuse(const tn_stream* stream, const char* function, tn_status* status) {
  tn_status_set(status, TN_FAILED_PRECONDITION,
                "device '%s' has no %s: its plugin, %s, does not offer it through "
                "tenon/device_services.h",
                stream->device->name, function, stream->device->plugin->platform->file);
  return false;
}

bool tn_stream_is_native(const tn_stream* stream, tn_status* status) {
  return services_of(stream)->native_stream || refuse(stream, "native_stream", status);
}

// What the plugin answered; a NULL needs a reason.
static const void* answer(const tn_stream* stream, const char* function, const void* found,
                          tn_status* outcome, tn_status* status) {
  const tn_plugin_device* device = stream->device->plugin;
  if (!found && tn_ok(outcome)) tn_status_set(outcome, TN_INTERNAL, "gave NULL and no reason");
  return tn_plugin_device_told(device, function, outcome, status) ? found : NULL;
}

// For the functions that take a device and a stream.
#define ASK(stream, field, status)                                                          \
  if (!services_of(stream)->field) return refuse(stream, #field, status), NULL;             \
  tn_status outcome = {0};                                                                  \
  void* found = services_of(stream)->field(tn_plugin_device_handle(stream->device->plugin), \
                                           stream->handle, &outcome);                       \
  return (void*)answer(stream, #field, found, &outcome, status)

void* tn_stream_native(tn_stream* stream, tn_status* status) { ASK(stream, native_stream, status); }
void* tn_stream_scratchpad(tn_stream* stream, tn_status* status) {
  ASK(stream, scratchpad, status);
}
void* tn_stream_semaphore(tn_stream* stream, tn_status* status) { ASK(stream, semaphore, status); }

const void* tn_stream_device_properties(tn_stream* stream, tn_status* status) {
  if (!services_of(stream)->properties) return refuse(stream, "properties", status), NULL;
  tn_status outcome = {0};
  const void* found =
      services_of(stream)->properties(tn_plugin_device_handle(stream->device->plugin), &outcome);
  return answer(stream, "properties", found, &outcome, status);
}

bool tn_stream_launch(tn_stream* stream, const tn_kernel_launch* launch, tn_status* status) {
  if (!services_of(stream)->launch) return refuse(stream, "launch", status);
  tn_status outcome = {0};
  services_of(stream)->launch(tn_plugin_device_handle(stream->device->plugin), stream->handle,
                              launch, &outcome);
  return tn_plugin_device_told(stream->device->plugin, "launch", &outcome, status);
}

bool tn_stream_launch_native(tn_stream* stream, void* native_stream, const tn_kernel_launch* launch,
                             int* out_code, tn_status* status) {
  if (!services_of(stream)->launch_native) return refuse(stream, "launch_native", status);
  *out_code = services_of(stream)->launch_native(tn_plugin_device_handle(stream->device->plugin),
                                                 native_stream, launch);
  return true;
}
