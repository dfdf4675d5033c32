#include "base/thread_end.h"

#include <pthread.h>
#include <stddef.h>

static pthread_key_t key;
static bool key_made;
static _Thread_local bool ending;

static void run_ends(void* first) {
  // Destructors that run after this one may still free things: those are not kept any more.
  ending = true;
  for (tn_thread_end* end = first; end; end = end->next) end->end();
}

static void make_key(void) { key_made = pthread_key_create(&key, run_ends) == 0; }

bool tn_thread_on_end(tn_thread_end* end) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_key);
  if (ending || !key_made) return false;
  end->next = pthread_getspecific(key);
  return pthread_setspecific(key, end) == 0;
}
