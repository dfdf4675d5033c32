// Waiting for streams: for those who want to know, and for what can be freed only when a stream is
// done with it. A plugin may fail to wait in one way and manage in another.
#include "base/memory.h"
#include "base/status.h"
#include "device/plugin_device.h"
#include "device/stream.h"

struct tn_parked {
  tn_parked* next;
  void (*drop)(void* arg);
  void* arg;
};

static tn_parked* take_parked(tn_stream* stream) {
  pthread_mutex_t* lock = &stream->device->plugin->streams_lock;
  pthread_mutex_lock(lock);
  tn_parked* taken = stream->parked;
  stream->parked = NULL;
  pthread_mutex_unlock(lock);
  return taken;
}

static void put_back(tn_stream* stream, tn_parked* parked) {
  pthread_mutex_t* lock = &stream->device->plugin->streams_lock;
  if (!parked) return;
  tn_parked* last = parked;
  while (last->next) last = last->next;
  pthread_mutex_lock(lock);
  last->next = stream->parked;
  stream->parked = parked;
  pthread_mutex_unlock(lock);
}

static void drop_all(tn_parked* parked) {
  for (tn_parked* next; parked; parked = next) {
    next = parked->next;
    parked->drop(parked->arg);
    tn_free(parked);
  }
}

// Whether a wait that ran out of time is still not over; `event`, which may be NULL, is one more.
bool tn_stream_hangs(tn_stream* stream, tn_event* event) {
  pthread_mutex_t* lock = &stream->device->plugin->streams_lock;
  pthread_mutex_lock(lock);
  tn_event_push_overdue(&stream->overdue, event);
  const bool hangs = stream->overdue != NULL;
  pthread_mutex_unlock(lock);
  return hangs;
}

static bool block_by_event(tn_stream* stream, uint32_t limit_ms, tn_status* status) {
  tn_event* event = tn_event_record(stream, status);
  const bool done = event && tn_event_wait(event, limit_ms, status);
  // The plugin may still look at an event that has not come.
  tn_stream_hangs(stream, event);
  return done;
}

// Without the plugin's own function an event does it, as in TensorFlow.
static bool block(tn_stream* stream, uint32_t limit_ms, tn_status* status) {
  tn_plugin_device* device = stream->device->plugin;
  if (limit_ms || !tn_plugin_device_fns(device)->block_host_until_done)
    return block_by_event(stream, limit_ms, status);
  tn_status outcome = {0};
  tn_plugin_device_fns(device)->block_host_until_done(tn_plugin_device_handle(device),
                                                      stream->handle, &outcome);
  return tn_plugin_device_told(device, "block_host_until_done", &outcome, status);
}

bool tn_stream_wait(tn_stream* stream, uint32_t limit_ms, tn_status* status) {
  if (!tn_device_given(stream, "stream", status)) return false;
  tn_plugin_device* device = stream->device->plugin;
  if (!device) return true;
  tn_parked* parked = take_parked(stream);
  if (!block(stream, limit_ms, status)) {
    put_back(stream, parked);
    return false;
  }
  drop_all(parked);
  tn_status outcome = {0};
  tn_plugin_device_fns(device)->get_stream_status(tn_plugin_device_handle(device), stream->handle,
                                                  &outcome);
  return tn_plugin_device_told(device, "get_stream_status", &outcome, status);
}

bool tn_device_wait(tn_device* device, tn_status* status) {
  if (!tn_device_given(device, "device", status)) return false;
  tn_plugin_device* plugin = device->plugin;
  if (!plugin || !atomic_load_explicit(&plugin->open, memory_order_acquire)) return true;
  tn_status outcome = {0};
  tn_plugin_device_fns(plugin)->synchronize_all_activity(tn_plugin_device_handle(plugin), &outcome);
  return tn_plugin_device_told(plugin, "synchronize_all_activity", &outcome, status);
}

bool tn_stream_drain(tn_stream* stream) {
  if (!stream->device->plugin) return true;
  tn_parked* parked = take_parked(stream);
  const bool done = !tn_stream_hangs(stream, NULL) &&
                    (block(stream, 0, NULL) || block_by_event(stream, 0, NULL) ||
                     tn_device_wait(stream->device, NULL));
  if (done)
    drop_all(parked);
  else
    put_back(stream, parked);
  return done;
}

bool tn_device_drain(tn_plugin_device* device) {
  if (tn_device_wait(&device->device, NULL)) return true;
  bool done = true;
  tn_stream* stream = tn_stream_borrow(device, UINT32_MAX);
  while (stream && done) {
    done = tn_stream_drain(stream);
    const uint32_t id = stream->id;
    tn_stream_return(stream);
    stream = done ? tn_stream_borrow(device, id) : NULL;
  }
  return done;
}

void tn_stream_park(tn_stream* stream, void (*drop)(void* arg), void* arg) {
  if (tn_stream_drain(stream)) {
    drop(arg);
    return;
  }
  // Without memory for it, it is never dropped.
  tn_parked* parked = tn_alloc(sizeof *parked);
  if (!parked) return;
  *parked = (tn_parked){NULL, drop, arg};
  put_back(stream, parked);
}
