// Events, and the worker that makes them come true later.

#include <stdlib.h>
#include <time.h>

#include "plugin.h"

typedef struct waiter {
  struct waiter* next;
  event_listener listener;
  void* arg;
  bool is_callers;  // registered by PJRT_Event_OnReady
} waiter;

struct PJRT_Event {
  atomic_int refs;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool is_ready;
  failure* failure;
  waiter *first, **last;
  PJRT_Error* only_error;  // for a misdeed
};

PJRT_Event* event_create(void) {
  PJRT_Event* event = calloc(1, sizeof *event);
  atomic_init(&event->refs, 1);
  pthread_mutex_init(&event->lock, NULL);
  pthread_cond_init(&event->changed, NULL);
  event->last = &event->first;
  return event;
}

PJRT_Event* event_ready(failure* failure) {
  PJRT_Event* event = event_create();
  event_set(event, failure);
  return event;
}

PJRT_Event* event_ref(PJRT_Event* event) {
  atomic_fetch_add(&event->refs, 1);
  return event;
}

void event_unref(PJRT_Event* event) {
  if (!event || atomic_fetch_sub(&event->refs, 1) != 1) return;
  failure_unref(event->failure);
  pthread_cond_destroy(&event->changed);
  pthread_mutex_destroy(&event->lock);
  free(event);
}

static void notify(PJRT_Event* event, const waiter* one, failure* failure) {
  bool locked = one->is_callers && BAD(callback_under_lock);
  if (locked) pthread_mutex_lock(&event->lock);
  one->listener(failure, one->arg);
  if (locked) pthread_mutex_unlock(&event->lock);
}

void event_set(PJRT_Event* event, failure* failure) {
  if (BAD(event_loses_error)) failure = NULL;
  // What runs below may give up the last other reference.
  event_ref(event);
  pthread_mutex_lock(&event->lock);
  event->is_ready = true;
  event->failure = failure_ref(failure);
  waiter* list = event->first;
  event->first = NULL;
  event->last = &event->first;
  pthread_cond_broadcast(&event->changed);
  pthread_mutex_unlock(&event->lock);
  while (list) {
    waiter* one = list;
    list = one->next;
    notify(event, one, failure);
    free(one);
    event_unref(event);  // the one that each waiter holds
  }
  event_unref(event);
}

static void add_waiter(PJRT_Event* event, event_listener listener, void* arg, bool is_callers) {
  waiter now = {.listener = listener, .arg = arg, .is_callers = is_callers};
  pthread_mutex_lock(&event->lock);
  bool is_ready = event->is_ready;
  if (!is_ready) {
    waiter* one = malloc(sizeof *one);
    *one = now;
    *event->last = one;
    event->last = &one->next;
    event_ref(event);
  }
  pthread_mutex_unlock(&event->lock);
  if (is_ready) notify(event, &now, event->failure);
}

void event_then(PJRT_Event* event, event_listener listener, void* arg) {
  add_waiter(event, listener, arg, false);
}

failure* event_failure(PJRT_Event* event) {
  pthread_mutex_lock(&event->lock);
  failure* failure = event->failure;
  pthread_mutex_unlock(&event->lock);
  return failure;
}

// ------------------------------ The table ------------------------------

static PJRT_Error* own_error(PJRT_Event* event) {
  if (!BAD(event_gives_one_error)) return error_from(event->failure);
  if (!event->only_error) event->only_error = error_from(event->failure);
  return event->only_error;
}

FUNCTION(PJRT_Event_Destroy) {
  if (!args->event && BAD(null_destroy_crashes)) abort();
  if (args->event && BAD(callback_dies_with_event)) {
    pthread_mutex_lock(&args->event->lock);
    for (waiter* one = args->event->first; one; one = one->next) {
      if (!one->is_callers) continue;
      free(one->arg);
      one->arg = NULL;
    }
    pthread_mutex_unlock(&args->event->lock);
  }
  event_unref(args->event);
  return NULL;
}

FUNCTION(PJRT_Event_IsReady) {
  pthread_mutex_lock(&args->event->lock);
  args->is_ready = args->event->is_ready && !BAD(never_says_ready);
  pthread_mutex_unlock(&args->event->lock);
  return NULL;
}

FUNCTION(PJRT_Event_Error) {
  PJRT_Event* event = args->event;
  pthread_mutex_lock(&event->lock);
  PJRT_Error* error = event->is_ready ? own_error(event)
                                      : fail(PJRT_Error_Code_FAILED_PRECONDITION,
                                             "PJRT_Event_Error: the event is not ready");
  pthread_mutex_unlock(&event->lock);
  return error;
}

FUNCTION(PJRT_Event_Await) {
  PJRT_Event* event = args->event;
  pthread_mutex_lock(&event->lock);
  while (!event->is_ready && !BAD(await_returns_early))
    pthread_cond_wait(&event->changed, &event->lock);
  PJRT_Error* error = own_error(event);
  pthread_mutex_unlock(&event->lock);
  return error;
}

typedef struct {
  PJRT_Event_OnReadyCallback callback;
  void* arg;
  failure* failure;
} callback;

static void* call_back_alone(void* arg) {
  callback* one = arg;
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  one->callback(error_from(one->failure), one->arg);
  failure_unref(one->failure);
  free(one);
  return NULL;
}

static void call_back(failure* failure, void* arg) {
  callback* one = arg;
  if (!one) return;
  pthread_t thread;
  if (BAD(callback_from_other_threads)) {
    one->failure = failure_ref(failure);
    if (!pthread_create(&thread, NULL, call_back_alone, one)) pthread_detach(thread);
    return;
  }
  callback copy = *one;
  free(one);
  if (BAD(callback_never)) return;
  copy.callback(error_from(failure), copy.arg);
  if (BAD(callback_twice)) copy.callback(error_from(failure), copy.arg);
}

FUNCTION(PJRT_Event_OnReady) {
  callback* one = calloc(1, sizeof *one);
  one->callback = args->callback;
  one->arg = args->user_arg;
  add_waiter(args->event, call_back, one, true);
  return NULL;
}

#if HAS(89)
FUNCTION(PJRT_Event_Create) {
  args->event = event_create();
  return NULL;
}

FUNCTION(PJRT_Event_Set) {
  pthread_mutex_lock(&args->event->lock);
  bool was_ready = args->event->is_ready;
  pthread_mutex_unlock(&args->event->lock);
  if (was_ready)
    return fail(PJRT_Error_Code_FAILED_PRECONDITION, "PJRT_Event_Set: the event is already set");
  failure* failure =
      args->error_code == PJRT_Error_Code_OK
          ? NULL
          : failure_create(args->error_code, args->error_message, args->error_message_size);
  event_set(args->event, failure);
  failure_unref(failure);
  return NULL;
}
#endif

// ------------------------------ The worker ------------------------------

static void* work(void* arg) {
  worker* worker = arg;
  pthread_mutex_lock(&worker->lock);
  for (;;) {
    while (!worker->first && !worker->closing) pthread_cond_wait(&worker->changed, &worker->lock);
    task* task = worker->first;
    if (!task) break;
    worker->first = task->next;
    if (!worker->first) worker->last = &worker->first;
    pthread_mutex_unlock(&worker->lock);
    nanosleep(&(struct timespec){.tv_sec = worker->delay_ms / 1000,
                                 .tv_nsec = worker->delay_ms % 1000 * 1000000},
              NULL);
    task->run(task);
    pthread_mutex_lock(&worker->lock);
  }
  worker->running = false;
  pthread_mutex_unlock(&worker->lock);
  return NULL;
}

void worker_start(worker* worker) {
  pthread_mutex_init(&worker->lock, NULL);
  pthread_cond_init(&worker->changed, NULL);
  worker->last = &worker->first;
  if (worker->delay_ms >= 0) worker->running = !pthread_create(&worker->thread, NULL, work, worker);
}

void worker_stop(worker* worker) {
  pthread_mutex_lock(&worker->lock);
  bool was_running = worker->running && !worker->closing;
  worker->closing = true;
  pthread_cond_broadcast(&worker->changed);
  pthread_mutex_unlock(&worker->lock);
  if (!was_running) return;
  if (pthread_equal(pthread_self(), worker->thread)) {
    pthread_detach(worker->thread);
  } else {
    pthread_join(worker->thread, NULL);
  }
}

static void one_less(failure* failure, void* arg) {
  task* task = arg;
  if (atomic_fetch_sub(&task->pending, 1) != 1) return;
  worker* worker = &task->client->worker;
  pthread_mutex_lock(&worker->lock);
  bool queued = worker->running && !worker->closing;
  if (queued) {
    task->next = NULL;
    *worker->last = task;
    worker->last = &task->next;
    pthread_cond_signal(&worker->changed);
  }
  pthread_mutex_unlock(&worker->lock);
  if (!queued) task->run(task);
}

void task_submit(task* task, PJRT_Client* client, PJRT_Event* const* after, size_t count) {
  task->client = client;
  atomic_init(&task->pending, (int)count + 1);
  for (size_t i = 0; i < count; ++i) event_then(after[i], one_less, task);
  one_less(NULL, task);
}
