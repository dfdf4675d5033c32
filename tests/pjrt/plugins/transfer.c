// Buffers that are filled later: by a transfer manager, by an alias that is fulfilled, or never,
// with an error in their place. And the streams of host callbacks, which the plugin has none of.

#include <stdlib.h>
#include <string.h>

#include "plugin.h"

#if HAS(69)
FUNCTION(PJRT_Client_CreateUninitializedBuffer) {
  return buffer_create(args->client, args->device, args->memory, args->shape_element_type,
                       args->shape_dims, args->shape_num_dims, args->shape_layout,
                       event_ready(NULL), &args->buffer);
}
#endif

#if HAS(82)
FUNCTION_OF_SIZE(PJRT_Client_CreateErrorBuffer,
                 AT_MOST(PJRT_Client_CreateErrorBuffer_Args_STRUCT_SIZE, 112)) {
  failure* failure =
      failure_create(args->error_code, args->error_message, args->error_message_size);
#if HAS(103)
  failure_add_payload(failure, args->payload, args->num_payload);
#endif
  PJRT_Event* ready = event_ready(BAD(error_buffer_fine) ? NULL : failure);
  failure_unref(failure);
  return buffer_create(args->client, NULL, args->memory, args->shape_element_type, args->shape_dims,
                       args->shape_num_dims, args->shape_layout, ready, &args->buffer);
}
#endif

#if HAS(77)
struct PJRT_FulfillAliasBufferCallback {
  PJRT_Buffer* alias;
};

FUNCTION(PJRT_Client_CreateAliasBuffer) {
  PJRT_Error* error =
      buffer_create(args->client, NULL, args->memory, args->shape_element_type, args->shape_dims,
                    args->shape_num_dims, args->shape_layout, event_create(), &args->alias_buffer);
  if (error) return error;
  args->fulfill_alias_buffer_cb = calloc(1, sizeof *args->fulfill_alias_buffer_cb);
  args->fulfill_alias_buffer_cb->alias = args->alias_buffer;
  atomic_fetch_add(&args->alias_buffer->refs, 1);
  return NULL;
}

typedef struct {
  task task;
  PJRT_Event *source, *ready;
  storage *from, *to;
} fulfilment;

static void fulfil_run(task* task) {
  fulfilment* f = (void*)task;
  failure* failure = event_failure(f->source);
  if (!failure) memcpy(f->to->data, f->from->data, f->to->size);
  event_set(f->ready, failure);
  storage_unref(f->from);
  storage_unref(f->to);
  event_unref(f->source);
  event_unref(f->ready);
  client_unref(task->client);
  free(f);
}

FUNCTION(PJRT_Client_FulfillAliasBuffer) {
  PJRT_Buffer* alias = args->fulfill_alias_buffer_cb->alias;
  PJRT_Error* error = NULL;
  if (args->status_code != PJRT_Error_Code_OK) {
    failure* failure =
        failure_create(args->status_code, args->error_message, args->error_message_size);
    event_set(alias->ready, failure);
    failure_unref(failure);
  } else {
    storage* from = args->buffer ? buffer_use(args->buffer) : NULL;
    storage* to = from && args->buffer->size == alias->size ? buffer_use(alias) : NULL;
    if (!to) {
      storage_unref(from);
      return INVALID("PJRT_Client_FulfillAliasBuffer: no live buffer of %zu bytes", alias->size);
    }
    fulfilment* f = calloc(1, sizeof *f);
    f->task.run = fulfil_run;
    f->from = from;
    f->to = to;
    f->source = event_ref(args->buffer->ready);
    f->ready = event_ref(alias->ready);
    task_submit(&f->task, client_ref(args->client), &f->source, 1);
  }
  buffer_unref(alias);
  free(args->fulfill_alias_buffer_cb);
  return error;
}
#endif

#if HAS(60)
struct PJRT_AsyncHostToDeviceTransferManager {
  PJRT_Client* client;
  memory* memory;
  size_t count;
  PJRT_Buffer* buffers[MOST_VALUES];
  bool finished[MOST_VALUES];
};

FUNCTION(PJRT_Client_CreateBuffersForAsyncHostToDevice) {
  if (args->num_shape_specs > MOST_VALUES)
    return UNIMPLEMENTED("%zu buffers; at most %d", args->num_shape_specs, MOST_VALUES);
  PJRT_AsyncHostToDeviceTransferManager* manager = calloc(1, sizeof *manager);
  manager->client = client_ref(args->client);
  manager->memory =
      args->memory ? (memory*)args->memory : &args->client->devices->memories[KIND_DEVICE];
  PJRT_Error* error = NULL;
  for (; manager->count < args->num_shape_specs && !error; ++manager->count) {
    const PJRT_ShapeSpec* spec = &args->shape_specs[manager->count];
    error = buffer_create(args->client, NULL, (PJRT_Memory*)manager->memory, spec->element_type,
                          spec->dims, spec->num_dims,
                          manager->count < args->num_device_layouts && args->device_layouts
                              ? args->device_layouts[manager->count]
                              : NULL,
                          event_create(), &manager->buffers[manager->count]);
    if (error) break;
  }
  if (error) {
    for (size_t i = 0; i < manager->count; ++i) buffer_unref(manager->buffers[i]);
    client_unref(manager->client);
    free(manager);
    return error;
  }
  args->transfer_manager = manager;
  return NULL;
}

FUNCTION(PJRT_AsyncHostToDeviceTransferManager_Destroy) {
  PJRT_AsyncHostToDeviceTransferManager* manager = args->transfer_manager;
  if (!manager && BAD(null_destroy_crashes)) abort();
  if (!manager) return NULL;
  failure* failure = failure_create(PJRT_Error_Code_CANCELLED, "its transfer manager is gone", 28);
  for (size_t i = 0; i < manager->count; ++i) {
    if (!manager->finished[i]) event_set(manager->buffers[i]->ready, failure);
    buffer_unref(manager->buffers[i]);
  }
  failure_unref(failure);
  client_unref(manager->client);
  free(manager);
  return NULL;
}

static PJRT_Error* manager_buffer(PJRT_AsyncHostToDeviceTransferManager* manager, int index,
                                  PJRT_Buffer** out) {
  if (index < 0 || (size_t)index >= manager->count)
    return INVALID("buffer %d of a transfer manager of %zu", index, manager->count);
  *out = manager->buffers[index];
  return NULL;
}

typedef struct {
  task task;
  storage* to;
  const char* from;
  size_t offset, size;
  PJRT_Event *ready, *done;  // ready: NULL before the last
} chunk;

static void chunk_run(task* task) {
  chunk* c = (void*)task;
  if (c->size) memcpy(c->to->data + c->offset, c->from, c->size);
  event_set(c->done, NULL);
  if (c->ready) event_set(c->ready, NULL);
  storage_unref(c->to);
  event_unref(c->ready);
  event_unref(c->done);
  client_unref(task->client);
  free(c);
}

FUNCTION(PJRT_AsyncHostToDeviceTransferManager_TransferData) {
  PJRT_Buffer* buffer = NULL;
  PJRT_Error* error = manager_buffer(args->transfer_manager, args->buffer_index, &buffer);
  if (error) return error;
  if (args->offset < 0 || args->transfer_size < 0 || args->offset > (int64_t)buffer->size ||
      args->transfer_size > (int64_t)buffer->size - args->offset)
    return INVALID("%lld bytes at %lld of a buffer of %zu", (long long)args->transfer_size,
                   (long long)args->offset, buffer->size);
  if (args->transfer_manager->finished[args->buffer_index])
    return fail(PJRT_Error_Code_FAILED_PRECONDITION, "buffer %d had its last transfer",
                args->buffer_index);
  storage* to = buffer_use(buffer);
  if (!to) return DELETED("PJRT_AsyncHostToDeviceTransferManager_TransferData");
  chunk* c = calloc(1, sizeof *c);
  c->task.run = chunk_run;
  c->to = to;
  c->from = args->data;
  c->offset = BAD(transfer_offset_ignored) ? 0 : (size_t)args->offset;
  c->size = (size_t)args->transfer_size;
  args->done_with_h2d_transfer = event_create();
  c->done = event_ref(args->done_with_h2d_transfer);
  if (args->is_last_transfer && !BAD(last_transfer_missed)) {
    c->ready = event_ref(buffer->ready);
    args->transfer_manager->finished[args->buffer_index] = true;
  }
  task_submit(&c->task, client_ref(args->transfer_manager->client), NULL, 0);
  return NULL;
}
#endif

#if HAS(62)
FUNCTION(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer) {
  PJRT_Buffer* buffer = NULL;
  PJRT_Error* error = manager_buffer(args->transfer_manager, args->buffer_index, &buffer);
  if (error) return error;
  storage* storage = buffer_use(buffer);
  if (!storage) return DELETED("PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer");
  args->buffer_out = buffer_create_like(buffer, buffer->memory, storage, event_ref(buffer->ready));
  return NULL;
}

FUNCTION(PJRT_AsyncHostToDeviceTransferManager_Device) {
  args->device_out = args->transfer_manager->memory->device;
  return NULL;
}

FUNCTION(PJRT_AsyncHostToDeviceTransferManager_BufferCount) {
  args->buffer_count = args->transfer_manager->count;
  return NULL;
}

FUNCTION(PJRT_AsyncHostToDeviceTransferManager_BufferSize) {
  PJRT_Buffer* buffer = NULL;
  PJRT_Error* error = manager_buffer(args->transfer_manager, args->buffer_index, &buffer);
  if (!error) args->buffer_size = buffer->size;
  return error;
}

FUNCTION(PJRT_AsyncHostToDeviceTransferManager_SetBufferError) {
  PJRT_Buffer* buffer = NULL;
  PJRT_Error* error = manager_buffer(args->transfer_manager, args->buffer_index, &buffer);
  if (error) return error;
  if (args->transfer_manager->finished[args->buffer_index])
    return fail(PJRT_Error_Code_FAILED_PRECONDITION, "buffer %d had its last transfer",
                args->buffer_index);
  args->transfer_manager->finished[args->buffer_index] = true;
  failure* failure =
      failure_create(args->error_code, args->error_message, args->error_message_size);
  event_set(buffer->ready, failure);
  failure_unref(failure);
  return NULL;
}

FUNCTION(PJRT_AsyncHostToDeviceTransferManager_AddMetadata) { return NULL; }
#endif

#if HAS(83)
FUNCTION(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral) {
  PJRT_Buffer* buffer = NULL;
  PJRT_Error* error = manager_buffer(args->transfer_manager, args->buffer_index, &buffer);
  if (error) return error;
  if ((int)args->shape_element_type != buffer->type || args->shape_num_dims != buffer->rank ||
      (buffer->rank &&
       memcmp(args->shape_dims, buffer->dims, buffer->rank * sizeof *buffer->dims) != 0))
    return INVALID("the literal's shape is not that of buffer %d", args->buffer_index);
  PJRT_AsyncHostToDeviceTransferManager_TransferData_Args whole = {
      .struct_size = PJRT_AsyncHostToDeviceTransferManager_TransferData_Args_STRUCT_SIZE,
      .transfer_manager = args->transfer_manager,
      .buffer_index = args->buffer_index,
      .data = args->data,
      .transfer_size = (int64_t)buffer->size,
      .is_last_transfer = true};
  error = do_PJRT_AsyncHostToDeviceTransferManager_TransferData(&whole);
  args->done_with_h2d_transfer = whole.done_with_h2d_transfer;
  return error;
}
#endif

// ------------------------------ Streams of host callbacks ------------------------------

#define NO_STREAMS(name) \
  FUNCTION(name) { return UNIMPLEMENTED(#name ": there are no host callbacks"); }

FUNCTION(PJRT_CopyToDeviceStream_Destroy) { return NULL; }
NO_STREAMS(PJRT_CopyToDeviceStream_AddChunk)
NO_STREAMS(PJRT_CopyToDeviceStream_TotalBytes)
NO_STREAMS(PJRT_CopyToDeviceStream_GranuleSize)
NO_STREAMS(PJRT_CopyToDeviceStream_CurrentBytes)
