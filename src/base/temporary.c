#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"

typedef struct temporary {
  pid_t watcher;  // -1 when none could be started
  int alive;      // an end that closes when this process ends
  char path[PATH_MAX];
} temporary;

static void remove_tree(char* folder) {
  char* const roots[] = {folder, NULL};
  FTS* walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  for (FTSENT* at; walk && (at = fts_read(walk));)
    if (at->fts_info != FTS_D) remove(at->fts_path);
  if (walk) fts_close(walk);
}

// A process of its own session, which Ctrl-C does not reach: waits until the other one has ended.
static _Noreturn void watch(int other, char* folder) {
  char byte = 0;
  setsid();
  // Nobody is to wait for what this process has inherited.
  const int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(nothing, fd);
  dup2(other, 3);
  closefrom(4);
  if (write(3, &byte, 1) == 1)
    while (read(3, &byte, 1) < 0 && errno == EINTR) {
    }
  remove_tree(folder);
  _exit(0);
}

// Back when it watches. It keeps all signals blocked.
static void start_watcher(temporary* made) {
  int ends[2];
  char byte;
  sigset_t all, before;
  made->watcher = -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  made->watcher = fork();
  if (made->watcher == 0) watch(ends[0], made->path);
  close(ends[0]);
  made->alive = ends[1];
  while (made->watcher > 0 && read(ends[1], &byte, 1) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (made->watcher < 0) close(ends[1]);
}

static void stop_watcher(temporary* made) {
  if (made->watcher <= 0) return;
  kill(made->watcher, SIGKILL);
  close(made->alive);
  while (waitpid(made->watcher, NULL, 0) < 0 && errno == EINTR) {
  }
}

char* tn_temporary_make(const char* name, tn_status* status) {
  const char* below = getenv("TMPDIR");
  temporary* made = tn_alloc(sizeof *made);
  uint64_t number;
  if (!made) {
    tn_status_set_no_memory(status, "making a folder");
    return NULL;
  }
  errno = ENAMETOOLONG;
  // Named first, watched next, made last: there is no moment at which it would stay behind.
  bool good = getrandom(&number, sizeof number, 0) == sizeof number &&
              snprintf(made->path, sizeof made->path, "%s/%s-%016" PRIx64,
                       below && *below ? below : "/tmp", name, number) < PATH_MAX;
  if (good) {
    start_watcher(made);
    good = mkdir(made->path, 0700) == 0;
    if (!good) {
      const int error = errno;
      stop_watcher(made);
      errno = error;
    }
  }
  if (good) return made->path;
  tn_status_set_errno(status, errno, made->path);
  tn_free(made);
  return NULL;
}

void tn_temporary_remove(char* folder) {
  if (!folder) return;
  temporary* made = (temporary*)(folder - offsetof(temporary, path));
  remove_tree(folder);
  stop_watcher(made);
  tn_free(made);
}
