// Buffers: memory that is shared by count, what they say of themselves, and their ways to and from
// the host and each other.

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plugin.h"

// ------------------------------ Memory ------------------------------

storage* storage_create(PJRT_Device* device, size_t size) {
  storage* made = calloc(1, sizeof *made);
  atomic_init(&made->refs, 1);
  made->device = device;
  made->client = client_ref(device->client);
  made->size = size;
  made->ours = true;
  // A byte more, so that an empty array has an address too.
  made->data = aligned_alloc(64, (size + 64) / 64 * 64);
  pthread_mutex_lock(&device->lock);
  device->bytes_in_use += (int64_t)size;
  device->allocations++;
  if (device->bytes_in_use > device->peak_bytes) device->peak_bytes = device->bytes_in_use;
  if ((int64_t)size > device->largest) device->largest = (int64_t)size;
  pthread_mutex_unlock(&device->lock);
  return made;
}

// Memory of somebody else, who is told when it is no longer used.
static storage* storage_of(PJRT_Device* device, void* data, size_t size) {
  storage* made = calloc(1, sizeof *made);
  atomic_init(&made->refs, 1);
  made->device = device;
  made->client = client_ref(device->client);
  made->data = data;
  made->size = size;
  return made;
}

storage* storage_ref(storage* storage) {
  atomic_fetch_add(&storage->refs, 1);
  return storage;
}

void storage_unref(storage* storage) {
  if (!storage || atomic_fetch_sub(&storage->refs, 1) != 1) return;
  if (storage->ours && BAD(buffers_leak)) return;
  if (storage->ours) {
    pthread_mutex_lock(&storage->device->lock);
    storage->device->bytes_in_use -= (int64_t)storage->size;
    pthread_mutex_unlock(&storage->device->lock);
    free(storage->data);
  }
  if (storage->on_delete && !BAD(view_never_released)) {
    storage->on_delete(storage->data, storage->arg);
    if (BAD(view_released_twice)) storage->on_delete(storage->data, storage->arg);
  }
  if (storage->done) event_set(storage->done, NULL);
  event_unref(storage->done);
  client_unref(storage->client);
  free(storage);
}

// ------------------------------ Shapes ------------------------------

PJRT_Error* layout_strides(const PJRT_Buffer_MemoryLayout* layout, const int64_t* dims, size_t rank,
                           size_t element, int64_t* strides) {
  if (!layout) {
    dense_strides(dims, rank, NULL, element, strides);
    return NULL;
  }
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    if (layout->strides.num_byte_strides != rank)
      return INVALID("a layout of %zu strides for an array of rank %zu",
                     layout->strides.num_byte_strides, rank);
    if (rank) memcpy(strides, layout->strides.byte_strides, rank * sizeof *strides);
    return NULL;
  }
  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled)
    return INVALID("a layout of unknown type %d", (int)layout->type);
  if (layout->tiled.num_tiles) return UNIMPLEMENTED("layouts with tiles");
  if (layout->tiled.minor_to_major_size != rank)
    return INVALID("a layout of %zu dimensions for an array of rank %zu",
                   layout->tiled.minor_to_major_size, rank);
  unsigned seen = 0;
  for (size_t i = 0; i < rank; ++i) {
    int64_t dim = layout->tiled.minor_to_major[i];
    if (dim < 0 || dim >= (int64_t)rank || seen >> dim & 1)
      return INVALID("minor_to_major is no permutation");
    seen |= 1u << dim;
  }
  dense_strides(dims, rank, layout->tiled.minor_to_major, element, strides);
  return NULL;
}

void buffer_strides(const PJRT_Buffer* buffer, int64_t* strides) {
  dense_strides(buffer->dims, buffer->rank, buffer->minor_to_major, element_bytes(buffer->type),
                strides);
}

static PJRT_Error* check_shape(int type, const int64_t* dims, size_t rank) {
  if (type < 0 || type >= element_types(PJRT_API_MINOR) || !element_bytes(type))
    return INVALID("type %d is none that a buffer can have", type);
  if (rank > MOST_DIMS) return UNIMPLEMENTED("arrays of rank %zu; at most %d", rank, MOST_DIMS);
  size_t size = element_bytes(type);
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] < 0) return INVALID("dimension %zu is %lld", i, (long long)dims[i]);
    if (__builtin_mul_overflow(size, (size_t)dims[i], &size) || size > (size_t)1 << 40)
      return fail(PJRT_Error_Code_RESOURCE_EXHAUSTED, "an array of this size does not fit");
  }
  if (size == 0 && BAD(zero_size_crashes)) abort();
  return NULL;
}

PJRT_Error* buffer_create(PJRT_Client* client, PJRT_Device* device, PJRT_Memory* place, int type,
                          const int64_t* dims, size_t rank, const PJRT_Buffer_MemoryLayout* layout,
                          PJRT_Event* ready, PJRT_Buffer** out) {
  PJRT_Error* error = check_shape(type, dims, rank);
  int64_t strides[MOST_DIMS];
  if (!error && layout && layout->type == PJRT_Buffer_MemoryLayout_Type_Strides)
    error = UNIMPLEMENTED("strides as the layout of a device buffer");
  if (!error) error = layout_strides(layout, dims, rank, element_bytes(type), strides);
  if (error) {
    event_unref(ready);
    return error;
  }
  PJRT_Buffer* buffer = calloc(1, sizeof *buffer);
  atomic_init(&buffer->refs, 1);
  buffer->client = client_ref(client);
  buffer->memory =
      place ? (memory*)place : &(device ? device : client->devices)->memories[KIND_DEVICE];
  buffer->type = type;
  buffer->rank = rank;
  if (rank) memcpy(buffer->dims, dims, rank * sizeof *dims);
  for (size_t i = 0; i < rank; ++i)
    buffer->minor_to_major[i] = layout ? layout->tiled.minor_to_major[i] : (int64_t)(rank - 1 - i);
  buffer->size = element_count(dims, rank) * element_bytes(type);
  pthread_mutex_init(&buffer->lock, NULL);
  buffer->storage = storage_create(buffer->memory->device, buffer->size);
  buffer->ready = ready;
  *out = buffer;
  return NULL;
}

PJRT_Buffer* buffer_create_like(PJRT_Buffer* model, memory* place, storage* storage,
                                PJRT_Event* ready) {
  PJRT_Buffer* buffer = calloc(1, sizeof *buffer);
  *buffer = *model;
  atomic_init(&buffer->refs, 1);
  client_ref(buffer->client);
  buffer->memory = place;
  pthread_mutex_init(&buffer->lock, NULL);
  buffer->storage = storage ? storage : storage_create(place->device, model->size);
  buffer->external = NULL;
  buffer->external_refs = 0;
  buffer->ready = ready;
  return buffer;
}

void buffer_unref(PJRT_Buffer* buffer) {
  if (atomic_fetch_sub(&buffer->refs, 1) != 1) return;
  storage_unref(buffer->storage);
  storage_unref(buffer->external);
  event_unref(buffer->ready);
  pthread_mutex_destroy(&buffer->lock);
  client_unref(buffer->client);
  free(buffer);
}

storage* buffer_use(PJRT_Buffer* buffer) {
  pthread_mutex_lock(&buffer->lock);
  storage* storage = buffer->storage ? storage_ref(buffer->storage) : NULL;
  pthread_mutex_unlock(&buffer->lock);
  return storage;
}

storage* buffer_take(PJRT_Buffer* buffer) {
  pthread_mutex_lock(&buffer->lock);
  storage* storage = buffer->storage;
  buffer->storage = NULL;
  pthread_mutex_unlock(&buffer->lock);
  return storage;
}

// ------------------------------ Copies ------------------------------

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

FUNCTION(PJRT_Buffer_ToHostBuffer) {
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

// ------------------------------ Questions ------------------------------

FUNCTION(PJRT_Buffer_ElementType) {
  args->type = (PJRT_Buffer_Type)(BAD(type_changed) ? PJRT_Buffer_Type_U8 : args->buffer->type);
  return NULL;
}

FUNCTION(PJRT_Buffer_Dimensions) {
  args->dims = args->buffer->dims;
  args->num_dims = args->buffer->rank - (BAD(dims_forgotten) && args->buffer->rank ? 1 : 0);
  return NULL;
}

FUNCTION(PJRT_Buffer_UnpaddedDimensions) {
  args->unpadded_dims = args->buffer->dims;
  args->num_dims = args->buffer->rank;
  return NULL;
}

FUNCTION(PJRT_Buffer_DynamicDimensionIndices) {
  args->dynamic_dim_indices = NULL;
  args->num_dynamic_dims = 0;
  return NULL;
}

FUNCTION(PJRT_Buffer_GetMemoryLayout) {
  args->layout = (PJRT_Buffer_MemoryLayout){
      .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
      .tiled = {.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                .minor_to_major = args->buffer->minor_to_major,
                .minor_to_major_size = args->buffer->rank},
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
  return NULL;
}

FUNCTION(PJRT_Buffer_OnDeviceSizeInBytes) {
  args->on_device_size_in_bytes = BAD(size_zero) ? 0 : args->buffer->size;
  return NULL;
}

FUNCTION(PJRT_Buffer_Device) {
  args->device =
      BAD(always_first_device) ? args->buffer->client->devices : args->buffer->memory->device;
  return NULL;
}

FUNCTION(PJRT_Buffer_Memory) {
  memory* place = args->buffer->memory;
  args->memory = place->device->memory_list[BAD(memory_mixed_up) ? !place->kind : place->kind];
  return NULL;
}

FUNCTION(PJRT_Buffer_IsOnCpu) {
  args->is_on_cpu = args->buffer->memory->kind == KIND_HOST;
  return NULL;
}

FUNCTION(PJRT_Buffer_ReadyEvent) {
  args->event = event_ref(args->buffer->ready);
  return NULL;
}

static PJRT_Error* address(PJRT_Buffer* buffer, void** out) {
  storage* storage = buffer_use(buffer);
  if (!storage) return DELETED("the buffer's address");
  *out = BAD(pointer_null) ? NULL : storage->data;
  storage_unref(storage);
  return NULL;
}

FUNCTION(PJRT_Buffer_UnsafePointer) {
  void* at = NULL;
  PJRT_Error* error = address(args->buffer, &at);
  args->buffer_pointer = (uintptr_t)at;
  return error;
}

FUNCTION(PJRT_Buffer_OpaqueDeviceMemoryDataPointer) {
  return address(args->buffer, &args->device_memory_ptr);
}

FUNCTION(PJRT_Buffer_IncreaseExternalReferenceCount) {
  PJRT_Buffer* buffer = args->buffer;
  pthread_mutex_lock(&buffer->lock);
  bool is_alive = buffer->storage;
  if (is_alive && !buffer->external) buffer->external = storage_ref(buffer->storage);
  if (is_alive) {
    buffer->external_refs++;
    atomic_fetch_add(&buffer->refs, 1);
  }
  pthread_mutex_unlock(&buffer->lock);
  return is_alive ? NULL : DELETED("PJRT_Buffer_IncreaseExternalReferenceCount");
}

FUNCTION(PJRT_Buffer_DecreaseExternalReferenceCount) {
  PJRT_Buffer* buffer = args->buffer;
  storage* last = NULL;
  pthread_mutex_lock(&buffer->lock);
  bool is_held = buffer->external_refs > 0;
  if (is_held && --buffer->external_refs == 0) {
    last = buffer->external;
    buffer->external = NULL;
  }
  pthread_mutex_unlock(&buffer->lock);
  storage_unref(last);
  if (is_held) buffer_unref(buffer);
  return is_held || BAD(underflow_taken)
             ? NULL
             : INVALID("Attempting to decrease reference on a buffer with zero reference count.");
}

FUNCTION(PJRT_Buffer_Delete) {
  storage* storage = buffer_take(args->buffer);
  if (storage && storage->ours && BAD(delete_frees_early))
    memset(storage->data, 0xdd, storage->size);
  storage_unref(storage);
  return NULL;
}

FUNCTION(PJRT_Buffer_IsDeleted) {
  pthread_mutex_lock(&args->buffer->lock);
  args->is_deleted = !args->buffer->storage && !BAD(is_deleted_forgotten);
  pthread_mutex_unlock(&args->buffer->lock);
  return NULL;
}

static void* destroy_later(void* arg) {
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  buffer_unref(arg);
  return NULL;
}

FUNCTION(PJRT_Buffer_Destroy) {
  if (!args->buffer && BAD(null_destroy_crashes)) abort();
  if (!args->buffer) return NULL;
  pthread_t thread;
  if (BAD(buffers_freed_late) && !pthread_create(&thread, NULL, destroy_later, args->buffer)) {
    pthread_detach(thread);
    return NULL;
  }
  storage_unref(buffer_take(args->buffer));
  buffer_unref(args->buffer);
  return NULL;
}
