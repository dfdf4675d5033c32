// What is known of a device and of its memory.
#include <unistd.h>

#include "base/status.h"
#include "device/cpu_memory.h"
#include "device/plugin_device.h"

const char* tn_device_plugin(const tn_device* device) {
  if (!device) return "";
  return device->plugin ? device->plugin->platform->file : "tenon";
}

static const char* text_or_none(const char* text) { return text ? text : ""; }

// A struct that the caller made: its fields that end within its size are set. `wrong` is what is
// the matter with it, or NULL.
static bool check_caller(const void* device, const char* name, const char* wrong,
                         tn_status* status) {
  if (device && !wrong) return true;
  if (device)
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s: %s; begin with TN_INIT(%s)", name, wrong, name);
  else
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s: the device is NULL", name);
  tn_status_set_fault(status, TN_FAULT_CALLER);
  return false;
}

#define SET(target, field, value) \
  if (TN_HAS(target, field)) (target)->field = (value)

static void describe_cpu(tn_device_info* info) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  SET(info, plugin, tn_device_plugin(tn_device_cpu()));
  SET(info, platform, "CPU");
  SET(info, hardware, "");
  SET(info, vendor, "");
  SET(info, pci_bus_id, "");
  SET(info, memory_total, page * sysconf(_SC_PHYS_PAGES));
  SET(info, memory_free, page * sysconf(_SC_AVPHYS_PAGES));
  SET(info, memory_bandwidth, -1);
  SET(info, gflops, -1);
  SET(info, numa_node, -1);
  SET(info, unified_memory, true);
}

bool tn_device_describe(tn_device* device, tn_device_info* info, tn_status* status) {
  if (!check_caller(device, "tn_device_info", info ? TN_CHECK_RESERVED(info, ext) : "it is NULL",
                    status) ||
      !tn_device_open(device, status))
    return false;
  tn_plugin_device* plugin = device->plugin;
  if (!plugin) {
    describe_cpu(info);
    return true;
  }
  const SP_Device* handle = tn_plugin_device_handle(plugin);
  const SP_DeviceFns* fns = &plugin->platform->device_fns;
  int64_t unused, total;
  tn_plugin_device_usage(plugin, &unused, &total);
  SET(info, plugin, tn_device_plugin(device));
  SET(info, platform, plugin->platform->name);
  SET(info, hardware, text_or_none(plugin->hardware));
  SET(info, vendor, text_or_none(plugin->vendor));
  SET(info, pci_bus_id, text_or_none(plugin->pci_bus_id));
  SET(info, memory_total, total);
  SET(info, memory_free, unused);
  SET(info, memory_bandwidth, fns->get_memory_bandwidth ? fns->get_memory_bandwidth(handle) : -1);
  SET(info, gflops, fns->get_gflops ? fns->get_gflops(handle) : -1);
  SET(info, numa_node, fns->get_numa_node ? fns->get_numa_node(handle) : -1);
  SET(info, unified_memory, plugin->platform->unified_memory);
  return true;
}

static tn_device_memory all_unknown(void) {
  return (tn_device_memory){0, NULL, -1, -1, -1, -1, -1, -1, -1, -1};
}

static tn_device_memory own_account(tn_cached_memory* cached) {
  const tn_memory_stats stats = tn_cached_memory_stats(cached);
  return (tn_device_memory){.allocations = stats.allocations,
                            .in_use = (int64_t)stats.in_use,
                            .peak_in_use = (int64_t)stats.peak_in_use,
                            .largest_allocation = (int64_t)stats.largest_allocation,
                            .limit = stats.limit ? (int64_t)stats.limit : -1,
                            .reserved = (int64_t)stats.reserved,
                            .peak_reserved = (int64_t)stats.peak_reserved,
                            .largest_free_block = (int64_t)stats.largest_free_block};
}

static tn_device_memory plugins_account(tn_plugin_device* plugin) {
  // Room for a newer plugin's longer struct.
  union {
    SP_AllocatorStats stats;
    tn_foreign_room room;
  } filled = {.stats = {.struct_size = SP_ALLOCATORSTATS_STRUCT_SIZE}};
  const SP_AllocatorStats* stats = &filled.stats;
  if (!tn_plugin_device_fns(plugin)->get_allocator_stats(tn_plugin_device_handle(plugin),
                                                         &filled.stats) ||
      !TN_HAS(stats, largest_free_block_bytes))
    return all_unknown();
  return (tn_device_memory){.allocations = stats->num_allocs,
                            .in_use = stats->bytes_in_use,
                            .peak_in_use = stats->peak_bytes_in_use,
                            .largest_allocation = stats->largest_alloc_size,
                            .limit = stats->has_bytes_limit ? stats->bytes_limit : -1,
                            .reserved = stats->bytes_reserved,
                            .peak_reserved = stats->peak_bytes_reserved,
                            .largest_free_block = stats->largest_free_block_bytes};
}

bool tn_device_memory_now(tn_device* device, tn_device_memory* memory, tn_status* status) {
  if (!check_caller(device, "tn_device_memory",
                    memory ? TN_CHECK_RESERVED(memory, ext) : "it is NULL", status) ||
      !tn_device_open(device, status))
    return false;
  tn_plugin_device* plugin = device->plugin;
  const tn_device_memory now = !plugin          ? all_unknown()
                               : plugin->cached ? own_account(plugin->cached)
                                                : plugins_account(plugin);
  SET(memory, allocations, now.allocations);
  SET(memory, in_use, now.in_use);
  SET(memory, peak_in_use, now.peak_in_use);
  SET(memory, largest_allocation, now.largest_allocation);
  SET(memory, limit, now.limit);
  SET(memory, reserved, now.reserved);
  SET(memory, peak_reserved, now.peak_reserved);
  SET(memory, largest_free_block, now.largest_free_block);
  return true;
}
