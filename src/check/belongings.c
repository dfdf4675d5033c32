#include "check/belongings.h"

#include <dirent.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/case.h"

typedef struct state {
  struct sigaction signals[NSIG];
  sigset_t mask;
  char folder[4096];
  mode_t umask;
  char locale[256];
  int rounding;
  unsigned mxcsr;
  struct stat files[3];
  uint64_t environment;
} state;

static unsigned get_mxcsr(void) {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & ~0x3fu;  // without the flags that operations leave
#else
  return 0;
#endif
}

static uint64_t hash_environment(void) {
  uint64_t hash = 14695981039346656037u;
  for (char** at = environ; at && *at; ++at)
    for (const char* c = *at;; ++c) {
      hash = (hash ^ (unsigned char)*c) * 1099511628211u;
      if (!*c) break;
    }
  return hash;
}

static void remember(state* now) {
  memset(now, 0, sizeof *now);
  for (int i = 1; i < NSIG; ++i) sigaction(i, NULL, &now->signals[i]);
  pthread_sigmask(SIG_BLOCK, NULL, &now->mask);
  if (!getcwd(now->folder, sizeof now->folder)) now->folder[0] = 0;
  now->umask = umask(0);
  umask(now->umask);
  snprintf(now->locale, sizeof now->locale, "%s", setlocale(LC_ALL, NULL));
  now->rounding = fegetround();
  now->mxcsr = get_mxcsr();
  for (int i = 0; i < 3; ++i) fstat(i, &now->files[i]);
  now->environment = hash_environment();
}

static const char* signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name ? name : "RT";
}

static void compare(tn_belonging belonging, const state* before, const state* after) {
  switch (belonging) {
    case TN_SIGNAL_HANDLERS:
      for (int i = 1; i < NSIG; ++i)
        TN_EXPECT(before->signals[i].sa_handler == after->signals[i].sa_handler,
                  "handlers as they were", "that of SIG%s was replaced", signal_name(i));
      break;
    case TN_SIGNAL_MASK:
      for (int i = 1; i < NSIG; ++i)
        TN_EXPECT(sigismember(&before->mask, i) == sigismember(&after->mask, i),
                  "signals blocked as they were", "SIG%s is %s", signal_name(i),
                  sigismember(&after->mask, i) ? "blocked" : "not blocked any more");
      break;
    case TN_WORKING_FOLDER:
      TN_EXPECT(strcmp(before->folder, after->folder) == 0, before->folder, "%s", after->folder);
      break;
    case TN_UMASK:
      TN_EXPECT(before->umask == after->umask, "the umask as it was", "%o, then %o", before->umask,
                after->umask);
      break;
    case TN_LOCALE:
      TN_EXPECT(strcmp(before->locale, after->locale) == 0, before->locale, "%s", after->locale);
      break;
    case TN_ROUNDING:
      TN_EXPECT(before->rounding == after->rounding, "the direction of rounding as it was",
                "%d, then %d", before->rounding, after->rounding);
      TN_EXPECT(before->mxcsr == after->mxcsr,
                "small numbers and exceptions treated as before (MXCSR)", "%#x, then %#x",
                before->mxcsr, after->mxcsr);
      break;
    case TN_STANDARD_FILES:
      for (int i = 0; i < 3; ++i)
        TN_EXPECT(before->files[i].st_ino == after->files[i].st_ino &&
                      before->files[i].st_dev == after->files[i].st_dev,
                  "standard input, output and error as they were", "descriptor %d is another file",
                  i);
      break;
    case TN_ENVIRONMENT:
      TN_EXPECT(before->environment == after->environment, "environment variables as they were",
                "some were changed");
      break;
    default: break;
  }
}

static int divert_output(void) {
  const int file = memfd_create("stdout", MFD_CLOEXEC);
  fflush(stdout);
  if (file < 0 || dup2(file, 1) < 0) tn_case_error("cannot divert standard output");
  return file;
}

static void expect_nothing_in(int file) {
  fflush(stdout);
  char text[200] = "";
  if (pread(file, text, sizeof text - 1, 0) > 0)
    tn_case_broken(NULL, "nothing on standard output", "%s", text);
}

static tn_belonging remembered;
static state before;
static int output = -1;

void tn_belonging_remember(tn_belonging belonging) {
  remembered = belonging;
  if (belonging == TN_STANDARD_OUTPUT) output = divert_output();
  remember(&before);
}

void tn_belonging_compare(void) {
  static state after;
  remember(&after);
  compare(remembered, &before, &after);
  if (output >= 0) expect_nothing_in(output);
}

int tn_belongings_count(tn_countable what) {
  const char* folder = what == TN_THREADS ? "/proc/self/task" : "/proc/self/fd";
  DIR* dir = opendir(folder);
  if (!dir) tn_case_skip("%s cannot be read", folder);
  int found = 0;
  while (readdir(dir)) ++found;
  closedir(dir);
  return found - 2;
}

int tn_belongings_count_settled(tn_countable what, int expected) {
  int found = tn_belongings_count(what);
  for (int i = 0; i < 500 && found > expected; ++i) {
    usleep(1000);
    found = tn_belongings_count(what);
  }
  return found;
}
