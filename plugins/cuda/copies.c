// Copies and fills.
#include "cuda_device.h"

static void copy(const SP_Device* handle, SP_Stream stream, void* to, const void* from,
                 uint64_t size, enum cudaMemcpyKind kind, TF_Status* status) {
  if (report(enter(handle), "cudaSetDevice", status))
    report(cudaMemcpyAsync(to, from, size, kind, stream->stream), "cudaMemcpyAsync", status);
}

// On a stream of their own: the default one would wait for others, and be waited for.
static void copy_now(const SP_Device* handle, void* to, const void* from, uint64_t size,
                     enum cudaMemcpyKind kind, TF_Status* status) {
  cudaStream_t stream = device_of(handle)->memory;
  if (report(enter(handle), "cudaSetDevice", status) &&
      report(cudaMemcpyAsync(to, from, size, kind, stream), "cudaMemcpyAsync", status))
    report(cudaStreamSynchronize(stream), "cudaStreamSynchronize", status);
}

static void memcpy_dtoh(const SP_Device* handle, SP_Stream stream, void* to,
                        const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  copy(handle, stream, to, from->opaque, size, cudaMemcpyDeviceToHost, status);
}
static void memcpy_htod(const SP_Device* handle, SP_Stream stream, SP_DeviceMemoryBase* to,
                        const void* from, uint64_t size, TF_Status* status) {
  copy(handle, stream, to->opaque, from, size, cudaMemcpyHostToDevice, status);
}
static void memcpy_dtod(const SP_Device* handle, SP_Stream stream, SP_DeviceMemoryBase* to,
                        const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  copy(handle, stream, to->opaque, from->opaque, size, cudaMemcpyDeviceToDevice, status);
}
static void sync_memcpy_dtoh(const SP_Device* handle, void* to, const SP_DeviceMemoryBase* from,
                             uint64_t size, TF_Status* status) {
  copy_now(handle, to, from->opaque, size, cudaMemcpyDeviceToHost, status);
}
static void sync_memcpy_htod(const SP_Device* handle, SP_DeviceMemoryBase* to, const void* from,
                             uint64_t size, TF_Status* status) {
  copy_now(handle, to->opaque, from, size, cudaMemcpyHostToDevice, status);
}
static void sync_memcpy_dtod(const SP_Device* handle, SP_DeviceMemoryBase* to,
                             const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  copy_now(handle, to->opaque, from->opaque, size, cudaMemcpyDeviceToDevice, status);
}

static void fill_bytes(const SP_Device* handle, SP_Stream stream, SP_DeviceMemoryBase* memory,
                       uint8_t byte, uint64_t size, TF_Status* status) {
  if (report(enter(handle), "cudaSetDevice", status))
    report(cudaMemsetAsync(memory->opaque, byte, size, stream->stream), "cudaMemsetAsync", status);
}
static void fill_zero(const SP_Device* handle, SP_Stream stream, SP_DeviceMemoryBase* memory,
                      uint64_t size, TF_Status* status) {
  fill_bytes(handle, stream, memory, 0, size, status);
}
// The runtime fills with bytes only: each of the four is a column of its own.
static void fill_words(const SP_Device* handle, SP_Stream stream, SP_DeviceMemoryBase* memory,
                       uint32_t word, uint64_t size, TF_Status* status) {
  if (!report(enter(handle), "cudaSetDevice", status)) return;
  for (int i = 0; i < 4; ++i)
    if (!report(cudaMemset2DAsync((char*)memory->opaque + i, 4, (int)(word >> (8 * i) & 0xff), 1,
                                  size / 4, stream->stream),
                "cudaMemset2DAsync", status))
      return;
}

void fill_copy_functions(SP_StreamExecutor* functions) {
  functions->memcpy_dtoh = memcpy_dtoh;
  functions->memcpy_htod = memcpy_htod;
  functions->memcpy_dtod = memcpy_dtod;
  functions->sync_memcpy_dtoh = sync_memcpy_dtoh;
  functions->sync_memcpy_htod = sync_memcpy_htod;
  functions->sync_memcpy_dtod = sync_memcpy_dtod;
  functions->mem_zero = fill_zero;
  functions->memset = fill_bytes;
  functions->memset32 = fill_words;
}
