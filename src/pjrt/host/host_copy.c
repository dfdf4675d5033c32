// Arrays between host memory and buffers.
#include "base/memory.h"
#include "base/status.h"
#include "pjrt/host/buffer.h"
#include "pjrt/host/element_type.h"
#include "pjrt/host/event.h"
#include "tenon/abi.h"

// Strides that need not be told: the last dimension is fastest and nothing lies between.
static bool are_dense(const tn_pjrt_host_array* array) {
  int64_t step = (int64_t)tn_pjrt_type_size(array->type);
  for (size_t i = array->rank; array->byte_strides && i-- > 0; step *= array->dims[i])
    if (array->byte_strides[i] != step && array->dims[i] > 1) return false;
  return true;
}

// What runs backwards or stands still (a broadcast array) is made dense before the plugin sees it,
// and so is everything that has strides where a plugin takes none.
static bool must_straighten(const tn_pjrt_host_array* array) {
  for (size_t i = 0; i < array->rank; ++i)
    if (array->byte_strides[i] <= 0 && array->dims[i] > 1) return true;
  return false;
}

static void copy_strided(char* to, const char* from, size_t item, const int64_t* dims,
                         const int64_t* strides, size_t rank) {
  int64_t at[TN_PJRT_MAX_RANK] = {0};
  int64_t inner = dims[rank - 1], step = strides[rank - 1];
  while (true) {
    const char* row = from;
    for (int64_t i = 0; i < inner; ++i, to += item, row += step) memcpy(to, row, item);
    size_t d = rank - 1;
    while (d > 0) {
      --d;
      from += strides[d];
      if (++at[d] < dims[d]) break;
      from -= strides[d] * dims[d];
      at[d] = 0;
      if (d == 0) return;
    }
    if (rank == 1) return;
  }
}

// Where the array goes: both a device and a memory are told where both are known.
static bool choose_place(tn_pjrt_client* client, const tn_pjrt_host_array* array,
                         tn_pjrt_device** out_device, tn_status* status) {
  const tn_pjrt_memory* memory = array->memory;
  tn_pjrt_device* device = array->device;
  if ((device && device->client != client) || (memory && memory->client != client))
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "the device or memory for an array belongs to another PJRT client");
  if (!device && memory) device = tn_pjrt_memory_device(memory, 0);
  if (!device && !memory) device = tn_pjrt_client_addressable(client, 0);
  if (!device && !memory)
    return tn_fail(status, TN_FAILED_PRECONDITION, "%s has no device that this process can use",
                   client->plugin->name);
  *out_device = device;
  return true;
}

static bool check_array(tn_pjrt_client* client, const tn_pjrt_host_array* given,
                        tn_pjrt_host_array* array, size_t* bytes, tn_status* status) {
  if (!client || !given)
    return tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT client was given, or no array");
  const char* wrong = TN_CHECK_RESERVED(given, ext);
  if (wrong || !TN_HAS(given, minor_to_major))
    return tn_fail(status, TN_INVALID_ARGUMENT, "tn_pjrt_host_array: %s",
                   wrong ? wrong : "struct_size is smaller than it ever was");
  *array = *given;
  if (array->semantics < 0 || array->semantics > TN_PJRT_MUTABLE_ZERO_COPY)
    return tn_fail(status, TN_INVALID_ARGUMENT, "%d is no tn_pjrt_host_semantics",
                   (int)array->semantics);
  if (array->rank > TN_PJRT_MAX_RANK)
    return tn_fail(status, TN_INVALID_ARGUMENT, "an array has rank %zu; at most %d is supported",
                   array->rank, (int)TN_PJRT_MAX_RANK);
  if (!tn_pjrt_type_check(client->plugin, array->type, status) ||
      !tn_pjrt_array_bytes(array->type, array->dims, array->rank, bytes, status))
    return false;
  if (!array->data && *bytes > 0)
    return tn_fail(status, TN_INVALID_ARGUMENT, "an array of %zu bytes has no data", *bytes);
  // Without bytes nothing is read, but plugins look for an address all the same.
  if (!array->data) array->data = "";
  return true;
}

// Gives an array to the plugin as it is. Our objects are taken first: once the plugin uses the
// caller's bytes, the call must not fail for lack of memory.
static tn_pjrt_buffer* send(tn_pjrt_client* client, const tn_pjrt_host_array* array,
                            const tn_pjrt_device* device, PJRT_Buffer_MemoryLayout* layout,
                            tn_pjrt_event** done, tn_status* status) {
  static const char entry[] = "PJRT_Client_BufferFromHostBuffer";
  void* nodes[2];
  if (!tn_pjrt_nodes_take(client->nodes, nodes, done ? 2 : 1, status)) return NULL;
  tn_pjrt* plugin = client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Client_BufferFromHostBuffer_Args, args, .client = client->theirs,
               .data = array->data, .type = (PJRT_Buffer_Type)array->type, .dims = array->dims,
               .num_dims = array->rank, .byte_strides = array->byte_strides,
               .num_byte_strides = array->byte_strides ? array->rank : 0,
               .host_buffer_semantics = (PJRT_HostBufferSemantics)array->semantics,
               .device = device ? device->theirs : NULL,
               .memory = array->memory ? array->memory->theirs : NULL, .device_layout = layout);
  bool ok = TN_PJRT_CALL(plugin, PJRT_Client_BufferFromHostBuffer, args, status);
  PJRT_Buffer* theirs = ok ? args->buffer : NULL;
  PJRT_Event* event = ok ? args->done_with_host_buffer : NULL;
  if (ok && !theirs)
    ok = tn_fail(status, TN_INTERNAL, "%s: %s: no error and no buffer", plugin->name, entry);
  // An array that was copied during the call is free already, so an event is not missed.
  else if (ok && !event && array->semantics != TN_PJRT_COPY_DURING_CALL)
    ok = tn_pjrt_event_missing(client, entry, status);
  bool lent = array->semantics >= TN_PJRT_ZERO_COPY;
  if (ok && !done && !lent && event) {
    ok = tn_pjrt_event_settle(client, entry, event, NULL, status);
    event = NULL;
  }
  if (!ok || !done) tn_pjrt_event_drop(client, event);
  if (!ok) {
    tn_pjrt_buffer_drop(client, theirs);
    for (size_t i = 0; i < (done ? 2 : 1); ++i) tn_pjrt_nodes_give(client->nodes, nodes[i]);
    return NULL;
  }
  tn_pjrt_client_ref(client, done ? 2 : 1);
  if (done) {
    *done = nodes[1];
    **done = (tn_pjrt_event){client, event};
  }
  tn_pjrt_buffer* buffer = nodes[0];
  *buffer = (tn_pjrt_buffer){.client = client, .theirs = theirs, .holders = 1};
  return buffer;
}

// Gives a dense copy of an array to the plugin, and waits until it is no longer used.
static tn_pjrt_buffer* send_straight(tn_pjrt_client* client, const tn_pjrt_host_array* array,
                                     size_t bytes, const tn_pjrt_device* device,
                                     PJRT_Buffer_MemoryLayout* layout, tn_pjrt_event** done,
                                     tn_status* status) {
  char* straight = tn_alloc(bytes);
  if (!straight) {
    tn_status_set_no_memory(status, "straightening an array");
    return NULL;
  }
  copy_strided(straight, array->data, tn_pjrt_type_size(array->type), array->dims,
               array->byte_strides, array->rank);
  tn_pjrt_host_array dense = *array;
  dense.data = straight;
  dense.byte_strides = NULL;
  dense.semantics = TN_PJRT_COPY_DURING_CALL;
  tn_pjrt_buffer* buffer = send(client, &dense, device, layout, NULL, status);
  tn_free(straight);
  if (!buffer || !done || (*done = tn_pjrt_event_wrap(client, NULL, status))) return buffer;
  tn_pjrt_buffer_destroy(buffer);
  return NULL;
}

tn_pjrt_buffer* tn_pjrt_buffer_create(tn_pjrt_client* client, const tn_pjrt_host_array* given,
                                      tn_pjrt_event** done, tn_status* status) {
  if (done) *done = NULL;
  tn_pjrt_host_array array = TN_INIT(tn_pjrt_host_array);
  tn_pjrt_device* device = NULL;
  size_t bytes = 0;
  PJRT_Buffer_MemoryLayout layout;
  int64_t order[TN_PJRT_MAX_RANK];
  if (!check_array(client, given, &array, &bytes, status) ||
      !choose_place(client, &array, &device, status) ||
      (array.minor_to_major && !tn_pjrt_layout_init(client->plugin, &layout, order,
                                                    array.minor_to_major, array.rank, status)))
    return NULL;
  PJRT_Buffer_MemoryLayout* wanted = array.minor_to_major ? &layout : NULL;
  if (bytes == 0 || are_dense(&array)) array.byte_strides = NULL;
  if (!array.byte_strides) return send(client, &array, device, wanted, done, status);
  tn_status own = {0};
  tn_pjrt_buffer* buffer = NULL;
  bool straighten = must_straighten(&array);
  if (!straighten) {
    buffer = send(client, &array, device, wanted, done, &own);
    straighten = !buffer && tn_status_code(&own) == TN_UNIMPLEMENTED;
    if (!buffer && !straighten) tn_status_copy(status, &own);
    tn_status_deinit(&own);
  }
  return straighten ? send_straight(client, &array, bytes, device, wanted, done, status) : buffer;
}

bool tn_pjrt_buffer_host_size(const tn_pjrt_buffer* buffer, size_t* bytes, tn_status* status) {
  if (!buffer || !bytes)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "no PJRT buffer was given, or no room for its size");
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_ElementType_Args, type, .buffer = buffer->theirs);
  const int64_t* dims;
  size_t rank;
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_ElementType, type, status) ||
      !tn_pjrt_buffer_shape(buffer, &dims, &rank, status))
    return false;
  if (tn_pjrt_type_size((int32_t)type->type) > 0)
    return tn_pjrt_array_bytes((int32_t)type->type, dims, rank, bytes, status);
  // A type that this host does not know: with nowhere to write to, the plugin tells the size.
  TN_PJRT_ARGS(plugin, PJRT_Buffer_ToHostBuffer_Args, args, .src = buffer->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Buffer_ToHostBuffer, args, status)) return false;
  tn_pjrt_event_drop(buffer->client, args->event);
  if (args->dst_size > PTRDIFF_MAX)
    return tn_fail(status, TN_INTERNAL, "%s: PJRT_Buffer_ToHostBuffer: a size of %zu bytes",
                   plugin->name, args->dst_size);
  *bytes = args->dst_size;
  return true;
}

bool tn_pjrt_buffer_to_host(tn_pjrt_buffer* buffer, void* to, size_t bytes,
                            const int64_t* minor_to_major, tn_pjrt_event** done,
                            tn_status* status) {
  if (done) *done = NULL;
  size_t needed = 0;
  if (!tn_pjrt_buffer_host_size(buffer, &needed, status)) return false;
  if (bytes != needed || (!to && needed > 0))
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "a PJRT buffer of %zu bytes was to be copied to %zu bytes at %p", needed, bytes,
                   to);
  PJRT_Buffer_MemoryLayout layout;
  int64_t order[TN_PJRT_MAX_RANK];
  tn_pjrt* plugin = buffer->client->plugin;
  if (!tn_pjrt_layout_init(plugin, &layout, order, minor_to_major, tn_pjrt_buffer_rank(buffer),
                           status))
    return false;
  // A null address would ask for the size instead.
  char nothing;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_ToHostBuffer_Args, args, .src = buffer->theirs,
               .host_layout = &layout, .dst = to ? to : &nothing, .dst_size = bytes);
  return TN_PJRT_CALL(plugin, PJRT_Buffer_ToHostBuffer, args, status) &&
         tn_pjrt_event_settle(buffer->client, "PJRT_Buffer_ToHostBuffer", args->event, done,
                              status);
}

bool tn_pjrt_buffer_raw_to_host(tn_pjrt_buffer* buffer, void* to, int64_t offset, int64_t bytes,
                                tn_pjrt_event** done, tn_status* status) {
  if (done) *done = NULL;
  if (!buffer || offset < 0 || bytes < 0 || (!to && bytes > 0))
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "copying %lld bytes from offset %lld on needs a PJRT buffer and an address, and "
                   "neither number below zero",
                   (long long)bytes, (long long)offset);
  tn_pjrt* plugin = buffer->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Buffer_CopyRawToHost_Args, args, .buffer = buffer->theirs, .dst = to,
               .offset = offset, .transfer_size = bytes);
  return TN_PJRT_CALL(plugin, PJRT_Buffer_CopyRawToHost, args, status) &&
         tn_pjrt_event_settle(buffer->client, "PJRT_Buffer_CopyRawToHost", args->event, done,
                              status);
}

tn_pjrt_buffer* tn_pjrt_buffer_from_tensor(tn_pjrt_client* client, const tn_tensor* tensor,
                                           tn_pjrt_device* device, tn_status* status) {
  int32_t type = tensor ? tn_pjrt_type_of(tn_tensor_dtype(tensor)) : 0;
  int rank = tensor ? tn_tensor_rank(tensor) : 0;
  if (type == 0 || rank > TN_PJRT_MAX_RANK) {
    tn_fail(status, TN_INVALID_ARGUMENT, "%s of type %s and rank %d cannot become a PJRT buffer",
            tensor ? "a tensor" : "no tensor",
            tensor ? tn_dtype_name(tn_tensor_dtype(tensor)) : "unknown", rank);
    return NULL;
  }
  int64_t dims[TN_PJRT_MAX_RANK];
  for (int i = 0; i < rank; ++i) dims[i] = tn_tensor_dim(tensor, i);
  tn_pjrt_host_array array = TN_INIT(tn_pjrt_host_array);
  array.data = tn_tensor_data(tensor);
  array.type = type;
  array.semantics = TN_PJRT_UNTIL_TRANSFERRED;
  array.dims = dims;
  array.rank = (size_t)rank;
  array.device = device;
  return tn_pjrt_buffer_create(client, &array, NULL, status);
}

tn_tensor* tn_pjrt_buffer_to_tensor(tn_pjrt_buffer* buffer, tn_status* status) {
  if (!buffer) {
    tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT buffer was given to make a tensor of");
    return NULL;
  }
  int32_t type = tn_pjrt_buffer_type(buffer);
  tn_dtype dtype = tn_pjrt_dtype_of(type);
  const int64_t* dims;
  size_t rank;
  if (!tn_pjrt_buffer_shape(buffer, &dims, &rank, status)) return NULL;
  if (dtype == TN_INVALID) {
    tn_fail(status, TN_UNIMPLEMENTED,
            "a PJRT buffer of type %s and rank %zu cannot become a tensor; "
            "tn_pjrt_buffer_to_host gives its bytes",
            tn_pjrt_type_name(type), rank);
    return NULL;
  }
  tn_tensor* tensor = tn_tensor_create(dtype, dims, (int)rank, status);
  if (!tensor) return NULL;
  if (tn_pjrt_buffer_to_host(buffer, tn_tensor_data(tensor), tn_tensor_bytes(tensor), NULL, NULL,
                             status))
    return tensor;
  tn_tensor_destroy(tensor);
  return NULL;
}
