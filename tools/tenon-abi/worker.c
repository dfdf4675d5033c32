#include "worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOURCE_TEXT = 4096, CPU_SECONDS = 120 };
#ifdef TENON_SANITIZED
static const rlim_t most_memory = RLIM_INFINITY;  // a sanitizer's own memory counts too
#else
static const rlim_t most_memory = (rlim_t)2 << 30;  // the largest headers take some 200 MB
#endif

static char* reads;  // shared by both processes

void worker_reads(const char* source) {
  if (reads) snprintf(reads, SOURCE_TEXT, "%s", source);
}

static void limit(int what, rlim_t most) {
  struct rlimit now;
  if (getrlimit(what, &now) != 0 || most >= now.rlim_cur) return;
  now.rlim_cur = most;
  setrlimit(what, &now);
}

static void tell_death(int number) {
  const char* source = reads && *reads ? reads : "the request";
  if (number == SIGXCPU) {
    fprintf(stderr, "tenon abi: %s: reading it took more than %d seconds, and was ended\n", source,
            CPU_SECONDS);
  } else {
    fprintf(stderr,
            "tenon abi: %s: the library that reads it died of it (%s); it nests too deep, is too "
            "large or is damaged\n",
            source, strsignal(number));
  }
}

int worker_run(int (*work)(void* arg), void* arg, int otherwise) {
  void* shared = mmap(NULL, SOURCE_TEXT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  reads = shared == MAP_FAILED ? NULL : shared;
  const pid_t parent = getpid(), worker = fork();
  if (worker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(otherwise);
    limit(RLIMIT_DATA, most_memory);
    limit(RLIMIT_CPU, CPU_SECONDS);
    limit(RLIMIT_CORE, 0);
    exit(work(arg));
  }
  if (worker < 0) {
    fprintf(stderr, "tenon abi: cannot start a process to read in: %s\n", strerror(errno));
    return otherwise;
  }
  int state = 0;
  while (waitpid(worker, &state, 0) < 0)
    if (errno != EINTR) return otherwise;
  if (WIFEXITED(state)) return WEXITSTATUS(state);
  tell_death(WTERMSIG(state));
  return otherwise;
}
