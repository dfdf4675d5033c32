// Memory that a device gives besides its own: the host's that it reaches best, and unified memory.
#include "base/memory.h"
#include "base/status.h"
#include "device/plugin_device.h"
#include "device/stream.h"
#include "tensor/tensor.h"

typedef struct special_buffer {
  tn_buffer buffer;
  tn_plugin_device* owner;
} special_buffer;

static void release_host(tn_buffer* buffer) {
  tn_plugin_device* owner = ((special_buffer*)buffer)->owner;
  tn_plugin_device_fns(owner)->host_memory_deallocate(tn_plugin_device_handle(owner), buffer->data);
  tn_free(buffer);
}

static void free_unified(void* arg) {
  tn_buffer* buffer = arg;
  tn_plugin_device* owner = ((special_buffer*)buffer)->owner;
  tn_plugin_device_fns(owner)->unified_memory_deallocate(tn_plugin_device_handle(owner),
                                                         buffer->data);
  tn_free(buffer);
}

static void release_unified(tn_buffer* buffer) {
  tn_plugin_device* owner = ((special_buffer*)buffer)->owner;
  if (atomic_load_explicit(&buffer->stream, memory_order_acquire) == TN_NO_STREAM ||
      tn_device_drain(owner))
    free_unified(buffer);
  else
    tn_stream_park(owner->device.stream, free_unified, buffer);
}

static tn_buffer* take(tn_plugin_device* device, bool unified, size_t size, tn_status* status) {
  const SP_StreamExecutor* fns = tn_plugin_device_fns(device);
  if (unified && (!device->platform->unified_memory || !fns->unified_memory_allocate)) {
    tn_status_set(status, TN_UNIMPLEMENTED, "%s has no unified memory (%s)", device->device.name,
                  device->platform->file);
    return NULL;
  }
  special_buffer* made = tn_alloc(sizeof *made);
  if (!made) {
    tn_status_set_no_memory(status, "allocating a device's memory");
    return NULL;
  }
  void* data = (unified ? fns->unified_memory_allocate : fns->host_memory_allocate)(
      tn_plugin_device_handle(device), size ? size : 1);
  if (!data) {
    tn_status_set(status, TN_RESOURCE_EXHAUSTED, "%s gave no %zu bytes of %s memory (%s)",
                  device->device.name, size, unified ? "unified" : "host", device->platform->file);
    tn_free(made);
    return NULL;
  }
  *made = (special_buffer){.buffer = {.references = 1,
                                      .owned = true,
                                      .on_host = true,
                                      .data = data,
                                      .size = size,
                                      .release = unified ? release_unified : release_host,
                                      .device = unified ? &device->device : NULL},
                           .owner = device};
  return &made->buffer;
}

tn_tensor* tn_tensor_create_on(tn_device* device, tn_memory_kind kind, tn_dtype dtype,
                               const int64_t* dims, int rank, tn_status* status) {
  size_t size;
  if (!device || kind < TN_MEMORY_DEVICE || kind > TN_MEMORY_UNIFIED || tn_dtype_owns(dtype)) {
    tn_status_set(
        status, TN_INVALID_ARGUMENT,
        "memory of kind %d for %s: a device, one of TN_MEMORY_* and a type of numbers are "
        "needed",
        (int)kind, tn_dtype_name(dtype));
    tn_status_set_fault(status, TN_FAULT_CALLER);
    return NULL;
  }
  if (!tn_device_open(device, status)) return NULL;
  if (!device->plugin || kind == TN_MEMORY_DEVICE)
    return tn_tensor_create_in(device->allocator, dtype, dims, rank, status);
  if (!tn_tensor_size_of(dtype, dims, rank, &size, status)) return NULL;
  tn_buffer* buffer = take(device->plugin, kind == TN_MEMORY_UNIFIED, size, status);
  return buffer ? tn_tensor_wrap(buffer, dtype, dims, rank, status) : NULL;
}
