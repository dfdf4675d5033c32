// The ways of buffers to and from the host, and to each other.

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plugin.h"

// Moves an array between two places once both are there.
typedef struct {
  task task;
  storage *to_storage, *from_storage;  // NULL where the host's memory is meant
  char* to;
  const char* from;
  int64_t to_strides[MOST_DIMS], from_strides[MOST_DIMS], dims[MOST_DIMS];
  size_t rank, element;
  PJRT_Event *source, *made, *done;  // source: whose failure is passed on
} copy;

static void copy_run(task* task) {
  copy* c = (void*)task;
  failure* failure = c->source ? event_failure(c->source) : NULL;
  if (!failure) {
    strided_copy(c->to, c->to_strides, c->from, c->from_strides, c->dims, c->rank, c->element);
    if (BAD(narrow_types_packed) && !c->to_storage && c->element == 1 && c->rank == 1)
      for (int64_t i = 0; i < c->dims[0]; ++i) c->to[i] = i % 2 ? 0 : (char)(c->to[i] << 4);
  }
  if (!BAD(event_never_ready)) {
    event_set(c->made, failure);
    if (c->done) event_set(c->done, failure);
  }
  storage_unref(c->to_storage);
  storage_unref(c->from_storage);
  event_unref(c->source);
  event_unref(c->made);
  event_unref(c->done);
  client_unref(task->client);
  free(c);
}

static void* copy_later(void* arg) {
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  copy_run(arg);
  return NULL;
}

static void copy_submit(copy* c, PJRT_Client* client, bool at_once, bool late) {
  client_ref(client);
  c->task.run = copy_run;
  pthread_t thread;
  if (late) {
    c->task.client = client;
    if (!pthread_create(&thread, NULL, copy_later, c)) pthread_detach(thread);
  } else if (at_once) {
    c->task.client = client;
    copy_run(&c->task);
  } else {
    task_submit(&c->task, client, &c->source, c->source ? 1 : 0);
  }
}

FUNCTION(PJRT_Client_BufferFromHostBuffer) {
  if (BAD(reads_out_members) && args->buffer) abort();
  if (args->byte_strides && args->num_byte_strides && args->num_byte_strides != args->num_dims)
    return INVALID("PJRT_Client_BufferFromHostBuffer: %zu strides for %zu dimensions",
                   args->num_byte_strides, args->num_dims);
  PJRT_Buffer* buffer = NULL;
  PJRT_Error* error =
      buffer_create(args->client, args->device, args->memory, args->type, args->dims,
                    args->num_dims, args->device_layout, event_create(), &buffer);
  if (error) return error;
  copy* c = calloc(1, sizeof *c);
  c->rank = args->num_dims;
  c->element = element_bytes(args->type);
  if (c->rank) memcpy(c->dims, args->dims, c->rank * sizeof *c->dims);
  dense_strides(c->dims, c->rank, NULL, c->element, c->from_strides);
  buffer_strides(buffer, c->to_strides);
  bool is_dense = buffer->size && !memcmp(c->from_strides, c->to_strides, sizeof c->to_strides);
  if (args->byte_strides && args->num_byte_strides && !BAD(strides_ignored)) {
    for (size_t i = 0; i < c->rank; ++i) {
      is_dense = is_dense && c->from_strides[i] == args->byte_strides[i];
      c->from_strides[i] = args->byte_strides[i];
      if (args->byte_strides[i] < 0 && BAD(negative_strides_refused)) {
        free(c);
        buffer_unref(buffer);
        return INVALID("negative strides");
      }
    }
  }
  PJRT_Event* done = event_create();
  bool in_place =
      (int)args->host_buffer_semantics >= 2 && is_dense && (uintptr_t)args->data % 16 == 0;
  if (in_place) {
    storage_unref(buffer->storage);
    buffer->storage =
        storage_of(buffer->memory->device, (void*)(uintptr_t)args->data, buffer->size);
    buffer->storage->done = event_ref(done);
    event_set(buffer->ready, NULL);
    free(c);
  } else {
    c->to_storage = storage_ref(buffer->storage);
    c->to = buffer->storage->data;
    c->from = args->data;
    c->made = event_ref(buffer->ready);
    if (BAD(host_read_after_done)) {
      event_set(done, NULL);
    } else if (!BAD(never_done_with_host)) {
      c->done = event_ref(done);
    }
    bool only_now =
        args->host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    copy_submit(c, args->client, only_now, BAD(host_read_late) || BAD(host_read_after_done));
  }
  args->done_with_host_buffer = done;
  if (BAD(done_left_null)) {
    event_unref(done);
    args->done_with_host_buffer = NULL;
  }
  args->buffer = buffer;
  return NULL;
}

// How far beyond its first byte an array with these strides reaches.
static size_t reach(const int64_t* dims, const int64_t* strides, size_t rank, size_t element) {
  size_t most = element;
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] == 0) return 0;
    if (strides[i] > 0) most += (size_t)(dims[i] - 1) * (size_t)strides[i];
  }
  return most;
}

FUNCTION_OF_SIZE(PJRT_Buffer_ToHostBuffer, AT_MOST(PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE, 56)) {
  PJRT_Buffer* buffer = args->src;
  int64_t from_strides[MOST_DIMS], to_strides[MOST_DIMS];
  size_t element = element_bytes(buffer->type);
  buffer_strides(buffer, from_strides);
  memcpy(to_strides, from_strides, sizeof to_strides);
  PJRT_Error* error =
      args->host_layout && !BAD(host_layout_ignored)
          ? layout_strides(args->host_layout, buffer->dims, buffer->rank, element, to_strides)
          : NULL;
  if (error) return error;
  size_t needed = reach(buffer->dims, to_strides, buffer->rank, element);
  if (!args->dst) {
    args->dst_size = BAD(size_not_told) ? 0 : needed;
    return NULL;
  }
  if (args->dst_size < needed && !BAD(small_dst_taken))
    return INVALID("PJRT_Buffer_ToHostBuffer: dst_size is %zu, the array needs %zu", args->dst_size,
                   needed);
  storage* storage = buffer_use(buffer);
  if (!storage && BAD(deleted_still_read))
    storage = storage_create(buffer->memory->device, buffer->size);
  if (!storage) return DELETED("PJRT_Buffer_ToHostBuffer");
  copy* c = calloc(1, sizeof *c);
  c->from_storage = storage;
  c->from = storage->data;
  c->to = args->dst;
  c->rank = buffer->rank;
  c->element = element;
  memcpy(c->dims, buffer->dims, sizeof c->dims);
  memcpy(c->from_strides, from_strides, sizeof from_strides);
  memcpy(c->to_strides, to_strides, sizeof to_strides);
  c->source = event_ref(buffer->ready);
  PJRT_Event* done = event_create();
  c->made = event_ref(done);
  if (BAD(writes_in_members)) args->dst_size = 0, args->src = NULL;
  copy_submit(c, buffer->client, false, false);
  args->event = BAD(transfer_event_null) ? NULL : done;
  if (BAD(transfer_event_null)) event_unref(done);
  return NULL;
}

static PJRT_Error* copy_to(PJRT_Buffer* buffer, memory* place, const char* what,
                           PJRT_Buffer** out) {
  storage* storage = buffer_use(buffer);
  if (!storage) return INVALID("%s: the buffer has been deleted or donated", what);
  if (BAD(copy_stays)) place = buffer->memory;
  if (BAD(copy_shares_memory)) {
    *out = buffer_create_like(buffer, place, storage, event_ref(buffer->ready));
    return NULL;
  }
  PJRT_Buffer* made = buffer_create_like(buffer, place, NULL, event_create());
  copy* c = calloc(1, sizeof *c);
  c->from_storage = storage;
  c->from = storage->data;
  c->to_storage = storage_ref(made->storage);
  c->to = made->storage->data;
  c->rank = c->element = 1;
  c->dims[0] = (int64_t)buffer->size;
  c->from_strides[0] = c->to_strides[0] = 1;
  c->source = event_ref(buffer->ready);
  c->made = event_ref(made->ready);
  copy_submit(c, buffer->client, false, false);
  *out = made;
  return NULL;
}

FUNCTION(PJRT_Buffer_CopyToDevice) {
  return copy_to(args->buffer, &args->dst_device->memories[args->buffer->memory->kind],
                 "PJRT_Buffer_CopyToDevice", &args->dst_buffer);
}

#if HAS(32)
FUNCTION(PJRT_Buffer_CopyToMemory) {
  return copy_to(args->buffer, (memory*)args->dst_memory, "PJRT_Buffer_CopyToMemory",
                 &args->dst_buffer);
}
#endif

#if HAS(33)
FUNCTION_OF_SIZE(PJRT_Client_CreateViewOfDeviceBuffer, args->struct_size) {
  PJRT_Memory* place = NULL;
#if HAS(66)
  if (COVERS(args, memory)) place = args->memory;
#endif
  PJRT_Buffer* buffer = NULL;
  PJRT_Error* error =
      buffer_create(args->client, args->device, place, args->element_type, args->dims,
                    args->num_dims, args->layout, event_ready(NULL), &buffer);
  if (error) return error;
  storage_unref(buffer->storage);
  buffer->storage = storage_of(buffer->memory->device, args->device_buffer_ptr, buffer->size);
  buffer->storage->on_delete = args->on_delete_callback;
  buffer->storage->arg = args->on_delete_callback_arg;
  args->buffer = buffer;
  return NULL;
}
#endif

#if HAS(56)
static PJRT_Error* raw_copy(PJRT_Buffer* buffer, void* dst, int64_t offset, int64_t size,
                            PJRT_Event** event) {
  if (offset < 0 || size < 0 || offset > (int64_t)buffer->size ||
      size > (int64_t)buffer->size - offset)
    return INVALID("%lld bytes from %lld on of a buffer of %zu", (long long)size, (long long)offset,
                   buffer->size);
  storage* storage = buffer_use(buffer);
  if (!storage) return DELETED("PJRT_Buffer_CopyRawToHost");
  copy* c = calloc(1, sizeof *c);
  c->from_storage = storage;
  c->from = storage->data + (BAD(raw_offset_ignored) ? 0 : offset);
  c->to = dst;
  c->rank = c->element = 1;
  c->dims[0] = size;
  c->from_strides[0] = c->to_strides[0] = 1;
  c->source = event_ref(buffer->ready);
  *event = event_create();
  c->made = event_ref(*event);
  copy_submit(c, buffer->client, false, false);
  return NULL;
}

FUNCTION(PJRT_Buffer_CopyRawToHost) {
  return raw_copy(args->buffer, args->dst, args->offset, args->transfer_size, &args->event);
}
#endif

#if HAS(84)
// A raw copy whose destination comes later, by a callback that the caller is given.
typedef struct {
  PJRT_Buffer* buffer;
  int64_t offset, size;
  PJRT_Event* event;
} promised;

static void pass_on(failure* failure, void* arg) {
  event_set(arg, failure);
  event_unref(arg);
}

static void destination_known(PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
  promised* promised = args->callback_data;
  PJRT_Event* copied = NULL;
  if (args->error_code != PJRT_Error_Code_OK) {
    failure* failure =
        failure_create(args->error_code, args->error_message, args->error_message_size);
    event_set(promised->event, failure);
    failure_unref(failure);
    event_unref(promised->event);
  } else {
    PJRT_Error* error =
        raw_copy(promised->buffer, args->dst, promised->offset, promised->size, &copied);
    if (error) {
      failure* failure =
          failure_create(PJRT_Error_Code_INVALID_ARGUMENT, "the copy is refused", 19);
      pass_on(failure, promised->event);
      failure_unref(failure);
      do_PJRT_Error_Destroy(&(PJRT_Error_Destroy_Args){.error = error});
    } else {
      event_then(copied, pass_on, promised->event);
      event_unref(copied);
    }
  }
  buffer_unref(promised->buffer);
  free(promised);
}

FUNCTION(PJRT_Buffer_CopyRawToHostFuture) {
  promised* promised = calloc(1, sizeof *promised);
  promised->buffer = args->buffer;
  atomic_fetch_add(&args->buffer->refs, 1);
  promised->offset = args->offset;
  promised->size = args->transfer_size;
  promised->event = event_create();
  args->event = event_ref(promised->event);
  args->callback_data = promised;
  args->future_ready_callback = destination_known;
  return NULL;
}
#endif

#if HAS(88)
typedef struct {
  PJRT_Event *own, *ready;
} dependency;

static void own_part_ready(failure* failure, void* arg) {
  dependency* both = arg;
  event_set(both->ready, failure);
  event_unref(both->ready);
  free(both);
}

static void dependency_ready(PJRT_Buffer_DonateWithControlDependency_Callback_Args* args) {
  dependency* both = args->callback_data;
  PJRT_Event* own = both->own;
  if (args->error_code == PJRT_Error_Code_OK) {
    event_then(own, own_part_ready, both);
  } else {
    failure* failure =
        failure_create(args->error_code, args->error_message, args->error_message_size);
    own_part_ready(failure, both);
    failure_unref(failure);
  }
  event_unref(own);
}

FUNCTION(PJRT_Buffer_DonateWithControlDependency) {
  storage* storage = buffer_take(args->buffer);
  if (!storage) return DELETED("PJRT_Buffer_DonateWithControlDependency");
  dependency* both = calloc(1, sizeof *both);
  both->own = event_ref(args->buffer->ready);
  both->ready = event_create();
  args->out_buffer =
      buffer_create_like(args->buffer, args->buffer->memory, storage, event_ref(both->ready));
  args->callback_data = both;
  args->dependency_ready_callback = dependency_ready;
  return NULL;
}
#endif

#if HAS(98)
FUNCTION(PJRT_Buffer_Bitcast) {
  PJRT_Error* error = check_shape(args->element_type, args->dims, args->num_dims);
  if (error) return error;
  size_t size = element_count(args->dims, args->num_dims) * element_bytes(args->element_type);
  if (size != args->buffer->size)
    return INVALID("PJRT_Buffer_Bitcast: %zu bytes cannot be seen as %zu", args->buffer->size,
                   size);
  storage* storage = buffer_use(args->buffer);
  if (!storage) return DELETED("PJRT_Buffer_Bitcast");
  PJRT_Buffer* made = NULL;
  error = buffer_create(args->buffer->client, NULL, (PJRT_Memory*)args->buffer->memory,
                        args->element_type, args->dims, args->num_dims, args->device_layout,
                        event_ref(args->buffer->ready), &made);
  if (error) {
    storage_unref(storage);
    return error;
  }
  storage_unref(made->storage);
  made->storage = storage;
  args->out_buffer = made;
  return NULL;
}
#endif
