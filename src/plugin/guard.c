#include "plugin/guard.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { SIGNALS = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guards;  // under the lock, as the handlers of when there were none
static struct sigaction before[SIGNALS];

static int count_threads(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  if (!folder) return 0;
  for (const struct dirent* entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static bool same(const struct sigaction* a, const struct sigaction* b) {
  return a->sa_handler == b->sa_handler && a->sa_flags == b->sa_flags;
}

// libtpu has a timer that sends SIGPROF.
static bool must_stay(int number) {
  static const int own[] = {SIGPROF, SIGVTALRM, SIGALRM, SIGIO, SIGPWR};
  bool is_own = false;
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i) is_own |= own[i] == number;
  return is_own && before[number].sa_handler == SIG_DFL;
}

static void add_number(char* list, size_t size, int number) {
  const size_t length = strlen(list);
  snprintf(list + length, size - length, "%s%d", length ? " " : "", number);
}

void tn_guard_begin(tn_guard* guard) {
  guard->threads = count_threads();
  pthread_mutex_lock(&lock);
  if (guards++ == 0)
    for (int number = 1; number < SIGNALS; ++number) sigaction(number, NULL, &before[number]);
  pthread_mutex_unlock(&lock);
}

tn_guard_found tn_guard_stop(const tn_guard* guard) {
  tn_guard_found found = {.threads = count_threads() - guard->threads};
  pthread_mutex_lock(&lock);
  const bool last = --guards == 0;
  for (int number = 1; number < SIGNALS; ++number) {
    struct sigaction now;
    if (sigaction(number, NULL, &now) != 0 || same(&now, &before[number])) continue;
    ++found.signals;
    add_number(found.numbers, sizeof found.numbers, number);
    if (must_stay(number))
      add_number(found.stay, sizeof found.stay, number);
    else if (last)
      sigaction(number, &before[number], NULL);
  }
  pthread_mutex_unlock(&lock);
  return found;
}

void tn_guard_end(const tn_guard* guard, const char* during, tn_text* notes) {
  const tn_guard_found found = tn_guard_stop(guard);
  if (found.signals)
    tn_text_printf(notes, "%s%s replaced the handlers of signals %s; they were put back%s%s",
                   notes->size ? "\n" : "", during, found.numbers, *found.stay ? ", but for " : "",
                   found.stay);
  if (found.threads > 0)
    tn_text_printf(notes, "%s%s started %d thread%s", notes->size ? "\n" : "", during,
                   found.threads, found.threads == 1 ? "" : "s");
}
