#include "stream.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Less than this is done at once when the stream is idle, in nanoseconds.
enum { LITTLE = 20000 };
// So many may wait in a queue; then whoever brings more waits too.
enum { MAX_QUEUED = 4096 };

typedef struct task {
  struct task* next;
  stream_body body;
  max_align_t args[];
} task;

struct SP_Stream_st {
  pthread_mutex_t lock;
  pthread_cond_t more;      // for the thread: there is something to do
  pthread_cond_t progress;  // for those who wait: something is done
  task *first, **last;
  _Atomic uint64_t given, done;
  atomic_int waiting;
  bool started, ending;
  pthread_t thread;
  TF_Code code;
  char message[256];
};

// The stream whose thread this is.
static _Thread_local SP_Stream own;

bool stream_is_here(void) { return own; }

SP_Stream stream_create(void) {
  SP_Stream stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  pthread_mutex_init(&stream->lock, NULL);
  pthread_cond_init(&stream->more, NULL);
  pthread_cond_init(&stream->progress, NULL);
  stream->last = &stream->first;
  return stream;
}

static bool is_idle(SP_Stream stream) {
  const uint64_t done = atomic_load(&stream->done);
  return done == atomic_load(&stream->given);
}

static void run_tasks(SP_Stream stream, task* tasks) {
  while (tasks) {
    task* done = tasks;
    tasks = done->next;
    done->body(stream, done->args);
    free(done);
    atomic_fetch_add(&stream->done, 1);
    if (!atomic_load(&stream->waiting)) continue;
    // With the lock, so that nobody is between looking and sleeping.
    pthread_mutex_lock(&stream->lock);
    pthread_cond_broadcast(&stream->progress);
    pthread_mutex_unlock(&stream->lock);
  }
}

static void* work(void* arg) {
  SP_Stream stream = own = arg;
  pthread_mutex_lock(&stream->lock);
  for (;;) {
    while (!stream->first && !stream->ending) pthread_cond_wait(&stream->more, &stream->lock);
    task* tasks = stream->first;
    if (!tasks) break;
    stream->first = NULL;
    stream->last = &stream->first;
    pthread_mutex_unlock(&stream->lock);
    run_tasks(stream, tasks);
    pthread_mutex_lock(&stream->lock);
  }
  pthread_mutex_unlock(&stream->lock);
  return NULL;
}

// With the lock held.
static bool start(SP_Stream stream) {
  if (stream->started) return true;
  // The application's signals are not for this thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  stream->started = pthread_create(&stream->thread, NULL, work, stream) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return stream->started;
}

// With the lock held: until `count` are done.
static void wait_until_done(SP_Stream stream, uint64_t count) {
  atomic_fetch_add(&stream->waiting, 1);
  while (atomic_load(&stream->done) < count) pthread_cond_wait(&stream->progress, &stream->lock);
  atomic_fetch_sub(&stream->waiting, 1);
}

void stream_wait(SP_Stream stream) {
  if (is_idle(stream) || own == stream) return;
  pthread_mutex_lock(&stream->lock);
  wait_until_done(stream, atomic_load(&stream->given));
  pthread_mutex_unlock(&stream->lock);
}

void stream_destroy(SP_Stream stream) {
  // Its own thread cannot wait for its end: then the stream stays.
  if (!stream || own == stream) return;
  pthread_mutex_lock(&stream->lock);
  stream->ending = true;
  pthread_cond_signal(&stream->more);
  pthread_mutex_unlock(&stream->lock);
  if (stream->started) pthread_join(stream->thread, NULL);
  pthread_cond_destroy(&stream->progress);
  pthread_cond_destroy(&stream->more);
  pthread_mutex_destroy(&stream->lock);
  free(stream);
}

// False when it cannot be.
static bool enqueue(SP_Stream stream, stream_body body, const void* args, size_t size) {
  task* added = malloc(sizeof *added + size);
  if (!added) return false;
  added->next = NULL;
  added->body = body;
  if (size) memcpy(added->args, args, size);
  pthread_mutex_lock(&stream->lock);
  const uint64_t given = atomic_load(&stream->given);
  // A stream's thread never waits here: what it waits for may need it.
  if (!own && given - atomic_load(&stream->done) >= MAX_QUEUED)
    wait_until_done(stream, given - MAX_QUEUED + 1);
  const bool started = start(stream);
  if (started) {
    *stream->last = added;
    stream->last = &added->next;
    atomic_fetch_add(&stream->given, 1);
    pthread_cond_signal(&stream->more);
  }
  pthread_mutex_unlock(&stream->lock);
  if (!started) free(added);
  return started;
}

void stream_run(SP_Stream stream, stream_body body, void* args, size_t size, int64_t cost) {
  if (cost < LITTLE && is_idle(stream)) {
    body(stream, args);
  } else if (!enqueue(stream, body, args, size)) {
    stream_wait(stream);
    body(stream, args);
  }
}

void stream_fail(SP_Stream stream, TF_Code code, const char* message) {
  pthread_mutex_lock(&stream->lock);
  if (stream->code == TF_OK) {
    stream->code = code;
    snprintf(stream->message, sizeof stream->message, "%s", message);
  }
  pthread_mutex_unlock(&stream->lock);
}

void stream_report(SP_Stream stream, TF_Status* status) {
  pthread_mutex_lock(&stream->lock);
  if (stream->code != TF_OK) TF_SetStatus(status, stream->code, stream->message);
  pthread_mutex_unlock(&stream->lock);
}

struct marker {
  atomic_int holders;
  atomic_bool reached;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

void marker_hold(marker* marker) {
  if (marker) atomic_fetch_add(&marker->holders, 1);
}

void marker_drop(marker* marker) {
  if (!marker || atomic_fetch_sub(&marker->holders, 1) > 1) return;
  pthread_cond_destroy(&marker->changed);
  pthread_mutex_destroy(&marker->lock);
  free(marker);
}

bool marker_reached(marker* marker) { return !marker || atomic_load(&marker->reached); }

void marker_wait(marker* marker) {
  if (marker_reached(marker)) return;
  pthread_mutex_lock(&marker->lock);
  while (!atomic_load(&marker->reached)) pthread_cond_wait(&marker->changed, &marker->lock);
  pthread_mutex_unlock(&marker->lock);
}

static void reach(SP_Stream stream, void* args) {
  marker* marker = *(struct marker**)args;
  pthread_mutex_lock(&marker->lock);
  atomic_store(&marker->reached, true);
  pthread_cond_broadcast(&marker->changed);
  pthread_mutex_unlock(&marker->lock);
  marker_drop(marker);
}

marker* stream_mark(SP_Stream stream) {
  if (is_idle(stream)) return NULL;
  marker* made = malloc(sizeof *made);
  if (!made) {
    stream_wait(stream);
    return NULL;
  }
  atomic_init(&made->holders, 2);  // the caller, and the queue
  atomic_init(&made->reached, false);
  pthread_mutex_init(&made->lock, NULL);
  pthread_cond_init(&made->changed, NULL);
  stream_run(stream, reach, &made, sizeof made, 0);
  return made;
}

static void wait_here(SP_Stream stream, void* args) {
  marker_wait(*(marker**)args);
  marker_drop(*(marker**)args);
}

void stream_wait_for(SP_Stream stream, marker* marker) {
  if (marker_reached(marker)) return;
  marker_hold(marker);
  stream_run(stream, wait_here, &marker, sizeof marker, INT64_MAX);
}
