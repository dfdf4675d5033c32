// Filling a tensor with a pattern.
#include "base/status.h"
#include "device/plugin_device.h"
#include "device/transfer.h"

static bool check(const tn_tensor* tensor, const tn_stream* stream, tn_status* status) {
  if (tensor && stream && tensor->buffer && !tn_dtype_is_hosts(tensor->dtype) &&
      (!tensor->buffer->device || tensor->buffer->device == stream->device))
    return true;
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "a fill needs a tensor of numbers and a stream of its device: the tensor is on %s, "
                "the stream of %s",
                tensor ? tn_tensor_device(tensor)->name : "no device",
                stream ? stream->device->name : "no device");
  tn_status_set_fault(status, TN_FAULT_CALLER);
  return false;
}

static void fill_host(char* data, size_t size, uint32_t word) {
  for (size_t i = 0; i < size; ++i) data[i] = ((const char*)&word)[i % sizeof word];
}

// For plugins of before 2.7, which have no fills: the pattern is copied in.
static bool copy_pattern(tn_tensor* tensor, uint32_t word, tn_stream* stream, tn_status* status) {
  const size_t size = tn_tensor_bytes(tensor);
  tn_buffer* pattern = tn_buffer_allocate(&tn_host_allocator, size, status);
  if (!pattern) return false;
  fill_host(pattern->data, size, word);
  const bool done = tn_copy_bytes(stream, tensor->buffer, pattern, size, status);
  tn_buffer_unref(pattern);
  return done;
}

static bool fill(tn_tensor* tensor, uint32_t word, bool is_byte, tn_stream* stream,
                 tn_status* status) {
  const size_t size = tn_tensor_bytes(tensor);
  tn_plugin_device* device = tensor->buffer->device ? stream->device->plugin : NULL;
  if (!device) {
    fill_host(tensor->buffer->data, size, word);
    return true;
  }
  if (size == 0) return true;
  const SP_StreamExecutor* fns = tn_plugin_device_fns(device);
  const SP_Device* handle = tn_plugin_device_handle(device);
  SP_DeviceMemoryBase memory = tn_plugin_device_memory(tensor->buffer);
  tn_status outcome = {0};
  const char* function = word == 0 ? "mem_zero" : is_byte ? "memset" : "memset32";
  if (!fns->mem_zero || !fns->memset || !fns->memset32)
    return copy_pattern(tensor, word, stream, status);
  if (!tn_stream_use(stream, tensor->buffer, status)) return false;
  if (word == 0)
    fns->mem_zero(handle, stream->handle, &memory, size, &outcome);
  else if (is_byte)
    fns->memset(handle, stream->handle, &memory, (uint8_t)word, size, &outcome);
  else
    fns->memset32(handle, stream->handle, &memory, word, size, &outcome);
  return tn_plugin_device_told(device, function, &outcome, status);
}

bool tn_tensor_fill_bytes(tn_tensor* tensor, uint8_t byte, tn_stream* stream, tn_status* status) {
  return check(tensor, stream, status) && fill(tensor, byte * 0x01010101u, true, stream, status);
}

bool tn_tensor_fill_words(tn_tensor* tensor, uint32_t word, tn_stream* stream, tn_status* status) {
  if (!check(tensor, stream, status)) return false;
  if (tn_tensor_bytes(tensor) % sizeof word == 0) return fill(tensor, word, false, stream, status);
  tn_status_set(status, TN_INVALID_ARGUMENT, "%zu bytes cannot be filled with words of four",
                tn_tensor_bytes(tensor));
  tn_status_set_fault(status, TN_FAULT_CALLER);
  return false;
}
