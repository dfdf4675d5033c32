#include "device/transfer.h"

#include "base/status.h"
#include "device/plugin_device.h"

tn_device* tn_tensor_device(const tn_tensor* tensor) {
  tn_device* device = tensor && tensor->buffer ? tensor->buffer->device : NULL;
  return device ? device : tn_device_cpu();
}

static bool from_host(tn_stream* stream, tn_buffer* target, tn_buffer* source, size_t size,
                      tn_status* status) {
  tn_plugin_device* device = stream->device->plugin;
  SP_DeviceMemoryBase memory = tn_plugin_device_memory(target);
  tn_status outcome = {0};
  tn_plugin_device_fns(device)->memcpy_htod(tn_plugin_device_handle(device), stream->handle,
                                            &memory, source->data, size, &outcome);
  if (!tn_plugin_device_told(device, "memcpy_htod", &outcome, status)) return false;
  tn_stream_hold(stream, tn_buffer_ref(source));
  return true;
}

static void drop(void* buffer) { tn_buffer_unref(buffer); }

static bool to_host(tn_stream* stream, tn_buffer* target, tn_buffer* source, size_t size,
                    tn_status* status) {
  tn_plugin_device* device = stream->device->plugin;
  const SP_DeviceMemoryBase memory = tn_plugin_device_memory(source);
  tn_status outcome = {0};
  tn_plugin_device_fns(device)->memcpy_dtoh(tn_plugin_device_handle(device), stream->handle,
                                            target->data, &memory, size, &outcome);
  if (!tn_plugin_device_told(device, "memcpy_dtoh", &outcome, status)) return false;
  if (tn_stream_wait(stream, 0, status)) return true;
  tn_stream_park(stream, drop, tn_buffer_ref(target));  // the copy may still come
  return false;
}

static bool within(tn_stream* stream, tn_buffer* target, tn_buffer* source, size_t size,
                   tn_status* status) {
  tn_plugin_device* device = stream->device->plugin;
  SP_DeviceMemoryBase to = tn_plugin_device_memory(target);
  const SP_DeviceMemoryBase from = tn_plugin_device_memory(source);
  if (tn_plugin_device_fns(device)->memcpy_dtod) {
    tn_status outcome = {0};
    tn_plugin_device_fns(device)->memcpy_dtod(tn_plugin_device_handle(device), stream->handle, &to,
                                              &from, size, &outcome);
    return tn_plugin_device_told(device, "memcpy_dtod", &outcome, status);
  }
  if (tn_plugin_device_fns(device)->sync_memcpy_dtod) {
    tn_status outcome = {0};
    if (!tn_stream_wait(stream, 0, status)) return false;
    tn_plugin_device_fns(device)->sync_memcpy_dtod(tn_plugin_device_handle(device), &to, &from,
                                                   size, &outcome);
    return tn_plugin_device_told(device, "sync_memcpy_dtod", &outcome, status);
  }
  // A plugin without either can still carry the bytes out and in again.
  tn_buffer* between = tn_buffer_allocate(&tn_host_allocator, size, status);
  const bool fine = between && to_host(stream, between, source, size, status) &&
                    from_host(stream, target, between, size, status);
  tn_buffer_unref(between);
  return fine;
}

bool tn_copy_bytes(tn_stream* stream, tn_buffer* target, tn_buffer* source, size_t size,
                   tn_status* status) {
  if (size == 0) return true;
  if (!target->device && !source->device) {
    memcpy(target->data, source->data, size);
    return true;
  }
  if ((target->device && !tn_stream_use(stream, target, status)) ||
      (source->device && !tn_stream_use(stream, source, status)))
    return false;
  return (!source->device   ? from_host
          : !target->device ? to_host
                            : within)(stream, target, source, size, status);
}

// A stream in whose order the buffer was made, so that nothing else has to wait. To be returned.
static tn_stream* home_of(tn_buffer* buffer) {
  return tn_stream_borrow_tagged(buffer->device->plugin,
                                 atomic_load_explicit(&buffer->stream, memory_order_acquire));
}

// Waits for all that works on the buffer.
static bool settle(tn_buffer* buffer, tn_status* status) {
  tn_stream* stream = home_of(buffer);
  const bool done = tn_stream_use(stream, buffer, status) && tn_stream_wait(stream, 0, status);
  tn_stream_return(stream);
  return done;
}

static tn_tensor* copy(const tn_tensor* tensor, tn_allocator* allocator, tn_stream* stream,
                       tn_status* status) {
  tn_tensor* made = tn_tensor_create_in(allocator, tensor->dtype, tn_shape_dims(&tensor->shape),
                                        tensor->shape.rank, status);
  if (made && tn_copy_bytes(stream, made->buffer, tensor->buffer, tn_tensor_bytes(tensor), status))
    return made;
  tn_tensor_destroy(made);
  return NULL;
}

tn_tensor* tn_tensor_to_host(const tn_tensor* tensor, tn_status* status) {
  if (!tn_device_given(tensor, "tensor", status)) return NULL;
  if (!tensor->buffer || !tensor->buffer->device) return tn_tensor_share(tensor, status);
  if (tensor->buffer->on_host)
    return settle(tensor->buffer, status) ? tn_tensor_share(tensor, status) : NULL;
  tn_stream* stream = home_of(tensor->buffer);
  tn_tensor* made = copy(tensor, tn_device_cpu()->allocator, stream, status);
  tn_stream_return(stream);
  return made;
}

tn_tensor* tn_tensor_to_stream(const tn_tensor* tensor, tn_stream* stream, tn_status* status) {
  if (!tn_device_given(tensor, "tensor", status) || !tn_device_given(stream, "stream", status))
    return NULL;
  tn_device* device = stream->device;
  if (!device->plugin) return tn_tensor_to_host(tensor, status);
  if (!tensor->buffer || tn_dtype_is_hosts(tensor->dtype) || tensor->buffer->device == device)
    return tn_tensor_share(tensor, status);
  if (!tensor->buffer->device) return copy(tensor, &stream->allocator, stream, status);
  tn_tensor* between = tn_tensor_to_host(tensor, status);
  tn_tensor* made = between ? copy(between, &stream->allocator, stream, status) : NULL;
  tn_tensor_destroy(between);
  return made;
}

tn_tensor* tn_tensor_duplicate(const tn_tensor* tensor, tn_stream* stream, tn_status* status) {
  if (!tensor || !tensor->buffer || !tensor->buffer->device) return tn_tensor_clone(tensor, status);
  tn_stream* home = stream ? NULL : home_of(tensor->buffer);
  if (home) stream = home;
  tn_tensor* made = copy(tensor, &stream->allocator, stream, status);
  if (home) tn_stream_return(home);
  return made;
}

static bool holds_bytes(const tn_tensor* tensor, const void* bytes, size_t size,
                        tn_status* status) {
  if (tensor && (bytes || size == 0) && !tn_dtype_is_hosts(tensor->dtype) &&
      size <= tn_tensor_bytes(tensor))
    return true;
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "%zu bytes at %p and a tensor of %zu bytes of %s: numbers are needed, and no more "
                "than there are",
                size, bytes, tensor ? tn_tensor_bytes(tensor) : 0,
                tensor ? tn_dtype_name(tensor->dtype) : "no type");
  tn_status_set_fault(status, TN_FAULT_CALLER);
  return false;
}

bool tn_tensor_read(const tn_tensor* tensor, void* target, size_t size, tn_status* status) {
  if (!holds_bytes(tensor, target, size, status)) return false;
  if (size == 0) return true;
  tn_buffer* buffer = tensor->buffer;
  if (buffer->device && !settle(buffer, status)) return false;
  if (buffer->on_host) {
    memcpy(target, buffer->data, size);
    return true;
  }
  tn_plugin_device* device = buffer->device->plugin;
  const SP_DeviceMemoryBase memory = tn_plugin_device_memory(buffer);
  tn_status outcome = {0};
  tn_plugin_device_fns(device)->sync_memcpy_dtoh(tn_plugin_device_handle(device), target, &memory,
                                                 size, &outcome);
  return tn_plugin_device_told(device, "sync_memcpy_dtoh", &outcome, status);
}

bool tn_tensor_write(tn_tensor* tensor, const void* source, size_t size, tn_status* status) {
  if (!holds_bytes(tensor, source, size, status)) return false;
  if (size == 0) return true;
  tn_buffer* buffer = tensor->buffer;
  if (buffer->device && !settle(buffer, status)) return false;
  if (buffer->on_host) {
    memcpy(buffer->data, source, size);
    return true;
  }
  tn_plugin_device* device = buffer->device->plugin;
  SP_DeviceMemoryBase memory = tn_plugin_device_memory(buffer);
  tn_status outcome = {0};
  tn_plugin_device_fns(device)->sync_memcpy_htod(tn_plugin_device_handle(device), &memory, source,
                                                 size, &outcome);
  return tn_plugin_device_told(device, "sync_memcpy_htod", &outcome, status);
}
