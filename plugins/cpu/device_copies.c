// Copies, fills and calls of the host, on the device's streams and off them.

#include <stdio.h>
#include <string.h>

#include "device.h"

typedef struct transfer {
  void* to;
  const void* from;
  uint64_t size;
  uint32_t pattern;
} transfer;

// A block whose size is 0 is one whose size the host does not say.
static bool fits(const SP_DeviceMemoryBase* memory, uint64_t size, TF_Status* status) {
  TF_SetStatus(status, TF_OK, "");
  if (size == 0 || (memory->opaque && (memory->size == 0 || size <= memory->size))) return true;
  char message[128];
  snprintf(message, sizeof message, "%llu bytes do not fit a block of device memory of %llu",
           (unsigned long long)size, (unsigned long long)memory->size);
  TF_SetStatus(status, TF_INVALID_ARGUMENT, message);
  return false;
}

static void copy_here(SP_Stream stream, void* args) {
  const transfer* copy = args;
  if (copy->size) memmove(copy->to, copy->from, copy->size);
}

static void fill_here(SP_Stream stream, void* args) {
  const transfer* fill = args;
  if (fill->size) memset(fill->to, (int)fill->pattern, fill->size);
}

static void fill_words_here(SP_Stream stream, void* args) {
  const transfer* fill = args;
  for (uint64_t i = 0; i < fill->size / sizeof fill->pattern; ++i)
    ((uint32_t*)fill->to)[i] = fill->pattern;
}

// Memory moves about eight bytes a nanosecond.
static void run(SP_Stream stream, stream_body body, transfer what) {
  stream_run(stream, body, &what, sizeof what, (int64_t)(what.size / 8));
}

static void copy_to_host(const SP_Device* device, SP_Stream stream, void* to,
                         const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  if (fits(from, size, status)) run(stream, copy_here, (transfer){to, from->opaque, size, 0});
}

static void copy_from_host(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                           const void* from, uint64_t size, TF_Status* status) {
  if (fits(to, size, status)) run(stream, copy_here, (transfer){to->opaque, from, size, 0});
}

static void copy_on_device(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                           const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  if (fits(to, size, status) && fits(from, size, status))
    run(stream, copy_here, (transfer){to->opaque, from->opaque, size, 0});
}

static void copy_to_host_now(const SP_Device* device, void* to, const SP_DeviceMemoryBase* from,
                             uint64_t size, TF_Status* status) {
  if (fits(from, size, status)) copy_here(NULL, &(transfer){to, from->opaque, size, 0});
}

static void copy_from_host_now(const SP_Device* device, SP_DeviceMemoryBase* to, const void* from,
                               uint64_t size, TF_Status* status) {
  if (fits(to, size, status)) copy_here(NULL, &(transfer){to->opaque, from, size, 0});
}

static void copy_on_device_now(const SP_Device* device, SP_DeviceMemoryBase* to,
                               const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  if (fits(to, size, status) && fits(from, size, status))
    copy_here(NULL, &(transfer){to->opaque, from->opaque, size, 0});
}

static void fill_bytes(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                       uint8_t pattern, uint64_t size, TF_Status* status) {
  if (fits(to, size, status)) run(stream, fill_here, (transfer){to->opaque, NULL, size, pattern});
}

static void fill_zeros(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                       uint64_t size, TF_Status* status) {
  fill_bytes(device, stream, to, 0, size, status);
}

static void fill_words(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                       uint32_t pattern, uint64_t size, TF_Status* status) {
  if (!fits(to, size, status)) return;
  if (size % sizeof pattern != 0) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "memset32: the size must be a multiple of 4");
    return;
  }
  run(stream, fill_words_here, (transfer){to->opaque, NULL, size, pattern});
}

typedef struct host_call {
  SE_StatusCallbackFn callback;
  void* arg;
} host_call;

static void call_here(SP_Stream stream, void* args) {
  const host_call* call = args;
  TF_Status* status = TF_NewStatus();
  call->callback(call->arg, status);
  if (status && TF_GetCode(status) != TF_OK)
    stream_fail(stream, TF_GetCode(status), TF_Message(status));
  TF_DeleteStatus(status);
}

// Always on the stream's own thread: whoever asks may hold locks that the callback wants.
static TF_Bool host_callback(const SP_Device* device, SP_Stream stream,
                             SE_StatusCallbackFn callback, void* arg) {
  stream_run(stream, call_here, &(host_call){callback, arg}, sizeof(host_call), INT64_MAX);
  return 1;
}

void fill_copy_functions(SP_StreamExecutor* table) {
  table->memcpy_dtoh = copy_to_host;
  table->memcpy_htod = copy_from_host;
  table->memcpy_dtod = copy_on_device;
  table->sync_memcpy_dtoh = copy_to_host_now;
  table->sync_memcpy_htod = copy_from_host_now;
  table->sync_memcpy_dtod = copy_on_device_now;
  table->mem_zero = fill_zeros;
  table->memset = fill_bytes;
  table->memset32 = fill_words;
  table->host_callback = host_callback;
}
