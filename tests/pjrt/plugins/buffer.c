// Buffers: memory that is shared by count, and what they say of themselves.

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

storage* storage_of(PJRT_Device* device, void* data, size_t size) {
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

PJRT_Error* check_shape(int type, const int64_t* dims, size_t rank) {
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
  static const char words[] = "PJRT_Buffer_ReadyEvent: the buffer has been deleted or donated";
  storage* storage = buffer_use(args->buffer);
  if (storage) {
    args->event = event_ref(args->buffer->ready);
    storage_unref(storage);
    return NULL;
  }
  failure* failure = failure_create(PJRT_Error_Code_INVALID_ARGUMENT, words, strlen(words));
  args->event = event_ready(failure);
  failure_unref(failure);
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
