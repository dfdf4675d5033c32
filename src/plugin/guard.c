#include "plugin/guard.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum { SIGNALS = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guards;  // under the lock, as the handlers of when there were none
static struct sigaction before[SIGNALS];
static int directory = -1;

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

// Rounding, traps and, what -ffast-math does to the thread that loads a file, denormals as zeros.
static uint64_t float_mode(void) {
  uint64_t mode = (uint64_t)fegetround();
#ifdef __SSE2__
  mode |= (uint64_t)(_mm_getcsr() & ~0x3fu) << 32;
#endif
  return mode;
}

static bool moved_away(void) {
  struct stat then, now;
  return directory >= 0 && fstat(directory, &then) == 0 &&
         (stat(".", &now) != 0 || now.st_dev != then.st_dev || now.st_ino != then.st_ino);
}

void tn_guard_begin(tn_guard* guard) {
  guard->threads = count_threads();
  guard->float_mode = float_mode();
  fegetenv(&guard->floats);
  pthread_mutex_lock(&lock);
  if (guards++ == 0) {
    for (int number = 1; number < SIGNALS; ++number) sigaction(number, NULL, &before[number]);
    directory = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  }
  pthread_mutex_unlock(&lock);
}

tn_guard_found tn_guard_stop(const tn_guard* guard) {
  tn_guard_found found = {.threads = count_threads() - guard->threads,
                          .floats = float_mode() != guard->float_mode};
  if (found.floats) fesetenv(&guard->floats);
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
  found.directory = moved_away() && (!last || fchdir(directory) == 0);
  if (last && directory >= 0) close(directory);
  if (last) directory = -1;
  pthread_mutex_unlock(&lock);
  return found;
}

void tn_guard_end(const tn_guard* guard, const char* during, tn_text* notes) {
  const tn_guard_found found = tn_guard_stop(guard);
  if (found.signals)
    tn_text_printf(notes, "%s%s replaced the handlers of signals %s; they were put back%s%s",
                   notes->size ? "\n" : "", during, found.numbers, *found.stay ? ", but for " : "",
                   found.stay);
  if (found.directory)
    tn_text_printf(notes, "%s%s changed the working directory; it was put back",
                   notes->size ? "\n" : "", during);
  if (found.floats)
    tn_text_printf(notes, "%s%s changed how floating point numbers are rounded; it was put back",
                   notes->size ? "\n" : "", during);
  if (found.threads > 0)
    tn_text_printf(notes, "%s%s started %d thread%s", notes->size ? "\n" : "", during,
                   found.threads, found.threads == 1 ? "" : "s");
}
