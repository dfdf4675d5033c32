// Memories, as their client and its devices tell of them. A plugin that does not tell has none, and
// its buffers lie where it puts them.
#include "base/memory.h"

#include "base/status.h"
#include "pjrt/host/client.h"

tn_pjrt_memory* tn_pjrt_memory_of(const tn_pjrt_client* client, const PJRT_Memory* theirs) {
  for (size_t i = 0; i < client->memory_count; ++i)
    if (client->memories[i].theirs == theirs) return &client->memories[i];
  return NULL;
}

static bool no_memory(tn_status* status) {
  tn_status_set_no_memory(status, "listing the memories of a PJRT client");
  return false;
}

static bool read_memory(tn_pjrt_memory* memory, tn_status* status) {
  tn_pjrt* plugin = memory->client->plugin;
  PJRT_Memory* theirs = memory->theirs;
  TN_PJRT_ARGS(plugin, PJRT_Memory_Id_Args, id, .memory = theirs, .id = -1);
  TN_PJRT_ARGS(plugin, PJRT_Memory_Kind_Args, kind, .memory = theirs);
  TN_PJRT_ARGS(plugin, PJRT_Memory_ToString_Args, text, .memory = theirs);
  TN_PJRT_ARGS(plugin, PJRT_Memory_AddressableByDevices_Args, users, .memory = theirs);
  if (!TN_PJRT_TRY(plugin, PJRT_Memory_Id, id, status) ||
      !TN_PJRT_TRY(plugin, PJRT_Memory_Kind, kind, status) ||
      !TN_PJRT_TRY(plugin, PJRT_Memory_ToString, text, status) ||
      !TN_PJRT_TRY(plugin, PJRT_Memory_AddressableByDevices, users, status))
    return false;
  memory->id = id->id;
  memory->kind_id = -1;
  if (TN_PJRT_HAS(plugin, PJRT_Memory_Kind_Id)) {
    TN_PJRT_ARGS(plugin, PJRT_Memory_Kind_Id_Args, kind_id, .memory = theirs, .kind_id = -1);
    if (!TN_PJRT_TRY(plugin, PJRT_Memory_Kind_Id, kind_id, status)) return false;
    memory->kind_id = kind_id->kind_id;
  }
  memory->kind = tn_pjrt_copy_text(plugin, "PJRT_Memory_Kind", kind->kind, kind->kind_size, status);
  memory->text = tn_pjrt_copy_text(plugin, "PJRT_Memory_ToString", text->to_string,
                                   text->to_string_size, status);
  if (!memory->kind || !memory->text ||
      !tn_pjrt_check_list(plugin, "PJRT_Memory_AddressableByDevices", users->devices,
                          users->num_devices, status))
    return false;
  memory->devices =
      tn_alloc_zeroed(users->num_devices ? users->num_devices : 1, sizeof *memory->devices);
  if (!memory->devices) return no_memory(status);
  for (size_t i = 0; i < users->num_devices; ++i) {
    tn_pjrt_device* device = tn_pjrt_device_of(memory->client, users->devices[i]);
    if (device) memory->devices[memory->device_count++] = device;
  }
  return true;
}

static bool read_device_memories(tn_pjrt_device* device, tn_status* status) {
  tn_pjrt* plugin = device->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Device_AddressableMemories_Args, args, .device = device->theirs);
  if (!TN_PJRT_TRY(plugin, PJRT_Device_AddressableMemories, args, status)) return false;
  if (!tn_pjrt_check_list(plugin, "PJRT_Device_AddressableMemories", args->memories,
                          args->num_memories, status))
    return false;
  device->memories =
      tn_alloc_zeroed(args->num_memories ? args->num_memories : 1, sizeof *device->memories);
  if (!device->memories) return no_memory(status);
  for (size_t i = 0; i < args->num_memories; ++i) {
    tn_pjrt_memory* memory = tn_pjrt_memory_of(device->client, args->memories[i]);
    if (memory) device->memories[device->memory_count++] = memory;
  }
  if (device->memory_count == 0) return true;
  // A device may have memories and no default one: any error here means just that.
  TN_PJRT_ARGS(plugin, PJRT_Device_DefaultMemory_Args, chosen, .device = device->theirs);
  if (TN_PJRT_CALL(plugin, PJRT_Device_DefaultMemory, chosen, NULL))
    device->default_memory = tn_pjrt_memory_of(device->client, chosen->memory);
  return true;
}

bool tn_pjrt_memories_read(tn_pjrt_client* client, tn_status* status) {
  tn_pjrt* plugin = client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Client_AddressableMemories_Args, args, .client = client->theirs);
  if (!TN_PJRT_TRY(plugin, PJRT_Client_AddressableMemories, args, status)) return false;
  size_t count = args->num_addressable_memories;
  if (!tn_pjrt_check_list(plugin, "PJRT_Client_AddressableMemories", args->addressable_memories,
                          count, status))
    return false;
  client->memories = tn_alloc_zeroed(count ? count : 1, sizeof *client->memories);
  if (!client->memories) return no_memory(status);
  for (size_t i = 0; i < count; ++i) {
    tn_pjrt_memory* memory = &client->memories[client->memory_count++];
    *memory = (tn_pjrt_memory){.client = client, .theirs = args->addressable_memories[i]};
    if (!memory->theirs)
      return tn_fail(status, TN_INTERNAL,
                     "%s: PJRT_Client_AddressableMemories: memory %zu of %zu is null", plugin->name,
                     i, count);
    if (!read_memory(memory, status)) return false;
  }
  for (size_t i = 0; i < client->addressable_count; ++i)
    if (!read_device_memories(client->addressable[i], status)) return false;
  return true;
}

void tn_pjrt_memories_deinit(tn_pjrt_client* client) {
  for (size_t i = 0; i < client->memory_count; ++i) {
    tn_free(client->memories[i].kind);
    tn_free(client->memories[i].text);
    tn_free(client->memories[i].devices);
  }
  tn_free(client->memories);
}

int tn_pjrt_memory_id(const tn_pjrt_memory* memory) { return memory ? memory->id : -1; }
const char* tn_pjrt_memory_kind(const tn_pjrt_memory* memory) { return memory ? memory->kind : ""; }
int tn_pjrt_memory_kind_id(const tn_pjrt_memory* memory) { return memory ? memory->kind_id : -1; }
const char* tn_pjrt_memory_text(const tn_pjrt_memory* memory) { return memory ? memory->text : ""; }
size_t tn_pjrt_memory_device_count(const tn_pjrt_memory* memory) {
  return memory ? memory->device_count : 0;
}
tn_pjrt_device* tn_pjrt_memory_device(const tn_pjrt_memory* memory, size_t i) {
  return memory && i < memory->device_count ? memory->devices[i] : NULL;
}
