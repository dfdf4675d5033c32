#include "base/thread_end.h"

#include <pthread.h>
#include <stdatomic.h>

#include "harness.h"

static atomic_int ended;
static _Thread_local tn_thread_end first, second;
static int order[2];

static void end_first(void) {
  order[atomic_fetch_add(&ended, 1)] = 1;
  tn_thread_end late = {.end = end_first};
  CHECK(!tn_thread_on_end(&late));
}

static void end_second(void) { order[atomic_fetch_add(&ended, 1)] = 2; }

static void* work(void* arg) {
  first.end = end_first;
  second.end = end_second;
  CHECK(tn_thread_on_end(&first));
  CHECK(tn_thread_on_end(&second));
  CHECK_INT(atomic_load(&ended), 0);
  return NULL;
}

TEST(test_ends_run_when_their_thread_ends_and_none_can_be_added_then) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  CHECK_INT(atomic_load(&ended), 2);
  CHECK_INT(order[0], 2);
  CHECK_INT(order[1], 1);
}
