// A device plugin that loads well and fails later: at the first use of its device, in copies,
// events and callbacks. Each is a status that names the file; nothing is lost, and the host goes
// on.
#include <pthread.h>
#include <stdatomic.h>

#include "misdeed_testing.h"

static void check_failed(tn_status* status, tn_code code, const char* words) {
  CHECK_CONTAINS(tn_status_message(status), MISDEED_PLUGIN);
  CHECK_CONTAINS(tn_status_message(status), words);
  CHECK_CODE(status, code);
}

// What works when nothing is wrong: there and back, and an op in between.
static void check_device_works(tn_device* device) {
  tn_status* status = tn_status_create();
  tn_tensor *x = some_floats(), *y = NULL, *home = NULL;
  tn_stream* stream = tn_device_stream(device, status);
  CHECK_OK(status);
  tn_tensor* there = tn_tensor_to_stream(x, stream, status);
  CHECK_OK(status);
  CHECK(tn_tensor_device(there) == device && tn_tensor_device(x) == tn_device_at(0));
  tn_call* call = tn_call_create("Neg", tn_device_name(device), status);
  CHECK_OK(status);
  CHECK(tn_call_run(call, &there, 1, &y, 1, status));
  CHECK(tn_tensor_device(y) == device);
  home = tn_tensor_to_host(y, status);
  CHECK_OK(status);
  for (int i = 0; i < 4; ++i)
    CHECK(((const float*)tn_tensor_data(home))[i] == -((const float*)tn_tensor_data(x))[i]);
  tn_call_destroy(call);
  tn_tensor_destroy(home);
  tn_tensor_destroy(y);
  tn_tensor_destroy(there);
  tn_tensor_destroy(x);
  CHECK(tn_device_wait(device, status));
  tn_status_destroy(status);
}

TEST(test_without_misdeed_the_device_works) { check_device_works(load_device("")); }

TEST(test_with_memory_that_the_host_shares_out_the_device_works) {
  check_device_works(load_device("pooled"));
}

TEST(test_tables_that_change_after_registration_change_nothing) {
  tn_device* device = load_device("tables_change");
  CHECK_TEXT(tn_device_type(device), MISDEED_TYPE);
  check_device_works(device);
}

static void work_without(const void* name) { check_device_works(load_device(name)); }

TEST(test_functions_that_need_not_be_there_are_done_without) {
  static const char* const optional[] = {
      "memcpy_dtod", "sync_memcpy_dtod", "block_host_until_done", "create_timer", "destroy_timer",
      "start_timer", "stop_timer"};
  for (size_t i = 0; i < sizeof optional / sizeof optional[0]; ++i) {
    char name[96];
    snprintf(name, sizeof name, "null:SP_StreamExecutor:%s", optional[i]);
    in_child(work_without, name, name);
  }
}

typedef struct opening {
  const char* name;
  tn_code code;
  const char* words;
} opening;

static void open_badly(const void* arg) {
  const opening* expected = arg;
  tn_status* status = tn_status_create();
  tn_device* device = load_device(expected->name);
  for (int i = 0; i < 2; ++i) {
    CHECK(!tn_device_stream(device, status));
    check_failed(status, expected->code, expected->words);
    CHECK_INT(live(MISDEED_DEVICES), 0);
    CHECK_INT(live(MISDEED_STREAMS), 0);
    CHECK_INT(live(MISDEED_BLOCKS), 0);
  }
  // The other device and the CPU are not touched by it, and a failure is not for ever.
  misdeed_from_now("");
  check_device_works(tn_device_find(MISDEED_TYPE ":1", status));
  check_device_works(device);
  tn_status_destroy(status);
}

TEST(test_a_device_that_cannot_be_opened_is_taken_down_and_tried_again) {
  static const opening openings[] = {
      {"fail:create_device", TN_UNAVAILABLE, "create_device: the device is on strike"},
      {"size:SP_Device:0", TN_FAILED_PRECONDITION, "Expected initialized `SP_Device`"},
      {"ext:SP_Device", TN_FAILED_PRECONDITION, "'ext' field in SP_Device"},
      {"fail:create_stream", TN_UNAVAILABLE, "create_stream: the device is on strike"},
  };
  for (size_t i = 0; i < sizeof openings / sizeof openings[0]; ++i)
    in_child(open_badly, &openings[i], openings[i].name);
}

static void* open_in_thread(void* device) { return tn_device_stream(device, NULL); }

TEST(test_threads_that_open_a_device_at_once_get_the_same_one) {
  tn_device* device = load_device("fail:create_stream:1");
  pthread_t threads[8];
  void* streams[8];
  int opened = 0;
  for (int i = 0; i < 8; ++i)
    CHECK_INT(pthread_create(&threads[i], NULL, open_in_thread, device), 0);
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], &streams[i]);
  for (int i = 0; i < 8; ++i) {
    opened += streams[i] != NULL;
    CHECK(!streams[i] || streams[i] == tn_device_stream(device, NULL));
  }
  CHECK_INT(opened, 7);  // the first attempt failed, and another thread's did not
  CHECK_INT(live(MISDEED_DEVICES), 1);
  CHECK_INT(live(MISDEED_STREAMS), 1);
  check_device_works(device);
}

TEST(test_a_second_stream_that_fails_leaves_the_first_alone) {
  tn_device* device = load_device("fail:create_stream:2");
  tn_status* status = tn_status_create();
  CHECK(tn_device_stream(device, status));
  CHECK(!tn_stream_create(device, status));
  check_failed(status, TN_UNAVAILABLE, "create_stream: the device is on strike");
  CHECK_INT(live(MISDEED_STREAMS), 1);
  check_device_works(device);
  CHECK(!tn_stream_create_with_priority(device, 1, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  tn_status_destroy(status);
}

static void allocate_badly(const void* misdeed) {
  tn_device* device = load_device(misdeed);
  tn_status* status = tn_status_create();
  tn_tensor* x = some_floats();
  tn_stream* stream = tn_device_stream(device, status);
  CHECK_OK(status);
  misdeed_from_now("fail:allocate");
  CHECK(!tn_tensor_to_stream(x, stream, status));
  CHECK_CONTAINS(tn_status_message(status), "MISDEED:0");
  CHECK_CODE(status, TN_RESOURCE_EXHAUSTED);
  misdeed_from_now("");
  check_device_works(device);
  tn_tensor_destroy(x);
  tn_status_destroy(status);
}

TEST(test_an_allocation_that_fails_says_what_is_in_use) {
  in_child(allocate_badly, "", "direct");
  in_child(allocate_badly, "pooled", "pooled");
}

TEST(test_more_memory_than_the_device_has_is_refused) {
  tn_device* device = load_device("pooled");
  tn_status* status = tn_status_create();
  tn_stream* stream = tn_device_stream(device, status);
  tn_tensor* large = tn_tensor_create(TN_UINT8, (const int64_t[]){100 << 20}, 1, status);
  CHECK_OK(status);
  CHECK(!tn_tensor_to_stream(large, stream, status));
  CHECK_CODE(status, TN_RESOURCE_EXHAUSTED);
  check_device_works(device);
  tn_tensor_destroy(large);
  tn_status_destroy(status);
}

TEST(test_a_copy_that_fails_at_once_is_a_status) {
  tn_device* device = load_device("");
  tn_status* status = tn_status_create();
  tn_tensor* x = some_floats();
  tn_stream* stream = tn_device_stream(device, status);
  misdeed_from_now("fail:memcpy_htod");
  CHECK(!tn_tensor_to_stream(x, stream, status));
  check_failed(status, TN_UNAVAILABLE, "memcpy_htod: the device is on strike");
  misdeed_from_now("");
  tn_tensor* there = tn_tensor_to_stream(x, stream, status);
  CHECK_OK(status);
  misdeed_from_now("fail:memcpy_dtoh");
  CHECK(!tn_tensor_to_host(there, status));
  check_failed(status, TN_UNAVAILABLE, "memcpy_dtoh: the device is on strike");
  tn_tensor_destroy(there);
  tn_tensor_destroy(x);
  misdeed_from_now("");
  check_device_works(device);
  tn_status_destroy(status);
}

TEST(test_a_copy_that_fails_later_is_told_by_whoever_waits) {
  tn_device* device = load_device("");
  tn_status* status = tn_status_create();
  tn_tensor* x = some_floats();
  tn_stream* stream = tn_stream_create(device, status);
  misdeed_from_now("copy_fails_later");
  tn_tensor* there = tn_tensor_to_stream(x, stream, status);
  CHECK_OK(status);
  CHECK(!tn_stream_wait(stream, 0, status));
  check_failed(status, TN_DATA_LOSS, "a copy failed on the way");
  CHECK(!tn_stream_wait(stream, 5000, status));
  check_failed(status, TN_DATA_LOSS, "a copy failed on the way");
  misdeed_from_now("");
  tn_tensor_destroy(there);
  tn_tensor_destroy(x);
  tn_stream_destroy(stream);
  // Other streams go on.
  check_device_works(device);
  tn_status_destroy(status);
}

TEST(test_an_event_that_never_comes_is_polled_until_the_time_is_over) {
  tn_device* device = load_device("");
  tn_status* status = tn_status_create();
  tn_stream* stream = tn_stream_create(device, status);
  misdeed_from_now("event:2");
  tn_event* event = tn_event_record(stream, status);
  CHECK_OK(status);
  CHECK_INT(tn_event_poll(event, status), 0);
  CHECK(!tn_event_wait(event, 30, status));
  check_failed(status, TN_DEADLINE_EXCEEDED, "30 ms");
  CHECK(!tn_stream_wait(stream, 30, status));
  check_failed(status, TN_DEADLINE_EXCEEDED, "30 ms");
  misdeed_from_now("");
  CHECK_INT(tn_event_poll(event, status), 1);
  CHECK(tn_event_wait(event, 1000, status));
  tn_event_destroy(event);
  tn_stream_destroy(stream);
  check_device_works(device);
  tn_status_destroy(status);
}

TEST(test_an_event_in_a_state_that_is_no_good_is_a_status) {
  tn_device* device = load_device("pooled");
  tn_status* status = tn_status_create();
  tn_event* event = tn_event_record(tn_device_stream(device, status), status);
  CHECK_OK(status);
  static const char* const states[] = {"event:0", "event:1", "event:77", "event:-1"};
  for (size_t i = 0; i < sizeof states / sizeof states[0]; ++i) {
    misdeed_from_now(states[i]);
    CHECK_INT(tn_event_poll(event, status), -1);
    check_failed(status, TN_INTERNAL, "get_event_status on");
    CHECK(!tn_event_wait(event, 1000, status));
    check_failed(status, TN_INTERNAL, "get_event_status on");
  }
  misdeed_from_now("");
  tn_event_destroy(event);
  check_device_works(device);
  CHECK_INT(live(MISDEED_EVENTS), 0);
  tn_status_destroy(status);
}

// Each function that reports a failure of its own.
static bool try_record(tn_stream* stream, tn_stream* other, tn_event* event, tn_status* status) {
  tn_event* made = tn_event_record(stream, status);
  tn_event_destroy(made);
  return made;
}
static bool try_wait_for_event(tn_stream* stream, tn_stream* other, tn_event* event,
                               tn_status* status) {
  return tn_stream_wait_for_event(stream, event, status);
}
static bool try_event_wait(tn_stream* stream, tn_stream* other, tn_event* event,
                           tn_status* status) {
  return tn_event_wait(event, 0, status);
}
static bool try_depend(tn_stream* stream, tn_stream* other, tn_event* event, tn_status* status) {
  return tn_stream_depend(stream, other, status);
}
static bool try_wait(tn_stream* stream, tn_stream* other, tn_event* event, tn_status* status) {
  return tn_stream_wait(stream, 0, status);
}
static bool try_device_wait(tn_stream* stream, tn_stream* other, tn_event* event,
                            tn_status* status) {
  return tn_device_wait(tn_stream_device(stream), status);
}
static bool try_timer(tn_stream* stream, tn_stream* other, tn_event* event, tn_status* status) {
  tn_timer* timer = tn_timer_start(stream, status);
  const bool measured = timer && tn_timer_stop(timer, status) >= 0;
  tn_timer_destroy(timer);
  return measured;
}

TEST(test_every_function_that_fails_is_named) {
  static const struct {
    const char* misdeed;
    const char* words;
    bool (*attempt)(tn_stream* stream, tn_stream* other, tn_event* event, tn_status* status);
  } cases[] = {
      {"fail:create_event", "create_event: the device is on strike", try_record},
      {"fail:record_event", "record_event: the device is on strike", try_record},
      {"fail:wait_for_event", "wait_for_event: the device is on strike", try_wait_for_event},
      {"fail:block_host_for_event", "block_host_for_event: the device is on strike",
       try_event_wait},
      {"fail:create_stream_dependency", "create_stream_dependency: the device is on strike",
       try_depend},
      {"fail:block_host_until_done", "block_host_until_done: the device is on strike", try_wait},
      {"fail:get_stream_status", "get_stream_status: the device is on strike", try_wait},
      {"fail:synchronize_all_activity", "synchronize_all_activity: the device is on strike",
       try_device_wait},
      {"fail:create_timer", "create_timer: the device is on strike", try_timer},
      {"fail:start_timer", "start_timer: the device is on strike", try_timer},
      {"fail:stop_timer", "stop_timer: the device is on strike", try_timer},
      {"timers_say_nonsense", "18446744073709551615 is no time that a timer can take", try_timer},
  };
  tn_device* device = load_device("pooled");
  tn_status* status = tn_status_create();
  tn_stream *stream = tn_stream_create(device, status), *other = tn_stream_create(device, status);
  tn_event* event = tn_event_record(stream, status);
  CHECK_OK(status);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    misdeed_from_now(cases[i].misdeed);
    CHECK(!cases[i].attempt(stream, other, event, status));
    check_failed(status, strchr(cases[i].misdeed, ':') ? TN_UNAVAILABLE : TN_INTERNAL,
                 cases[i].words);
    misdeed_from_now("");
    CHECK(cases[i].attempt(stream, other, event, status));
    CHECK_OK(status);
  }
  tn_event_destroy(event);
  tn_stream_destroy(stream);
  tn_stream_destroy(other);
  check_device_works(device);
  CHECK_INT(live(MISDEED_EVENTS), 0);
  CHECK_INT(live(MISDEED_TIMERS), 0);
  CHECK_INT(live(MISDEED_STREAMS), 1);
  tn_status_destroy(status);
}

static void count(void* arg) { ++*(atomic_int*)arg; }

TEST(test_a_callback_is_made_once_whatever_the_plugin_does) {
  tn_device* device = load_device("");
  tn_status* status = tn_status_create();
  tn_stream* stream = tn_stream_create(device, status);
  atomic_int calls = 0;
  misdeed_from_now("callback_twice");
  CHECK(tn_stream_call(stream, count, &calls, status));
  CHECK(tn_stream_wait(stream, 0, status));
  CHECK_INT(calls, 1);

  misdeed_from_now("callback_refused");
  CHECK(!tn_stream_call(stream, count, &calls, status));
  check_failed(status, TN_INTERNAL, "host_callback");
  CHECK(tn_stream_wait(stream, 0, status));
  CHECK_INT(calls, 1);

  // Refused, and made all the same, before or after the host had heard of the refusal.
  misdeed_from_now("callback_refused_but_made");
  for (int i = 0; i < 100; ++i) {
    atomic_int made = 0;
    const bool accepted = tn_stream_call(stream, count, &made, status);
    CHECK(tn_stream_wait(stream, 0, NULL));
    CHECK_INT(made, accepted);
    tn_status_clear(status);
  }

  misdeed_from_now("callback_never");
  CHECK(tn_stream_call(stream, count, &calls, status));
  CHECK(tn_stream_wait(stream, 0, status));
  CHECK_INT(calls, 1);

  misdeed_from_now("");
  CHECK(tn_stream_call(stream, count, &calls, status));
  CHECK(tn_stream_wait(stream, 0, status));
  CHECK_INT(calls, 2);
  tn_stream_destroy(stream);
  check_device_works(device);
  tn_status_destroy(status);
}

static void dawdle(void* arg) {
  usleep(20000);
  ++*(atomic_int*)arg;
}

TEST(test_what_is_destroyed_with_work_on_it_is_waited_for) {
  tn_device* device = load_device("");
  tn_status* status = tn_status_create();
  atomic_int calls = 0;
  tn_stream* stream = tn_stream_create(device, status);
  for (int i = 0; i < 5; ++i) CHECK(tn_stream_call(stream, dawdle, &calls, status));
  // Tensors and events go before the stream gets to them.
  tn_tensor* x = some_floats();
  tn_tensor* there = tn_tensor_to_stream(x, stream, status);
  CHECK_OK(status);
  tn_tensor_destroy(x);
  tn_tensor_destroy(there);
  tn_event_destroy(tn_event_record(stream, status));
  CHECK_OK(status);
  tn_stream_destroy(stream);
  CHECK_INT(calls, 5);
  CHECK_INT(live(MISDEED_EARLY_DESTROYS), 0);
  CHECK_INT(live(MISDEED_STREAMS), 1);
  check_device_works(device);
  tn_status_destroy(status);
}

// The plugin fails to wait in one way, with work still to be done: what the work uses stays.
TEST(test_what_a_stream_still_uses_stays_when_it_cannot_be_waited_for) {
  static const char* const misdeeds[] = {"fail:block_host_until_done", "callback_refused",
                                         "fail:synchronize_all_activity", "fail:create_event"};
  tn_device* device = load_device("");
  tn_status* status = tn_status_create();
  for (size_t i = 0; i < sizeof misdeeds / sizeof misdeeds[0]; ++i) {
    atomic_int calls = 0;
    tn_stream* stream = tn_stream_create(device, status);
    tn_tensor* x = some_floats();
    tn_tensor* there = tn_tensor_to_stream(x, stream, status);
    CHECK(tn_stream_call(stream, dawdle, &calls, status));
    misdeed_from_now(misdeeds[i]);
    tn_tensor_destroy(tn_tensor_to_host(there, NULL));
    tn_tensor* again = tn_tensor_to_stream(x, stream, NULL);
    tn_timer_destroy(tn_timer_start(stream, NULL));
    tn_tensor_destroy(x);
    tn_tensor_destroy(again);
    tn_tensor_destroy(there);
    tn_stream_destroy(stream);
    CHECK_INT(calls, 1);
    CHECK_INT(live(MISDEED_EARLY_DESTROYS), 0);
    CHECK_INT(live(MISDEED_STREAMS), 1);
    CHECK_INT(live(MISDEED_TIMERS), 0);
    misdeed_from_now("");
    check_device_works(device);
    tn_status_clear(status);
  }
  tn_status_destroy(status);
}

static void describe(const void* misdeed) {
  tn_device* device = load_device(misdeed);
  tn_status* status = tn_status_create();
  tn_device_info info = {.struct_size = TN_DEVICE_INFO_STRUCT_SIZE};
  tn_device_memory memory = {.struct_size = TN_DEVICE_MEMORY_STRUCT_SIZE};
  CHECK(tn_device_describe(device, &info, status));
  CHECK_OK(status);
  CHECK_TEXT(info.hardware, "threads");
  CHECK_TEXT(info.plugin, MISDEED_PLUGIN);
  CHECK_TEXT(info.vendor, "");
  const bool says_memory = !strstr(misdeed, "memory");
  CHECK_INT(info.memory_total, says_memory ? 64 << 20 : -1);
  CHECK_INT(info.memory_free, says_memory ? 64 << 20 : -1);
  CHECK(tn_device_memory_now(device, &memory, status));
  CHECK_OK(status);
  if (strstr(misdeed, "stats") || strstr(misdeed, "Stats")) CHECK_INT(memory.allocations, -1);
  check_device_works(device);
  tn_status_destroy(status);
}

TEST(test_a_device_that_does_not_know_its_memory_works) {
  static const char* const misdeeds[] = {"",
                                         "fail:device_memory_usage",
                                         "negative_memory",
                                         "more_free_memory_than_there_is",
                                         "fail:get_allocator_stats",
                                         "size:SP_AllocatorStats:0"};
  for (size_t i = 0; i < sizeof misdeeds / sizeof misdeeds[0]; ++i)
    in_child(describe, misdeeds[i], misdeeds[i]);
}

TEST(test_memory_that_the_device_refuses_is_a_status) {
  static const struct {
    const char* misdeed;
    tn_memory_kind kind;
  } cases[] = {{"fail:allocate", TN_MEMORY_DEVICE},
               {"fail:host_memory_allocate", TN_MEMORY_HOST},
               {"fail:unified_memory_allocate", TN_MEMORY_UNIFIED}};
  tn_device* device = load_device("unified");
  tn_status* status = tn_status_create();
  CHECK(tn_device_stream(device, status));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    misdeed_from_now(cases[i].misdeed);
    const int blocks = live(MISDEED_BLOCKS);
    CHECK(!tn_tensor_create_on(device, cases[i].kind, TN_FLOAT, (const int64_t[]){4}, 1, status));
    CHECK_CONTAINS(tn_status_message(status), "MISDEED:0");
    CHECK_CODE(status, TN_RESOURCE_EXHAUSTED);
    misdeed_from_now("");
    tn_tensor* made =
        tn_tensor_create_on(device, cases[i].kind, TN_FLOAT, (const int64_t[]){4}, 1, status);
    CHECK_OK(status);
    CHECK_INT(live(MISDEED_BLOCKS), blocks + 1);
    tn_tensor_destroy(made);
    // The device's own goes when its streams have passed by.
    if (cases[i].kind != TN_MEMORY_DEVICE) CHECK_INT(live(MISDEED_BLOCKS), blocks);
  }
  check_device_works(device);
  tn_status_destroy(status);
}

TEST(test_fills_and_copies_that_fail_are_statuses) {
  tn_device* device = load_device("pooled");
  tn_status* status = tn_status_create();
  tn_stream* stream = tn_device_stream(device, status);
  float values[4] = {1, 2, 3, 4}, found[4] = {0};
  tn_tensor* tensor =
      tn_tensor_create_on(device, TN_MEMORY_DEVICE, TN_FLOAT, (const int64_t[]){4}, 1, status);
  CHECK_OK(status);
  misdeed_from_now("fail:memset");
  CHECK(!tn_tensor_fill_bytes(tensor, 1, stream, status));
  check_failed(status, TN_UNAVAILABLE, "the device is on strike");
  CHECK(!tn_tensor_fill_words(tensor, 1, stream, status));
  check_failed(status, TN_UNAVAILABLE, "the device is on strike");
  misdeed_from_now("fail:sync_memcpy_htod");
  CHECK(!tn_tensor_write(tensor, values, sizeof values, status));
  check_failed(status, TN_UNAVAILABLE, "sync_memcpy_htod: the device is on strike");
  misdeed_from_now("");
  CHECK(tn_tensor_fill_bytes(tensor, 0, stream, status));
  CHECK(tn_tensor_write(tensor, values, sizeof values, status));
  misdeed_from_now("fail:sync_memcpy_dtoh");
  CHECK(!tn_tensor_read(tensor, found, sizeof found, status));
  check_failed(status, TN_UNAVAILABLE, "sync_memcpy_dtoh: the device is on strike");
  misdeed_from_now("");
  CHECK(tn_tensor_read(tensor, found, sizeof found, status));
  CHECK(memcmp(found, values, sizeof found) == 0);
  tn_tensor_destroy(tensor);
  check_device_works(device);
  tn_status_destroy(status);
}

static void hang_until_released(void* released) {
  while (!*(atomic_bool*)released) usleep(1000);
}

TEST(test_a_stream_that_hangs_is_given_up_and_the_others_go_on) {
  tn_device* device = load_device("");
  tn_status* status = tn_status_create();
  static atomic_bool released;
  tn_stream* stream = tn_stream_create(device, status);
  CHECK(tn_stream_call(stream, hang_until_released, &released, status));
  for (int i = 0; i < 3; ++i) {
    CHECK(!tn_stream_wait(stream, 20, status));
    check_failed(status, TN_DEADLINE_EXCEEDED, "20 ms");
  }
  check_device_works(tn_device_find(MISDEED_TYPE ":1", status));
  tn_stream_destroy(stream);
  CHECK_INT(live(MISDEED_EARLY_DESTROYS), 0);
  check_device_works(tn_device_find(MISDEED_TYPE ":1", status));
  // What did not come in time may come later.
  released = true;
  check_device_works(device);
  tn_status_destroy(status);
}
