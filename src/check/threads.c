#include "check/threads.h"

#include <pthread.h>

#include "check/case.h"

typedef struct worker {
  void (*work)(void* arg, int i);
  void* arg;
  int i;
  pthread_barrier_t* start;
} worker;

static void* run_worker(void* arg) {
  const worker* worker = arg;
  pthread_barrier_wait(worker->start);
  worker->work(worker->arg, worker->i);
  return NULL;
}

void tn_case_threads(int count, size_t stack, void (*work)(void* arg, int i), void* arg) {
  enum { MOST = 16 };
  pthread_t threads[MOST];
  worker workers[MOST];
  pthread_barrier_t start;
  pthread_attr_t attributes;
  pthread_barrier_init(&start, NULL, (unsigned)count);
  pthread_attr_init(&attributes);
  if (stack && pthread_attr_setstacksize(&attributes, stack) != 0)
    tn_case_error("cannot make a stack of %zu bytes", stack);
  for (int i = 0; i < count; ++i) {
    workers[i] = (worker){work, arg, i, &start};
    if (pthread_create(&threads[i], &attributes, run_worker, &workers[i]) != 0)
      tn_case_error("cannot start a thread");
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  pthread_attr_destroy(&attributes);
  pthread_barrier_destroy(&start);
}
