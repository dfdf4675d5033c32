// The keeper: the process between a parent and the plugin's own. No foreign code runs in it, so it
// is there to end the plugin's process with all that it started, daemons too, when that process
// ends, when the parent asks for it and when the parent is no more.
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "plugin/child.h"

enum {
  look_ms = 200,  // for the parent, on a system without pidfds
  most_ms = 3000  // for processes that do not die
};

static pid_t parent_of(const char* pid) {
  char path[300], text[512];
  snprintf(path, sizeof path, "/proc/%s/stat", pid);
  FILE* file = fopen(path, "r");
  if (!file) return -1;
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  const char* name_end = strrchr(text, ')');
  int parent = -1;
  return name_end && sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

// Those who lost their parent are this process's children. Only it reaps them: until then nobody
// else can have their numbers.
static void kill_children(void) {
  DIR* folder = opendir("/proc");
  for (struct dirent* entry; folder && (entry = readdir(folder));)
    if (isdigit((unsigned char)*entry->d_name) && parent_of(entry->d_name) == getpid())
      kill((pid_t)atoi(entry->d_name), SIGKILL);
  if (folder) closedir(folder);
}

// Reaps who has ended; true when the worker is among them. False at once when nobody has.
static bool reap(pid_t worker, int* how, bool* any_left) {
  bool found = false;
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
    if (pid == worker) {
      *how = status;
      found = true;
    }
  *any_left = pid == 0;
  return found;
}

// Waits until the worker has ended, or should.
static bool watch(pid_t worker, pid_t parent, int lifeline, int parent_fd, int signals, int* how) {
  struct pollfd fds[] = {{.fd = lifeline, .events = POLLRDHUP},
                         {.fd = parent_fd, .events = POLLIN},
                         {.fd = signals, .events = POLLIN}};
  bool ended = false, any_left;
  while (!ended && getppid() == parent) {
    const int ready = poll(fds, 3, parent_fd < 0 ? look_ms : -1);
    struct signalfd_siginfo about;
    while (read(signals, &about, sizeof about) == sizeof about) {
    }
    ended = reap(worker, how, &any_left);
    if (ready > 0 && (fds[0].revents || fds[1].revents)) break;
  }
  return ended;
}

// As the worker did.
static _Noreturn void end_as(int how) {
  if (WIFSIGNALED(how)) {
    sigset_t none;
    sigemptyset(&none);
    prctl(PR_SET_DUMPABLE, 0);
    signal(WTERMSIG(how), SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    raise(WTERMSIG(how));
  }
  _exit(WIFEXITED(how) ? WEXITSTATUS(how) : 1);
}

static _Noreturn void refuse(const char* what) {
  fprintf(stderr, "tenon-probe: %s: %s\n", what, strerror(errno));
  _exit(2);
}

void tn_child_keep(void) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(TN_CHILD_LIFELINE, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
  sigset_t all, one, none;
  sigfillset(&all);
  sigemptyset(&none);
  sigemptyset(&one);
  sigaddset(&one, SIGCHLD);
  sigprocmask(SIG_SETMASK, &all, NULL);
  const int lifeline = tn_child_keep_fd(TN_CHILD_LIFELINE);
  const int parent = (int)syscall(SYS_pidfd_open, peer.pid, 0);
  const int signals = signalfd(-1, &one, SFD_NONBLOCK | SFD_CLOEXEC);
  if (lifeline < 0 || signals < 0) refuse("cannot watch a plugin's process");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t keeper = getpid();
  if (getppid() != peer.pid || send(lifeline, "", 1, MSG_NOSIGNAL) != 1) _exit(0);
  const pid_t worker = fork();
  if (worker < 0) refuse("cannot start a plugin's process");
  if (worker == 0) {
    close(lifeline);
    if (parent >= 0) close(parent);
    close(signals);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) _exit(0);
    sigprocmask(SIG_SETMASK, &none, NULL);
    return;
  }
  // What the worker closes is to be closed.
  for (int fd = 0; fd <= TN_CHILD_LIFELINE; ++fd)
    if (fd != lifeline && fd != parent && fd != signals) close(fd);
  int how = 0;
  bool any_left = true;
  if (!watch(worker, peer.pid, lifeline, parent, signals, &how)) kill(worker, SIGKILL);
  const int64_t deadline = tn_clock_ms() + most_ms;
  while (reap(worker, &how, &any_left), any_left && tn_clock_ms() < deadline) {
    kill_children();
    poll(NULL, 0, 1);
  }
  end_as(how);
}
