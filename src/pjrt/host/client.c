#include "pjrt/host/client.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "plugin/guard.h"

// Beyond these a plugin's number is nonsense, and what it speaks of is not looked at.
enum { MOST_TEXT = 1 << 24, MOST_LISTED = 1 << 20 };

char* tn_pjrt_copy_text(const tn_pjrt* plugin, const char* entry, const char* text, size_t size,
                        tn_status* status) {
  if (text && size > MOST_TEXT) {
    tn_fail(status, TN_INTERNAL, "%s: %s: a text of %zu bytes is told of; at most %d make sense",
            plugin->name, entry, size, (int)MOST_TEXT);
    return NULL;
  }
  char* copy = tn_strndup(text ? text : "", text ? strnlen(text, size) : 0);
  if (!copy) tn_status_set_no_memory(status, "copying a plugin's text");
  return copy;
}

bool tn_pjrt_check_list(const tn_pjrt* plugin, const char* entry, const void* list, size_t count,
                        tn_status* status) {
  if (count > MOST_LISTED)
    return tn_fail(status, TN_INTERNAL, "%s: %s: %zu things are told of; at most %d make sense",
                   plugin->name, entry, count, (int)MOST_LISTED);
  if (list || count == 0) return true;
  return tn_fail(status, TN_INTERNAL, "%s: %s: %zu things are told of, without a list",
                 plugin->name, entry, count);
}

// The plugin's client, with what it did to the process meanwhile in client->notes.
static bool create_theirs(tn_pjrt_client* client, const tn_pjrt_values* options,
                          tn_status* status) {
  tn_pjrt* plugin = client->plugin;
  size_t count = 0;
  PJRT_NamedValue* list = NULL;
  if (options && tn_pjrt_values_count(options) > 0) {
    list = tn_pjrt_values_lend(plugin, options, &count, status);
    if (!list) return false;
  }
  tn_text notes = {0};
  tn_guard guard;
  tn_guard_begin(&guard);
  TN_PJRT_ARGS(plugin, PJRT_Client_Create_Args, args, .create_options = list, .num_options = count);
  bool ok = TN_PJRT_CALL(plugin, PJRT_Client_Create, args, status);
  tn_guard_end(&guard, "PJRT_Client_Create", &notes);
  tn_free(list);
  if (ok) {
    client->theirs = args->client;
    if (!client->theirs)
      ok = tn_fail(status, TN_INTERNAL,
                   "%s: PJRT_Client_Create: no error and no client; the plugin must give one",
                   plugin->name);
  }
  client->notes = ok ? tn_strdup(notes.data ? notes.data : "") : NULL;
  if (ok && !client->notes) tn_status_set_no_memory(status, "making a PJRT client");
  tn_text_deinit(&notes);
  return ok && client->notes;
}

static bool read_names(tn_pjrt_client* client, tn_status* status) {
  tn_pjrt* plugin = client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Client_PlatformName_Args, name, .client = client->theirs);
  TN_PJRT_ARGS(plugin, PJRT_Client_PlatformVersion_Args, version, .client = client->theirs);
  TN_PJRT_ARGS(plugin, PJRT_Client_ProcessIndex_Args, process, .client = client->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Client_PlatformName, name, status) ||
      !TN_PJRT_TRY(plugin, PJRT_Client_PlatformVersion, version, status) ||
      !TN_PJRT_TRY(plugin, PJRT_Client_ProcessIndex, process, status))
    return false;
  client->process_index = process->process_index;
  client->platform_name = tn_pjrt_copy_text(plugin, "PJRT_Client_PlatformName", name->platform_name,
                                            name->platform_name_size, status);
  client->platform_version =
      tn_pjrt_copy_text(plugin, "PJRT_Client_PlatformVersion", version->platform_version,
                        version->platform_version_size, status);
  return client->platform_name && client->platform_version;
}

tn_pjrt_client* tn_pjrt_client_create(tn_pjrt* plugin, const tn_pjrt_values* options,
                                      tn_status* status) {
  if (!plugin) {
    tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT plugin was given to make a client of");
    return NULL;
  }
  tn_pjrt_client* client = tn_alloc_zeroed(1, sizeof *client);
  if (!client) {
    tn_status_set_no_memory(status, "making a PJRT client");
    return NULL;
  }
  // Calls that may be unimplemented need a status to look at.
  tn_status own = {0};
  client->plugin = tn_pjrt_ref(plugin);
  client->references = 1;
  client->nodes = tn_pjrt_nodes_create(plugin, &own);
  if (client->nodes && create_theirs(client, options, &own) && read_names(client, &own) &&
      tn_pjrt_devices_read(client, &own) && tn_pjrt_memories_read(client, &own))
    return client;
  tn_status_copy(status, &own);
  tn_status_deinit(&own);
  tn_pjrt_client_end(client);
  return NULL;
}

void tn_pjrt_client_end(tn_pjrt_client* client) {
  if (client->theirs) {
    // There is nobody left to tell of a failure.
    TN_PJRT_ARGS(client->plugin, PJRT_Client_Destroy_Args, args, .client = client->theirs);
    (void)TN_PJRT_CALL(client->plugin, PJRT_Client_Destroy, args, NULL);
  }
  tn_pjrt_memories_deinit(client);
  tn_pjrt_devices_deinit(client);
  tn_free(client->platform_name);
  tn_free(client->platform_version);
  tn_free(client->notes);
  tn_free(atomic_load(&client->scratch));
  tn_pjrt_nodes_unref(client->nodes);
  tn_pjrt_unref(client->plugin);
  tn_free(client);
}

void tn_pjrt_client_destroy(tn_pjrt_client* client) {
  if (client) tn_pjrt_client_unref(client);
}

tn_pjrt* tn_pjrt_client_plugin(const tn_pjrt_client* client) {
  return client ? client->plugin : NULL;
}
const char* tn_pjrt_client_platform_name(const tn_pjrt_client* client) {
  return client ? client->platform_name : "";
}
const char* tn_pjrt_client_platform_version(const tn_pjrt_client* client) {
  return client ? client->platform_version : "";
}
const char* tn_pjrt_client_notes(const tn_pjrt_client* client) {
  return client ? client->notes : "";
}
int tn_pjrt_client_process_index(const tn_pjrt_client* client) {
  return client ? client->process_index : 0;
}
size_t tn_pjrt_client_device_count(const tn_pjrt_client* client) {
  return client ? client->device_count : 0;
}
tn_pjrt_device* tn_pjrt_client_device(const tn_pjrt_client* client, size_t i) {
  return client && i < client->device_count ? &client->devices[i] : NULL;
}
size_t tn_pjrt_client_addressable_count(const tn_pjrt_client* client) {
  return client ? client->addressable_count : 0;
}
tn_pjrt_device* tn_pjrt_client_addressable(const tn_pjrt_client* client, size_t i) {
  return client && i < client->addressable_count ? client->addressable[i] : NULL;
}
size_t tn_pjrt_client_memory_count(const tn_pjrt_client* client) {
  return client ? client->memory_count : 0;
}
tn_pjrt_memory* tn_pjrt_client_memory(const tn_pjrt_client* client, size_t i) {
  return client && i < client->memory_count ? &client->memories[i] : NULL;
}

tn_pjrt_device* tn_pjrt_client_find_device(const tn_pjrt_client* client, int id,
                                           tn_status* status) {
  if (!client) {
    tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT client was given to find a device in");
    return NULL;
  }
  for (size_t i = 0; i < client->device_count; ++i)
    if (client->devices[i].id == id) return &client->devices[i];
  tn_text ids = {0};
  for (size_t i = 0; i < client->device_count && i < 16; ++i)
    tn_text_printf(&ids, "%s%d", i ? ", " : "", client->devices[i].id);
  if (client->device_count > 16) tn_text_puts(&ids, ", ...");
  if (ids.failed)
    tn_status_set_no_memory(status, "naming the devices of a PJRT client");
  else
    tn_fail(status, TN_NOT_FOUND, "%s has no device with id %d; there are %zu, with the ids: %s",
            client->plugin->name, id, client->device_count, ids.data ? ids.data : "none");
  tn_text_deinit(&ids);
  return NULL;
}

bool tn_pjrt_client_device_assignment(tn_pjrt_client* client, int replicas, int partitions,
                                      int* ids, tn_status* status) {
  if (!client || !ids || replicas < 1 || partitions < 1 || replicas > INT32_MAX / partitions)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "a device assignment of %d replicas and %d partitions needs a client, room for "
                   "the ids, and both counts from 1 on",
                   replicas, partitions);
  size_t count = (size_t)replicas * (size_t)partitions;
  TN_PJRT_ARGS(client->plugin, PJRT_Client_DefaultDeviceAssignment_Args, args,
               .client = client->theirs, .num_replicas = replicas, .num_partitions = partitions,
               .default_assignment_size = count, .default_assignment = ids);
  return TN_PJRT_CALL(client->plugin, PJRT_Client_DefaultDeviceAssignment, args, status);
}
