// The device TENON through its tables, driven as a host of any age would.

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "harness.h"
#include "tenon/plugin.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

#define PLUGIN TENON_BUILD_DIR "/lib/tenon/plugins/libtenon_cpu.so"

// A struct of a host, with memory behind it that nobody may touch.
#define ROOMY(type) \
  union {           \
    type it;        \
    char all[512];  \
  }
#define PREPARE(roomy, size)                          \
  do {                                                \
    memset(&(roomy), 0, sizeof(roomy));               \
    memset((roomy).all + (size), 0xab, 512 - (size)); \
    (roomy).it.struct_size = (size);                  \
  } while (0)
static bool untouched(const char* all, size_t size) {
  for (size_t i = size; i < 512; ++i)
    if ((unsigned char)all[i] != 0xab) return false;
  return true;
}

static struct {
  ROOMY(SP_Platform) platform;
  ROOMY(SP_PlatformFns) fns;
  ROOMY(SP_StreamExecutor) executor;
  ROOMY(SP_Device) device;
  ROOMY(SP_TimerFns) timers;
  ROOMY(SP_DeviceFns) device_fns;
} host;
static tn_status* status;
#define DO host.executor.it
#define DEVICE (&host.device.it)

typedef void (*init_fn)(SE_PlatformRegistrationParams*, TF_Status*);

static init_fn load(void) {
  if (!status) status = tn_status_create();
  CHECK(tn_plugin_load(PLUGIN, NULL, status));
  CHECK_OK(status);
  void* library = dlopen(PLUGIN, RTLD_NOW | RTLD_NOLOAD);
  init_fn init = library ? (init_fn)dlsym(library, "SE_InitPlugin") : NULL;
  CHECK(init);
  if (!init) exit(1);
  return init;
}

static SE_PlatformRegistrationParams init_platform(size_t platform_size) {
  const init_fn init = load();
  PREPARE(host.platform, platform_size);
  PREPARE(host.fns, SP_PLATFORM_FNS_STRUCT_SIZE);
  SE_PlatformRegistrationParams params = {SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE,
                                          .platform = &host.platform.it,
                                          .platform_fns = &host.fns.it};
  init(&params, status);
  return params;
}

static void create(size_t executor_size) {
  init_platform(SP_PLATFORM_STRUCT_SIZE);
  CHECK_OK(status);
  PREPARE(host.executor, executor_size);
  PREPARE(host.device, SP_DEVICE_STRUCT_SIZE);
  PREPARE(host.timers, SP_TIMER_FNS_STRUCT_SIZE);
  PREPARE(host.device_fns, SP_DEVICE_FNS_STRUCT_SIZE);
  SE_CreateDeviceParams device = {SE_CREATE_DEVICE_PARAMS_STRUCT_SIZE, .device = DEVICE};
  SE_CreateStreamExecutorParams executor = {SE_CREATE_STREAM_EXECUTOR_PARAMS_STRUCT_SIZE,
                                            .stream_executor = &host.executor.it};
  SE_CreateDeviceFnsParams fns = {SE_CREATE_DEVICE_FNS_PARAMS_STRUCT_SIZE,
                                  .device_fns = &host.device_fns.it};
  host.fns.it.create_device(&host.platform.it, &device, status);
  host.fns.it.create_stream_executor(&host.platform.it, &executor, status);
  host.fns.it.create_device_fns(&host.platform.it, &fns, status);
  host.fns.it.create_timer_fns(&host.platform.it, &host.timers.it, status);
  CHECK_OK(status);
}

static void open_device(void) { create(SP_STREAMEXECUTOR_STRUCT_SIZE); }

static SP_Stream stream(void) {
  SP_Stream made = NULL;
  DO.create_stream(DEVICE, &made, status);
  CHECK_OK(status);
  return made;
}

static SP_Event event(void) {
  SP_Event made = NULL;
  DO.create_event(DEVICE, &made, status);
  CHECK_OK(status);
  return made;
}

static SP_DeviceMemoryBase memory(uint64_t size) {
  SP_DeviceMemoryBase made = {.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
  DO.allocate(DEVICE, size, 0, &made);
  CHECK(made.opaque && made.size == size);
  return made;
}

// A stream that stands still until the gate opens.
typedef struct gate {
  sem_t open;
  atomic_int passed;
} gate;

static void stand(void* arg, TF_Status* unused) {
  gate* at = arg;
  while (sem_wait(&at->open) != 0) {
  }
  atomic_fetch_add(&at->passed, 1);
}

static void hold(SP_Stream at, gate* with) {
  sem_init(&with->open, 0, 0);
  atomic_init(&with->passed, 0);
  CHECK(DO.host_callback(DEVICE, at, stand, with));
}

static void let_go(gate* held) { sem_post(&held->open); }

TEST(its_platform_is_what_a_host_asks_for) {
  SE_PlatformRegistrationParams params = init_platform(SP_PLATFORM_STRUCT_SIZE);
  CHECK_OK(status);
  CHECK_TEXT(host.platform.it.name, "TENON_CPU");
  CHECK_TEXT(host.platform.it.type, "TENON");
  CHECK(host.platform.it.use_bfc_allocator && host.platform.it.force_memory_growth);
  CHECK(params.destroy_platform && params.destroy_platform_fns);
  int count = -1;
  host.fns.it.get_device_count(&host.platform.it, &count, status);
  CHECK_INT(count, 1);
  setenv("TENON_CPU_DEVICES", "3", 1);
  host.fns.it.get_device_count(&host.platform.it, &count, status);
  CHECK_OK(status);
  CHECK_INT(count, 3);
  setenv("TENON_CPU_DEVICES", "many", 1);
  host.fns.it.get_device_count(&host.platform.it, &count, status);
  CHECK_CONTAINS(tn_status_message(status), "TENON_CPU_DEVICES is \"many\"");
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
}

TEST(it_writes_no_further_than_the_host_has_room) {
  init_platform(34);  // without force_memory_growth: TensorFlow 2.5 to 2.8
  CHECK_OK(status);
  CHECK(host.platform.it.use_bfc_allocator && untouched(host.platform.all, 34));
  create(264);  // TensorFlow 2.5 and 2.6
  CHECK(untouched(host.executor.all, 264));
  CHECK_INT(DO.struct_size, 264);
  // There, what is now mem_zero is host_callback.
  TF_Bool (*old_callback)(const SP_Device*, SP_Stream, SE_StatusCallbackFn, void*);
  memcpy(&old_callback, host.executor.all + 256, sizeof old_callback);
  gate passed;
  sem_init(&passed.open, 0, 1);
  atomic_init(&passed.passed, 0);
  SP_Stream one = stream();
  CHECK(old_callback(DEVICE, one, stand, &passed));
  DO.block_host_until_done(DEVICE, one, status);
  CHECK_INT(atomic_load(&passed.passed), 1);
}

TEST(a_newer_host_learns_where_the_plugin_ends) {
  create(400);
  CHECK_INT(DO.struct_size, SP_STREAMEXECUTOR_STRUCT_SIZE);
  CHECK(DO.host_callback && untouched(host.executor.all, 400));
  for (size_t i = SP_STREAMEXECUTOR_STRUCT_SIZE; i < 400; ++i) CHECK_INT(host.executor.all[i], 0);
}

TEST(a_host_that_is_too_old_is_told_so) {
  const init_fn init = load();
  PREPARE(host.platform, SP_PLATFORM_STRUCT_SIZE);
  PREPARE(host.fns, 80);  // TensorFlow 2.4
  SE_PlatformRegistrationParams params = {SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE,
                                          .platform = &host.platform.it,
                                          .platform_fns = &host.fns.it};
  init(&params, status);
  CHECK_CONTAINS(tn_status_message(status), "a newer host is needed");
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  CHECK(!params.destroy_platform && untouched(host.fns.all, 80));
}

TEST(a_stream_runs_in_order_while_the_caller_goes_on) {
  open_device();
  SP_Stream one = stream();
  SP_DeviceMemoryBase block = memory(4);
  gate gate;
  int first = 1, second = 2, seen = 0, later = 0;
  hold(one, &gate);
  DO.memcpy_htod(DEVICE, one, &block, &first, 4, status);
  DO.memcpy_dtoh(DEVICE, one, &seen, &block, 4, status);
  DO.memcpy_htod(DEVICE, one, &block, &second, 4, status);
  DO.memcpy_dtoh(DEVICE, one, &later, &block, 4, status);
  SP_Event end = event();
  DO.record_event(DEVICE, one, end, status);
  CHECK_OK(status);
  CHECK_INT(DO.get_event_status(DEVICE, end), SE_EVENT_PENDING);
  CHECK_INT(atomic_load(&gate.passed), 0);
  let_go(&gate);
  DO.block_host_for_event(DEVICE, end, status);
  CHECK_INT(DO.get_event_status(DEVICE, end), SE_EVENT_COMPLETE);
  CHECK(seen == 1 && later == 2);
  DO.destroy_event(DEVICE, end);
  DO.destroy_stream(DEVICE, one);
  DO.deallocate(DEVICE, &block);
  host.fns.it.destroy_device(&host.platform.it, DEVICE);
}

TEST(a_stream_waits_for_an_event_as_it_was_recorded_then) {
  open_device();
  SP_Stream one = stream(), two = stream(), three = stream();
  SP_Event mark = event(), never = event();
  CHECK_INT(DO.get_event_status(DEVICE, never), SE_EVENT_COMPLETE);
  gate first, second;
  hold(one, &first);
  DO.record_event(DEVICE, one, mark, status);
  DO.wait_for_event(DEVICE, two, mark, status);
  int from = 7, to = 0;
  SP_DeviceMemoryBase block = memory(4);
  DO.memcpy_htod(DEVICE, two, &block, &from, 4, status);
  DO.memcpy_dtoh(DEVICE, two, &to, &block, 4, status);
  // Recorded anew on a stream that stands: `two` waits for the first place only.
  hold(three, &second);
  DO.record_event(DEVICE, three, mark, status);
  CHECK_INT(to, 0);
  let_go(&first);
  DO.block_host_until_done(DEVICE, two, status);
  CHECK_INT(to, 7);
  CHECK_INT(DO.get_event_status(DEVICE, mark), SE_EVENT_PENDING);
  DO.destroy_event(DEVICE, mark);  // while its place is yet to come
  let_go(&second);
  DO.synchronize_all_activity(DEVICE, status);
  CHECK_OK(status);
  CHECK_INT(atomic_load(&second.passed), 1);
  DO.destroy_event(DEVICE, never);
  DO.deallocate(DEVICE, &block);
}

TEST(a_dependency_holds_one_stream_back_and_no_other) {
  open_device();
  SP_Stream one = stream(), two = stream(), free_one = stream();
  gate gate, after, beside;
  hold(one, &gate);
  DO.create_stream_dependency(DEVICE, two, one, status);
  DO.create_stream_dependency(DEVICE, one, one, status);
  hold(two, &after);
  hold(free_one, &beside);
  let_go(&after);
  let_go(&beside);
  DO.block_host_until_done(DEVICE, free_one, status);
  CHECK(atomic_load(&beside.passed) == 1 && atomic_load(&after.passed) == 0);
  let_go(&gate);
  DO.block_host_until_done(DEVICE, two, status);
  CHECK_OK(status);
  CHECK_INT(atomic_load(&after.passed), 1);
}

static void fail_with_words(void* arg, TF_Status* out) {
  atomic_fetch_add((atomic_int*)arg, 1);
  tn_status_set(out, TN_DATA_LOSS, "the callback's own words");
}

TEST(a_callback_runs_once_and_its_failure_is_the_streams) {
  open_device();
  SP_Stream one = stream(), two = stream();
  atomic_int calls = 0;
  for (int i = 0; i < 3; ++i) CHECK(DO.host_callback(DEVICE, one, fail_with_words, &calls));
  DO.block_host_until_done(DEVICE, one, status);
  CHECK_CONTAINS(tn_status_message(status), "the callback's own words");
  CHECK_CODE(status, TN_DATA_LOSS);
  CHECK_INT(atomic_load(&calls), 3);
  DO.get_stream_status(DEVICE, one, status);
  CHECK_CODE(status, TN_DATA_LOSS);
  DO.get_stream_status(DEVICE, two, status);
  CHECK_OK(status);
}

TEST(copies_and_fills_do_what_they_say) {
  open_device();
  SP_Stream one = stream();
  enum { BYTES = 1 << 20 };
  SP_DeviceMemoryBase a = memory(BYTES), b = memory(BYTES);
  unsigned char* back = malloc(BYTES);
  uint32_t* words = malloc(BYTES);
  for (int i = 0; i < BYTES / 4; ++i) words[i] = (uint32_t)i * 2654435761u;
  DO.sync_memcpy_htod(DEVICE, &a, words, BYTES, status);
  DO.memcpy_dtod(DEVICE, one, &b, &a, BYTES, status);
  DO.mem_zero(DEVICE, one, &a, 16, status);
  DO.block_host_until_done(DEVICE, one, status);
  DO.sync_memcpy_dtoh(DEVICE, back, &b, BYTES, status);
  CHECK(memcmp(back, words, BYTES) == 0);
  DO.memset(DEVICE, one, &b, 0x5a, BYTES, status);
  DO.memset32(DEVICE, one, &b, 0x01020304, 8, status);
  DO.block_host_until_done(DEVICE, one, status);
  CHECK_OK(status);
  CHECK(back != NULL && ((uint32_t*)b.opaque)[1] == 0x01020304);
  CHECK(((unsigned char*)b.opaque)[8] == 0x5a && ((unsigned char*)b.opaque)[BYTES - 1] == 0x5a);
  DO.sync_memcpy_dtod(DEVICE, &b, &a, 16, status);
  CHECK_INT(((uint32_t*)b.opaque)[3], 0);
  DO.memset32(DEVICE, one, &b, 0, 6, status);
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  DO.memcpy_htod(DEVICE, one, &b, words, BYTES + 1, status);
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  DO.deallocate(DEVICE, &a);
  DO.deallocate(DEVICE, &b);
  free(back);
  free(words);
}

TEST(memory_is_counted_and_its_end_is_said) {
  open_device();
  int64_t unused = 0, total = 0;
  CHECK(DO.device_memory_usage(DEVICE, &unused, &total));
  CHECK(unused > 0 && unused <= total);
  SP_DeviceMemoryBase small = memory(100), large = memory(5000);
  DO.deallocate(DEVICE, &small);
  ROOMY(SP_AllocatorStats) stats;
  PREPARE(stats, SP_ALLOCATORSTATS_STRUCT_SIZE);
  CHECK(DO.get_allocator_stats(DEVICE, &stats.it));
  CHECK_INT(stats.it.num_allocs, 2);
  CHECK_INT(stats.it.bytes_in_use, 5000);
  CHECK_INT(stats.it.peak_bytes_in_use, 5100);
  CHECK_INT(stats.it.largest_alloc_size, 5000);
  PREPARE(stats, 40);
  CHECK(DO.get_allocator_stats(DEVICE, &stats.it) && untouched(stats.all, 40));
  DO.deallocate(DEVICE, &large);
  SP_DeviceMemoryBase none = {.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
  DO.allocate(DEVICE, UINT64_MAX, 0, &none);
  CHECK(!none.opaque && none.size == 0);
  void* pinned = DO.host_memory_allocate(DEVICE, 64);
  void* unified = DO.unified_memory_allocate(DEVICE, 64);
  CHECK(pinned && unified);
  DO.host_memory_deallocate(DEVICE, pinned);
  DO.unified_memory_deallocate(DEVICE, unified);
}

TEST(a_timer_measures_what_is_between_on_its_stream) {
  open_device();
  SP_Stream one = stream();
  SP_Timer timer = NULL;
  DO.create_timer(DEVICE, &timer, status);
  gate gate;
  DO.start_timer(DEVICE, one, timer, status);
  hold(one, &gate);
  DO.stop_timer(DEVICE, one, timer, status);
  CHECK_INT(host.timers.it.nanoseconds(timer), 0);
  struct timespec pause = {0, 2000000};
  nanosleep(&pause, NULL);
  let_go(&gate);
  DO.block_host_until_done(DEVICE, one, status);
  CHECK_OK(status);
  CHECK(host.timers.it.nanoseconds(timer) >= 1000000);
  hold(one, &gate);
  DO.stop_timer(DEVICE, one, timer, status);
  DO.destroy_timer(DEVICE, timer);  // while the stream still has it
  let_go(&gate);
  DO.destroy_stream(DEVICE, one);
}

TEST(a_stream_is_destroyed_when_all_of_it_has_run) {
  open_device();
  gate gate;
  for (int i = 0; i < 20; ++i) {
    SP_Stream one = stream();
    hold(one, &gate);
    let_go(&gate);
    DO.destroy_stream(DEVICE, one);
    CHECK_INT(atomic_load(&gate.passed), 1);
  }
}

static void count(void* arg, TF_Status* unused) { ++*(int*)arg; }

TEST(a_queue_of_any_length_is_taken_and_its_memory_is_bounded) {
  open_device();
  SP_Stream one = stream();
  int calls = 0;
  for (int i = 0; i < 50000; ++i) DO.host_callback(DEVICE, one, count, &calls);
  DO.block_host_until_done(DEVICE, one, status);
  CHECK_INT(calls, 50000);
}

// Each thread has its stream and hands a block round: whoever has it adds one, in an order that
// events alone keep.
enum { THREADS = 4, ROUNDS = 300 };
static SP_Stream ring[THREADS];
static SP_Event passed_on[THREADS];
static SP_DeviceMemoryBase shared;
static pthread_barrier_t turn;

static void add_one(void* arg, TF_Status* unused) { ++*(int*)arg; }

static void* go_round(void* arg) {
  const int self = (int)(intptr_t)arg;
  tn_status* own = tn_status_create();
  for (int i = 0; i < ROUNDS; ++i) {
    for (int who = 0; who < THREADS; ++who) {
      if (who == self) {
        DO.wait_for_event(DEVICE, ring[self], passed_on[(self + THREADS - 1) % THREADS], own);
        DO.host_callback(DEVICE, ring[self], add_one, shared.opaque);
        DO.record_event(DEVICE, ring[self], passed_on[self], own);
      }
      pthread_barrier_wait(&turn);
    }
  }
  CHECK_OK(own);
  tn_status_destroy(own);
  return NULL;
}

TEST(four_streams_of_four_threads_keep_the_order_that_events_give) {
  open_device();
  shared = memory(sizeof(int));
  memset(shared.opaque, 0, sizeof(int));
  pthread_barrier_init(&turn, NULL, THREADS);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    ring[i] = stream();
    passed_on[i] = event();
  }
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, go_round, (void*)(intptr_t)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  DO.synchronize_all_activity(DEVICE, status);
  CHECK_INT(*(int*)shared.opaque, THREADS * ROUNDS);
  for (int i = 0; i < THREADS; ++i) {
    DO.destroy_stream(DEVICE, ring[i]);
    DO.destroy_event(DEVICE, passed_on[i]);
  }
  DO.deallocate(DEVICE, &shared);
}
