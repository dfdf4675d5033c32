#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/memory.h"
#include "host.h"

typedef struct seen {
  _Atomic int calls;
  tn_code code;
  char message[128];
  tn_pjrt_event* destroy;  // by the call
} seen;

static void see(const tn_status* result, void* arg) {
  seen* to = arg;
  to->code = tn_status_code(result);
  snprintf(to->message, sizeof to->message, "%s", tn_status_message(result));
  tn_pjrt_event_destroy(to->destroy);
  atomic_fetch_add(&to->calls, 1);
}

// A minute at most: whoever runs under a sanitizer on a busy machine is slow.
static void wait_for_call(seen* what) {
  for (int i = 0; i < 60000 && atomic_load(&what->calls) == 0; ++i)
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  CHECK_INT(atomic_load(&what->calls), 1);
}

TEST(test_an_event_that_the_host_makes_happens_when_it_is_set) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_event* event = tn_pjrt_event_create(client, status);
  CHECK_OK(status);
  bool ready = true;
  CHECK(tn_pjrt_event_ready(event, &ready, status));
  CHECK(!ready);
  seen before = {0}, after = {0};
  CHECK(tn_pjrt_event_on_ready(event, see, &before, status));
  CHECK_INT(atomic_load(&before.calls), 0);
  CHECK(tn_pjrt_event_set(event, NULL, status));
  CHECK(tn_pjrt_event_wait(event, status));
  CHECK(tn_pjrt_event_ready(event, &ready, status));
  CHECK(ready);
  wait_for_call(&before);
  CHECK_INT(before.code, TN_OK);
  CHECK(tn_pjrt_event_on_ready(event, see, &after, status));
  wait_for_call(&after);
  CHECK_OK(status);
  tn_pjrt_event_destroy(event);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_everyone_who_waits_is_told_what_failed) {
  tn_status* status = tn_status_create();
  tn_status* why = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_event* event = tn_pjrt_event_create(client, status);
  seen first = {0}, second = {0};
  CHECK(tn_pjrt_event_on_ready(event, see, &first, status));
  tn_status_set(why, TN_DATA_LOSS, "the disk is gone");
  CHECK(tn_pjrt_event_set(event, why, status));
  wait_for_call(&first);
  CHECK(tn_pjrt_event_on_ready(event, see, &second, status));
  wait_for_call(&second);
  CHECK_INT(first.code, TN_DATA_LOSS);
  CHECK_CONTAINS(first.message, "the disk is gone");
  CHECK_CONTAINS(second.message, "the disk is gone");
  for (int i = 0; i < 2; ++i) {
    CHECK(!tn_pjrt_event_wait(event, status));
    CHECK_CONTAINS(tn_status_message(status), "the disk is gone");
    CHECK_CODE(status, TN_DATA_LOSS);
    CHECK(!tn_pjrt_event_wait(event, NULL));
  }
  tn_pjrt_event_destroy(event);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(why);
  tn_status_destroy(status);
}

TEST(test_a_callback_runs_once_when_its_event_is_destroyed_before_or_by_it) {
  tn_status* status = tn_status_create();
  for (int i = 0; i < 2; ++i) {
    tn_pjrt_client* client = client_with(114, 1, 20);
    tn_pjrt_buffer* buffer = four_floats(client, NULL, status);
    tn_pjrt_event* event = tn_pjrt_buffer_ready(buffer, status);
    CHECK_OK(status);
    seen what = {.destroy = i ? event : NULL};
    CHECK(tn_pjrt_event_on_ready(event, see, &what, status));
    if (!i) tn_pjrt_event_destroy(event);
    wait_for_call(&what);
    CHECK_INT(what.code, TN_OK);
    tn_pjrt_buffer_destroy(buffer);
    tn_pjrt_client_destroy(client);
  }
  CHECK_OK(status);
  tn_status_destroy(status);
}

TEST(test_a_callback_may_come_after_everything_else_is_gone) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_with(114, 1, 50);
  tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 1, ""), status);
  tn_pjrt_buffer *x = four_floats(client, NULL, status), *y = NULL;
  CHECK(tn_pjrt_execute(program, &x, 1, &y, 1, NULL, status));
  tn_pjrt_event* event = tn_pjrt_buffer_ready(y, status);
  seen what = {0};
  CHECK(tn_pjrt_event_on_ready(event, see, &what, status));
  CHECK_OK(status);
  tn_pjrt_event_destroy(event);
  tn_pjrt_buffer_destroy(x);
  tn_pjrt_buffer_destroy(y);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  wait_for_call(&what);
  CHECK_INT(what.code, TN_OK);
  tn_status_destroy(status);
}

TEST(test_a_plugin_that_calls_back_twice_is_heard_once) {
  setenv("PJRT_MISDEED", "callback_twice", 1);
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_event* event = tn_pjrt_event_create(client, status);
  CHECK(tn_pjrt_event_set(event, NULL, status));
  seen what = {0};
  CHECK(tn_pjrt_event_on_ready(event, see, &what, status));
  wait_for_call(&what);
  CHECK_OK(status);
  tn_pjrt_event_destroy(event);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_a_plugin_that_cannot_call_back_is_a_status_and_no_call) {
  setenv("PJRT_MISDEED", "fail@PJRT_Event_OnReady", 1);
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_event* event = tn_pjrt_event_create(client, status);
  CHECK_OK(status);
  seen what = {0};
  CHECK(!tn_pjrt_event_on_ready(event, see, &what, status));
  CHECK_CONTAINS(tn_status_message(status), "PJRT_Event_OnReady");
  CHECK(!tn_ok(status));
  CHECK_INT(atomic_load(&what.calls), 0);
  tn_pjrt_event_destroy(event);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_plugins_before_89_have_no_events_of_the_hosts) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(75);
  CHECK(!tn_pjrt_event_create(client, status));
  CHECK_CONTAINS(tn_status_message(status), "0.89");
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_wrong_arguments_of_event_calls_are_refused) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_event* event = tn_pjrt_event_create(client, status);
  bool ready = true;
  CHECK(!tn_pjrt_event_ready(NULL, &ready, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_event_ready(event, NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_event_wait(NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_event_on_ready(NULL, see, NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_event_on_ready(event, NULL, NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_event_create(NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_event_set(NULL, NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  tn_pjrt_event_destroy(NULL);
  CHECK(tn_pjrt_event_set(event, NULL, status));
  CHECK(!tn_pjrt_event_set(event, NULL, status));  // twice
  CHECK(!tn_ok(status));
  tn_pjrt_event_destroy(event);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

static bool use_events(void* plugin, tn_status* status) {
  tn_pjrt_client* client = tn_pjrt_client_create(plugin, NULL, status);
  tn_pjrt_event* event = client ? tn_pjrt_event_create(client, status) : NULL;
  seen what = {0};
  bool ready = false;
  bool ok = event && tn_pjrt_event_on_ready(event, see, &what, status) &&
            tn_pjrt_event_set(event, NULL, status) && tn_pjrt_event_ready(event, &ready, status) &&
            tn_pjrt_event_wait(event, status);
  if (ok) wait_for_call(&what);
  tn_pjrt_event_destroy(event);
  tn_pjrt_client_destroy(client);
  return ok;
}

TEST(test_events_survive_every_failing_allocation) {
  tn_pjrt* plugin = open_number(114, 0);
  CHECK(test_sweep_allocations(use_events, plugin) > 10);
  tn_pjrt_close(plugin);
}

typedef struct waiter {
  tn_pjrt_event* event;
  seen what;
  bool told;
} waiter;

static void* wait_in_thread(void* arg) {
  waiter* self = arg;
  tn_status* status = tn_status_create();
  self->told = tn_pjrt_event_on_ready(self->event, see, &self->what, status) &&
               tn_pjrt_event_wait(self->event, status);
  tn_status_destroy(status);
  return NULL;
}

TEST(test_many_threads_wait_for_one_event) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_event* event = tn_pjrt_event_create(client, status);
  waiter waiters[8];
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) {
    waiters[i] = (waiter){.event = event};
    CHECK_INT(pthread_create(&threads[i], NULL, wait_in_thread, &waiters[i]), 0);
  }
  CHECK(tn_pjrt_event_set(event, NULL, status));
  for (int i = 0; i < 8; ++i) {
    pthread_join(threads[i], NULL);
    wait_for_call(&waiters[i].what);
    CHECK(waiters[i].told);
  }
  CHECK_OK(status);
  tn_pjrt_event_destroy(event);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}
