#include "device/plugin_device.h"

#include "base/memory.h"
#include "base/status.h"
#include "device/cpu_memory.h"
#include "device/stream.h"

bool tn_plugin_device_told(const tn_plugin_device* device, const char* function, tn_status* outcome,
                           tn_status* status) {
  const bool fine = tn_platform_told(device->platform, function, outcome, status);
  if (!fine) tn_status_annotate(status, "on %s", device->device.name);
  return fine;
}

static tn_plugin_device* make_device(tn_platform* platform, int ordinal, int ordinal_of_type,
                                     tn_status* status) {
  tn_plugin_device* made = tn_alloc_zeroed(1, sizeof *made);
  char* name =
      tn_printf("/job:localhost/replica:0/task:0/device:%s:%d", platform->type, ordinal_of_type);
  if (!made || !name) {
    tn_free(made);
    tn_free(name);
    tn_status_set_no_memory(status, "registering a device");
    return NULL;
  }
  made->device = (tn_device){.type = platform->type,
                             .name = name,
                             .ordinal = ordinal_of_type,
                             .host_allocator = &tn_cpu_allocator,
                             .plugin = made};
  made->platform = platform;
  made->plugin_ordinal = ordinal;
  pthread_mutex_init(&made->opening, NULL);
  pthread_mutex_init(&made->streams_lock, NULL);
  pthread_cond_init(&made->stream_returned, NULL);
  return made;
}

static void destroy_unadded(tn_plugin_device* device) {
  if (!device) return;
  pthread_mutex_destroy(&device->opening);
  pthread_mutex_destroy(&device->streams_lock);
  pthread_cond_destroy(&device->stream_returned);
  tn_free((char*)device->device.name);
  tn_free(device);
}

bool tn_plugin_devices_add(tn_platform* platform, tn_status* status) {
  const int before = tn_device_count_of_type(platform->type), count = platform->device_count;
  if (count == 0) return true;
  tn_device** devices = tn_alloc_zeroed((size_t)count, sizeof *devices);
  if (!devices) tn_status_set_no_memory(status, "registering a device");
  bool fine = devices;
  for (int i = 0; fine && i < count; ++i) {
    tn_plugin_device* made = make_device(platform, i, before + i, status);
    fine = made;
    if (fine) devices[i] = &made->device;
  }
  if (fine && !tn_devices_add(devices, (size_t)count, status)) {
    tn_status_annotate(status, "%s says that it has %d", platform->file, count);
    fine = false;
  }
  for (int i = 0; devices && i < count && devices[i]; ++i) {
    if (fine) {
      tn_memory_keep((char*)devices[i]->name);
      tn_memory_keep(devices[i]->plugin);
    } else {
      destroy_unadded(devices[i]->plugin);
    }
  }
  tn_free(devices);
  return fine;
}

static bool create_device(tn_plugin_device* device, tn_status* status) {
  const tn_platform* platform = device->platform;
  const size_t given = SP_DEVICE_STRUCT_SIZE;
  memset(&device->room, 0, sizeof device->room);
  memcpy(device->room.bytes, &given, sizeof given);
  SE_CreateDeviceParams params = {.struct_size = SE_CREATE_DEVICE_PARAMS_STRUCT_SIZE,
                                  .ordinal = device->plugin_ordinal,
                                  .device = (SP_Device*)device->room.bytes};
  tn_status outcome = {0};
  platform->fns.create_device(tn_platform_handle(platform), &params, &outcome);
  return tn_plugin_device_told(device, "create_device", &outcome, status);
}

static bool keep_text(char** target, const char* text) {
  tn_free(*target);
  *target = text ? tn_strdup(text) : NULL;
  tn_memory_keep(*target);
  return !text || *target;
}

static bool read_device(tn_plugin_device* device, tn_status* status) {
  SP_Device fields;
  const tn_foreign_struct source = {.file = device->platform->file,
                                    .since = device->platform->since,
                                    .like = device->platform->like,
                                    .given = SP_DEVICE_STRUCT_SIZE,
                                    .bytes = device->room.bytes};
  if (!tn_read_device(source, &fields, status)) return false;
  if (keep_text(&device->hardware, fields.hardware_name) &&
      keep_text(&device->vendor, fields.device_vendor) &&
      keep_text(&device->pci_bus_id, fields.pci_bus_id))
    return true;
  tn_status_set_no_memory(status, "opening a device");
  return false;
}

static bool take_region(void* arg, size_t size, void** out_data, uint64_t* out_payload) {
  tn_plugin_device* device = arg;
  SP_DeviceMemoryBase memory = {.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
  tn_plugin_device_fns(device)->allocate(tn_plugin_device_handle(device), size, 0, &memory);
  *out_data = memory.opaque;
  *out_payload = memory.payload;
  return memory.opaque != NULL;
}

static void give_region(void* arg, void* data, size_t size, uint64_t payload) {
  tn_plugin_device* device = arg;
  SP_DeviceMemoryBase memory = {.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE,
                                .opaque = data,
                                .size = size,
                                .payload = payload};
  // What may still be worked on is lost.
  if (atomic_load_explicit(&device->in_doubt, memory_order_acquire)) return;
  tn_plugin_device_fns(device)->deallocate(tn_plugin_device_handle(device), &memory);
}

static void synchronize(void* arg) {
  tn_plugin_device* device = arg;
  atomic_store_explicit(&device->in_doubt, !tn_device_drain(device), memory_order_release);
}

void tn_plugin_device_usage(const tn_plugin_device* device, int64_t* unused, int64_t* total) {
  *unused = *total = -1;
  if (!tn_plugin_device_fns(device)->device_memory_usage(tn_plugin_device_handle(device), unused,
                                                         total) ||
      *unused < 0 || *unused > *total)
    *unused = *total = -1;
}

// What the pool may take: all that is free, as TensorFlow reckons it, or without a limit when the
// plugin does not say.
static size_t pool_limit(tn_plugin_device* device) {
  int64_t unused, total;
  tn_plugin_device_usage(device, &unused, &total);
  if (unused <= 0) return 0;
  // A platform that takes all at once leaves something to others.
  const int64_t spared = unused / 20 > (300 << 20) ? unused / 20 : 300 << 20;
  return (size_t)(device->platform->grows_memory ? unused
                  : unused > 2 * spared          ? unused - spared
                                                 : unused / 2);
}

static bool make_memory(tn_plugin_device* device, tn_status* status) {
  if (device->cached || device->direct) return true;  // from an attempt before
  if (!device->platform->pools_memory) {
    device->direct = tn_direct_memory_create(device);
    if (!device->direct) tn_status_set_no_memory(status, "opening a device");
    return device->direct != NULL;
  }
  const size_t limit = pool_limit(device);
  device->cached = tn_cached_memory_create(
      &(tn_cached_memory_options){.source = {take_region, give_region, synchronize, device},
                                  .device = &device->device,
                                  .name = device->device.name,
                                  .limit = limit,
                                  .whole = limit && !device->platform->grows_memory},
      status);
  return device->cached != NULL;
}

static bool open_device(tn_plugin_device* device, tn_status* status) {
  if (!create_device(device, status)) return false;
  tn_stream* stream = NULL;
  if (read_device(device, status) && make_memory(device, status))
    stream = tn_stream_make(device, 0, false, status);
  if (!stream) {
    device->platform->fns.destroy_device(tn_platform_handle(device->platform),
                                         (SP_Device*)device->room.bytes);
    return false;
  }
  tn_memory_keep(stream);
  device->device.pool = tn_pool_default();
  device->device.stream = stream;
  device->device.allocator = &stream->allocator;
  return true;
}

bool tn_device_open(tn_device* device, tn_status* status) {
  tn_plugin_device* plugin = device->plugin;
  if (!plugin || atomic_load_explicit(&plugin->open, memory_order_acquire)) return true;
  pthread_mutex_lock(&plugin->opening);
  const bool open =
      atomic_load_explicit(&plugin->open, memory_order_relaxed) || open_device(plugin, status);
  atomic_store_explicit(&plugin->open, open, memory_order_release);
  pthread_mutex_unlock(&plugin->opening);
  return open;
}

tn_buffer* tn_plugin_device_allocate(tn_plugin_device* device, tn_stream* stream, size_t size,
                                     tn_status* status) {
  uint32_t previous = TN_NO_STREAM;
  tn_buffer* buffer =
      device->cached ? tn_cached_memory_take(device->cached, size, stream->id, &previous, status)
                     : tn_direct_memory_take(device->direct, size, stream->id, status);
  if (!buffer || previous == TN_NO_STREAM || previous == stream->id ||
      tn_stream_follow(stream, previous, status))
    return buffer;
  // Whoever gets these bytes next has the same stream to wait for.
  atomic_store_explicit(&buffer->stream, previous, memory_order_relaxed);
  tn_buffer_unref(buffer);
  return NULL;
}

SP_DeviceMemoryBase tn_plugin_device_memory(const tn_buffer* buffer) {
  return (SP_DeviceMemoryBase){
      .struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE,
      .opaque = buffer->data,
      .size = buffer->size,
      .payload = tn_direct_memory_owns(buffer) ? tn_direct_memory_payload(buffer) : 0};
}
