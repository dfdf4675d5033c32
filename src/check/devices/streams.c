// Streams, events, callbacks and timers of a device.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/devices/fixture.h"
#include "check/devices/groups.h"

// ---- Streams ----

static void many_streams(const tn_subject* subject) {
  enum { STREAMS = 64, SIZE = 256 };
  SP_Stream streams[STREAMS];
  SP_DeviceMemoryBase blocks[STREAMS];
  char bytes[STREAMS][SIZE], back[STREAMS][SIZE];
  td_start(subject);
  for (int i = 0; i < STREAMS; ++i) {
    streams[i] = td_stream();
    blocks[i] = td_allocate(SIZE);
    memset(bytes[i], i, SIZE);
    for (int k = 0; k < i; ++k)
      TN_EXPECT(streams[i] != streams[k], "streams that differ", "%p twice", (void*)streams[i]);
  }
  for (int i = 0; i < STREAMS; ++i) {
    TD_OK(memcpy_htod, streams[i], &blocks[i], bytes[i], SIZE);
    TD_OK(memcpy_dtoh, streams[i], back[i], &blocks[i], SIZE);
  }
  for (int i = 0; i < STREAMS; ++i) {
    td_wait(streams[i]);
    td_compare("by one of many streams", back[i], bytes[i], SIZE);
    td_destroy_stream(streams[i]);
    td_free(&blocks[i]);
  }
}

static void streams_come_and_go(const tn_subject* subject) {
  enum { ROUNDS = 100 };
  td_start(subject);
  int64_t least = INT64_MAX;
  for (int stretch = 0; stretch < 4; ++stretch) {
    const struct mallinfo2 before = mallinfo2();
    for (int i = 0; i < ROUNDS; ++i) {
      SP_Stream stream = td_stream();
      td_destroy_stream(stream);
    }
    const struct mallinfo2 after = mallinfo2();
    const int64_t grown =
        (int64_t)(after.uordblks + after.hblkhd) - (int64_t)(before.uordblks + before.hblkhd);
    if (grown < least) least = grown;
  }
  TN_EXPECT(least < ROUNDS * 16, "as much memory of the host as before",
            "%lld bytes more after %d streams", (long long)least, ROUNDS);
}

static void empty_stream(const tn_subject* subject) {
  td_start(subject);
  SP_Stream stream = td_stream();
  td_wait(stream);
  td_wait(stream);
  if (td.fns->get_stream_status) TD_OK(get_stream_status, stream);
  td_destroy_stream(stream);
}

static void status_of_stream(const tn_subject* subject) {
  td_start(subject);
  TD_NEEDS(get_stream_status);
  SP_Stream stream = td_stream();
  TD_OK(get_stream_status, stream);
  SP_DeviceMemoryBase memory = td_allocate(64);
  char bytes[64] = {0};
  TD_OK(memcpy_htod, stream, &memory, bytes, sizeof bytes);
  td_wait(stream);
  TD_OK(get_stream_status, stream);
  td_destroy_stream(stream);
  td_free(&memory);
}

// What a held stream has to do is not done; the other goes on.
static void independent(const tn_subject* subject) {
  td_start(subject);
  td_gate gate = {0};
  SP_Stream held = td_stream(), other = td_stream();
  td_hold(held, &gate);
  SP_DeviceMemoryBase memory = td_allocate(64);
  char bytes[64] = {5}, back[64] = {0};
  TD_OK(memcpy_htod, other, &memory, bytes, sizeof bytes);
  TD_OK(memcpy_dtoh, other, back, &memory, sizeof back);
  td_wait(other);
  td_compare("beside a stream that waits", back, bytes, sizeof back);
  gate.open = 1;
  td_wait(held);
  TN_EXPECT(gate.left == 1, "a wait for the end of the stream", "it ended before its callback");
  td_destroy_stream(held);
  td_destroy_stream(other);
  td_free(&memory);
}

static void nap(void* arg, TF_Status* status) {
  usleep(20000);
  ++*(_Atomic int*)arg;
}

static void long_nap(void* arg, TF_Status* status) {
  usleep(500000);
  ++*(_Atomic int*)arg;
}

static void set_flag(void* arg, TF_Status* status) { ++*(_Atomic int*)arg; }

static void call(SP_Stream stream, SE_StatusCallbackFn function, void* arg) {
  TD_NEEDS(host_callback);
  const TF_Bool taken =
      TN_CASE_CALL("host_callback", td.fns->host_callback(td.device, stream, function, arg));
  TN_NEED(taken, "a callback that is enqueued", "host_callback gives 0");
}

// ---- One stream after another ----

enum { BY_DEPENDENCY, BY_EVENT };

static void follows(const tn_subject* subject) {
  td_start(subject);
  td_gate gate = {0};
  _Atomic int reached = 0;
  SP_Stream first = td_stream(), second = td_stream();
  SP_Event event = NULL;
  td_hold(first, &gate);
  if (subject->arg == BY_DEPENDENCY) {
    TD_OK(create_stream_dependency, second, first);
  } else {
    event = td_event();
    TD_OK(record_event, first, event);
    TD_OK(wait_for_event, second, event);
  }
  call(second, set_flag, (void*)&reached);
  // One that does not wait may take its time too.
  for (int i = 0; i < 1000 && reached == 0; ++i) usleep(1000);
  TN_EXPECT(reached == 0, "a stream that waits for the other", "it went on");
  gate.open = 1;
  TN_EXPECT(tn_case_wait_for(&reached, 1), "a stream that goes on after the other", "it does not");
  td_wait(second);
  td_wait(first);
  if (event) td_destroy_event(event);
  td_destroy_stream(first);
  td_destroy_stream(second);
}

// Data made by one stream, read by the other.
static void hands_over(const tn_subject* subject) {
  enum { SIZE = 1 << 18 };
  td_start(subject);
  SP_Stream first = td_stream(), second = td_stream();
  SP_DeviceMemoryBase memory = td_allocate(SIZE);
  char *bytes = td_bytes(SIZE), *back = td_room(SIZE);
  for (int i = 0; i < 8; ++i) {
    memset(bytes, i + 1, SIZE);
    TD_OK(memcpy_htod, first, &memory, bytes, SIZE);
    TD_OK(create_stream_dependency, second, first);
    TD_OK(memcpy_dtoh, second, back, &memory, SIZE);
    td_wait(second);
    td_compare("from one stream to the other", back, bytes, SIZE);
    TD_OK(create_stream_dependency, first, second);
  }
  td_wait(first);
  td_destroy_stream(first);
  td_destroy_stream(second);
  td_free(&memory);
}

static void follows_itself(const tn_subject* subject) {
  td_start(subject);
  SP_Stream stream = td_stream();
  tn_status status = {0};
  tn_case_enter("create_stream_dependency");
  td.fns->create_stream_dependency(td.device, stream, stream, &status);
  tn_case_leave();
  tn_status_deinit(&status);
  td_wait(stream);
  td_destroy_stream(stream);
}

static void all_activity(const tn_subject* subject) {
  td_start(subject);
  TD_NEEDS(synchronize_all_activity);
  _Atomic int rested = 0;
  SP_Stream first = td_stream(), second = td_stream();
  call(first, long_nap, (void*)&rested);
  call(second, long_nap, (void*)&rested);
  tn_status status = {0};
  tn_case_enter("synchronize_all_activity");
  td.fns->synchronize_all_activity(td.device, &status);
  tn_case_leave();
  td_succeeded("synchronize_all_activity", &status);
  TN_EXPECT(rested == 2, "a wait for all streams", "%d of 2 callbacks had run", rested);
  td_wait(first);
  td_wait(second);
  td_destroy_stream(first);
  td_destroy_stream(second);
}

static void destroyed_at_work(const tn_subject* subject) {
  enum { SIZE = 1 << 20 };
  td_start(subject);
  SP_DeviceMemoryBase memory = td_allocate(SIZE);
  char* bytes = td_bytes(SIZE);
  for (int i = 0; i < 8; ++i) {
    SP_Stream stream = td_stream();
    TD_OK(memcpy_htod, stream, &memory, bytes, SIZE);
    td_destroy_stream(stream);
  }
  if (td.fns->synchronize_all_activity) {
    tn_status status = {0};
    td.fns->synchronize_all_activity(td.device, &status);
    td_succeeded("synchronize_all_activity", &status);
  }
  td_free(&memory);
}

static SP_Stream shared_stream;

static void use_shared(void* arg, int i) {
  _Atomic int* reached = arg;
  for (int k = 0; k < 40; ++k) {
    SP_Event event = td_event();
    call(shared_stream, set_flag, (void*)reached);
    TD_OK(record_event, shared_stream, event);
    TD_OK(block_host_for_event, event);
    td_destroy_event(event);
  }
}

static void one_for_all(const tn_subject* subject) {
  td_start(subject);
  TD_NEEDS(host_callback);
  _Atomic int reached = 0;
  shared_stream = td_stream();
  tn_case_threads(8, 0, use_shared, (void*)&reached);
  td_wait(shared_stream);
  TN_EXPECT(reached == 320, "320 callbacks from eight threads", "%d", reached);
  td_destroy_stream(shared_stream);
}

// ---- Events ----

static void reached_event(const tn_subject* subject) {
  td_start(subject);
  SP_Stream stream = td_stream();
  SP_Event event = td_event();
  for (int i = 0; i < 20; ++i) {
    TD_OK(record_event, stream, event);
    TD_OK(block_host_for_event, event);
    const SE_EventStatus status = td_event_status(event);
    TN_EXPECT(status == SE_EVENT_COMPLETE, "SE_EVENT_COMPLETE after waiting for it", "%d", status);
  }
  td_destroy_event(event);
  td_destroy_stream(stream);
}

static void pending_event(const tn_subject* subject) {
  td_start(subject);
  td_gate gate = {0};
  SP_Stream stream = td_stream();
  SP_Event event = td_event();
  td_hold(stream, &gate);
  TD_OK(record_event, stream, event);
  const SE_EventStatus before = td_event_status(event);
  TN_EXPECT(before == SE_EVENT_PENDING, "SE_EVENT_PENDING before the stream is there", "%d",
            before);
  gate.open = 1;
  td_wait(stream);
  SE_EventStatus after = td_event_status(event);
  for (int i = 0; i < 2000 && after == SE_EVENT_PENDING; ++i) {
    usleep(1000);
    after = td_event_status(event);
  }
  TN_EXPECT(after == SE_EVENT_COMPLETE, "SE_EVENT_COMPLETE once it is", "%d", after);
  td_destroy_event(event);
  td_destroy_stream(stream);
}

static void unused_event(const tn_subject* subject) {
  td_start(subject);
  SP_Event event = td_event();
  const SE_EventStatus status = td_event_status(event);
  TN_EXPECT(status != SE_EVENT_ERROR && (int)status >= 0 && status <= SE_EVENT_COMPLETE,
            "a state that is no error", "%d", status);
  td_destroy_event(event);
}

// Nothing to wait for.
static void wait_for_unused(const tn_subject* subject) {
  td_start(subject);
  SP_Stream stream = td_stream();
  SP_Event event = td_event();
  tn_status status = {0};
  tn_case_enter("wait_for_event");
  td.fns->wait_for_event(td.device, stream, event, &status);
  tn_case_leave();
  tn_status_deinit(&status);
  td_wait(stream);
  td_destroy_event(event);
  td_destroy_stream(stream);
}

static void destroyed_pending(const tn_subject* subject) {
  td_start(subject);
  td_gate gate = {0};
  SP_Stream stream = td_stream();
  td_hold(stream, &gate);
  for (int i = 0; i < 20; ++i) {
    SP_Event event = td_event();
    TD_OK(record_event, stream, event);
    td_destroy_event(event);
  }
  gate.open = 1;
  td_wait(stream);
  td_destroy_stream(stream);
}

static void many_events(const tn_subject* subject) {
  enum { EVENTS = 500 };
  static SP_Event events[EVENTS];
  td_start(subject);
  SP_Stream stream = td_stream();
  for (int i = 0; i < EVENTS; ++i) {
    events[i] = td_event();
    TD_OK(record_event, stream, events[i]);
  }
  td_wait(stream);
  for (int i = 0; i < EVENTS; ++i) {
    TD_OK(block_host_for_event, events[i]);
    td_destroy_event(events[i]);
  }
  td_destroy_stream(stream);
}

static void events_come_and_go(const tn_subject* subject) {
  enum { ROUNDS = 200 };
  td_start(subject);
  SP_Stream stream = td_stream();
  int64_t least = INT64_MAX;
  for (int stretch = 0; stretch < 4; ++stretch) {
    const struct mallinfo2 before = mallinfo2();
    for (int i = 0; i < ROUNDS; ++i) {
      SP_Event event = td_event();
      TD_OK(record_event, stream, event);
      TD_OK(block_host_for_event, event);
      td_destroy_event(event);
    }
    td_wait(stream);
    const struct mallinfo2 after = mallinfo2();
    const int64_t grown =
        (int64_t)(after.uordblks + after.hblkhd) - (int64_t)(before.uordblks + before.hblkhd);
    if (grown < least) least = grown;
  }
  TN_EXPECT(least < ROUNDS * 16, "as much memory of the host as before",
            "%lld bytes more after %d events", (long long)least, ROUNDS);
  td_destroy_stream(stream);
}

static void last_record_counts(const tn_subject* subject) {
  td_start(subject);
  td_gate gate = {0};
  SP_Stream free_stream = td_stream(), held = td_stream();
  SP_Event event = td_event();
  TD_OK(record_event, free_stream, event);
  TD_OK(block_host_for_event, event);
  td_hold(held, &gate);
  TD_OK(record_event, held, event);
  const SE_EventStatus status = td_event_status(event);
  TN_EXPECT(status == SE_EVENT_PENDING, "SE_EVENT_PENDING: it was recorded again", "%d", status);
  gate.open = 1;
  TD_OK(block_host_for_event, event);
  td_wait(held);
  td_destroy_event(event);
  td_destroy_stream(free_stream);
  td_destroy_stream(held);
}

// ---- Callbacks ----

static void once(const tn_subject* subject) {
  td_start(subject);
  _Atomic int reached = 0;
  SP_Stream stream = td_stream();
  call(stream, set_flag, (void*)&reached);
  TN_EXPECT(tn_case_wait_for(&reached, 1), "a callback", "none");
  td_wait(stream);
  usleep(10000);
  TN_EXPECT(reached <= 1, "one callback", "%d", reached);
  td_destroy_stream(stream);
}

typedef struct turns {
  int seen[256];
  _Atomic int count;
} turns;
typedef struct turn {
  turns* all;
  int number;
  bool fine;
} turn;

static void take_turn(void* arg, TF_Status* status) {
  turn* turn = arg;
  turn->fine = status && tn_ok(status);
  turn->all->seen[turn->all->count] = turn->number;
  ++turn->all->count;
}

static void callbacks_in_order(const tn_subject* subject) {
  enum { TURNS = 200 };
  static turns all;
  static turn turns[TURNS];
  td_start(subject);
  SP_Stream stream = td_stream();
  for (int i = 0; i < TURNS; ++i) {
    turns[i] = (turn){&all, i, false};
    call(stream, take_turn, &turns[i]);
  }
  TN_NEED(tn_case_wait_for(&all.count, TURNS), "200 callbacks", "%d", all.count);
  for (int i = 0; i < TURNS; ++i) {
    TN_EXPECT(all.seen[i] == i, "callbacks in the order of the stream", "%d in place %d",
              all.seen[i], i);
    TN_EXPECT(turns[i].fine, "a status, which is OK", "none, or a failure");
  }
  td_wait(stream);
  td_destroy_stream(stream);
}

typedef struct look {
  const char *back, *expected;
  size_t size;
  _Atomic int looked;
  bool equal;
} look;

static void look_at_bytes(void* arg, TF_Status* status) {
  look* look = arg;
  look->equal = memcmp(look->back, look->expected, look->size) == 0;
  ++look->looked;
}

static void callback_after_work(const tn_subject* subject) {
  enum { SIZE = 1 << 19 };
  td_start(subject);
  SP_Stream stream = td_stream();
  SP_DeviceMemoryBase memory = td_allocate(SIZE);
  char *bytes = td_bytes(SIZE), *back = td_room(SIZE);
  TD_OK(memcpy_htod, stream, &memory, bytes, SIZE);
  TD_OK(memcpy_dtoh, stream, back, &memory, SIZE);
  look look = {.back = back, .expected = bytes, .size = SIZE};
  call(stream, look_at_bytes, &look);
  TN_NEED(tn_case_wait_for(&look.looked, 1), "a callback", "none");
  TN_EXPECT(look.equal, "copies done before the callback that follows them", "they were not");
  td_wait(stream);
  td_destroy_stream(stream);
  td_free(&memory);
}

static void fail(void* arg, TF_Status* status) {
  if (status) tn_status_set(status, TN_ABORTED, "the callback did not like it");
  ++*(_Atomic int*)arg;
}

// The stream may fail from then on, or not; nobody dies, and others go on.
static void failing_callback(const tn_subject* subject) {
  td_start(subject);
  _Atomic int reached = 0;
  SP_Stream stream = td_stream(), other = td_stream();
  call(stream, fail, (void*)&reached);
  TN_NEED(tn_case_wait_for(&reached, 1), "a callback", "none");
  tn_status status = {0};
  if (td.fns->block_host_until_done) {
    tn_case_enter("block_host_until_done");
    td.fns->block_host_until_done(td.device, stream, &status);
    tn_case_leave();
  }
  tn_status_deinit(&status);
  td_wait(other);
  td_destroy_stream(stream);
  td_destroy_stream(other);
}

// ---- Timers ----

static void need_timers(void) {
  TD_NEEDS(create_timer);
  TD_NEEDS(start_timer);
  TD_NEEDS(stop_timer);
  if (!td.platform->timer_fns.nanoseconds) tn_case_skip("the plugin's timers cannot be read");
}

static void timers(const tn_subject* subject) {
  td_start(subject);
  need_timers();
  _Atomic int rested = 0;
  SP_Stream stream = td_stream();
  for (int i = 0; i < 2; ++i) {
    SP_Timer timer = NULL;
    TD_OK(create_timer, &timer);
    TN_NEED(timer, "a timer", "success, and NULL");
    TD_OK(start_timer, stream, timer);
    const bool slept = i == 1 && td.fns->host_callback;
    if (slept) call(stream, nap, (void*)&rested);
    TD_OK(stop_timer, stream, timer);
    td_wait(stream);
    const uint64_t time = TN_CASE_CALL("nanoseconds", td.platform->timer_fns.nanoseconds(timer));
    TN_EXPECT(time < (uint64_t)td.subject->time_limit_ms * 1000000u, "less than the case may take",
              "%llu ns", (unsigned long long)time);
    TN_EXPECT(!slept || time >= 10000000u, "at least most of the 20 ms that a callback slept",
              "%llu ns", (unsigned long long)time);
    tn_case_enter("destroy_timer");
    td.fns->destroy_timer(td.device, timer);
    tn_case_leave();
  }
  td_destroy_stream(stream);
}

static void unused_timers(const tn_subject* subject) {
  td_start(subject);
  need_timers();
  for (int i = 0; i < 100; ++i) {
    SP_Timer timer = NULL;
    TD_OK(create_timer, &timer);
    tn_case_enter("destroy_timer");
    td.fns->destroy_timer(td.device, timer);
    tn_case_leave();
  }
}

static const tn_check_case cases[] = {
    {"streams.many", "64 streams work at once", many_streams, 0},
    {"streams.come_and_go", "a stream that was destroyed leaves nothing behind",
     streams_come_and_go, 0},
    {"streams.empty", "a stream with nothing to do is done", empty_stream, 0},
    {"streams.status", "a stream that works well says so", status_of_stream, 0},
    {"streams.independent", "a stream does not wait for another", independent, 0},
    {"streams.dependency", "a stream waits for the one it depends on", follows, BY_DEPENDENCY},
    {"streams.event", "a stream waits for an event of another", follows, BY_EVENT},
    {"streams.hand_over", "what one stream made the next one reads", hands_over, 0},
    {"streams.itself", "a stream may be told to wait for itself", follows_itself, 0},
    {"streams.all_activity", "synchronize_all_activity waits for all streams", all_activity, 0},
    {"streams.destroyed_at_work", "a stream may be destroyed while it works", destroyed_at_work, 0},
    {"streams.threads", "many threads may use one stream", one_for_all, 0},
    {"events.complete", "an event that was waited for is complete", reached_event, 0},
    {"events.pending", "an event is pending until its stream gets there", pending_event, 0},
    {"events.unused", "an event that was not recorded is no error", unused_event, 0},
    {"events.wait_unused", "a stream does not wait for an event that was not recorded",
     wait_for_unused, 0},
    {"events.destroyed_pending", "an event may be destroyed before its stream gets there",
     destroyed_pending, 0},
    {"events.many", "500 events at once", many_events, 0},
    {"events.come_and_go", "an event that was destroyed leaves nothing behind", events_come_and_go,
     0},
    {"events.recorded_again", "of an event the last record counts", last_record_counts, 0},
    {"callbacks.once", "a callback runs once", once, 0},
    {"callbacks.in_order", "callbacks run in the order of the stream, with a status",
     callbacks_in_order, 0},
    {"callbacks.after_work", "a callback runs after the work before it", callback_after_work, 0},
    {"callbacks.failing", "a callback that fails kills nobody", failing_callback, 0},
    {"timers.measure", "a timer measures the time of its stream", timers, 0},
    {"timers.unused", "a timer that was not used can be destroyed", unused_timers, 0},
};
const tn_check_group tn_check_devices_streams = TN_CHECK_GROUP(TN_FACE_DEVICES, cases);
