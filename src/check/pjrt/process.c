// What belongs to the host: signals, standard output, the working folder, threads, descriptors.
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

// A client made, used and destroyed, whatever becomes of it. The plugin opened is the host's own
// doing: it puts back what a plugin changes, so these cases look from outside of it.
static void make_and_use_client(const tn_subject* subject) {
  PJRT_Error* error;
  PJRT_Client* client = pj_client_create(subject, &error);
  if (error) pj_end_without_client(subject, error);
  pj_client_destroy(client);
}

static int count_entries(const char* folder) {
  DIR* dir = opendir(folder);
  if (!dir) tn_case_skip("%s cannot be read", folder);
  int count = 0;
  while (readdir(dir)) ++count;
  closedir(dir);
  return count - 2;
}

static void signals(const tn_subject* subject) {
  struct sigaction before[NSIG];
  memset(before, 0, sizeof before);
  pj_open(subject);
  for (int i = 1; i < NSIG; ++i) sigaction(i, NULL, &before[i]);
  make_and_use_client(subject);
  for (int i = 1; i < NSIG; ++i) {
    struct sigaction now;
    if (sigaction(i, NULL, &now) == 0 && now.sa_handler != before[i].sa_handler)
      tn_case_broken(NULL, "handlers as they were", "that of SIG%s was replaced",
                     sigabbrev_np(i) ? sigabbrev_np(i) : "RT");
  }
  const char* notes = tn_pjrt_notes(pj.plugin);
  TN_EXPECT(!strstr(notes, "signal"), "handlers as they were", "while it opened: %s", notes);
}

static void standard_output(const tn_subject* subject) {
  const int file = memfd_create("stdout", MFD_CLOEXEC);
  fflush(stdout);
  if (file < 0 || dup2(file, 1) < 0) tn_case_error("cannot divert standard output");
  pj_open(subject);
  make_and_use_client(subject);
  fflush(stdout);
  char text[200] = "";
  const ssize_t size = pread(file, text, sizeof text - 1, 0);
  TN_EXPECT(size <= 0, "nothing on standard output", "%s", text);
}

static void working_folder(const tn_subject* subject) {
  char before[4096], after[4096];
  if (!getcwd(before, sizeof before)) tn_case_error("there is no working folder");
  pj_open(subject);
  make_and_use_client(subject);
  TN_EXPECT(getcwd(after, sizeof after) && strcmp(before, after) == 0, before, "%s", after);
}

static void quiet_start(const tn_subject* subject) {
  // A thread's entry goes a little after the thread has ended.
  const int before = count_entries("/proc/self/task");
  pj_open(subject);
  int after = count_entries("/proc/self/task");
  for (int i = 0; i < 100 && after > before; ++i) {
    usleep(1000);
    after = count_entries("/proc/self/task");
  }
  TN_EXPECT(after <= before, "no thread before there is a client", "%d threads", after - before);
}

// What is left after the first client may be kept for the next; what grows with each is lost.
static void nothing_piles_up(const tn_subject* subject) {
  const char* folder = subject->arg ? "/proc/self/fd" : "/proc/self/task";
  pj_open(subject);
  make_and_use_client(subject);
  make_and_use_client(subject);
  int before = count_entries(folder);
  for (int i = 0; i < 3; ++i) make_and_use_client(subject);
  int after = count_entries(folder);
  for (int i = 0; i < 500 && after > before; ++i) {
    usleep(1000);
    after = count_entries(folder);
  }
  TN_EXPECT(after <= before + 2, subject->arg ? "as many descriptors" : "as many threads",
            "%d, then %d after three more clients", before, after);
}

static void fork_beside_it(const tn_subject* subject) {
  pj_start(subject);
  const float numbers[4] = {1, 2, 3, 4};
  PJRT_Buffer* buffer = pj_put_floats(numbers, 4);
  const pid_t child = fork();
  if (child == 0) _exit(42);  // what subprocess modules do between fork and exec
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) tn_case_error("cannot fork");
  TN_EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 42, "a child that ends as told",
            "wait status %d", status);
  pj_expect_floats("read after a fork", buffer, numbers, 4);
  pj_destroy(buffer);
}

static const tn_check_case cases[] = {
    {"process.signals", "signal handlers belong to the host", signals, 0},
    {"process.standard_output", "standard output belongs to the host", standard_output, 0},
    {"process.working_folder", "the working folder belongs to the host", working_folder, 0},
    {"process.quiet_start", "threads come with a client, not with the plugin: hosts fork before",
     quiet_start, 0},
    {"process.threads_end", "threads of a client end with it", nothing_piles_up, 0},
    {"process.descriptors_close", "descriptors of a client are closed with it", nothing_piles_up,
     1},
    {"process.fork", "a fork of the process leaves the client usable", fork_beside_it, 0},
};
const tn_check_group tn_check_pjrt_process = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
