// A child process of ours in which foreign code may crash, exit or hang: started in a process group
// of its own, watched, ended with all that it started, and quoted.
#ifndef TENON_PLUGIN_CHILD_H_
#define TENON_PLUGIN_CHILD_H_

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"
#include "tenon/status.h"

enum {
  TN_CHILD_FD = 3,        // the first descriptor that a child is given, in its numbers
  TN_CHILD_MOST_FDS = 2,  // of those, then comes
  TN_CHILD_LIFELINE = TN_CHILD_FD + TN_CHILD_MOST_FDS,  // a socket between parent and keeper
  TN_CHILD_LOOK_MS = 20,                                // how often to look whether it has ended
  TN_CHILD_TAIL_SIZE = 2048                             // of what it prints, the end is kept
};

typedef struct tn_child {
  pid_t pid;     // 0: there is none
  int pidfd;     // the process, whoever has its number; -1: none, or a system without
  int lifeline;  // to its keeper, who ends it when this is shut down; -1: none
  int output;    // what it prints, read end; -1 when closed
  char tail[TN_CHILD_TAIL_SIZE];
  size_t tail_used;
  bool timed_out;   // set by whoever waited for it
  bool wait_lost;   // the program reaps its children itself: how it ended is not known
  siginfo_t ended;  // si_pid is 0 while it runs
} tn_child;

// A child that is none, for tn_child_end.
tn_child tn_child_none(void);
// Starts a program with `arguments` (the program's path first, NULL for tenon-probe; NULL last).
// Gives it `fds[i]`, TN_CHILD_MOST_FDS at most, which stay the caller's, as TN_CHILD_FD + i. False
// leaves nothing behind.
bool tn_child_start(tn_child* child, char** arguments, const int* fds, size_t fd_count,
                    tn_status* status);
// Runs a program to its end, or to the end of its time, and ends all that it started. Appends what
// it writes to TN_CHILD_FD, a megabyte at most, to `received`; `shared` (-1: none) is the next
// descriptor. False when it could not be started.  [any thread]
bool tn_child_run(tn_child* child, char** arguments, int shared, uint32_t time_limit_ms,
                  tn_text* received, tn_status* status);
// Moves a descriptor clear of the numbers that a child's plumbing overwrites, closed on exec. Takes
// `fd`; -1 and errno when there is none left, or when `fd` is -1.
int tn_child_clear_fd(int fd);
// A pipe of such descriptors, whose read end does not block; false sets errno.
bool tn_child_pipe(int ends[2]);
// A pair of connected sockets of such descriptors; false sets errno.
bool tn_child_sockets(int ends[2]);

// Takes in what the child has printed so far.
void tn_child_listen(tn_child* child);
// True once it has ended, or cannot be waited for; it is not reaped yet.
bool tn_child_look(tn_child* child);
// Ends it with all that it started, and reaps it. The tail and the ending stay readable.
void tn_child_end(tn_child* child);

// "killed by SIGSEGV" and so on.
void tn_child_print_ending(const tn_child* child, uint32_t time_limit_ms, tn_text* out);
// "; its last words:" and the last lines it printed, printable; nothing when it printed nothing.
void tn_child_quote(const tn_child* child, tn_text* out);

// In the child, before anything else: goes on in a process of its own, while this one stays as its
// keeper: ends it with all that it started, then ends as it did. Without a lifeline, does nothing.
void tn_child_keep(void);

// In the child: moves a descriptor that it was given clear of the numbers a plugin might use
// without asking, and not for its children; -1 when it was not given.
int tn_child_keep_fd(int fd);
// In the child: a crash is to be seen by the parent as the signal it is, whatever a sanitizer
// installed, and leaves no core file.
void tn_child_settle(void);

#endif  // TENON_PLUGIN_CHILD_H_
