// The device's streams, events and timers.

#include <stdlib.h>
#include <time.h>

#include "device.h"

struct stream_list {
  SP_Stream stream;
  stream_list* next;
};

static void no_memory(TF_Status* status, const char* what) {
  TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, what);
}

static void create_stream(const SP_Device* device, SP_Stream* out, TF_Status* status) {
  struct device* own = device_of(device);
  stream_list* link = malloc(sizeof *link);
  SP_Stream stream = link ? stream_create() : NULL;
  *out = stream;
  if (!stream) {
    free(link);
    no_memory(status, "no memory for a stream");
    return;
  }
  pthread_mutex_lock(&own->lock);
  *link = (stream_list){stream, own->streams};
  own->streams = link;
  pthread_mutex_unlock(&own->lock);
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_stream(const SP_Device* device, SP_Stream stream) {
  struct device* own = device_of(device);
  pthread_mutex_lock(&own->lock);
  stream_list** at = &own->streams;
  while (*at && (*at)->stream != stream) at = &(*at)->next;
  stream_list* found = *at;
  if (found) *at = found->next;
  ++own->removals;
  pthread_mutex_unlock(&own->lock);
  if (found) stream_destroy(stream);
  free(found);
}

// Waits outside the lock: what the streams run may make and destroy others.
void device_wait(device* device) {
  if (stream_is_here()) return;
  uint64_t removals = 0;
  for (size_t i = 0;; ++i) {
    pthread_mutex_lock(&device->lock);
    // Another place in the list may be another stream's now: from the beginning, then.
    if (removals != device->removals) i = 0;
    removals = device->removals;
    const stream_list* at = device->streams;
    for (size_t skip = i; at && skip > 0; --skip) at = at->next;
    marker* mark = at ? stream_mark(at->stream) : NULL;
    pthread_mutex_unlock(&device->lock);
    if (!at) return;
    marker_wait(mark);
    marker_drop(mark);
  }
}

static void depend(const SP_Device* device, SP_Stream dependent, SP_Stream other,
                   TF_Status* status) {
  TF_SetStatus(status, TF_OK, "");
  if (dependent == other) return;
  marker* mark = stream_mark(other);
  stream_wait_for(dependent, mark);
  marker_drop(mark);
}

static void get_stream_status(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  TF_SetStatus(status, TF_OK, "");
  stream_report(stream, status);
}

static void block_until_done(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  stream_wait(stream);
  get_stream_status(device, stream, status);
}

static void synchronize(const SP_Device* device, TF_Status* status) {
  device_wait(device_of(device));
  TF_SetStatus(status, TF_OK, "");
}

struct SP_Event_st {
  pthread_mutex_t lock;
  marker* mark;  // where it was recorded last; NULL: it has come, or was never recorded
};

static void create_event(const SP_Device* device, SP_Event* out, TF_Status* status) {
  SP_Event event = *out = calloc(1, sizeof *event);
  if (!event) {
    no_memory(status, "no memory for an event");
    return;
  }
  pthread_mutex_init(&event->lock, NULL);
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_event(const SP_Device* device, SP_Event event) {
  if (!event) return;
  marker_drop(event->mark);
  pthread_mutex_destroy(&event->lock);
  free(event);
}

// Held for the caller.
static marker* mark_of(SP_Event event) {
  pthread_mutex_lock(&event->lock);
  marker* mark = event->mark;
  marker_hold(mark);
  pthread_mutex_unlock(&event->lock);
  return mark;
}

static SE_EventStatus get_event_status(const SP_Device* device, SP_Event event) {
  marker* mark = mark_of(event);
  const SE_EventStatus status = marker_reached(mark) ? SE_EVENT_COMPLETE : SE_EVENT_PENDING;
  marker_drop(mark);
  return status;
}

static void record_event(const SP_Device* device, SP_Stream stream, SP_Event event,
                         TF_Status* status) {
  marker* mark = stream_mark(stream);
  pthread_mutex_lock(&event->lock);
  marker* before = event->mark;
  event->mark = mark;
  pthread_mutex_unlock(&event->lock);
  marker_drop(before);
  TF_SetStatus(status, TF_OK, "");
}

static void wait_for_event(const SP_Device* device, SP_Stream stream, SP_Event event,
                           TF_Status* status) {
  marker* mark = mark_of(event);
  stream_wait_for(stream, mark);
  marker_drop(mark);
  TF_SetStatus(status, TF_OK, "");
}

static void block_for_event(const SP_Device* device, SP_Event event, TF_Status* status) {
  marker* mark = mark_of(event);
  marker_wait(mark);
  marker_drop(mark);
  TF_SetStatus(status, TF_OK, "");
}

struct SP_Timer_st {
  atomic_int holders;  // the host, and queues
  _Atomic uint64_t start, stop;
};

static void drop_timer(SP_Timer timer) {
  if (timer && atomic_fetch_sub(&timer->holders, 1) == 1) free(timer);
}

static void create_timer(const SP_Device* device, SP_Timer* out, TF_Status* status) {
  SP_Timer timer = *out = calloc(1, sizeof *timer);
  if (!timer) {
    no_memory(status, "no memory for a timer");
    return;
  }
  atomic_init(&timer->holders, 1);
  TF_SetStatus(status, TF_OK, "");
}

static void destroy_timer(const SP_Device* device, SP_Timer timer) { drop_timer(timer); }

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void start_here(SP_Stream stream, void* args) {
  SP_Timer timer = *(SP_Timer*)args;
  atomic_store(&timer->start, now());
  drop_timer(timer);
}

static void stop_here(SP_Stream stream, void* args) {
  SP_Timer timer = *(SP_Timer*)args;
  atomic_store(&timer->stop, now());
  drop_timer(timer);
}

static void start_timer(const SP_Device* device, SP_Stream stream, SP_Timer timer,
                        TF_Status* status) {
  atomic_fetch_add(&timer->holders, 1);
  stream_run(stream, start_here, &timer, sizeof timer, 0);
  TF_SetStatus(status, TF_OK, "");
}

static void stop_timer(const SP_Device* device, SP_Stream stream, SP_Timer timer,
                       TF_Status* status) {
  atomic_fetch_add(&timer->holders, 1);
  stream_run(stream, stop_here, &timer, sizeof timer, 0);
  TF_SetStatus(status, TF_OK, "");
}

uint64_t timer_nanoseconds(SP_Timer timer) {
  const uint64_t start = atomic_load(&timer->start), stop = atomic_load(&timer->stop);
  return stop > start ? stop - start : 0;
}

void fill_stream_functions(SP_StreamExecutor* table) {
  table->create_stream = create_stream;
  table->destroy_stream = destroy_stream;
  table->create_stream_dependency = depend;
  table->get_stream_status = get_stream_status;
  table->create_event = create_event;
  table->destroy_event = destroy_event;
  table->get_event_status = get_event_status;
  table->record_event = record_event;
  table->wait_for_event = wait_for_event;
  table->create_timer = create_timer;
  table->destroy_timer = destroy_timer;
  table->start_timer = start_timer;
  table->stop_timer = stop_timer;
  table->block_host_for_event = block_for_event;
  table->block_host_until_done = block_until_done;
  table->synchronize_all_activity = synchronize;
}
