// Memory of a device as its plugin counts it.
#include "base/status.h"
#include "pjrt/host/client.h"
#include "tenon/abi.h"

static bool no_device(tn_status* status) {
  return tn_fail(status, TN_INVALID_ARGUMENT,
                 "no PJRT device was given, or no room for its memory's numbers");
}

bool tn_pjrt_device_memory_stats(const tn_pjrt_device* device, tn_pjrt_memory_stats* stats,
                                 tn_status* status) {
  if (!device || !stats) return no_device(status);
  const char* wrong = TN_CHECK_RESERVED(stats, ext);
  if (wrong) return tn_fail(status, TN_INVALID_ARGUMENT, "tn_pjrt_memory_stats: %s", wrong);
  tn_pjrt* plugin = device->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Device_MemoryStats_Args, args, .device = device->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Device_MemoryStats, args, status)) return false;
#define TOLD(field) (tn_pjrt_truth(&args->field##_is_set) ? args->field : -1)
  tn_pjrt_memory_stats found = {
      .struct_size = stats->struct_size,
      .bytes_in_use = args->bytes_in_use,
      .peak_bytes_in_use = TOLD(peak_bytes_in_use),
      .bytes_limit = TOLD(bytes_limit),
      .allocation_count = TOLD(num_allocs),
      .largest_allocation = TOLD(largest_alloc_size),
      .bytes_reserved = TOLD(bytes_reserved),
      .peak_bytes_reserved = TOLD(peak_bytes_reserved),
      .largest_free_block = TOLD(largest_free_block_bytes),
      .pool_bytes = TOLD(pool_bytes),
      .peak_pool_bytes = TOLD(peak_pool_bytes),
      .peak_allocated_bytes =
          TN_PJRT_HAS_FIELD(plugin, PJRT_Device_MemoryStats_Args, peak_allocated_bytes_is_set)
              ? TOLD(peak_allocated_bytes)
              : -1,
  };
#undef TOLD
  size_t size = stats->struct_size;
  memcpy(stats, &found, size < sizeof found ? size : sizeof found);
  return true;
}

bool tn_pjrt_device_clear_memory_stats(const tn_pjrt_device* device, tn_status* status) {
  if (!device) return no_device(status);
  tn_pjrt* plugin = device->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Device_ClearMemoryStats_Args, args, .device = device->theirs);
  return TN_PJRT_CALL(plugin, PJRT_Device_ClearMemoryStats, args, status);
}
