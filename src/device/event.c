// Events and timers.
#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "device/plugin_device.h"
#include "device/stream.h"

struct tn_event {
  tn_plugin_device* device;  // NULL on the CPU, where every event has come
  SP_Event handle;
  struct tn_event* next;  // in a list of overdue ones
};

tn_event* tn_event_record(tn_stream* stream, tn_status* status) {
  if (!tn_device_given(stream, "stream", status)) return NULL;
  tn_plugin_device* device = stream->device->plugin;
  tn_event* event = tn_alloc_zeroed(1, sizeof *event);
  if (!event) {
    tn_status_set_no_memory(status, "making an event");
    return NULL;
  }
  event->device = device;
  if (!device) return event;
  const SP_StreamExecutor* fns = tn_plugin_device_fns(device);
  tn_status outcome = {0};
  fns->create_event(tn_plugin_device_handle(device), &event->handle, &outcome);
  if (!tn_plugin_device_told(device, "create_event", &outcome, status)) {
    tn_free(event);
    return NULL;
  }
  fns->record_event(tn_plugin_device_handle(device), stream->handle, event->handle, &outcome);
  if (tn_plugin_device_told(device, "record_event", &outcome, status)) return event;
  tn_event_destroy(event);
  return NULL;
}

void tn_event_destroy(tn_event* event) {
  if (!event) return;
  if (event->device)
    tn_plugin_device_fns(event->device)
        ->destroy_event(tn_plugin_device_handle(event->device), event->handle);
  tn_free(event);
}

int tn_event_poll(tn_event* event, tn_status* status) {
  if (!tn_device_given(event, "event", status)) return -1;
  tn_plugin_device* device = event->device;
  if (!device) return 1;
  const SE_EventStatus seen = tn_plugin_device_fns(device)->get_event_status(
      tn_plugin_device_handle(device), event->handle);
  if (seen == SE_EVENT_COMPLETE) return 1;
  if (seen == SE_EVENT_PENDING) return 0;
  tn_status_set(status, TN_INTERNAL, "%s: get_event_status on %s: the event is in state %s (%d)",
                device->platform->file, device->device.name,
                seen == SE_EVENT_ERROR ? "error" : "unknown", (int)seen);
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return -1;
}

void tn_event_push_overdue(tn_event** list, tn_event* event) {
  if (event) {
    event->next = *list;
    *list = event;
  }
  for (tn_event** link = list; *link;) {
    tn_event* at = *link;
    if (tn_event_poll(at, NULL) == 0) {
      link = &at->next;
    } else {
      *link = at->next;
      tn_event_destroy(at);
    }
  }
}

// Asks again and again, at most every millisecond: a plugin's own wait knows no limit.
static bool poll_until(tn_event* event, uint32_t limit_ms, tn_status* status) {
  const int64_t end = tn_clock_ns() + limit_ms * (int64_t)1000000;
  for (long pause = 1000;; pause = pause < 1000000 ? pause * 2 : 1000000) {
    const int seen = tn_event_poll(event, status);
    if (seen != 0) return seen > 0;
    if (tn_clock_ns() >= end) break;
    nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
  }
  tn_status_set(status, TN_DEADLINE_EXCEEDED,
                "%s: an event on %s has not come in %u ms; the work before it hangs, or the plugin "
                "lost the event",
                event->device->platform->file, event->device->device.name, limit_ms);
  return false;
}

bool tn_event_wait(tn_event* event, uint32_t limit_ms, tn_status* status) {
  if (!tn_device_given(event, "event", status)) return false;
  tn_plugin_device* device = event->device;
  if (!device) return true;
  if (limit_ms) return poll_until(event, limit_ms, status);
  tn_status outcome = {0};
  tn_plugin_device_fns(device)->block_host_for_event(tn_plugin_device_handle(device), event->handle,
                                                     &outcome);
  return tn_plugin_device_told(device, "block_host_for_event", &outcome, status);
}

bool tn_stream_wait_for_event(tn_stream* stream, tn_event* event, tn_status* status) {
  if (!tn_device_given(stream, "stream", status) || !tn_device_given(event, "event", status))
    return false;
  tn_plugin_device* device = stream->device->plugin;
  if (device != event->device) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "a stream of %s cannot wait for an event of %s; wait for it on the host",
                  stream->device->name, event->device ? event->device->device.name : "the CPU");
    return false;
  }
  if (!device) return true;
  tn_status outcome = {0};
  tn_plugin_device_fns(device)->wait_for_event(tn_plugin_device_handle(device), stream->handle,
                                               event->handle, &outcome);
  return tn_plugin_device_told(device, "wait_for_event", &outcome, status);
}

struct tn_timer {
  tn_plugin_device* device;  // NULL on the CPU
  tn_stream* stream;         // NULL when that was destroyed before
  struct tn_timer* next;     // on the same stream
  SP_Timer handle;
  bool is_plugins;     // the plugin measures
  bool is_running;     // the stream may still have to do with it
  int64_t start, end;  // else the host's clock, read when the stream gets there
};

static bool has_timers(const tn_plugin_device* device) {
  const SP_StreamExecutor* fns = tn_plugin_device_fns(device);
  return device->platform->timer_fns.nanoseconds && fns->create_timer && fns->destroy_timer &&
         fns->start_timer && fns->stop_timer;
}

static pthread_mutex_t timers_lock = PTHREAD_MUTEX_INITIALIZER;

static void join_stream(tn_timer* timer, tn_stream* stream) {
  pthread_mutex_lock(&timers_lock);
  timer->stream = stream;
  timer->next = stream->timers;
  stream->timers = timer;
  pthread_mutex_unlock(&timers_lock);
}

static void leave_stream(tn_timer* timer) {
  pthread_mutex_lock(&timers_lock);
  if (timer->stream) {
    tn_timer** link = &timer->stream->timers;
    while (*link != timer) link = &(*link)->next;
    *link = timer->next;
  }
  pthread_mutex_unlock(&timers_lock);
}

void tn_stream_leave_timers(tn_stream* stream, bool done) {
  pthread_mutex_lock(&timers_lock);
  for (tn_timer* timer = stream->timers; timer; timer = timer->next) {
    timer->stream = NULL;
    if (done) timer->is_running = false;
  }
  stream->timers = NULL;
  pthread_mutex_unlock(&timers_lock);
}

static void read_clock(void* at) { *(int64_t*)at = tn_clock_ns(); }

tn_timer* tn_timer_start(tn_stream* stream, tn_status* status) {
  if (!tn_device_given(stream, "stream", status)) return NULL;
  tn_plugin_device* device = stream->device->plugin;
  tn_timer* timer = tn_alloc_zeroed(1, sizeof *timer);
  if (!timer) {
    tn_status_set_no_memory(status, "making a timer");
    return NULL;
  }
  timer->device = device;
  join_stream(timer, stream);
  bool fine = true;
  if (device && has_timers(device)) {
    const SP_StreamExecutor* fns = tn_plugin_device_fns(device);
    const SP_Device* handle = tn_plugin_device_handle(device);
    tn_status outcome = {0};
    fns->create_timer(handle, &timer->handle, &outcome);
    timer->is_plugins = tn_plugin_device_told(device, "create_timer", &outcome, status);
    if (timer->is_plugins) fns->start_timer(handle, stream->handle, timer->handle, &outcome);
    fine = timer->is_plugins && tn_plugin_device_told(device, "start_timer", &outcome, status);
  } else {
    fine = tn_stream_call(stream, read_clock, &timer->start, status);
  }
  timer->is_running = fine;
  if (fine) return timer;
  tn_timer_destroy(timer);
  return NULL;
}

int64_t tn_timer_stop(tn_timer* timer, tn_status* status) {
  if (!tn_device_given(timer, "timer", status)) return -1;
  tn_stream* stream = timer->stream;
  tn_plugin_device* device = timer->device;
  if (!stream) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "the timer's stream was destroyed; stop a timer before its stream goes");
    tn_status_set_fault(status, TN_FAULT_CALLER);
    return -1;
  }
  bool fine;
  if (timer->is_plugins) {
    tn_status outcome = {0};
    tn_plugin_device_fns(device)->stop_timer(tn_plugin_device_handle(device), stream->handle,
                                             timer->handle, &outcome);
    fine = tn_plugin_device_told(device, "stop_timer", &outcome, status);
  } else {
    fine = tn_stream_call(stream, read_clock, &timer->end, status);
  }
  if (!fine || !tn_stream_wait(stream, 0, status)) return -1;
  timer->is_running = false;
  if (!timer->is_plugins) return timer->end - timer->start;
  const uint64_t taken = device->platform->timer_fns.nanoseconds(timer->handle);
  if (taken <= INT64_MAX) return (int64_t)taken;
  tn_status_set(status, TN_INTERNAL, "%s: nanoseconds on %s: %llu is no time that a timer can take",
                device->platform->file, device->device.name, (unsigned long long)taken);
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return -1;
}

static void free_timer(void* arg) {
  tn_timer* timer = arg;
  tn_plugin_device* device = timer->device;
  if (timer->is_plugins)
    tn_plugin_device_fns(device)->destroy_timer(tn_plugin_device_handle(device), timer->handle);
  tn_free(timer);
}

void tn_timer_destroy(tn_timer* timer) {
  if (!timer) return;
  leave_stream(timer);
  if (timer->is_running && timer->stream)
    tn_stream_park(timer->stream, free_timer, timer);
  else if (!timer->is_running)
    free_timer(timer);
  // Else its stream hangs and is not ours any more: the plugin may still write to the timer.
}
