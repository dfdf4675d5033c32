#include "device/stream.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/one_call.h"
#include "device/plugin_device.h"

static tn_buffer* allocate(tn_allocator* allocator, size_t size, tn_status* status) {
  tn_stream* stream = (tn_stream*)allocator;
  return tn_plugin_device_allocate(stream->device->plugin, stream, size, status);
}

bool tn_device_given(const void* object, const char* what, tn_status* status) {
  if (object) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "there is no %s (NULL)", what);
  tn_status_set_fault(status, TN_FAULT_CALLER);
  return false;
}

static bool create_handle(tn_plugin_device* device, int priority, bool has_priority,
                          SP_Stream* out_handle, tn_status* status) {
  const tn_executor* executor = &device->platform->executor;
  const SP_Device* handle = tn_plugin_device_handle(device);
  tn_status outcome = {0};
  const char* function = "create_stream";
  *out_handle = NULL;
  if (!has_priority) {
    executor->fns.create_stream(handle, out_handle, &outcome);
  } else if (executor->create_stream_with_options) {
    const tn_stream_options options = {
        .struct_size = TN_STREAM_OPTIONS_STRUCT_SIZE, .has_priority = 1, .priority = priority};
    function = "create_stream_with_options";
    executor->create_stream_with_options(handle, out_handle, &options, &outcome);
  } else {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "%s: Stream executor does not implement `create_stream_with_options`, priority "
                  "is not supported.",
                  device->platform->file);
    return false;
  }
  return tn_plugin_device_told(device, function, &outcome, status);
}

tn_stream* tn_stream_make(tn_plugin_device* device, int priority, bool has_priority,
                          tn_status* status) {
  tn_stream* stream = tn_alloc_zeroed(1, sizeof *stream);
  if (!stream) {
    tn_status_set_no_memory(status, "making a stream");
    return NULL;
  }
  if (!create_handle(device, priority, has_priority, &stream->handle, status)) {
    tn_free(stream);
    return NULL;
  }
  stream->allocator.allocate = allocate;
  stream->device = &device->device;
  pthread_mutex_lock(&device->streams_lock);
  stream->id = ++device->last_stream;
  stream->next = device->streams;
  device->streams = stream;
  pthread_mutex_unlock(&device->streams_lock);
  return stream;
}

// The CPU's: work on it is done when the call that asks for it returns.
static tn_stream* make_cpu_stream(tn_device* device, tn_status* status) {
  tn_stream* stream = tn_alloc_zeroed(1, sizeof *stream);
  if (stream)
    stream->device = device;
  else
    tn_status_set_no_memory(status, "making a stream");
  return stream;
}

static tn_stream* create(tn_device* device, int priority, bool has_priority, tn_status* status) {
  if (!tn_device_given(device, "device", status) || !tn_device_open(device, status)) return NULL;
  return device->plugin ? tn_stream_make(device->plugin, priority, has_priority, status)
                        : make_cpu_stream(device, status);
}

tn_stream* tn_stream_create(tn_device* device, tn_status* status) {
  return create(device, 0, false, status);
}

tn_stream* tn_stream_create_with_priority(tn_device* device, int priority, tn_status* status) {
  return create(device, priority, true, status);
}

static tn_stream cpu_stream;
static void start_cpu_stream(void) { cpu_stream.device = tn_device_cpu(); }

tn_stream* tn_device_stream(tn_device* device, tn_status* status) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!tn_device_given(device, "device", status) || !tn_device_open(device, status)) return NULL;
  if (device->plugin) return device->stream;
  pthread_once(&once, start_cpu_stream);
  return &cpu_stream;
}

tn_device* tn_stream_device(const tn_stream* stream) { return stream ? stream->device : NULL; }

tn_stream* tn_stream_borrow(tn_plugin_device* device, uint32_t below) {
  pthread_mutex_lock(&device->streams_lock);
  tn_stream* found = device->streams;  // the newest first
  while (found && found->id >= below) found = found->next;
  if (found) ++found->borrowed;
  pthread_mutex_unlock(&device->streams_lock);
  return found;
}

tn_stream* tn_stream_borrow_tagged(tn_plugin_device* device, uint32_t tag) {
  pthread_mutex_lock(&device->streams_lock);
  tn_stream* found = device->streams;
  while (found && found->id != tag) found = found->next;
  if (!found) found = device->device.stream;
  ++found->borrowed;
  pthread_mutex_unlock(&device->streams_lock);
  return found;
}

void tn_stream_return(tn_stream* stream) {
  tn_plugin_device* device = stream->device->plugin;
  pthread_mutex_lock(&device->streams_lock);
  if (--stream->borrowed == 0) pthread_cond_broadcast(&device->stream_returned);
  pthread_mutex_unlock(&device->streams_lock);
}

static void take_down(tn_stream* stream) {
  tn_plugin_device* device = stream->device->plugin;
  pthread_mutex_lock(&device->streams_lock);
  tn_stream** link = &device->streams;
  while (*link != stream) link = &(*link)->next;
  *link = stream->next;
  while (stream->borrowed) pthread_cond_wait(&device->stream_returned, &device->streams_lock);
  pthread_mutex_unlock(&device->streams_lock);
  tn_plugin_device_fns(device)->destroy_stream(tn_plugin_device_handle(device), stream->handle);
  if (device->cached) tn_cached_memory_forget_stream(device->cached, stream->id);
  tn_free(stream);
}

// Streams that could not be waited for when their owners destroyed them, and can by now.
static void take_down_left_behind(tn_plugin_device* device) {
  for (;;) {
    pthread_mutex_lock(&device->streams_lock);
    tn_stream* found = device->streams;
    while (found && !found->left_behind) found = found->next;
    if (found) found->left_behind = false;
    pthread_mutex_unlock(&device->streams_lock);
    if (!found) return;
    if (!tn_stream_drain(found)) {
      pthread_mutex_lock(&device->streams_lock);
      found->left_behind = true;
      pthread_mutex_unlock(&device->streams_lock);
      return;
    }
    take_down(found);
  }
}

// One that hangs stays: neither it nor its events can be taken down without harm, and who takes
// over its memory still has to wait for it.
static void destroy(tn_stream* stream) {
  tn_plugin_device* device = stream->device->plugin;
  take_down_left_behind(device);
  const bool done = tn_stream_drain(stream);
  tn_stream_leave_timers(stream, done);
  if (done) {
    take_down(stream);
    return;
  }
  pthread_mutex_lock(&device->streams_lock);
  stream->left_behind = true;
  pthread_mutex_unlock(&device->streams_lock);
}

void tn_stream_destroy(tn_stream* stream) {
  if (stream && stream->device->plugin) {
    destroy(stream);
  } else if (stream) {
    tn_stream_leave_timers(stream, true);
    tn_free(stream);
  }
}

static bool follow(tn_stream* stream, tn_stream* other, tn_status* status) {
  tn_plugin_device* device = stream->device->plugin;
  tn_status outcome = {0};
  tn_plugin_device_fns(device)->create_stream_dependency(tn_plugin_device_handle(device),
                                                         stream->handle, other->handle, &outcome);
  return tn_plugin_device_told(device, "create_stream_dependency", &outcome, status);
}

bool tn_stream_depend(tn_stream* stream, tn_stream* other, tn_status* status) {
  if (!tn_device_given(stream, "stream", status) || !tn_device_given(other, "stream", status))
    return false;
  if (stream->device != other->device) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "a stream of %s cannot wait for one of %s; wait for that one on the host first",
                  stream->device->name, other->device->name);
    return false;
  }
  return stream == other || !stream->device->plugin || follow(stream, other, status);
}

// A stream that is no more has been waited for.
bool tn_stream_follow(tn_stream* stream, uint32_t tag, tn_status* status) {
  tn_plugin_device* device = stream->device->plugin;
  bool fine = true;
  pthread_mutex_lock(&device->streams_lock);
  for (tn_stream* at = device->streams; at && fine; at = at->next)
    if (at != stream && (at->id == tag || tag == TN_SEVERAL_STREAMS))
      fine = follow(stream, at, status);
  pthread_mutex_unlock(&device->streams_lock);
  return fine;
}

bool tn_stream_use(tn_stream* stream, tn_buffer* buffer, tn_status* status) {
  unsigned tag = atomic_load_explicit(&buffer->stream, memory_order_acquire);
  if (tag == stream->id) return true;
  if (tag != TN_NO_STREAM && !tn_stream_follow(stream, tag, status)) return false;
  while (!atomic_compare_exchange_weak_explicit(&buffer->stream, &tag,
                                                tn_stream_tag_with(tag, stream->id),
                                                memory_order_acq_rel, memory_order_acquire)) {
  }
  return true;
}

static void run_host_call(void* const call, TF_Status* const status) {
  if (!tn_one_call_run(call))
    tn_log(TN_LOG_WARNING,
           "a device plugin made the host callback %p that is not waiting; make "
           "each exactly once",
           call);
}

bool tn_stream_call(tn_stream* stream, void (*function)(void* arg), void* arg, tn_status* status) {
  if (!tn_device_given(stream, "stream", status) ||
      !tn_device_given((void*)function, "function", status))
    return false;
  tn_plugin_device* device = stream->device->plugin;
  if (!device) {
    function(arg);
    return true;
  }
  void* call = tn_one_call_create(function, arg);
  if (!call) {
    tn_status_set_no_memory(status, "putting a call on a stream");
    return false;
  }
  // Plugins are to make the call even when they report failure; those that do not are met too.
  if (tn_plugin_device_fns(device)->host_callback(tn_plugin_device_handle(device), stream->handle,
                                                  run_host_call, call) ||
      !tn_one_call_cancel(call))
    return true;
  tn_status_set(status, TN_INTERNAL, "%s: host_callback: Failed to host callback.",
                device->platform->file);
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return false;
}

static void drop(void* buffer) { tn_buffer_unref(buffer); }

void tn_stream_hold(tn_stream* stream, tn_buffer* buffer) {
  if (!tn_stream_call(stream, drop, buffer, NULL)) tn_stream_park(stream, drop, buffer);
}
