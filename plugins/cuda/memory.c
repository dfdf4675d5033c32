// Memory: the device's in the order of a stream of its own, the host's pinned, and managed memory.
#include "cuda_device.h"

static void allocate(const SP_Device* handle, uint64_t size, int64_t memory_space,
                     SP_DeviceMemoryBase* memory) {
  void* found = NULL;
  cudaStream_t stream = device_of(handle)->memory;
  // Any stream may use it when this returns.
  if (enter(handle) || cudaMallocAsync(&found, size, stream) || cudaStreamSynchronize(stream))
    found = NULL;
  cudaGetLastError();  // a failed allocation is no state of the device's
  memory->opaque = found;
  memory->size = found ? size : 0;
}

// The host gives back what no stream works on any more.
static void deallocate(const SP_Device* handle, SP_DeviceMemoryBase* memory) {
  enter(handle);
  cudaFreeAsync(memory->opaque, device_of(handle)->memory);
  memory->opaque = NULL;
  memory->size = 0;
}

static void* host_memory_allocate(const SP_Device* handle, uint64_t size) {
  void* found = NULL;
  if (enter(handle) || cudaMallocHost(&found, size)) found = NULL;
  cudaGetLastError();
  return found;
}

static void host_memory_deallocate(const SP_Device* handle, void* memory) {
  enter(handle);
  cudaFreeHost(memory);
}

static void* unified_memory_allocate(const SP_Device* handle, uint64_t size) {
  void* found = NULL;
  if (enter(handle) || cudaMallocManaged(&found, size, cudaMemAttachGlobal)) found = NULL;
  cudaGetLastError();
  return found;
}

static void unified_memory_deallocate(const SP_Device* handle, void* memory) {
  enter(handle);
  cudaFree(memory);
}

static bool pool_attribute(const SP_Device* handle, enum cudaMemPoolAttr attribute, int64_t* out) {
  cudaMemPool_t pool;
  uint64_t value = 0;
  if (cudaDeviceGetDefaultMemPool(&pool, device_of(handle)->ordinal) ||
      cudaMemPoolGetAttribute(pool, attribute, &value))
    return false;
  *out = (int64_t)value;
  return true;
}

static TF_Bool get_allocator_stats(const SP_Device* handle, SP_AllocatorStats* stats) {
  if (!TN_HAS(stats, largest_free_block_bytes)) return 0;
  return pool_attribute(handle, cudaMemPoolAttrUsedMemCurrent, &stats->bytes_in_use) &&
         pool_attribute(handle, cudaMemPoolAttrUsedMemHigh, &stats->peak_bytes_in_use) &&
         pool_attribute(handle, cudaMemPoolAttrReservedMemCurrent, &stats->bytes_reserved) &&
         pool_attribute(handle, cudaMemPoolAttrReservedMemHigh, &stats->peak_bytes_reserved);
}

static TF_Bool device_memory_usage(const SP_Device* handle, int64_t* available, int64_t* total) {
  size_t unused = 0, all = 0;
  if (enter(handle) || cudaMemGetInfo(&unused, &all)) return 0;
  *available = (int64_t)unused;
  *total = (int64_t)all;
  return 1;
}

void fill_memory_functions(SP_StreamExecutor* functions) {
  functions->allocate = allocate;
  functions->deallocate = deallocate;
  functions->host_memory_allocate = host_memory_allocate;
  functions->host_memory_deallocate = host_memory_deallocate;
  functions->unified_memory_allocate = unified_memory_allocate;
  functions->unified_memory_deallocate = unified_memory_deallocate;
  functions->get_allocator_stats = get_allocator_stats;
  functions->device_memory_usage = device_memory_usage;
}
