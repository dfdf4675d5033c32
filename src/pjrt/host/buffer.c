// Buffers as such: what the plugin tells of them, their end, and copies on the device's side.
#include "pjrt/host/buffer.h"

#include "base/status.h"
#include "pjrt/host/event.h"

void tn_pjrt_buffer_drop(tn_pjrt_client* client, PJRT_Buffer* theirs) {
  if (!theirs) return;
  TN_PJRT_ARGS(client->plugin, PJRT_Buffer_Destroy_Args, args, .buffer = theirs);
  (void)TN_PJRT_CALL(client->plugin, PJRT_Buffer_Destroy, args, NULL);
}

tn_pjrt_buffer* tn_pjrt_buffer_wrap(tn_pjrt_client* client, PJRT_Buffer* theirs, const char* entry,
                                    tn_status* status) {
  if (!theirs) {
    tn_fail(status, TN_INTERNAL, "%s: %s: no error and no buffer", client->plugin->name, entry);
    return NULL;
  }
  void* node = NULL;
  if (!tn_pjrt_nodes_take(client->nodes, &node, 1, status)) {
    tn_pjrt_buffer_drop(client, theirs);
    return NULL;
  }
  tn_pjrt_client_ref(client, 1);
  tn_pjrt_buffer* buffer = node;
  *buffer = (tn_pjrt_buffer){.client = client, .theirs = theirs, .holders = 1};
  return buffer;
}

void tn_pjrt_buffer_destroy(tn_pjrt_buffer* buffer) {
  // A lone holder needs no exchange: nobody else can get hold of the buffer any more.
  if (!buffer || (atomic_load_explicit(&buffer->holders, memory_order_acquire) != 1 &&
                  atomic_fetch_sub_explicit(&buffer->holders, 1, memory_order_acq_rel) != 1))
    return;
  tn_pjrt_client* client = buffer->client;
  tn_pjrt_buffer_drop(client, buffer->theirs);
  tn_pjrt_nodes_give(client->nodes, buffer);
  tn_pjrt_client_unref(client);
}

static bool no_buffer(tn_status* status) {
  return tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT buffer was given, or no room for an answer");
}

int32_t tn_pjrt_buffer_type(const tn_pjrt_buffer* buffer) {
  if (!buffer) return PJRT_Buffer_Type_INVALID;
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_ElementType_Args, args, .buffer = buffer->theirs);
  return TN_PJRT_CALL(plugin, PJRT_Buffer_ElementType, args, NULL) ? (int32_t)args->type : 0;
}

bool tn_pjrt_buffer_shape(const tn_pjrt_buffer* buffer, const int64_t** dims, size_t* rank,
                          tn_status* status) {
  *dims = NULL;
  *rank = 0;
  if (!buffer) return no_buffer(status);
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_Dimensions_Args, args, .buffer = buffer->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_Dimensions, args, status) ||
      !tn_pjrt_check_list(plugin, "PJRT_Buffer_Dimensions", args->dims, args->num_dims, status))
    return false;
  if (args->num_dims > TN_PJRT_MAX_RANK)
    return tn_fail(status, TN_INTERNAL, "%s: PJRT_Buffer_Dimensions: a rank of %zu makes no sense",
                   plugin->name, args->num_dims);
  for (size_t i = 0; i < args->num_dims; ++i)
    if (args->dims[i] < 0)
      return tn_fail(status, TN_INTERNAL,
                     "%s: PJRT_Buffer_Dimensions: dimension %zu of %zu is %lld, below zero",
                     plugin->name, i, args->num_dims, (long long)args->dims[i]);
  *dims = args->num_dims > 0 ? args->dims : NULL;
  *rank = args->num_dims;
  return true;
}

size_t tn_pjrt_buffer_rank(const tn_pjrt_buffer* buffer) {
  const int64_t* dims;
  size_t rank;
  (void)tn_pjrt_buffer_shape(buffer, &dims, &rank, NULL);
  return rank;
}

const int64_t* tn_pjrt_buffer_dims(const tn_pjrt_buffer* buffer) {
  const int64_t* dims;
  size_t rank;
  (void)tn_pjrt_buffer_shape(buffer, &dims, &rank, NULL);
  return dims;
}

bool tn_pjrt_buffer_device_size(const tn_pjrt_buffer* buffer, size_t* bytes, tn_status* status) {
  if (!buffer || !bytes) return no_buffer(status);
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_OnDeviceSizeInBytes_Args, args, .buffer = buffer->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_OnDeviceSizeInBytes, args, status)) return false;
  *bytes = args->on_device_size_in_bytes;
  return true;
}

tn_pjrt_device* tn_pjrt_buffer_device(const tn_pjrt_buffer* buffer) {
  if (!buffer) return NULL;
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_Device_Args, args, .buffer = buffer->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_Device, args, NULL)) return NULL;
  return tn_pjrt_device_of(buffer->client, args->device);
}

tn_pjrt_memory* tn_pjrt_buffer_memory(const tn_pjrt_buffer* buffer) {
  if (!buffer) return NULL;
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_Memory_Args, args, .buffer = buffer->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_Memory, args, NULL)) return NULL;
  return tn_pjrt_memory_of(buffer->client, args->memory);
}

bool tn_pjrt_buffer_on_cpu(const tn_pjrt_buffer* buffer) {
  if (!buffer) return false;
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_IsOnCpu_Args, args, .buffer = buffer->theirs);
  return TN_PJRT_CALL(plugin, PJRT_Buffer_IsOnCpu, args, NULL) && tn_pjrt_truth(&args->is_on_cpu);
}

bool tn_pjrt_buffer_delete(tn_pjrt_buffer* buffer, tn_status* status) {
  if (!buffer) return no_buffer(status);
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_Delete_Args, args, .buffer = buffer->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_Delete, args, status)) return false;
  atomic_store_explicit(&buffer->deleted, true, memory_order_relaxed);
  return true;
}

bool tn_pjrt_buffer_deleted(const tn_pjrt_buffer* buffer) {
  if (!buffer || atomic_load_explicit(&buffer->deleted, memory_order_relaxed)) return true;
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_IsDeleted_Args, args, .buffer = buffer->theirs);
  return TN_PJRT_CALL(plugin, PJRT_Buffer_IsDeleted, args, NULL) &&
         tn_pjrt_truth(&args->is_deleted);
}

tn_pjrt_event* tn_pjrt_buffer_ready(tn_pjrt_buffer* buffer, tn_status* status) {
  if (!buffer) {
    no_buffer(status);
    return NULL;
  }
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_ReadyEvent_Args, args, .buffer = buffer->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_ReadyEvent, args, status)) return NULL;
  if (!args->event) {
    tn_pjrt_event_missing(buffer->client, "PJRT_Buffer_ReadyEvent", status);
    return NULL;
  }
  return tn_pjrt_event_wrap(buffer->client, args->event, status);
}

tn_pjrt_buffer* tn_pjrt_buffer_copy_to_device(tn_pjrt_buffer* buffer, tn_pjrt_device* device,
                                              tn_status* status) {
  if (!buffer || !device || device->client != buffer->client) {
    tn_fail(status, TN_INVALID_ARGUMENT,
            "copying a PJRT buffer needs a buffer and a device of the same client");
    return NULL;
  }
  tn_pjrt* plugin = buffer->client->plugin;
  // The memory call is the one that frameworks use; the older one stays for plugins without it.
  if (device->default_memory && TN_PJRT_HAS(plugin, PJRT_Buffer_CopyToMemory)) {
    tn_status own = {0};
    tn_pjrt_buffer* copy = tn_pjrt_buffer_copy_to_memory(buffer, device->default_memory, &own);
    bool retry = !copy && tn_status_code(&own) == TN_UNIMPLEMENTED;
    if (!copy && !retry) tn_status_copy(status, &own);
    tn_status_deinit(&own);
    if (!retry) return copy;
  }
  TN_PJRT_ARGS(plugin, PJRT_Buffer_CopyToDevice_Args, args, .buffer = buffer->theirs,
               .dst_device = device->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_CopyToDevice, args, status)) return NULL;
  return tn_pjrt_buffer_wrap(buffer->client, args->dst_buffer, "PJRT_Buffer_CopyToDevice", status);
}

tn_pjrt_buffer* tn_pjrt_buffer_copy_to_memory(tn_pjrt_buffer* buffer, tn_pjrt_memory* memory,
                                              tn_status* status) {
  if (!buffer || !memory || memory->client != buffer->client) {
    tn_fail(status, TN_INVALID_ARGUMENT,
            "copying a PJRT buffer needs a buffer and a memory of the same client");
    return NULL;
  }
  tn_pjrt* plugin = buffer->client->plugin;
  if (!TN_PJRT_HAS(plugin, PJRT_Buffer_CopyToMemory))
    for (size_t i = 0; i < memory->device_count; ++i)
      if (memory->devices[i]->default_memory == memory)
        return tn_pjrt_buffer_copy_to_device(buffer, memory->devices[i], status);
  TN_PJRT_ARGS(plugin, PJRT_Buffer_CopyToMemory_Args, args, .buffer = buffer->theirs,
               .dst_memory = memory->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_CopyToMemory, args, status)) return NULL;
  return tn_pjrt_buffer_wrap(buffer->client, args->dst_buffer, "PJRT_Buffer_CopyToMemory", status);
}

void* tn_pjrt_buffer_acquire(tn_pjrt_buffer* buffer, tn_status* status) {
  if (!buffer) {
    no_buffer(status);
    return NULL;
  }
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_IncreaseExternalReferenceCount_Args, hold,
               .buffer = buffer->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_IncreaseExternalReferenceCount, hold, status)) return NULL;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, args,
               .buffer = buffer->theirs);
  if (TN_PJRT_CALL(plugin, PJRT_Buffer_OpaqueDeviceMemoryDataPointer, args, status))
    return args->device_memory_ptr;
  (void)tn_pjrt_buffer_release(buffer, NULL);
  return NULL;
}

bool tn_pjrt_buffer_release(tn_pjrt_buffer* buffer, tn_status* status) {
  if (!buffer) return no_buffer(status);
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_DecreaseExternalReferenceCount_Args, args,
               .buffer = buffer->theirs);
  return TN_PJRT_CALL(plugin, PJRT_Buffer_DecreaseExternalReferenceCount, args, status);
}
