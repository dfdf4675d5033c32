// Events and their callbacks, in all orders.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

static const float numbers[4] = {1, 2, 3, 4};

// An event of work; it may be ready already, but there is enough work that it need not.
static PJRT_Event* start(const tn_subject* subject) {
  enum { many = 1 << 18 };
  static float data[many];
  const int64_t dims[] = {many};
  pj_start(subject);
  PJRT_LoadedExecutable* loaded = pj_compile(
      "module @tenon_work {\n"
      "  func.func public @main(%arg0: tensor<262144xf32>) -> tensor<262144xf32> {\n"
      "    %0 = stablehlo.constant dense<1.0> : tensor<262144xf32>\n"
      "    %1 = stablehlo.add %arg0, %0 : tensor<262144xf32>\n"
      "    return %1 : tensor<262144xf32>\n  }\n}\n");
  PJRT_Buffer *input = pj_put(data, PJRT_Buffer_Type_F32, dims, 1), *output = NULL;
  pj_execute(loaded, &input, 1, &output);
  return pj_ready_event(output);
}

// An event that is not ready before `set`.
static PJRT_Event* create(const tn_subject* subject) {
  pj_open(subject);
  PJ_ARGS(PJRT_Event_Create, args);
  PJ_OK(PJRT_Event_Create, args);
  TN_NEED(args->event, "an event", "NULL");
  pj_need(TN_PJRT_AT_PJRT_Event_Set);
  return args->event;
}

static void set(PJRT_Event* event, int code, const char* text) {
  PJ_ARGS(PJRT_Event_Set, args, .event = event, .error_code = (PJRT_Error_Code)code,
          .error_message = text, .error_message_size = strlen(text));
  PJ_OK(PJRT_Event_Set, args);
}

// What callbacks saw.
static struct {
  _Atomic int calls;
  _Atomic int codes[8];
  PJRT_Event* event;  // to be destroyed or asked in the callback
  _Atomic int is_ready;
} seen;

static void note(PJRT_Error* error, void* arg) {
  const int code = pj_take(error).code;
  const int i = (int)(intptr_t)arg;
  atomic_store(&seen.codes[i], code);
  atomic_fetch_add(&seen.calls, 1);
}

static void expect_calls(int count, int code) {
  TN_NEED(tn_case_wait_for(&seen.calls, count), "every callback is called", "%d of %d",
          atomic_load(&seen.calls), count);
  usleep(20000);  // one that comes twice comes soon
  TN_EXPECT(atomic_load(&seen.calls) == count, "each callback once", "%d calls of %d callbacks",
            atomic_load(&seen.calls), count);
  for (int i = 0; i < count; ++i)
    TN_EXPECT(atomic_load(&seen.codes[i]) == code, code ? "the event's error" : "no error", "%s",
              pj_code_name(atomic_load(&seen.codes[i])));
}

static void await(const tn_subject* subject) {
  PJRT_Event* event = start(subject);
  const pj_error error = pj_await(event);
  TN_EXPECT(!error.code, "no error", "%s: %s", pj_code_name(error.code), error.text);
  TN_EXPECT(pj_is_ready(event), "true after PJRT_Event_Await", "PJRT_Event_IsReady is false");
  TN_EXPECT(!pj_await(event).code, "no error the second time either", "one");
  PJ_ARGS(PJRT_Event_Error, args, .event = event);
  const pj_error again = pj_take(PJ_CALL(PJRT_Event_Error, args));
  TN_EXPECT(!again.code, "no error", "PJRT_Event_Error: %s: %s", pj_code_name(again.code),
            again.text);
  pj_event_destroy(event);
}

static void callback_after(const tn_subject* subject) {
  PJRT_Event* event = start(subject);
  pj_await(event);
  pj_on_ready(event, note, NULL);
  expect_calls(1, 0);
  pj_event_destroy(event);
}

static void callback_at_once(const tn_subject* subject) {
  PJRT_Event* event = start(subject);
  pj_on_ready(event, note, NULL);
  expect_calls(1, 0);
  pj_event_destroy(event);
}

static void several_callbacks(const tn_subject* subject) {
  PJRT_Event* event = start(subject);
  for (intptr_t i = 0; i < 3; ++i) pj_on_ready(event, note, (void*)i);
  pj_await(event);
  for (intptr_t i = 3; i < 6; ++i) pj_on_ready(event, note, (void*)i);
  expect_calls(6, 0);
  pj_event_destroy(event);
}

static void destroyed_pending(const tn_subject* subject) {
  PJRT_Event* event = start(subject);
  pj_on_ready(event, note, NULL);
  pj_event_destroy(event);  // as jaxlib does
  expect_calls(1, 0);
}

static void note_and_destroy(PJRT_Error* error, void* arg) {
  pj_event_destroy(seen.event);
  note(error, NULL);
}

static void destroyed_in_callback(const tn_subject* subject) {
  seen.event = start(subject);
  pj_on_ready(seen.event, note_and_destroy, NULL);
  expect_calls(1, 0);
}

static void note_and_ask(PJRT_Error* error, void* arg) {
  atomic_store(&seen.is_ready, pj_is_ready(seen.event));
  pj_await(seen.event);
  // Any call may be made from here.
  const float mine[4] = {9, 8, 7, 6};
  PJRT_Buffer* buffer = pj_put_floats(mine, 4);
  pj_destroy(buffer);
  note(error, NULL);
}

static void callback_calls(const tn_subject* subject) {
  seen.event = start(subject);
  pj_await(seen.event);
  pj_on_ready(seen.event, note_and_ask, NULL);
  expect_calls(1, 0);
  TN_EXPECT(atomic_load(&seen.is_ready), "an event that is ready in its callback",
            "one that is not");
}

static void wait_often(void* event, int i) {
  for (int k = 0; k < 20; ++k) {
    TN_EXPECT(!pj_await(event).code, "no error", "one, in thread %d", i);
    TN_EXPECT(pj_is_ready(event), "true", "false, in thread %d", i);
  }
}

static void threads(const tn_subject* subject) { pj_threads(6, wait_often, start(subject)); }

static void ask_for_events(void* buffer, int i) {
  for (int k = 0; k < 20; ++k) {
    PJRT_Event* event = pj_ready_event(buffer);
    TN_EXPECT(!pj_await(event).code, "no error", "one, in thread %d", i);
    pj_event_destroy(event);
  }
}

static void events_from_threads(const tn_subject* subject) {
  pj_start(subject);
  pj_threads(6, ask_for_events, pj_put_floats(numbers, 4));
}

// ---- Events that the host ends ----

static void created(const tn_subject* subject) {
  PJRT_Event* event = create(subject);
  TN_EXPECT(!pj_is_ready(event), "false before it is set", "PJRT_Event_IsReady is true");
  set(event, PJRT_Error_Code_OK, "");
  TN_EXPECT(!pj_await(event).code, "no error", "one");
  TN_EXPECT(pj_is_ready(event), "true once it is set", "PJRT_Event_IsReady is false");
  pj_event_destroy(event);
}

static void created_with_error(const tn_subject* subject) {
  PJRT_Event* event = create(subject);
  set(event, PJRT_Error_Code_DATA_LOSS, "the tape is torn");
  for (int i = 0; i < 3; ++i) {
    const pj_error error = pj_await(event);
    TN_EXPECT(error.code == PJRT_Error_Code_DATA_LOSS && strstr(error.text, "the tape is torn"),
              "DATA_LOSS: the tape is torn, each time", "%s: %s", pj_code_name(error.code),
              error.text);
  }
  PJ_ARGS(PJRT_Event_Error, args, .event = event);
  PJRT_Error *first = PJ_CALL(PJRT_Event_Error, args), *second = PJ_CALL(PJRT_Event_Error, args);
  TN_NEED(first && second, "the event's error", "NULL");
  TN_NEED(first != second, "an error for each caller", "one handle for two");
  pj_take(first);
  TN_EXPECT(pj_take(second).code == PJRT_Error_Code_DATA_LOSS, "an error that outlives the others",
            "another code");
  pj_event_destroy(event);
}

static void created_callbacks(const tn_subject* subject) {
  PJRT_Event* event = create(subject);
  for (intptr_t i = 0; i < 3; ++i) pj_on_ready(event, note, (void*)i);
  usleep(20000);
  TN_EXPECT(atomic_load(&seen.calls) == 0, "no call before the event is set", "%d",
            atomic_load(&seen.calls));
  set(event, subject->arg, subject->arg ? "no" : "");
  for (intptr_t i = 3; i < 5; ++i) pj_on_ready(event, note, (void*)i);
  expect_calls(5, subject->arg);
  pj_event_destroy(event);
}

static void created_destroyed_in_callback(const tn_subject* subject) {
  seen.event = create(subject);
  pj_on_ready(seen.event, note_and_destroy, NULL);
  set(seen.event, PJRT_Error_Code_OK, "");
  expect_calls(1, 0);
}

static void created_never_set(const tn_subject* subject) {
  PJRT_Event* event = create(subject);
  pj_event_destroy(event);
}

static void* wait_for_it(void* event) {
  const pj_error error = pj_await(event);
  atomic_store(&seen.codes[0], error.code);
  atomic_fetch_add(&seen.calls, 1);
  return NULL;
}

static void created_awaited(const tn_subject* subject) {
  PJRT_Event* event = create(subject);
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_for_it, event) != 0) tn_case_error("no thread");
  usleep(50000);
  TN_EXPECT(atomic_load(&seen.calls) == 0, "PJRT_Event_Await waits", "it came back at once");
  set(event, PJRT_Error_Code_ABORTED, "enough");
  pthread_join(thread, NULL);
  TN_EXPECT(atomic_load(&seen.codes[0]) == PJRT_Error_Code_ABORTED, "ABORTED", "%s",
            pj_code_name(atomic_load(&seen.codes[0])));
  pj_event_destroy(event);
}

static const tn_check_case cases[] = {
    {"events.await", "after PJRT_Event_Await an event is ready and stays so", await, 0},
    {"events.callback_after", "a callback of an event that is ready is called once", callback_after,
     0},
    {"events.callback_at_once", "a callback of a fresh event is called once", callback_at_once, 0},
    {"events.several_callbacks", "several callbacks are called once each", several_callbacks, 0},
    {"events.destroyed_pending", "a callback outlives the event's handle", destroyed_pending, 0},
    {"events.destroyed_in_callback", "an event may be destroyed in its callback",
     destroyed_in_callback, 0},
    {"events.callback_calls", "a callback may call the plugin, and use its event", callback_calls,
     0},
    {"events.threads", "many threads may wait for one event", threads, 0},
    {"events.from_threads", "many threads may ask one buffer for its event", events_from_threads,
     0},
    {"events.created", "an event of the host's is ready once it is set", created, 0},
    {"events.created_with_error", "an event gives each caller an error of its own",
     created_with_error, 0},
    {"events.created_callbacks", "callbacks wait for the event to be set", created_callbacks, 0},
    {"events.created_error_callbacks", "callbacks get the error that the event was set to",
     created_callbacks, PJRT_Error_Code_ABORTED},
    {"events.created_destroyed_in_callback",
     "an event of the host's may be destroyed in its callback", created_destroyed_in_callback, 0},
    {"events.created_never_set", "an event may be destroyed without being set", created_never_set,
     0},
    {"events.created_awaited", "PJRT_Event_Await returns when the event is ready, not before",
     created_awaited, 0},
};
const tn_check_group tn_check_pjrt_events = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
