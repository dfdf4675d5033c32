#include "progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_SECOND = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool running;
static const char* doing;

static void* show(void* arg) {
  bool shown = false;
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  pthread_mutex_lock(&lock);
  for (int second = 1; running; ++second) {
    ++at.tv_sec;
    while (running && pthread_cond_timedwait(&ended, &lock, &at) != ETIMEDOUT) {
    }
    if (!running || second < FIRST_SECOND) continue;
    fprintf(stderr, "\r%-11s %d s", doing, second);
    shown = true;
  }
  if (shown) fputs("\r\033[K", stderr);
  pthread_mutex_unlock(&lock);
  return arg;
}

void cli_progress_begin(const char* what) {
  if (!isatty(2)) return;
  doing = what;
  running = true;
  if (pthread_create(&thread, NULL, show, NULL) != 0) running = false;
}

void cli_progress_end(void) {
  pthread_mutex_lock(&lock);
  const bool ran = running;
  running = false;
  pthread_cond_signal(&ended);
  pthread_mutex_unlock(&lock);
  if (ran) pthread_join(thread, NULL);
}
