// Many small ops over four streams, a thread each, whose results wander between them: memory holds
// steady, and no result is mixed up. `make soak` runs a million.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "misdeed_testing.h"

enum { LANES = 4, ELEMENTS = 16 };

typedef struct lane {
  int number, ops;
  tn_stream* stream;
  tn_call* call;
  const struct lane* neighbour;
  pthread_t thread;
  pthread_mutex_t lock;
  tn_tensor* shown;  // what the neighbour may take
} lane;

// A tensor's elements are lane * 100 + position, all of one sign.
static tn_tensor* make_tensor(int number) {
  float values[ELEMENTS];
  for (int i = 0; i < ELEMENTS; ++i) values[i] = (float)(number * 100 + i + 1);
  tn_tensor* made =
      tn_tensor_create_from(TN_FLOAT, (const int64_t[]){ELEMENTS}, 1, values, sizeof values, NULL);
  CHECK(made);
  return made;
}

static void check_whole(const tn_tensor* tensor) {
  tn_status* status = tn_status_create();
  tn_tensor* home = tn_tensor_to_host(tensor, status);
  CHECK_OK(status);
  const float* values = tn_tensor_data(home);
  const float sign = values[0] < 0 ? -1 : 1;
  const int number = (int)fabsf(values[0]) / 100;
  CHECK(number >= 0 && number < LANES);
  for (int i = 0; i < ELEMENTS; ++i) CHECK(values[i] == sign * (float)(number * 100 + i + 1));
  tn_tensor_destroy(home);
  tn_status_destroy(status);
}

static void show(lane* lane, const tn_tensor* tensor) {
  tn_tensor* handle = tn_tensor_to_stream(tensor, lane->stream, NULL);
  CHECK(handle);
  pthread_mutex_lock(&lane->lock);
  tn_tensor* before = lane->shown;
  lane->shown = handle;
  pthread_mutex_unlock(&lane->lock);
  tn_tensor_destroy(before);
}

static tn_tensor* take_from(const lane* lane, tn_stream* stream) {
  pthread_mutex_lock((pthread_mutex_t*)&lane->lock);
  tn_tensor* taken = lane->shown ? tn_tensor_to_stream(lane->shown, stream, NULL) : NULL;
  pthread_mutex_unlock((pthread_mutex_t*)&lane->lock);
  return taken;
}

static void* run_lane(void* arg) {
  lane* own = arg;
  tn_status* status = tn_status_create();
  tn_tensor* first = make_tensor(own->number);
  tn_tensor* current = tn_tensor_to_stream(first, own->stream, status);
  CHECK_OK(status);
  tn_tensor_destroy(first);
  const tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE,
                                   .stream = own->stream};
  for (int i = 0; i < own->ops; ++i) {
    tn_tensor* next = NULL;
    CHECK(tn_call_run_with(own->call, &current, 1, &next, 1, &options, status));
    tn_tensor_destroy(current);
    current = next;
    if (i % 8 == 3) show(own, current);
    tn_tensor* foreign = i % 8 == 7 ? take_from(own->neighbour, own->stream) : NULL;
    if (foreign) {
      tn_tensor_destroy(current);
      current = foreign;
    }
    // What is queued takes memory, so that somebody has to wait now and then: by turns for the
    // stream, with and without a limit, and for an event.
    if (i % 64 == 31) CHECK(tn_stream_wait(own->stream, i % 128 == 31 ? 30000 : 0, status));
    if (i % 64 == 63) {
      tn_event* event = tn_event_record(own->stream, status);
      CHECK(tn_event_wait(event, i % 128 == 63 ? 30000 : 0, status));
      CHECK(tn_event_poll(event, status) == 1);
      tn_event_destroy(event);
    }
    if (i % 500 == 0) check_whole(current);
  }
  check_whole(current);
  tn_tensor_destroy(current);
  CHECK_OK(status);
  tn_status_destroy(status);
  return NULL;
}

static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld %ld", &pages, &resident) == 2);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void run_lanes(lane* lanes, int ops) {
  for (int i = 0; i < LANES; ++i) {
    lanes[i].ops = ops / LANES;
    CHECK_INT(pthread_create(&lanes[i].thread, NULL, run_lane, &lanes[i]), 0);
  }
  for (int i = 0; i < LANES; ++i) pthread_join(lanes[i].thread, NULL);
}

static void soak(tn_device* device) {
  tn_status* status = tn_status_create();
  tn_call* call = tn_call_create("Neg", tn_device_name(device), status);
  CHECK_OK(status);
  lane lanes[LANES] = {0};
  for (int i = 0; i < LANES; ++i) {
    lanes[i] = (lane){.number = i,
                      .stream = tn_stream_create(device, status),
                      .call = call,
                      .neighbour = &lanes[(i + 1) % LANES]};
    pthread_mutex_init(&lanes[i].lock, NULL);
  }
  CHECK_OK(status);
  const int ops = getenv("TN_TEST_SOAK_SECONDS") ? 1000000 : 8000;
  run_lanes(lanes, ops / 4);
  const long before = resident_kib();
  run_lanes(lanes, ops);
  const long grown = resident_kib() - before;
  printf("# %d ops, %ld KiB more resident memory\n", ops, grown);
#ifndef TENON_SANITIZED  // whose quarantine and shadow grow
  CHECK(grown < 4096);
#endif
  for (int i = 0; i < LANES; ++i) tn_tensor_destroy(lanes[i].shown);
  for (int i = 0; i < LANES; ++i) {
    tn_stream_destroy(lanes[i].stream);
    pthread_mutex_destroy(&lanes[i].lock);
  }
  CHECK(tn_device_wait(device, status));
  tn_call_destroy(call);
  CHECK_OK(status);
  tn_status_destroy(status);
}

static void check_nothing_in_use(tn_device* device) {
  tn_status* status = tn_status_create();
  tn_device_memory memory = {.struct_size = TN_DEVICE_MEMORY_STRUCT_SIZE};
  CHECK(tn_device_memory_now(device, &memory, status));
  CHECK_INT(memory.in_use, 0);
  CHECK(memory.peak_reserved <= 4 << 20);
  tn_status_destroy(status);
}

TEST(test_many_ops_over_four_streams_hold_memory_steady_when_the_host_shares_it_out) {
  tn_device* device = load_device("pooled");
  soak(device);
  check_nothing_in_use(device);
  CHECK_INT(live(MISDEED_STREAMS), 1);
  CHECK_INT(live(MISDEED_EARLY_DESTROYS), 0);
}

TEST(test_many_ops_over_four_streams_hold_memory_steady_with_the_plugin_s_own_memory) {
  soak(load_device(""));
  CHECK_INT(live(MISDEED_STREAMS), 1);
  CHECK_INT(live(MISDEED_EARLY_DESTROYS), 0);
}

TEST(test_many_ops_over_four_streams_of_our_cpu_device_hold_memory_steady) {
  tn_status* status = tn_status_create();
  CHECK(tn_plugin_load_defaults(NULL, status));
  tn_device* device = tn_device_find("TENON", status);
  CHECK_OK(status);
  soak(device);
  tn_status_destroy(status);
}

// Streams and events that come and go on several threads, and depend on each other.

typedef struct churn {
  tn_device* device;
  tn_stream* shared;
  int rounds;
  atomic_int calls;
} churn;

static void count(void* arg) { ++*(atomic_int*)arg; }

static void* come_and_go(void* arg) {
  churn* churn = arg;
  tn_status* status = tn_status_create();
  for (int i = 0; i < churn->rounds; ++i) {
    tn_stream* stream = tn_stream_create(churn->device, status);
    CHECK_OK(status);
    tn_tensor* x = make_tensor(i % LANES);
    tn_tensor* there = tn_tensor_to_stream(x, churn->shared, status);
    CHECK(tn_stream_call(churn->shared, count, &churn->calls, status));
    CHECK(tn_stream_depend(stream, churn->shared, status));
    tn_tensor* here = tn_tensor_to_stream(there, stream, status);
    tn_tensor_destroy(there);
    tn_event* event = tn_event_record(stream, status);
    CHECK(tn_stream_wait_for_event(churn->shared, event, status));
    CHECK(tn_stream_call(stream, count, &churn->calls, status));
    if (i % 3 == 0) CHECK(tn_event_wait(event, 0, status));
    if (i % 3 == 1) check_whole(here);
    tn_timer* timer = i % 5 == 0 ? tn_timer_start(stream, status) : NULL;
    if (timer) CHECK(tn_timer_stop(timer, status) >= 0);
    tn_timer_destroy(timer);
    tn_event_destroy(event);
    tn_tensor_destroy(here);
    tn_tensor_destroy(x);
    tn_stream_destroy(stream);
    CHECK_OK(status);
  }
  tn_status_destroy(status);
  return NULL;
}

TEST(test_streams_and_events_come_and_go_on_several_threads) {
  tn_status* status = tn_status_create();
  tn_device* device = load_device("pooled");
  churn churn = {.device = device,
                 .shared = tn_device_stream(device, status),
                 .rounds = getenv("TN_TEST_SOAK_SECONDS") ? 20000 : 200};
  pthread_t threads[LANES];
  for (int i = 0; i < LANES; ++i)
    CHECK_INT(pthread_create(&threads[i], NULL, come_and_go, &churn), 0);
  for (int i = 0; i < LANES; ++i) pthread_join(threads[i], NULL);
  CHECK(tn_stream_wait(churn.shared, 0, status));
  CHECK_INT(churn.calls, 2 * LANES * churn.rounds);
  CHECK_INT(live(MISDEED_STREAMS), 1);
  CHECK_INT(live(MISDEED_EVENTS), 0);
  CHECK_INT(live(MISDEED_TIMERS), 0);
  CHECK_INT(live(MISDEED_EARLY_DESTROYS), 0);
  tn_status_destroy(status);
}

// A tensor outlives its stream, also while somebody reads it.

static void* read_tensors(void* arg) {
  lane* lane = arg;
  tn_tensor* last = NULL;
  for (int i = 0; i < lane->ops; ++i) {
    tn_tensor* taken = take_from(lane, lane->stream);
    if (!taken) continue;
    check_whole(taken);
    tn_tensor_destroy(last);
    last = taken;
  }
  tn_tensor_destroy(last);
  return NULL;
}

TEST(test_a_tensor_is_read_while_its_stream_is_destroyed) {
  tn_status* status = tn_status_create();
  tn_device* device = load_device("pooled");
  lane lane = {.stream = tn_device_stream(device, status), .ops = 3000};
  pthread_mutex_init(&lane.lock, NULL);
  pthread_t readers[2];
  for (int i = 0; i < 2; ++i) CHECK_INT(pthread_create(&readers[i], NULL, read_tensors, &lane), 0);
  for (int i = 0; i < 300; ++i) {
    tn_stream* stream = tn_stream_create(device, status);
    tn_tensor* x = make_tensor(i % LANES);
    tn_tensor* there = tn_tensor_to_stream(x, stream, status);
    CHECK_OK(status);
    show(&lane, there);
    tn_tensor_destroy(x);
    tn_tensor_destroy(there);
    tn_stream_destroy(stream);
  }
  for (int i = 0; i < 2; ++i) pthread_join(readers[i], NULL);
  tn_tensor_destroy(lane.shown);
  pthread_mutex_destroy(&lane.lock);
  CHECK_INT(live(MISDEED_STREAMS), 1);
  tn_status_destroy(status);
}
