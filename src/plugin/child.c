#include "plugin/child.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "plugin/own_files.h"

extern char** environ;

enum {
  quoted_lines = 6,
  most_received = 1 << 20,  // of what a child reports; ours send far less
  clear_of = TN_CHILD_LIFELINE + 1,
  most_farewell_ms = 10000,  // for a keeper, which needs some at most
};

int tn_child_clear_fd(int fd) {
  if (fd < 0) return -1;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, clear_of);
  const int error = errno == EINVAL ? EMFILE : errno;  // no number above is allowed
  close(fd);
  errno = error;
  return moved;
}

// Closes the other one when one of them is none.
static bool clear_both(int low[2], int ends[2]) {
  int error = 0;
  for (int i = 0; i < 2; ++i)
    if ((ends[i] = tn_child_clear_fd(low[i])) < 0) error = errno;
  for (int i = 0; error && i < 2; ++i)
    if (ends[i] >= 0) close(ends[i]);
  errno = error;
  return !error;
}

bool tn_child_sockets(int ends[2]) {
  int low[2];
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low) == 0 && clear_both(low, ends);
}

bool tn_child_pipe(int ends[2]) {
  int low[2];
  if (pipe2(low, O_CLOEXEC) != 0 || !clear_both(low, ends)) return false;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return true;
}

tn_child tn_child_none(void) { return (tn_child){.output = -1, .pidfd = -1, .lifeline = -1}; }

// A process group of its own, so that what the plugin starts can be ended with it; default signals.
static int spawn(tn_child* child, char** arguments, int output_end, int lifeline_end,
                 const int* fds, size_t fd_count) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  int error = posix_spawn_file_actions_init(&files);
  if (error) return error;
  if ((error = posix_spawnattr_init(&attributes)) == 0) {
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    for (int fd = 1; !error && fd <= 2; ++fd)
      error = posix_spawn_file_actions_adddup2(&files, output_end, fd);
    for (size_t i = 0; !error && i < fd_count; ++i)
      error = posix_spawn_file_actions_adddup2(&files, fds[i], TN_CHILD_FD + (int)i);
    if (!error) error = posix_spawn_file_actions_adddup2(&files, lifeline_end, TN_CHILD_LIFELINE);
    if (!error)
      error = posix_spawn(&child->pid, arguments[0], &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return error;
}

static void close_fd(int* fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

bool tn_child_start(tn_child* child, char** arguments, const int* fds, size_t fd_count,
                    tn_status* status) {
  *child = tn_child_none();
  char* probe = arguments[0] ? NULL : tn_own_probe(status);
  if (!arguments[0] && !probe) return false;
  if (probe) arguments[0] = probe;
  int output[2] = {-1, -1}, lifeline[2] = {-1, -1};
  int error = tn_child_pipe(output) && tn_child_sockets(lifeline) ? 0 : errno;
  if (error) {
    tn_status_set_errno(status, error, "cannot make a pipe for a child process");
  } else {
    error = spawn(child, arguments, output[1], lifeline[1], fds, fd_count);
    if (error) tn_status_set_errno(status, error, arguments[0]);
    if (error) child->pid = 0;
  }
  child->output = output[0];
  child->lifeline = lifeline[0];
  if (output[1] >= 0) close(output[1]);
  if (lifeline[1] >= 0) close(lifeline[1]);
  if (error) {
    tn_child_end(child);
  } else {
    child->pidfd = tn_child_clear_fd((int)syscall(SYS_pidfd_open, child->pid, 0));
    // Reaped by the program already: the number may be somebody else's.
    if (tn_child_look(child) && child->wait_lost) close_fd(&child->pidfd);
  }
  if (probe) arguments[0] = NULL;
  tn_free(probe);
  return !error;
}

static void keep_tail(tn_child* child, const char* bytes, size_t size) {
  size_t kept = child->tail_used;
  if (kept + size > TN_CHILD_TAIL_SIZE) kept = TN_CHILD_TAIL_SIZE - size;
  memmove(child->tail, child->tail + child->tail_used - kept, kept);
  memcpy(child->tail + kept, bytes, size);
  child->tail_used = kept + size;
}

void tn_child_listen(tn_child* child) {
  char bytes[TN_CHILD_TAIL_SIZE];
  while (child->output >= 0) {
    const ssize_t size = read(child->output, bytes, sizeof bytes);
    if (size > 0) {
      keep_tail(child, bytes, (size_t)size);
    } else if (size == 0 || (errno != EINTR && errno != EAGAIN)) {
      close(child->output);
      child->output = -1;
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

bool tn_child_look(tn_child* child) {
  // ECHILD: the program ignores SIGCHLD, or reaps every child itself.
  if (child->ended.si_pid == 0 &&
      waitid(P_PID, (id_t)child->pid, &child->ended, WEXITED | WNOHANG | WNOWAIT) != 0)
    child->wait_lost = errno != EINTR;
  return child->ended.si_pid != 0 || child->wait_lost;
}

// True when the child's keeper is there, and has ended it and itself.
static bool farewell(const tn_child* child) {
  char word;
  if (recv(child->lifeline, &word, 1, MSG_DONTWAIT) != 1) return false;
  shutdown(child->lifeline, SHUT_WR);  // also when a fork of this program has it too
  const int64_t deadline = tn_clock_ms() + most_farewell_ms;
  struct pollfd fd = {.fd = child->lifeline, .events = POLLIN};
  for (int64_t left; (left = deadline - tn_clock_ms()) > 0;)
    if (poll(&fd, 1, (int)left) > 0) return true;
  return false;
}

// Without a keeper, or with one that does not come to it. The group goes by its number only while
// the child is not reaped: until then nobody else can have it.
static void kill_child(const tn_child* child) {
  siginfo_t known;
  if (waitid(P_PID, (id_t)child->pid, &known, WEXITED | WNOHANG | WNOWAIT) == 0)
    kill(-child->pid, SIGKILL);
  else if (child->pidfd >= 0)
    syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0);
}

void tn_child_end(tn_child* child) {
  if (child->pid > 0) {
    if (!farewell(child)) kill_child(child);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR) {
    }
  }
  child->pid = 0;
  tn_child_listen(child);
  close_fd(&child->output);
  close_fd(&child->lifeline);
  close_fd(&child->pidfd);
}

// Reads what is there; closes the descriptor at its end.
static void receive(int* fd, tn_text* received) {
  char bytes[4096];
  while (*fd >= 0) {
    const ssize_t size = read(*fd, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
      close(*fd);
      *fd = -1;
    } else if (received->size < most_received) {
      tn_text_append(received, bytes, (size_t)size);
    }
  }
}

bool tn_child_run(tn_child* child, char** arguments, int shared, uint32_t time_limit_ms,
                  tn_text* received, tn_status* status) {
  int messages[2];
  if (!tn_child_pipe(messages)) {
    tn_status_set_errno(status, errno, "cannot make a pipe for a child process");
    return false;
  }
  const int fds[] = {messages[1], shared};
  const bool started = tn_child_start(child, arguments, fds, shared >= 0 ? 2 : 1, status);
  close(messages[1]);
  const int64_t deadline = tn_clock_ms() + time_limit_ms;
  for (bool ended = false; started && !ended && !child->timed_out;) {
    struct pollfd waits[] = {{.fd = messages[0], .events = POLLIN},
                             {.fd = child->output, .events = POLLIN},
                             {.fd = child->pidfd, .events = POLLIN}};
    poll(waits, 3, TN_CHILD_LOOK_MS);
    receive(&messages[0], received);
    tn_child_listen(child);
    ended = tn_child_look(child);
    child->timed_out = !ended && tn_clock_ms() >= deadline;
  }
  tn_child_end(child);
  receive(&messages[0], received);
  if (messages[0] >= 0) close(messages[0]);
  return started;
}

void tn_child_print_ending(const tn_child* child, uint32_t time_limit_ms, tn_text* out) {
  const int number = child->ended.si_status;
  const char* name = sigabbrev_np(number);
  if (child->timed_out)
    tn_text_printf(out, "not back after %g s", time_limit_ms / 1000.0);
  else if (child->wait_lost)
    tn_text_puts(out,
                 "ended the process (how is not known: this program reaps its children itself)");
  else if (child->ended.si_code == CLD_EXITED)
    tn_text_printf(out, "ended the process with exit code %d", number);
  else if (name)
    tn_text_printf(out, "killed by SIG%s", name);
  else
    tn_text_printf(out, "killed by signal %d", number);
}

void tn_child_quote(const tn_child* child, tn_text* out) {
  size_t end = child->tail_used;
  while (end > 0 && isspace((unsigned char)child->tail[end - 1])) --end;
  if (end == 0) return;
  int lines = 0;
  size_t start = end;
  for (; start > 0; --start)
    if (child->tail[start - 1] == '\n' && ++lines == quoted_lines) break;
  tn_text_puts(out, "; its last words:\n  ");
  for (size_t i = start; i < end; ++i) {
    const unsigned char c = (unsigned char)child->tail[i];
    if (c == '\n')
      tn_text_puts(out, "\n  ");
    else
      tn_text_putc(out, c >= 0x20 || c == '\t' ? (char)c : '?');
  }
}

int tn_child_keep_fd(int fd) {
  int kept = fcntl(fd, F_DUPFD_CLOEXEC, 100);
  if (kept < 0) kept = fcntl(fd, F_DUPFD_CLOEXEC, TN_CHILD_FD + 1);  // few are allowed
  close(fd);
  return kept;
}

void tn_child_settle(void) {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}
