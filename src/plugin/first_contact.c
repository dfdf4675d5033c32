#include "plugin/first_contact.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "plugin/own_files.h"

extern char** environ;

enum {
  tail_size = 2048,        // of what the plugin prints, the end is kept
  tail_lines = 6,          // and of that the last lines are quoted
  most_message = 1 << 20,  // of what the child reports; it sends far less
  look_again_ms = 20,
};

// A child under observation.
typedef struct child {
  const tn_contact* contact;
  pid_t pid;
  int messages, output;  // read ends, -1 when closed
  tn_text received;
  char tail[tail_size];
  size_t tail_used;
  char stage[64];
  bool done, timed_out, wait_lost;
  siginfo_t ended;
} child;

// Descriptors clear of 0 to 3, which the child's own plumbing overwrites.
static bool make_pipe(int ends[2]) {
  int low[2];
  if (pipe2(low, O_CLOEXEC) != 0) return false;
  for (int i = 0; i < 2; ++i) {
    ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, TN_CONTACT_FD + 1);
    close(low[i]);
  }
  if (ends[0] >= 0 && ends[1] >= 0) return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
  if (ends[0] >= 0) close(ends[0]);
  if (ends[1] >= 0) close(ends[1]);
  return false;
}

// A process group of its own, so that what the plugin starts can be ended with it; default signals.
static int spawn_probe(child* child, const char* probe, int message_end, int output_end) {
  const tn_contact* contact = child->contact;
  char entry_points[16];
  snprintf(entry_points, sizeof entry_points, "%u", contact->entry_points);
  char* arguments[] = {(char*)probe,
                       entry_points,
                       (char*)(contact->allow_missing_weak ? "weak-is-fine" : "weak-is-wrong"),
                       (char*)contact->path,
                       (char*)(contact->fact ? "facts" : "load"),
                       (char*)(contact->create ? contact->create : ""),
                       NULL};
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
    if ((error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&files, output_end, 1)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&files, output_end, 2)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&files, message_end, TN_CONTACT_FD)) == 0)
      error = posix_spawn(&child->pid, probe, &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return error;
}

static void keep_tail(child* child, const char* bytes, size_t size) {
  if (size > tail_size) {
    bytes += size - tail_size;
    size = tail_size;
  }
  size_t kept = child->tail_used + size > tail_size ? tail_size - size : child->tail_used;
  memmove(child->tail, child->tail + child->tail_used - kept, kept);
  memcpy(child->tail + kept, bytes, size);
  child->tail_used = kept + size;
}

// Reads what is there; closes the descriptor at its end.
static void drain(child* child, int* fd) {
  char bytes[4096];
  while (*fd >= 0) {
    ssize_t size = read(*fd, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
      close(*fd);
      *fd = -1;
    } else if (fd == &child->output) {
      keep_tail(child, bytes, (size_t)size);
    } else if (child->received.size < most_message) {
      tn_text_append(&child->received, bytes, (size_t)size);
    }
  }
}

static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Watches the child until it ends or its time is over, then ends its whole group and reaps it. The
// group goes first: until the child is reaped nobody else can have its number.
static void watch(child* child) {
  int64_t deadline = now_ms() + child->contact->time_limit_ms;
  child->ended.si_pid = 0;
  while (child->ended.si_pid == 0 && !child->wait_lost) {
    struct pollfd fds[] = {{.fd = child->messages, .events = POLLIN},
                           {.fd = child->output, .events = POLLIN}};
    poll(fds, 2, look_again_ms);
    drain(child, &child->messages);
    drain(child, &child->output);
    // ECHILD: the program ignores SIGCHLD, or reaps every child itself.
    if (waitid(P_PID, (id_t)child->pid, &child->ended, WEXITED | WNOHANG | WNOWAIT) != 0)
      child->wait_lost = errno != EINTR;
    if (child->ended.si_pid == 0 && now_ms() >= deadline) {
      child->timed_out = true;
      break;
    }
  }
  kill(-child->pid, SIGKILL);
  while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR) {
  }
  drain(child, &child->messages);
  drain(child, &child->output);
}

// Goes through the messages: the last stage, and the failure if there is one.
static void read_messages(child* child, tn_status* status) {
  const char* at = child->received.data;
  size_t left = child->received.size;
  tn_contact_head head;
  while (left >= sizeof head) {
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    left -= sizeof head;
    if (head.size > left) return;
    if (head.kind == TN_CONTACT_STAGE)
      snprintf(child->stage, sizeof child->stage, "%.*s", (int)head.size, at);
    if (head.kind == TN_CONTACT_FAILED) {
      tn_status_set(status, head.code ? (tn_code)head.code : TN_INTERNAL, "%.*s", (int)head.size,
                    at);
      tn_status_set_fault(status, (tn_fault)head.fault);
    }
    if (head.kind == TN_CONTACT_DONE) child->done = true;
    const char* value = memchr(at, '\0', head.size);
    if (head.kind == TN_CONTACT_FACT && child->contact->fact && value &&
        at[head.size - 1] == '\0' && value + 1 < at + head.size)
      child->contact->fact(at, value + 1, child->contact->fact_arg);
    at += head.size;
    left -= head.size;
  }
}

// The plugin's last lines, printable.
static void quote_tail(const child* child, tn_text* out) {
  size_t end = child->tail_used;
  while (end > 0 && isspace((unsigned char)child->tail[end - 1])) --end;
  if (end == 0) return;
  int lines = 0;
  size_t start = end;
  for (; start > 0; --start)
    if (child->tail[start - 1] == '\n' && ++lines == tail_lines) break;
  tn_text_puts(out, "; its last words:\n  ");
  for (size_t i = start; i < end; ++i) {
    unsigned char c = (unsigned char)child->tail[i];
    if (c == '\n')
      tn_text_puts(out, "\n  ");
    else
      tn_text_putc(out, c >= 0x20 || c == '\t' ? (char)c : '?');
  }
}

// "killed by SIGSEGV" and so on.
static void print_ending(const child* child, tn_text* out) {
  int number = child->ended.si_status;
  const char* name = sigabbrev_np(number);
  if (child->timed_out)
    tn_text_printf(out, "not back after %g s", child->contact->time_limit_ms / 1000.0);
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

static bool judge(child* child, tn_status* status) {
  tn_status reported = {0};
  read_messages(child, &reported);
  bool fine = child->done && tn_ok(&reported);
  if (!tn_ok(&reported)) tn_status_copy(status, &reported);
  if (!fine && tn_ok(&reported)) {
    tn_text text = {0};
    print_ending(child, &text);
    if (!child->stage[0])
      tn_text_puts(&text, " before it came to the plugin");
    else if (strcmp(child->stage, TN_STAGE_OPEN) == 0)
      tn_text_puts(&text, " in its constructors (dlopen)");
    else
      tn_text_printf(&text, " in %s", child->stage);
    if (child->stage[0] && child->contact->fact && !text.failed)
      child->contact->fact("ended", text.data, child->contact->fact_arg);
    quote_tail(child, &text);
    if (text.failed)
      tn_status_set_no_memory(status, "meeting a plugin");
    else
      tn_status_set(status, child->timed_out ? TN_DEADLINE_EXCEEDED : TN_INTERNAL,
                    "%s: first contact in a child process: %s", child->contact->path, text.data);
    tn_status_set_fault(status, child->stage[0] ? TN_FAULT_PLUGIN : TN_FAULT_HOST);
    tn_text_deinit(&text);
  }
  tn_status_deinit(&reported);
  return fine;
}

bool tn_first_contact(const tn_contact* contact, tn_status* status) {
  child child = {.contact = contact, .messages = -1, .output = -1};
  int messages[2], output[2], error = 0;
  char* probe = tn_own_probe(status);
  if (!probe) return false;
  if (!make_pipe(messages)) {
    tn_status_set_errno(status, errno, "cannot make a pipe for the first contact");
    tn_free(probe);
    return false;
  }
  if (make_pipe(output)) {
    error = spawn_probe(&child, probe, messages[1], output[1]);
    close(output[1]);
  } else {
    error = errno;
    output[0] = -1;
  }
  close(messages[1]);
  child.messages = messages[0];
  child.output = output[0];
  bool fine = false;
  if (error) {
    tn_status_set_errno(status, error, probe);
  } else {
    watch(&child);
    fine = !child.received.failed && judge(&child, status);
    if (child.received.failed) tn_status_set_no_memory(status, "meeting a plugin");
  }
  if (child.messages >= 0) close(child.messages);
  if (child.output >= 0) close(child.output);
  tn_text_deinit(&child.received);
  tn_free(probe);
  return fine;
}
