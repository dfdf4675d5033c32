// Devices are read once, when their client is made: none comes or goes later.
#include "base/memory.h"
#include "base/status.h"
#include "pjrt/host/client.h"

tn_pjrt_device* tn_pjrt_device_of(const tn_pjrt_client* client, const PJRT_Device* theirs) {
  for (size_t i = 0; i < client->addressable_count; ++i)
    if (client->addressable[i]->theirs == theirs) return client->addressable[i];
  for (size_t i = 0; i < client->device_count; ++i)
    if (client->devices[i].theirs == theirs) return &client->devices[i];
  return NULL;
}

static bool copy_value(tn_pjrt_values* to, const tn_pjrt_values* from, size_t i,
                       tn_status* status) {
  const char* name = tn_pjrt_values_name(from, i);
  switch (tn_pjrt_values_kind(from, i)) {
    case TN_PJRT_STRING:
      return tn_pjrt_values_set_string(to, name, tn_pjrt_values_string(from, i), status);
    case TN_PJRT_INT: return tn_pjrt_values_set_int(to, name, tn_pjrt_values_int(from, i), status);
    case TN_PJRT_INTS: {
      size_t count = 0;
      const int64_t* ints = tn_pjrt_values_ints(from, i, &count);
      return tn_pjrt_values_set_ints(to, name, ints, count, status);
    }
    case TN_PJRT_FLOAT:
      return tn_pjrt_values_set_float(to, name, tn_pjrt_values_float(from, i), status);
    case TN_PJRT_BOOL:
      return tn_pjrt_values_set_bool(to, name, tn_pjrt_values_bool(from, i), status);
  }
  return true;
}

// What the description tells and, from 0.92 on, what the device itself adds.
static bool read_attributes(tn_pjrt_device* device, PJRT_DeviceDescription* description,
                            tn_status* status) {
  tn_pjrt* plugin = device->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_DeviceDescription_Attributes_Args, args,
               .device_description = description);
  if (!TN_PJRT_TRY(plugin, PJRT_DeviceDescription_Attributes, args, status)) return false;
  device->attributes = tn_pjrt_values_copy(plugin, args->attributes, args->num_attributes, status);
  if (!device->attributes) return false;
  if (!device->addressable || !TN_PJRT_HAS(plugin, PJRT_Device_GetAttributes)) return true;
  TN_PJRT_ARGS(plugin, PJRT_Device_GetAttributes_Args, more, .device = device->theirs);
  if (!TN_PJRT_TRY(plugin, PJRT_Device_GetAttributes, more, status)) return false;
  tn_pjrt_values* added =
      tn_pjrt_values_copy(plugin, more->attributes, more->num_attributes, status);
  if (more->attributes_deleter && more->device_attributes)
    more->attributes_deleter(more->device_attributes);
  bool ok = added != NULL;
  for (size_t i = 0; ok && i < tn_pjrt_values_count(added); ++i)
    ok = copy_value(device->attributes, added, i, status);
  tn_pjrt_values_destroy(added);
  return ok;
}

static bool read_texts(tn_pjrt_device* device, PJRT_DeviceDescription* description,
                       tn_status* status) {
  tn_pjrt* plugin = device->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_DeviceDescription_Kind_Args, kind, .device_description = description);
  TN_PJRT_ARGS(plugin, PJRT_DeviceDescription_ToString_Args, text,
               .device_description = description);
  if (!TN_PJRT_TRY(plugin, PJRT_DeviceDescription_Kind, kind, status) ||
      !TN_PJRT_TRY(plugin, PJRT_DeviceDescription_ToString, text, status))
    return false;
  device->kind = tn_pjrt_copy_text(plugin, "PJRT_DeviceDescription_Kind", kind->device_kind,
                                   kind->device_kind_size, status);
  device->text = tn_pjrt_copy_text(plugin, "PJRT_DeviceDescription_ToString", text->to_string,
                                   text->to_string_size, status);
  return device->kind && device->text;
}

static bool read_device(tn_pjrt_device* device, tn_status* status) {
  tn_pjrt* plugin = device->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Device_GetDescription_Args, args, .device = device->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Device_GetDescription, args, status)) return false;
  PJRT_DeviceDescription* description = args->device_description;
  if (!description)
    return tn_fail(status, TN_INTERNAL,
                   "%s: PJRT_Device_GetDescription: no error and no description", plugin->name);
  TN_PJRT_ARGS(plugin, PJRT_DeviceDescription_Id_Args, id, .device_description = description);
  TN_PJRT_ARGS(plugin, PJRT_DeviceDescription_ProcessIndex_Args, process,
               .device_description = description);
  if (!TN_PJRT_CALL(plugin, PJRT_DeviceDescription_Id, id, status) ||
      !TN_PJRT_TRY(plugin, PJRT_DeviceDescription_ProcessIndex, process, status))
    return false;
  device->id = id->id;
  device->process_index = process->process_index;
  device->hardware_id = -1;
  if (device->addressable) {
    TN_PJRT_ARGS(plugin, PJRT_Device_LocalHardwareId_Args, local, .device = device->theirs,
                 .local_hardware_id = -1);
    if (!TN_PJRT_TRY(plugin, PJRT_Device_LocalHardwareId, local, status)) return false;
    device->hardware_id = local->local_hardware_id;
  }
  return read_texts(device, description, status) && read_attributes(device, description, status);
}

// The list as the plugin gives it, with no device twice and no null one in it.
static bool list_devices(tn_pjrt_client* client, PJRT_Device* const* list, size_t count,
                         tn_status* status) {
  if (!tn_pjrt_check_list(client->plugin, "PJRT_Client_Devices", list, count, status)) return false;
  client->devices = tn_alloc_zeroed(count ? count : 1, sizeof *client->devices);
  if (!client->devices) {
    tn_status_set_no_memory(status, "listing the devices of a PJRT client");
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!list[i])
      return tn_fail(status, TN_INTERNAL, "%s: PJRT_Client_Devices: device %zu of %zu is null",
                     client->plugin->name, i, count);
    client->devices[i] = (tn_pjrt_device){.client = client, .theirs = list[i]};
    client->device_count = i + 1;
  }
  return true;
}

bool tn_pjrt_devices_read(tn_pjrt_client* client, tn_status* status) {
  tn_pjrt* plugin = client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Client_Devices_Args, all, .client = client->theirs);
  TN_PJRT_ARGS(plugin, PJRT_Client_AddressableDevices_Args, ours, .client = client->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Client_Devices, all, status) ||
      !TN_PJRT_CALL(plugin, PJRT_Client_AddressableDevices, ours, status) ||
      !list_devices(client, all->devices, all->num_devices, status))
    return false;
  size_t count = ours->num_addressable_devices;
  if (!tn_pjrt_check_list(plugin, "PJRT_Client_AddressableDevices", ours->addressable_devices,
                          count, status))
    return false;
  client->addressable = tn_alloc_zeroed(count ? count : 1, sizeof *client->addressable);
  if (!client->addressable) {
    tn_status_set_no_memory(status, "listing the devices of a PJRT client");
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    tn_pjrt_device* device = tn_pjrt_device_of(client, ours->addressable_devices[i]);
    if (!device)
      return tn_fail(status, TN_INTERNAL,
                     "%s: addressable device %zu of %zu is none of the client's %zu devices",
                     plugin->name, i, count, client->device_count);
    device->addressable = true;
    client->addressable[client->addressable_count++] = device;
  }
  for (size_t i = 0; i < client->device_count; ++i)
    if (!read_device(&client->devices[i], status)) return false;
  return true;
}

void tn_pjrt_devices_deinit(tn_pjrt_client* client) {
  for (size_t i = 0; i < client->device_count; ++i) {
    tn_pjrt_device* device = &client->devices[i];
    tn_free(device->kind);
    tn_free(device->text);
    tn_free(device->memories);
    tn_pjrt_values_destroy(device->attributes);
  }
  tn_free(client->devices);
  tn_free(client->addressable);
}

int tn_pjrt_device_id(const tn_pjrt_device* device) { return device ? device->id : -1; }
int tn_pjrt_device_process_index(const tn_pjrt_device* device) {
  return device ? device->process_index : 0;
}
int tn_pjrt_device_hardware_id(const tn_pjrt_device* device) {
  return device ? device->hardware_id : -1;
}
bool tn_pjrt_device_addressable(const tn_pjrt_device* device) {
  return device && device->addressable;
}
const char* tn_pjrt_device_kind(const tn_pjrt_device* device) { return device ? device->kind : ""; }
const char* tn_pjrt_device_text(const tn_pjrt_device* device) { return device ? device->text : ""; }
const tn_pjrt_values* tn_pjrt_device_attributes(const tn_pjrt_device* device) {
  return device ? device->attributes : NULL;
}
size_t tn_pjrt_device_memory_count(const tn_pjrt_device* device) {
  return device ? device->memory_count : 0;
}
tn_pjrt_memory* tn_pjrt_device_memory(const tn_pjrt_device* device, size_t i) {
  return device && i < device->memory_count ? device->memories[i] : NULL;
}
tn_pjrt_memory* tn_pjrt_device_default_memory(const tn_pjrt_device* device) {
  return device ? device->default_memory : NULL;
}
