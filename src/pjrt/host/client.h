// A client from the inside: the plugin's own, its devices and memories, and where the small objects
// that stand for buffers and events come from. Everything that is made of a client holds it, so the
// plugin's client ends after all that it made.
#ifndef TENON_PJRT_HOST_CLIENT_H_
#define TENON_PJRT_HOST_CLIENT_H_

#include "pjrt/host/node.h"
#include "pjrt/host/plugin.h"

struct tn_pjrt_memory {
  tn_pjrt_client* client;
  PJRT_Memory* theirs;
  int id, kind_id;
  char *kind, *text;
  tn_pjrt_device** devices;
  size_t device_count;
};

struct tn_pjrt_device {
  tn_pjrt_client* client;
  PJRT_Device* theirs;
  int id, process_index, hardware_id;
  bool addressable;
  char *kind, *text;
  tn_pjrt_values* attributes;
  tn_pjrt_memory** memories;
  size_t memory_count;
  tn_pjrt_memory* default_memory;
};

struct tn_pjrt_client {
  tn_pjrt* plugin;
  PJRT_Client* theirs;
  _Atomic size_t references;
  tn_pjrt_nodes* nodes;
  char *platform_name, *platform_version;
  char* notes;
  int process_index;
  tn_pjrt_device* devices;
  size_t device_count;
  tn_pjrt_device** addressable;
  size_t addressable_count;
  tn_pjrt_memory* memories;
  size_t memory_count;
  _Atomic(void*) scratch;  // of execute, for programs with many arguments
};

static inline void tn_pjrt_client_ref(tn_pjrt_client* client, size_t count) {
  atomic_fetch_add_explicit(&client->references, count, memory_order_relaxed);
}
void tn_pjrt_client_end(tn_pjrt_client* client);
static inline void tn_pjrt_client_unref(tn_pjrt_client* client) {
  if (atomic_fetch_sub_explicit(&client->references, 1, memory_order_acq_rel) == 1)
    tn_pjrt_client_end(client);
}

// Ours for the plugin's; NULL when it is none that the client told of.
tn_pjrt_device* tn_pjrt_device_of(const tn_pjrt_client* client, const PJRT_Device* theirs);
tn_pjrt_memory* tn_pjrt_memory_of(const tn_pjrt_client* client, const PJRT_Memory* theirs);

// Fill the client's lists from the plugin: devices first, then memories.
bool tn_pjrt_devices_read(tn_pjrt_client* client, tn_status* status);
void tn_pjrt_devices_deinit(tn_pjrt_client* client);
bool tn_pjrt_memories_read(tn_pjrt_client* client, tn_status* status);
void tn_pjrt_memories_deinit(tn_pjrt_client* client);

// A call that older or smaller plugins need not answer: true also when it is unimplemented, and
// then the outputs stand as they were.
#define TN_PJRT_TRY(plugin, ENTRY, args, status) \
  (TN_PJRT_CALL(plugin, ENTRY, args, status) || tn_pjrt_forgive(status))
static inline bool tn_pjrt_forgive(tn_status* status) {
  if (tn_status_code(status) != TN_UNIMPLEMENTED) return false;
  tn_status_clear(status);
  return true;
}

// A plugin's bool, which may be any byte.
static inline bool tn_pjrt_truth(const bool* said) {
  unsigned char byte;
  memcpy(&byte, said, sizeof byte);
  return byte != 0;
}

// False, with a status, when a plugin gives a count of things and no list of them, or more than
// there can be.
bool tn_pjrt_check_list(const tn_pjrt* plugin, const char* entry, const void* list, size_t count,
                        tn_status* status);

// A copy of the text that `entry` gave; NULL, with a status, when out of memory or when there can
// be no such text.
char* tn_pjrt_copy_text(const tn_pjrt* plugin, const char* entry, const char* text, size_t size,
                        tn_status* status);

#endif  // TENON_PJRT_HOST_CLIENT_H_
