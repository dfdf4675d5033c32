#include "device/direct_memory.h"

#include "base/memory.h"
#include "base/status.h"
#include "device/plugin_device.h"
#include "device/stream.h"

typedef struct direct_buffer {
  tn_buffer buffer;
  tn_direct_memory* memory;
  uint64_t payload;
  bool has_event;
  SP_Event freed;  // recorded when the last user let go
  struct direct_buffer* next;
} direct_buffer;

struct tn_direct_memory {
  tn_plugin_device* device;
  pthread_mutex_t lock;
  direct_buffer* leaving;  // let go, and maybe still worked on
};

tn_direct_memory* tn_direct_memory_create(tn_plugin_device* device) {
  tn_direct_memory* memory = tn_alloc_zeroed(1, sizeof *memory);
  if (!memory) return NULL;
  memory->device = device;
  pthread_mutex_init(&memory->lock, NULL);
  tn_memory_keep(memory);
  return memory;
}

static void deallocate(direct_buffer* buffer) {
  tn_plugin_device* device = buffer->memory->device;
  SP_DeviceMemoryBase memory = tn_plugin_device_memory(&buffer->buffer);
  tn_plugin_device_fns(device)->deallocate(tn_plugin_device_handle(device), &memory);
  tn_free(buffer);
}

static void keep_leaving(tn_direct_memory* memory, direct_buffer* buffer) {
  pthread_mutex_lock(&memory->lock);
  buffer->next = memory->leaving;
  memory->leaving = buffer;
  pthread_mutex_unlock(&memory->lock);
}

static void drop_event(direct_buffer* buffer) {
  tn_plugin_device* device = buffer->memory->device;
  if (buffer->has_event)
    tn_plugin_device_fns(device)->destroy_event(tn_plugin_device_handle(device), buffer->freed);
  buffer->has_event = false;
}

// Whether nobody works on it any more. One whose event went wrong waits for the device to be idle.
static bool is_done(direct_buffer* buffer) {
  tn_plugin_device* device = buffer->memory->device;
  if (!buffer->has_event) return false;
  const SE_EventStatus seen = tn_plugin_device_fns(device)->get_event_status(
      tn_plugin_device_handle(device), buffer->freed);
  if (seen != SE_EVENT_COMPLETE && seen != SE_EVENT_PENDING) drop_event(buffer);
  return seen == SE_EVENT_COMPLETE;
}

// Gives back what nobody works on any more.
static void sweep(tn_direct_memory* memory) {
  direct_buffer* done = NULL;
  pthread_mutex_lock(&memory->lock);
  for (direct_buffer** link = &memory->leaving; *link;) {
    direct_buffer* at = *link;
    if (!is_done(at)) {
      link = &at->next;
      continue;
    }
    *link = at->next;
    at->next = done;
    done = at;
  }
  pthread_mutex_unlock(&memory->lock);
  for (direct_buffer* at = done; at; at = done) {
    done = at->next;
    drop_event(at);
    deallocate(at);
  }
}

// The same after a wait; what comes meanwhile is left alone.
static void sweep_all(tn_direct_memory* memory) {
  pthread_mutex_lock(&memory->lock);
  direct_buffer* leaving = memory->leaving;
  memory->leaving = NULL;
  pthread_mutex_unlock(&memory->lock);
  const bool idle = tn_device_drain(memory->device);
  while (leaving) {
    direct_buffer* next = leaving->next;
    if (idle) {
      drop_event(leaving);
      deallocate(leaving);
    } else {
      keep_leaving(memory, leaving);
    }
    leaving = next;
  }
}

// An event behind all work on the buffer; false when there is none to be had.
static bool record_use(tn_direct_memory* memory, direct_buffer* buffer) {
  const unsigned tag = atomic_load_explicit(&buffer->buffer.stream, memory_order_acquire);
  tn_plugin_device* device = memory->device;
  tn_stream* own = device->device.stream;
  const SP_StreamExecutor* fns = tn_plugin_device_fns(device);
  const SP_Device* handle = tn_plugin_device_handle(device);
  tn_status outcome = {0};
  if (!own || !tn_stream_follow(own, tag, NULL)) return false;
  fns->create_event(handle, &buffer->freed, &outcome);
  if (tn_ok(&outcome)) {
    fns->record_event(handle, own->handle, buffer->freed, &outcome);
    buffer->has_event = tn_ok(&outcome);
    if (!buffer->has_event) fns->destroy_event(handle, buffer->freed);
  }
  tn_status_deinit(&outcome);
  return buffer->has_event;
}

static void release(tn_buffer* released) {
  direct_buffer* buffer = (direct_buffer*)released;
  tn_direct_memory* memory = buffer->memory;
  if (atomic_load_explicit(&released->stream, memory_order_acquire) == TN_NO_STREAM) {
    deallocate(buffer);
  } else if (record_use(memory, buffer) || !tn_device_drain(memory->device)) {
    keep_leaving(memory, buffer);
  } else {
    deallocate(buffer);
  }
  sweep(memory);
}

static bool allocate(tn_direct_memory* memory, size_t size, SP_DeviceMemoryBase* out) {
  tn_plugin_device* device = memory->device;
  *out = (SP_DeviceMemoryBase){.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
  tn_plugin_device_fns(device)->allocate(tn_plugin_device_handle(device), size, 0, out);
  return out->opaque != NULL;
}

tn_buffer* tn_direct_memory_take(tn_direct_memory* memory, size_t size, uint32_t stream,
                                 tn_status* status) {
  direct_buffer* buffer = tn_alloc(sizeof *buffer);
  if (!buffer) {
    tn_status_set_no_memory(status, "allocating device memory");
    return NULL;
  }
  SP_DeviceMemoryBase found;
  sweep(memory);
  bool there = allocate(memory, size ? size : 1, &found);
  if (!there) {
    sweep_all(memory);
    there = allocate(memory, size ? size : 1, &found);
  }
  if (!there) {
    const tn_plugin_device* device = memory->device;
    int64_t unused = -1, total = -1;
    tn_plugin_device_fns(device)->device_memory_usage(tn_plugin_device_handle(device), &unused,
                                                      &total);
    tn_status_set(status, TN_RESOURCE_EXHAUSTED,
                  "out of memory on %s: the plugin gave no %zu bytes (%lld of %lld bytes are free, "
                  "it says)",
                  device->device.name, size, (long long)unused, (long long)total);
    tn_free(buffer);
    return NULL;
  }
  *buffer = (direct_buffer){.buffer = {.references = 1,
                                       .owned = true,
                                       .data = found.opaque,
                                       .size = size,
                                       .release = release,
                                       .device = &memory->device->device,
                                       .stream = stream},
                            .memory = memory,
                            .payload = found.payload};
  return &buffer->buffer;
}

bool tn_direct_memory_owns(const tn_buffer* buffer) { return buffer->release == release; }

uint64_t tn_direct_memory_payload(const tn_buffer* buffer) {
  return ((const direct_buffer*)buffer)->payload;
}
