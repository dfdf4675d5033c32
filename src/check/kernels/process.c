// What belongs to the host's process, before and after a plugin was loaded or its kernels ran.
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/kernels/fixture.h"
#include "check/kernels/groups.h"

typedef enum thing {
  OUTPUT,
  SIGNALS,
  MASK,
  FOLDER,
  UMASK,
  LOCALE,
  ROUNDING,
  STANDARD_FILES,
  ENVIRONMENT,
  THINGS
} thing;

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

static void compare(thing thing, const state* before, const state* after) {
  switch (thing) {
    case SIGNALS:
      for (int i = 1; i < NSIG; ++i)
        TN_EXPECT(before->signals[i].sa_handler == after->signals[i].sa_handler,
                  "handlers as they were", "that of SIG%s was replaced", signal_name(i));
      break;
    case MASK:
      for (int i = 1; i < NSIG; ++i)
        TN_EXPECT(sigismember(&before->mask, i) == sigismember(&after->mask, i),
                  "signals blocked as they were", "SIG%s is %s", signal_name(i),
                  sigismember(&after->mask, i) ? "blocked" : "not blocked any more");
      break;
    case FOLDER:
      TN_EXPECT(strcmp(before->folder, after->folder) == 0, before->folder, "%s", after->folder);
      break;
    case UMASK:
      TN_EXPECT(before->umask == after->umask, "the umask as it was", "%o, then %o", before->umask,
                after->umask);
      break;
    case LOCALE:
      TN_EXPECT(strcmp(before->locale, after->locale) == 0, before->locale, "%s", after->locale);
      break;
    case ROUNDING:
      TN_EXPECT(before->rounding == after->rounding, "the direction of rounding as it was",
                "%d, then %d", before->rounding, after->rounding);
      TN_EXPECT(before->mxcsr == after->mxcsr,
                "small numbers and exceptions treated as before (MXCSR)", "%#x, then %#x",
                before->mxcsr, after->mxcsr);
      break;
    case STANDARD_FILES:
      for (int i = 0; i < 3; ++i)
        TN_EXPECT(before->files[i].st_ino == after->files[i].st_ino &&
                      before->files[i].st_dev == after->files[i].st_dev,
                  "standard input, output and error as they were", "descriptor %d is another file",
                  i);
      break;
    case ENVIRONMENT:
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

static void use(tk_run* run, uint64_t* random) { tk_once(run, NULL); }

static void around_load(const tn_subject* subject) {
  static state before, after;
  const int output = subject->arg == OUTPUT ? divert_output() : -1;
  remember(&before);
  tk_load(subject);
  remember(&after);
  compare((thing)subject->arg, &before, &after);
  if (output >= 0) expect_nothing_in(output);
}

static void around_runs(const tn_subject* subject) {
  static state before, after;
  tk_start(subject);
  const int output = subject->arg == OUTPUT ? divert_output() : -1;
  remember(&before);
  tk_each_run(use);
  remember(&after);
  compare((thing)subject->arg, &before, &after);
  if (output >= 0) expect_nothing_in(output);
}

static const tn_check_case cases[] = {
    {"load.standard_output", "standard output belongs to the host", around_load, OUTPUT},
    {"load.signals", "signal handlers belong to the host", around_load, SIGNALS},
    {"load.signal_mask", "which signals are blocked is the host's affair", around_load, MASK},
    {"load.working_folder", "the working folder belongs to the host", around_load, FOLDER},
    {"load.umask", "the umask belongs to the host", around_load, UMASK},
    {"load.locale", "the locale belongs to the host", around_load, LOCALE},
    {"load.rounding", "how numbers are rounded is the host's affair", around_load, ROUNDING},
    {"load.standard_files", "standard input, output and error stay open", around_load,
     STANDARD_FILES},
    {"load.environment", "environment variables belong to the host", around_load, ENVIRONMENT},
    {"runs.standard_output", "kernels print nothing on standard output", around_runs, OUTPUT},
    {"runs.signals", "kernels leave signal handlers alone", around_runs, SIGNALS},
    {"runs.signal_mask", "kernels leave the mask of signals alone", around_runs, MASK},
    {"runs.working_folder", "kernels leave the working folder alone", around_runs, FOLDER},
    {"runs.umask", "kernels leave the umask alone", around_runs, UMASK},
    {"runs.locale", "kernels leave the locale alone", around_runs, LOCALE},
    {"runs.rounding", "kernels put back how numbers are rounded", around_runs, ROUNDING},
    {"runs.standard_files", "kernels leave standard input, output and error open", around_runs,
     STANDARD_FILES},
    {"runs.environment", "kernels leave environment variables alone", around_runs, ENVIRONMENT},
};
_Static_assert(sizeof cases / sizeof *cases == 2 * THINGS, "a case a thing, for both");
const tn_check_group tn_check_kernels_process = TN_CHECK_GROUP(TN_FACE_KERNELS, cases);
