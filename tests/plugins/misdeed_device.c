// A device whose streams are threads, and which does one thing wrong when it is asked to: see
// misdeed.h. Host memory stands for the device's.
#include "misdeed.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/kernels.h"

#define EXPORT __attribute__((visibility("default")))

static void* new_object(int kind, size_t size, TF_Status* status) {
  void* object = calloc(1, size);
  if (object)
    ++misdeed_counts[kind];
  else if (status)
    TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory");
  return object;
}

static void delete_object(int kind, void* object) {
  --misdeed_counts[kind];
  free(object);
}

// Streams: a thread each, and a list of what it has to do.

typedef struct task {
  struct task* next;
  void (*run)(const struct task* task, SP_Stream stream);
  void* to;
  const void* from;
  uint64_t size;
  uint32_t word;
  SE_StatusCallbackFn callback;
  void* argument;
  SP_Event event;
} task;

struct SP_Stream_st {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  task *first, **last;
  uint64_t enqueued, done;
  void (*running)(const task* task, SP_Stream stream);  // reach when nothing is
  bool failed, ending;
  void* device;
  SP_Stream next;
  misdeed_vendor vendor;
};

static void reach(const task* task, SP_Stream stream);

misdeed_vendor* misdeed_vendor_of(SP_Stream stream) { return &stream->vendor; }

// All of them, for synchronize_all_activity.
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;
static SP_Stream streams;

static void* work(void* arg) {
  SP_Stream stream = arg;
  pthread_mutex_lock(&stream->lock);
  for (;;) {
    while (!stream->first && !stream->ending) pthread_cond_wait(&stream->changed, &stream->lock);
    task* next = stream->first;
    if (!next) break;
    stream->first = next->next;
    if (!stream->first) stream->last = &stream->first;
    stream->running = next->run;
    pthread_mutex_unlock(&stream->lock);
    next->run(next, stream);
    free(next);
    pthread_mutex_lock(&stream->lock);
    ++stream->done;
    stream->running = reach;
    pthread_cond_broadcast(&stream->changed);
  }
  pthread_mutex_unlock(&stream->lock);
  return NULL;
}

static bool enqueue(SP_Stream stream, task what, TF_Status* status) {
  task* queued = malloc(sizeof *queued);
  if (!queued) {
    if (status) TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory");
    return false;
  }
  *queued = what;
  pthread_mutex_lock(&stream->lock);
  *stream->last = queued;
  stream->last = &queued->next;
  ++stream->enqueued;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
  return true;
}

static void run_call(const task* task, SP_Stream stream) {
  ((void (*)(void*))task->from)(task->to);
}

bool misdeed_enqueue(SP_Stream stream, void (*fn)(void* arg), void* arg, TF_Status* status) {
  return enqueue(stream, (task){.run = run_call, .from = (void*)fn, .to = arg}, status);
}

static void* _Atomic lost;

static void create_stream(const SP_Device* device, SP_Stream* out, TF_Status* status) {
  if (misdeed_fails("create_stream", status)) return;
  if (misdeed_is("null_stream")) return;
  static SP_Stream only;
  if (misdeed_is("one_stream_for_all") && only) {
    *out = only;
    return;
  }
  SP_Stream stream = new_object(MISDEED_STREAMS, sizeof *stream, status);
  if (!stream) return;
  pthread_mutex_init(&stream->lock, NULL);
  pthread_cond_init(&stream->changed, NULL);
  stream->last = &stream->first;
  stream->device = device->device_handle;
  stream->running = reach;
  stream->vendor.stream = stream;
  if (pthread_create(&stream->thread, NULL, work, stream) != 0) {
    TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no thread");
    delete_object(MISDEED_STREAMS, stream);
    return;
  }
  pthread_mutex_lock(&streams_lock);
  stream->next = streams;
  streams = stream;
  pthread_mutex_unlock(&streams_lock);
  *out = stream;
  if (misdeed_is("one_stream_for_all")) only = stream;
  if (misdeed_is("leaks_streams")) lost = malloc(100);
}

static void destroy_stream(const SP_Device* device, SP_Stream stream) {
  if (misdeed_is("one_stream_for_all")) return;
  if (misdeed_is("dislikes_work") && (stream->first || stream->running != reach)) abort();
  pthread_mutex_lock(&streams_lock);
  SP_Stream* link = &streams;
  while (*link != stream) link = &(*link)->next;
  *link = stream->next;
  pthread_mutex_unlock(&streams_lock);
  pthread_mutex_lock(&stream->lock);
  // The last may be an event that has told whoever waited, and is about to end.
  if (stream->first || stream->running != reach) ++misdeed_counts[MISDEED_EARLY_DESTROYS];
  stream->ending = true;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
  pthread_join(stream->thread, NULL);
  pthread_mutex_destroy(&stream->lock);
  pthread_cond_destroy(&stream->changed);
  delete_object(MISDEED_STREAMS, stream);
}

static void tell_failure(SP_Stream stream, TF_Status* status) {
  if (stream->failed) TF_SetStatus(status, TF_DATA_LOSS, "a copy failed on the way");
}

static void wait_until_done(SP_Stream stream, TF_Status* status) {
  pthread_mutex_lock(&stream->lock);
  const uint64_t goal = stream->enqueued;
  while (stream->done < goal) pthread_cond_wait(&stream->changed, &stream->lock);
  tell_failure(stream, status);
  pthread_mutex_unlock(&stream->lock);
}

static void block_host_until_done(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  if (!misdeed_fails("block_host_until_done", status)) wait_until_done(stream, status);
}

static void synchronize_all_activity(const SP_Device* device, TF_Status* status) {
  if (misdeed_fails("synchronize_all_activity", status)) return;
  if (misdeed_is("waits_for_nothing")) return;
  pthread_mutex_lock(&streams_lock);
  for (SP_Stream at = streams; at; at = at->next)
    if (at->device == device->device_handle) wait_until_done(at, status);
  pthread_mutex_unlock(&streams_lock);
}

static void get_stream_status(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  if (misdeed_fails("get_stream_status", status)) return;
  pthread_mutex_lock(&stream->lock);
  tell_failure(stream, status);
  pthread_mutex_unlock(&stream->lock);
}

// Events count how often they were recorded and how often a stream came by; the stream may do so
// after the host destroyed the event, hence the references.

struct SP_Event_st {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t recorded, reached;
  int references;
};

static void ref_event(SP_Event event, int recorded) {
  pthread_mutex_lock(&event->lock);
  event->recorded += recorded;
  ++event->references;
  pthread_mutex_unlock(&event->lock);
}

static void unref_event(SP_Event event) {
  pthread_mutex_lock(&event->lock);
  const bool last = --event->references == 0;
  pthread_mutex_unlock(&event->lock);
  if (!last) return;
  pthread_mutex_destroy(&event->lock);
  pthread_cond_destroy(&event->changed);
  delete_object(MISDEED_EVENTS, event);
}

static void create_event(const SP_Device* device, SP_Event* out, TF_Status* status) {
  if (misdeed_fails("create_event", status) || misdeed_is("null_event")) return;
  if (misdeed_is("leaks_events")) lost = malloc(100);
  SP_Event event = new_object(MISDEED_EVENTS, sizeof *event, status);
  if (!event) return;
  pthread_mutex_init(&event->lock, NULL);
  pthread_cond_init(&event->changed, NULL);
  event->references = 1;
  *out = event;
}

static void destroy_event(const SP_Device* device, SP_Event event) { unref_event(event); }

static SE_EventStatus get_event_status(const SP_Device* device, SP_Event event) {
  const char* answer = misdeed_argument("event");
  if (answer) return (SE_EventStatus)atoi(answer);
  pthread_mutex_lock(&event->lock);
  const bool reached = event->reached == event->recorded;
  pthread_mutex_unlock(&event->lock);
  return reached ? SE_EVENT_COMPLETE : SE_EVENT_PENDING;
}

static void reach(const task* task, SP_Stream stream) {
  pthread_mutex_lock(&task->event->lock);
  ++task->event->reached;
  pthread_cond_broadcast(&task->event->changed);
  pthread_mutex_unlock(&task->event->lock);
  unref_event(task->event);
}

static void record_event(const SP_Device* device, SP_Stream stream, SP_Event event,
                         TF_Status* status) {
  if (misdeed_fails("record_event", status)) return;
  ref_event(event, 1);
  if (!enqueue(stream, (task){.run = reach, .event = event}, status)) unref_event(event);
}

static void await_event(SP_Event event) {
  pthread_mutex_lock(&event->lock);
  const uint64_t goal = event->recorded;
  while (event->reached < goal) pthread_cond_wait(&event->changed, &event->lock);
  pthread_mutex_unlock(&event->lock);
}

static void run_await(const task* task, SP_Stream stream) {
  await_event(task->event);
  unref_event(task->event);
}

static void wait_for_event(const SP_Device* device, SP_Stream stream, SP_Event event,
                           TF_Status* status) {
  if (misdeed_fails("wait_for_event", status) || misdeed_is("passes_events")) return;
  ref_event(event, 0);
  if (!enqueue(stream, (task){.run = run_await, .event = event}, status)) unref_event(event);
}

static void block_host_for_event(const SP_Device* device, SP_Event event, TF_Status* status) {
  if (!misdeed_fails("block_host_for_event", status)) await_event(event);
}

static void create_stream_dependency(const SP_Device* device, SP_Stream dependent, SP_Stream other,
                                     TF_Status* status) {
  SP_Event event = NULL;
  if (!misdeed_fails("create_stream_dependency", status)) create_event(device, &event, status);
  if (!event) return;
  record_event(device, other, event, status);
  if (TF_GetCode(status) == TF_OK) wait_for_event(device, dependent, event, status);
  destroy_event(device, event);
}

static void run_callback(const task* task, SP_Stream stream) {
  TF_Status* status = TF_NewStatus();
  if (misdeed_is("callback_fails")) TF_SetStatus(status, TF_ABORTED, "never mind");
  task->callback(task->argument, status);
  if (misdeed_is("callbacks_must_not_fail") && TF_GetCode(status) != TF_OK) abort();
  if (misdeed_is("callback_twice")) task->callback(task->argument, status);
  TF_DeleteStatus(status);
}

static TF_Bool host_callback(const SP_Device* device, SP_Stream stream,
                             SE_StatusCallbackFn callback, void* argument) {
  if (misdeed_is("callback_never")) return 1;
  if (misdeed_is("callback_refused")) return 0;
  task call = {.run = run_callback, .callback = callback, .argument = argument};
  return enqueue(stream, call, NULL) && !misdeed_is("callback_refused_but_made");
}

// Memory, copies and fills.

enum { TOTAL_MEMORY = 64 << 20 };

static void* new_block(size_t size) {
  void* block = aligned_alloc(64, (size + 64) / 64 * 64);
  if (!block) return NULL;
  ++misdeed_counts[MISDEED_BLOCKS];
  return memset(block, 0, size);
}

static void allocate(const SP_Device* device, uint64_t size, int64_t memory_space,
                     SP_DeviceMemoryBase* memory) {
  if (misdeed_fails("allocate", NULL)) return;
  static char reused[1 << 20];
  memory->struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE;
  memory->opaque = size <= TOTAL_MEMORY ? new_block((size_t)size) : NULL;
  memory->size = size;
  if (misdeed_is("same_block_twice")) memory->opaque = reused;
  if (misdeed_is("promises_too_much") && !memory->opaque) memory->opaque = reused;
  if (misdeed_is("odd_addresses")) memory->opaque = (char*)memory->opaque + 8;
}
static void deallocate(const SP_Device* device, SP_DeviceMemoryBase* memory) {
  if (misdeed_is("dislikes_null") && !memory->opaque) abort();
  if (misdeed_is("same_block_twice") || misdeed_is("promises_too_much") ||
      misdeed_is("odd_addresses") || misdeed_is("leaks_blocks"))
    return;
  if (memory->opaque) delete_object(MISDEED_BLOCKS, memory->opaque);
}
static void* host_memory_allocate(const SP_Device* device, uint64_t size) {
  return misdeed_fails("host_memory_allocate", NULL) || size > TOTAL_MEMORY ? NULL
                                                                            : new_block(size);
}
static void host_memory_deallocate(const SP_Device* device, void* memory) {
  if (memory) delete_object(MISDEED_BLOCKS, memory);
}
static void* unified_memory_allocate(const SP_Device* device, uint64_t size) {
  return misdeed_fails("unified_memory_allocate", NULL) ? NULL : host_memory_allocate(device, size);
}
static TF_Bool get_allocator_stats(const SP_Device* device, SP_AllocatorStats* stats) {
  if (misdeed_fails("get_allocator_stats", NULL)) return 0;
  stats->struct_size = SP_ALLOCATORSTATS_STRUCT_SIZE;
  stats->num_allocs = misdeed_counts[MISDEED_BLOCKS];
  if (misdeed_is("writes_past_struct")) memset(stats + 1, 0, 16);
  if (misdeed_is("negative_memory")) stats->bytes_in_use = -5;
  misdeed_spoil("SP_AllocatorStats", stats);
  return 1;
}
static TF_Bool device_memory_usage(const SP_Device* device, int64_t* unused, int64_t* total) {
  if (misdeed_fails("device_memory_usage", NULL)) return 0;
  *total = misdeed_is("negative_memory") ? -1 : TOTAL_MEMORY;
  *unused = misdeed_is("more_free_memory_than_there_is") ? 2 * TOTAL_MEMORY : *total;
  return 1;
}

static void run_copy(const task* task, SP_Stream stream) {
  if (!misdeed_is("copy_fails_later")) {
    memcpy(task->to, task->from, task->size);
    if (misdeed_is("copies_more") && task->size) ((char*)task->to)[task->size] = 1;
    if (misdeed_is("copies_less") && task->size) ++((char*)task->to)[task->size - 1];
    return;
  }
  pthread_mutex_lock(&stream->lock);
  stream->failed = true;
  pthread_mutex_unlock(&stream->lock);
}
static void copy(const char* function, SP_Stream stream, void* to, const void* from, uint64_t size,
                 TF_Status* status) {
  if (misdeed_is("dislikes_nothing") && size == 0) abort();
  if (misdeed_is("forgets_large_copies") && size > 1 << 20) return;
  if (!misdeed_fails(function, status))
    enqueue(stream, (task){.run = run_copy, .to = to, .from = from, .size = size}, status);
}
static void memcpy_dtoh(const SP_Device* device, SP_Stream stream, void* to,
                        const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  copy("memcpy_dtoh", stream, to, from->opaque, size, status);
}
static void memcpy_htod(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                        const void* from, uint64_t size, TF_Status* status) {
  copy("memcpy_htod", stream, to->opaque, from, size, status);
}
static void memcpy_dtod(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* to,
                        const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  copy("memcpy_dtod", stream, to->opaque, from->opaque, size, status);
}
static void sync_memcpy_dtoh(const SP_Device* device, void* to, const SP_DeviceMemoryBase* from,
                             uint64_t size, TF_Status* status) {
  if (!misdeed_fails("sync_memcpy_dtoh", status)) memcpy(to, from->opaque, size);
}
static void sync_memcpy_htod(const SP_Device* device, SP_DeviceMemoryBase* to, const void* from,
                             uint64_t size, TF_Status* status) {
  if (misdeed_fails("sync_memcpy_htod", status)) return;
  memcpy(to->opaque, from, size);
  if (misdeed_is("blocking_copies_more") && size) ((char*)to->opaque)[size] = 1;
  if (misdeed_is("blocking_copies_less") && size) ++((char*)to->opaque)[size - 1];
}
static void sync_memcpy_dtod(const SP_Device* device, SP_DeviceMemoryBase* to,
                             const SP_DeviceMemoryBase* from, uint64_t size, TF_Status* status) {
  if (!misdeed_fails("sync_memcpy_dtod", status)) memcpy(to->opaque, from->opaque, size);
}

static void run_fill(const task* task, SP_Stream stream) {
  if (misdeed_is("fills_more")) ((uint8_t*)task->to)[task->size] = 1;
  for (uint64_t i = 0; i < task->size; ++i)
    ((uint8_t*)task->to)[i] = (uint8_t)(task->word >> 8 * (i % 4));
}
static void fill_words(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* memory,
                       uint32_t word, uint64_t size, TF_Status* status) {
  task filling = {.run = run_fill, .to = memory->opaque, .word = word, .size = size};
  if (!misdeed_fails("memset", status)) enqueue(stream, filling, status);
}
static void fill(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* memory,
                 uint8_t byte, uint64_t size, TF_Status* status) {
  fill_words(device, stream, memory, byte * 0x01010101u, size, status);
}
static void fill_zero(const SP_Device* device, SP_Stream stream, SP_DeviceMemoryBase* memory,
                      uint64_t size, TF_Status* status) {
  fill_words(device, stream, memory, 0, size, status);
}

// Timers, read on the stream.

struct SP_Timer_st {
  uint64_t start, stop;
};

static void read_clock(const task* task, SP_Stream stream) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  *(uint64_t*)task->to = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
static void create_timer(const SP_Device* device, SP_Timer* timer, TF_Status* status) {
  if (!misdeed_fails("create_timer", status))
    *timer = new_object(MISDEED_TIMERS, sizeof **timer, status);
}
static void destroy_timer(const SP_Device* device, SP_Timer timer) {
  delete_object(MISDEED_TIMERS, timer);
}
static void start_timer(const SP_Device* device, SP_Stream stream, SP_Timer timer,
                        TF_Status* status) {
  if (!misdeed_fails("start_timer", status))
    enqueue(stream, (task){.run = read_clock, .to = &timer->start}, status);
}
static void stop_timer(const SP_Device* device, SP_Stream stream, SP_Timer timer,
                       TF_Status* status) {
  if (!misdeed_fails("stop_timer", status))
    enqueue(stream, (task){.run = read_clock, .to = &timer->stop}, status);
}
static uint64_t nanoseconds(SP_Timer timer) {
  return misdeed_is("timers_say_nonsense") ? UINT64_MAX : timer->stop - timer->start;
}

// Devices and the platform. What the host has to give back is counted.

static SP_StreamExecutor* lent_executor;
static SP_PlatformFns* lent_platform_fns;
static char* owned_name;

// Everything behind struct_size.
static void scribble(void* object, size_t size) {
  memset((char*)object + sizeof(size_t), 0xff, size - sizeof(size_t));
}

static void get_device_count(const SP_Platform* platform, int* count, TF_Status* status) {
  const char* answer = misdeed_argument("count");
  if (misdeed_fails("get_device_count", status)) return;
  static int calls;
  *count = answer ? atoi(answer) : misdeed_is("counts_up") ? ++calls : 2;
  if (!misdeed_is("tables_change")) return;
  // Registration is over.
  scribble(lent_executor, SP_STREAMEXECUTOR_STRUCT_SIZE);
  scribble(lent_platform_fns, SP_PLATFORM_FNS_STRUCT_SIZE);
  memset(owned_name, '?', strlen(owned_name));
}

static void* sleep_on(void* arg) {
  while (true) pause();
  return arg;
}

static void create_device(const SP_Platform* platform, SE_CreateDeviceParams* params,
                          TF_Status* status) {
  SP_Device* device = params->device;
  if (misdeed_fails("create_device", status)) return;
  if (misdeed_is("crash_opening")) raise(SIGSEGV);
  if (misdeed_is("exit_opening")) exit(0);
  device->struct_size = SP_DEVICE_STRUCT_SIZE;
  static int made;
  if (misdeed_is("one_device_ever") && made++) {
    TF_SetStatus(status, TF_ALREADY_EXISTS, "there is one already");
    return;
  }
  if (misdeed_is("asserts_ordinals") && (params->ordinal < 0 || params->ordinal > 1)) abort();
  if (misdeed_is("opens_files") && dup(2) < 0) abort();
  if (misdeed_is("starts_threads")) pthread_create(&(pthread_t){0}, NULL, sleep_on, NULL);
  if (misdeed_is("prints")) printf("device %d\n", params->ordinal);
  if (misdeed_is("takes_signals")) signal(SIGUSR1, SIG_IGN);
  if (misdeed_is("moves_away") && chdir("/usr") != 0) abort();
  if (misdeed_is("rounds_down")) fesetround(FE_DOWNWARD);
  device->ordinal = misdeed_is("wrong_ordinal") ? params->ordinal + 1 : params->ordinal;
  device->device_handle = new_object(MISDEED_DEVICES, 1, status);
  const char* hardware = misdeed_argument("hardware");
  device->hardware_name = hardware ? hardware : "threads";
  misdeed_spoil("SP_Device", device);
}
static void destroy_device(const SP_Platform* platform, SP_Device* device) {
  delete_object(MISDEED_DEVICES, device->device_handle);
}

static double tell_nonsense(const SP_Device* device) { return -7e30; }

static void create_device_fns(const SP_Platform* platform, SE_CreateDeviceFnsParams* params,
                              TF_Status* status) {
  if (misdeed_fails("create_device_fns", status)) return;
  ++misdeed_counts[MISDEED_TABLES];
  params->device_fns->struct_size = SP_DEVICE_FNS_STRUCT_SIZE;
  if (misdeed_is("boasts")) params->device_fns->get_gflops = tell_nonsense;
  misdeed_spoil("SP_DeviceFns", params->device_fns);
}
static void destroy_device_fns(const SP_Platform* platform, SP_DeviceFns* functions) {
  --misdeed_counts[MISDEED_TABLES];
}

static void create_timer_fns(const SP_Platform* platform, SP_TimerFns* functions,
                             TF_Status* status) {
  if (misdeed_fails("create_timer_fns", status)) return;
  ++misdeed_counts[MISDEED_TABLES];
  functions->struct_size = SP_TIMER_FNS_STRUCT_SIZE;
  functions->nanoseconds = nanoseconds;
  misdeed_spoil("SP_TimerFns", functions);
}
static void destroy_timer_fns(const SP_Platform* platform, SP_TimerFns* functions) {
  --misdeed_counts[MISDEED_TABLES];
}

static void create_stream_executor(const SP_Platform* platform,
                                   SE_CreateStreamExecutorParams* params, TF_Status* status) {
  if (misdeed_fails("create_stream_executor", status)) return;
  ++misdeed_counts[MISDEED_TABLES];
  lent_executor = params->stream_executor;
  const size_t given = lent_executor->struct_size;
  const SP_StreamExecutor table = {
      .struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE,
      .allocate = allocate,
      .deallocate = deallocate,
      .host_memory_allocate = host_memory_allocate,
      .host_memory_deallocate = host_memory_deallocate,
      .unified_memory_allocate = misdeed_is("unified") ? unified_memory_allocate : NULL,
      .unified_memory_deallocate = misdeed_is("unified") ? host_memory_deallocate : NULL,
      .get_allocator_stats = get_allocator_stats,
      .device_memory_usage = device_memory_usage,
      .create_stream = create_stream,
      .destroy_stream = destroy_stream,
      .create_stream_dependency = create_stream_dependency,
      .get_stream_status = get_stream_status,
      .create_event = create_event,
      .destroy_event = destroy_event,
      .get_event_status = get_event_status,
      .record_event = record_event,
      .wait_for_event = wait_for_event,
      .create_timer = create_timer,
      .destroy_timer = destroy_timer,
      .start_timer = start_timer,
      .stop_timer = stop_timer,
      .memcpy_dtoh = memcpy_dtoh,
      .memcpy_htod = memcpy_htod,
      .memcpy_dtod = memcpy_dtod,
      .sync_memcpy_dtoh = sync_memcpy_dtoh,
      .sync_memcpy_htod = sync_memcpy_htod,
      .sync_memcpy_dtod = sync_memcpy_dtod,
      .block_host_for_event = block_host_for_event,
      .block_host_until_done = block_host_until_done,
      .synchronize_all_activity = synchronize_all_activity,
      .mem_zero = fill_zero,
      .memset = fill,
      .memset32 = fill_words,
      .host_callback = host_callback,
  };
  const bool fits = given >= sizeof table || misdeed_is("writes_past_struct");
  memcpy(lent_executor, &table, fits ? sizeof table : given);
  misdeed_spoil("SP_StreamExecutor", lent_executor);
}
static void destroy_stream_executor(const SP_Platform* platform, SP_StreamExecutor* functions) {
  --misdeed_counts[MISDEED_TABLES];
}

static void destroy_platform(SP_Platform* platform) {
  if (misdeed_is("stays_for_ever")) abort();
  free(owned_name);
  owned_name = NULL;
  --misdeed_counts[MISDEED_TABLES];
}
static void destroy_platform_fns(SP_PlatformFns* functions) { --misdeed_counts[MISDEED_TABLES]; }

// True when nothing is to be registered.
static bool misbehave_at_once(TF_Status* status) {
  if (misdeed_is("crash")) *(volatile int*)(size_t)sysconf(_SC_PAGESIZE) = 1;
  if (misdeed_is("abort")) abort();
  if (misdeed_is("exit")) exit(0);
  while (misdeed_is("hang")) pause();
  if (misdeed_is("unavailable"))
    TF_SetStatus(status, TF_UNAVAILABLE, "the driver is not installed");
  return misdeed_is("unavailable") || misdeed_is("no_platform");
}

EXPORT void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
  static SP_Platform own_platform;
  const char* asked = getenv("TENON_TEST_MISDEED");
  misdeed_set(asked ? asked : "");
  if (misbehave_at_once(status)) return;
  if (misdeed_is("main_thread_only") && syscall(SYS_gettid) != getpid()) abort();
  static atomic_bool called;
  if (atomic_exchange(&called, true) && misdeed_is("only_once")) abort();
  const char *name = misdeed_argument("name"), *type = misdeed_argument("type");
  free(owned_name);
  owned_name = strdup(name ? name : MISDEED_TYPE);
  *params->platform = (SP_Platform){
      .struct_size = SP_PLATFORM_STRUCT_SIZE,
      .name = owned_name,
      .type = type ? type : MISDEED_TYPE,
      .supports_unified_memory = misdeed_is("unified") || misdeed_is("unified_without_functions"),
      .use_bfc_allocator = misdeed_is("pooled"),
      .force_memory_growth = 1};
  lent_platform_fns = params->platform_fns;
  *lent_platform_fns = (SP_PlatformFns){.struct_size = SP_PLATFORM_FNS_STRUCT_SIZE,
                                        .get_device_count = get_device_count,
                                        .create_device = create_device,
                                        .destroy_device = destroy_device,
                                        .create_device_fns = create_device_fns,
                                        .destroy_device_fns = destroy_device_fns,
                                        .create_stream_executor = create_stream_executor,
                                        .destroy_stream_executor = destroy_stream_executor,
                                        .create_timer_fns = create_timer_fns,
                                        .destroy_timer_fns = destroy_timer_fns};
  params->destroy_platform = destroy_platform;
  params->destroy_platform_fns = destroy_platform_fns;
  misdeed_counts[MISDEED_TABLES] += 2;
  misdeed_spoil("SP_Platform", params->platform);
  misdeed_spoil("SP_PlatformFns", params->platform_fns);
  misdeed_spoil("SE_PlatformRegistrationParams", params);
  if (misdeed_argument("version")) params->major_version = atoi(misdeed_argument("version"));
  if (misdeed_is("replaces_structs")) params->platform = &own_platform;
}

// A kernel, so that ops run on the streams.

static void run_negation(const task* task, SP_Stream stream) {
  for (uint64_t i = 0; i < task->size / sizeof(float); ++i)
    ((float*)task->to)[i] = -((const float*)task->from)[i];
}

static void compute(void* kernel, TF_OpKernelContext* context) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor *x = NULL, *y = NULL;
  int64_t dims[254];
  SP_Stream stream = TF_GetStream(context, status);
  if (TF_GetCode(status) == TF_OK) TF_GetInput(context, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) {
    for (int i = 0; i < TF_NumDims(x); ++i) dims[i] = TF_Dim(x, i);
    y = TF_AllocateOutput(context, 0, TF_FLOAT, dims, TF_NumDims(x), TF_TensorByteSize(x), status);
  }
  if (TF_GetCode(status) == TF_OK) {
    task negation = {.run = run_negation,
                     .to = TF_TensorData(y),
                     .from = TF_TensorData(x),
                     .size = TF_TensorByteSize(x)};
    enqueue(stream, negation, status);
  }
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(context, status);
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

EXPORT void TF_InitKernel(void) {
  TF_Status* status = TF_NewStatus();
  TF_KernelBuilder* builder = TF_NewKernelBuilder("Neg", MISDEED_TYPE, NULL, compute, NULL);
  TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
  TF_RegisterKernelBuilder("MisdeedNeg", builder, status);
  TF_DeleteStatus(status);
}
