#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "harness.h"
#include "plugin/guard.h"

static void first(int number) { (void)number; }
static void second(int number) { (void)number; }

static void* handler_of(int number) {
  struct sigaction action;
  sigaction(number, NULL, &action);
  return (void*)action.sa_handler;
}

TEST(test_handlers_that_change_under_a_guard_are_put_back) {
  tn_guard guard;
  signal(SIGUSR1, first);
  tn_guard_begin(&guard);
  signal(SIGUSR1, second);
  signal(SIGUSR2, second);
  const tn_guard_found found = tn_guard_stop(&guard);
  CHECK_INT(found.signals, 2);
  CHECK_TEXT(found.numbers, "10 12");
  CHECK(handler_of(SIGUSR1) == (void*)first && handler_of(SIGUSR2) == (void*)SIG_DFL);
}

TEST(test_guards_may_overlap) {
  tn_guard outer, inner;
  tn_text notes = {0};
  signal(SIGUSR1, first);
  tn_guard_begin(&outer);
  signal(SIGUSR1, second);
  tn_guard_begin(&inner);
  signal(SIGUSR2, second);
  tn_guard_end(&outer, "outer", &notes);
  // The last to end puts them back.
  CHECK(handler_of(SIGUSR1) == (void*)second);
  tn_guard_end(&inner, "inner", &notes);
  CHECK(handler_of(SIGUSR1) == (void*)first && handler_of(SIGUSR2) == (void*)SIG_DFL);
  CHECK_TEXT(notes.data,
             "outer replaced the handlers of signals 10 12; they were put back\n"
             "inner replaced the handlers of signals 10 12; they were put back");
  tn_text_deinit(&notes);
}

static void* wait_for(void* lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  return NULL;
}

TEST(test_threads_that_stay_are_counted) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_t thread;
  tn_guard guard;
  tn_text notes = {0};
  pthread_mutex_lock(&lock);
  tn_guard_begin(&guard);
  pthread_create(&thread, NULL, wait_for, &lock);
  tn_guard_end(&guard, "it", &notes);
  CHECK_CONTAINS(notes.data, "it started ");
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  tn_text_deinit(&notes);
}

TEST(test_a_signal_that_a_plugin_sends_itself_keeps_its_handler_where_there_was_none) {
  tn_guard guard;
  tn_text notes = {0};
  signal(SIGALRM, first);
  tn_guard_begin(&guard);
  signal(SIGPROF, second);
  signal(SIGALRM, second);
  signal(SIGTERM, second);
  tn_guard_end(&guard, "it", &notes);
  CHECK(handler_of(SIGPROF) == (void*)second);
  CHECK(handler_of(SIGALRM) == (void*)first && handler_of(SIGTERM) == (void*)SIG_DFL);
  CHECK_CONTAINS(notes.data,
                 "replaced the handlers of signals 14 15 27; they were put back, but for 27");
  raise(SIGPROF);  // and the process goes on
  tn_text_deinit(&notes);
}

TEST(test_the_working_directory_is_put_back) {
  char before[4096], after[4096];
  tn_guard outer, inner;
  tn_text notes = {0};
  CHECK(getcwd(before, sizeof before) != NULL);
  tn_guard_begin(&outer);
  tn_guard_begin(&inner);
  CHECK(chdir("/") == 0);
  tn_guard_end(&outer, "outer", &notes);
  tn_guard_end(&inner, "inner", &notes);
  CHECK(getcwd(after, sizeof after) != NULL);
  CHECK_TEXT(after, before);
  CHECK_CONTAINS(notes.data, "inner changed the working directory; it was put back");
  tn_text_deinit(&notes);
  tn_guard_begin(&outer);
  const tn_guard_found found = tn_guard_stop(&outer);
  CHECK(!found.directory && !found.floats);
}

TEST(test_the_rounding_of_floating_point_numbers_is_put_back) {
  tn_guard guard;
  tn_text notes = {0};
  tn_guard_begin(&guard);
  fesetround(FE_UPWARD);
  tn_guard_end(&guard, "it", &notes);
  CHECK_INT(fegetround(), FE_TONEAREST);
  CHECK_CONTAINS(notes.data, "it changed how floating point numbers are rounded; it was put back");
  tn_text_deinit(&notes);
}
