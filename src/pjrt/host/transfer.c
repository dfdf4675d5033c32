// Buffers that are filled piece by piece. Plugins are known to abort on a piece that does not fit,
// on one after the last, and on a buffer that is taken twice, so all of that is seen here first.
#include "base/memory.h"
#include "base/status.h"
#include "pjrt/host/buffer.h"
#include "pjrt/host/element_type.h"
#include "pjrt/host/event.h"

typedef struct transfer_buffer {
  int64_t size;  // on the device; -1: not told
  _Atomic bool ended, taken;
} transfer_buffer;

struct tn_pjrt_transfer {
  tn_pjrt_client* client;
  PJRT_AsyncHostToDeviceTransferManager* theirs;
  size_t count;
  transfer_buffer buffers[];
};

static bool read_sizes(tn_pjrt_transfer* transfer, tn_status* status) {
  tn_pjrt* plugin = transfer->client->plugin;
  for (size_t i = 0; i < transfer->count; ++i) {
    TN_PJRT_ARGS(plugin, PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, args,
                 .transfer_manager = transfer->theirs, .buffer_index = (int)i);
    transfer->buffers[i].size = -1;
    if (!TN_PJRT_HAS(plugin, PJRT_AsyncHostToDeviceTransferManager_BufferSize)) continue;
    if (!TN_PJRT_CALL(plugin, PJRT_AsyncHostToDeviceTransferManager_BufferSize, args, status))
      return false;
    transfer->buffers[i].size = (int64_t)args->buffer_size;
  }
  return true;
}

static bool create_theirs(tn_pjrt_transfer* transfer, const tn_pjrt_shape* shapes,
                          PJRT_ShapeSpec* specs, tn_pjrt_memory* memory, tn_status* status) {
  tn_pjrt_client* client = transfer->client;
  tn_pjrt* plugin = client->plugin;
  for (size_t i = 0; i < transfer->count; ++i) {
    size_t bytes;
    if (!tn_pjrt_type_check(plugin, shapes[i].type, status) ||
        !tn_pjrt_array_bytes(shapes[i].type, shapes[i].dims, shapes[i].rank, &bytes, status))
      return false;
    specs[i] = (PJRT_ShapeSpec){.struct_size = TN_PJRT_SIZE_OF(plugin, PJRT_ShapeSpec),
                                .dims = shapes[i].dims,
                                .num_dims = shapes[i].rank,
                                .element_type = (PJRT_Buffer_Type)shapes[i].type};
  }
  TN_PJRT_ARGS(plugin, PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, args,
               .client = client->theirs, .shape_specs = specs, .num_shape_specs = transfer->count,
               .memory = memory->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Client_CreateBuffersForAsyncHostToDevice, args, status))
    return false;
  transfer->theirs = args->transfer_manager;
  if (!transfer->theirs)
    return tn_fail(status, TN_INTERNAL,
                   "%s: PJRT_Client_CreateBuffersForAsyncHostToDevice: no error and no manager",
                   plugin->name);
  return read_sizes(transfer, status);
}

tn_pjrt_transfer* tn_pjrt_transfer_create(tn_pjrt_client* client, const tn_pjrt_shape* shapes,
                                          size_t count, tn_pjrt_memory* memory, tn_status* status) {
  if (client && !memory)
    memory = tn_pjrt_device_default_memory(tn_pjrt_client_addressable(client, 0));
  if (!client || !shapes || count == 0 || count > INT32_MAX || !memory ||
      memory->client != client) {
    tn_fail(status, TN_INVALID_ARGUMENT,
            "a transfer needs a PJRT client, shapes, and a memory of that client");
    return NULL;
  }
  tn_pjrt_transfer* transfer =
      tn_alloc_zeroed(1, sizeof *transfer + count * sizeof *transfer->buffers);
  PJRT_ShapeSpec* specs = tn_alloc_zeroed(count, sizeof *specs);
  bool ok = transfer && specs;
  if (ok) {
    tn_pjrt_client_ref(client, 1);
    transfer->client = client;
    transfer->count = count;
    ok = create_theirs(transfer, shapes, specs, memory, status);
  } else {
    tn_status_set_no_memory(status, "beginning a transfer");
  }
  tn_free(specs);
  if (ok) return transfer;
  if (transfer && transfer->client)
    tn_pjrt_transfer_destroy(transfer);
  else
    tn_free(transfer);
  return NULL;
}

void tn_pjrt_transfer_destroy(tn_pjrt_transfer* transfer) {
  if (!transfer) return;
  tn_pjrt_client* client = transfer->client;
  if (transfer->theirs) {
    TN_PJRT_ARGS(client->plugin, PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, args,
                 .transfer_manager = transfer->theirs);
    (void)TN_PJRT_CALL(client->plugin, PJRT_AsyncHostToDeviceTransferManager_Destroy, args, NULL);
  }
  tn_free(transfer);
  tn_pjrt_client_unref(client);
}

static transfer_buffer* find(tn_pjrt_transfer* transfer, size_t buffer, tn_status* status) {
  if (transfer && buffer < transfer->count) return &transfer->buffers[buffer];
  tn_fail(status, TN_INVALID_ARGUMENT, "buffer %zu of a transfer of %zu was asked for", buffer,
          transfer ? transfer->count : 0);
  return NULL;
}

static bool begin_end(transfer_buffer* of, size_t buffer, bool end, tn_status* status) {
  bool ended = end ? atomic_exchange(&of->ended, true) : atomic_load(&of->ended);
  if (!ended) return true;
  return tn_fail(status, TN_FAILED_PRECONDITION,
                 "buffer %zu of a transfer has had its last piece, or failed", buffer);
}

bool tn_pjrt_transfer_write(tn_pjrt_transfer* transfer, size_t buffer, const void* data,
                            int64_t offset, int64_t bytes, bool last, tn_pjrt_event** done,
                            tn_status* status) {
  if (done) *done = NULL;
  transfer_buffer* of = find(transfer, buffer, status);
  if (!of) return false;
  if (offset < 0 || bytes < 0 || (bytes > 0 && !data) ||
      (of->size >= 0 && (offset > of->size || bytes > of->size - offset)))
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "%lld bytes at offset %lld do not fit into buffer %zu, which has %lld",
                   (long long)bytes, (long long)offset, buffer, (long long)of->size);
  if (!begin_end(of, buffer, last, status)) return false;
  tn_pjrt* plugin = transfer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, args,
               .transfer_manager = transfer->theirs, .buffer_index = (int)buffer,
               .data = data ? data : "", .offset = offset, .transfer_size = bytes,
               .is_last_transfer = last);
  return TN_PJRT_CALL(plugin, PJRT_AsyncHostToDeviceTransferManager_TransferData, args, status) &&
         tn_pjrt_event_settle(transfer->client,
                              "PJRT_AsyncHostToDeviceTransferManager_TransferData",
                              args->done_with_h2d_transfer, done, status);
}

bool tn_pjrt_transfer_fail(tn_pjrt_transfer* transfer, size_t buffer, const tn_status* why,
                           tn_status* status) {
  transfer_buffer* of = find(transfer, buffer, status);
  if (!of) return false;
  if (tn_ok(why))
    return tn_fail(status, TN_INVALID_ARGUMENT, "buffer %zu is to fail with an OK status", buffer);
  tn_pjrt* plugin = transfer->client->plugin;
  if (!tn_pjrt_require(plugin, TN_PJRT_AT_PJRT_AsyncHostToDeviceTransferManager_SetBufferError,
                       status) ||
      !begin_end(of, buffer, true, status))
    return false;
  const char* message = tn_status_message(why);
  TN_PJRT_ARGS(plugin, PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, args,
               .transfer_manager = transfer->theirs, .buffer_index = (int)buffer,
               .error_code = (PJRT_Error_Code)tn_status_code(why), .error_message = message,
               .error_message_size = strlen(message));
  return TN_PJRT_CALL(plugin, PJRT_AsyncHostToDeviceTransferManager_SetBufferError, args, status);
}

size_t tn_pjrt_transfer_count(const tn_pjrt_transfer* transfer) {
  return transfer ? transfer->count : 0;
}

bool tn_pjrt_transfer_size(const tn_pjrt_transfer* transfer, size_t buffer, size_t* bytes,
                           tn_status* status) {
  if (!transfer || buffer >= transfer->count || !bytes)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "the size of buffer %zu of a transfer of %zu was asked for, or there is no room "
                   "for it",
                   buffer, transfer ? transfer->count : 0);
  if (transfer->buffers[buffer].size < 0)
    return tn_pjrt_require(transfer->client->plugin,
                           TN_PJRT_AT_PJRT_AsyncHostToDeviceTransferManager_BufferSize, status);
  *bytes = (size_t)transfer->buffers[buffer].size;
  return true;
}

tn_pjrt_buffer* tn_pjrt_transfer_take(tn_pjrt_transfer* transfer, size_t buffer,
                                      tn_status* status) {
  transfer_buffer* of = find(transfer, buffer, status);
  if (!of) return NULL;
  tn_pjrt* plugin = transfer->client->plugin;
  if (atomic_exchange(&of->taken, true)) {
    tn_fail(status, TN_FAILED_PRECONDITION, "buffer %zu of a transfer has been taken", buffer);
    return NULL;
  }
  TN_PJRT_ARGS(plugin, PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, args,
               .transfer_manager = transfer->theirs, .buffer_index = (int)buffer);
  if (!TN_PJRT_CALL(plugin, PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, args, status)) {
    atomic_store(&of->taken, false);
    return NULL;
  }
  return tn_pjrt_buffer_wrap(transfer->client, args->buffer_out,
                             "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer", status);
}
