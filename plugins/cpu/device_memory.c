// The device's memory: this machine's, which the host can touch as well.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "device.h"

// A page: the host cuts pieces out, and large ones should begin well.
enum { ALIGNMENT = 4096 };

static void raise(_Atomic int64_t* most, int64_t value) {
  int64_t seen = atomic_load(most);
  while (seen < value && !atomic_compare_exchange_weak(most, &seen, value)) {
  }
}

static void* take(uint64_t size) {
  void* memory = NULL;
  // A size near the end of the numbers would come out as a small one.
  if (size > INT64_MAX || posix_memalign(&memory, ALIGNMENT, size ? size : 1)) return NULL;
  return memory;
}

static void allocate(const SP_Device* device, uint64_t size, int64_t memory_space,
                     SP_DeviceMemoryBase* memory) {
  void* taken = take(size);
  PUT(memory, opaque, taken);
  PUT(memory, size, taken ? size : 0);
  PUT(memory, payload, 0);
  if (!taken) return;
  struct device* own = device_of(device);
  atomic_fetch_add(&own->allocations, 1);
  raise(&own->peak, atomic_fetch_add(&own->in_use, (int64_t)size) + (int64_t)size);
  raise(&own->largest, (int64_t)size);
}

// Work that uses the memory may still be queued.
static void deallocate(const SP_Device* device, SP_DeviceMemoryBase* memory) {
  if (!memory->opaque) return;
  device_wait(device_of(device));
  free(memory->opaque);
  atomic_fetch_sub(&device_of(device)->in_use, (int64_t)memory->size);
  memory->opaque = NULL;
  memory->size = 0;
}

static void* allocate_host(const SP_Device* device, uint64_t size) { return take(size); }

static void deallocate_host(const SP_Device* device, void* memory) {
  if (memory) device_wait(device_of(device));
  free(memory);
}

static TF_Bool device_memory_usage(const SP_Device* device, int64_t* free, int64_t* total) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  *total = sysconf(_SC_PHYS_PAGES) * page;
  *free = sysconf(_SC_AVPHYS_PAGES) * page;
  // The kernel's own guess counts what it can give up of its caches.
  FILE* file = fopen("/proc/meminfo", "re");
  char line[128];
  long long kilobytes;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %lld kB", &kilobytes) == 1) *free = kilobytes * 1024;
  if (file) fclose(file);
  return *total > 0;
}

static TF_Bool get_allocator_stats(const SP_Device* device, SP_AllocatorStats* stats) {
  struct device* own = device_of(device);
  int64_t free, total;
  device_memory_usage(device, &free, &total);
  PUT(stats, num_allocs, atomic_load(&own->allocations));
  PUT(stats, bytes_in_use, atomic_load(&own->in_use));
  PUT(stats, peak_bytes_in_use, atomic_load(&own->peak));
  PUT(stats, largest_alloc_size, atomic_load(&own->largest));
  PUT(stats, has_bytes_limit, 1);
  PUT(stats, bytes_limit, total);
  PUT(stats, bytes_reserved, 0);
  PUT(stats, peak_bytes_reserved, 0);
  PUT(stats, has_bytes_reservable_limit, 0);
  PUT(stats, bytes_reservable_limit, 0);
  PUT(stats, largest_free_block_bytes, 0);
  return 1;
}

void fill_memory_functions(SP_StreamExecutor* table) {
  table->allocate = allocate;
  table->deallocate = deallocate;
  table->host_memory_allocate = allocate_host;
  table->host_memory_deallocate = deallocate_host;
  table->unified_memory_allocate = allocate_host;
  table->unified_memory_deallocate = deallocate_host;
  table->get_allocator_stats = get_allocator_stats;
  table->device_memory_usage = device_memory_usage;
}
