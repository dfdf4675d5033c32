// What belongs to the host: signals, standard output, the working folder, threads, descriptors.
#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/belongings.h"
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

static void signals(const tn_subject* subject) {
  pj_open(subject);
  tn_belonging_remember(TN_SIGNAL_HANDLERS);
  make_and_use_client(subject);
  tn_belonging_compare();
  const char* notes = tn_pjrt_notes(pj.plugin);
  TN_EXPECT(!strstr(notes, "signal"), "handlers as they were", "while it opened: %s", notes);
}

static void belongings(const tn_subject* subject) {
  tn_belonging_remember((tn_belonging)subject->arg);
  pj_open(subject);
  make_and_use_client(subject);
  tn_belonging_compare();
}

static void quiet_start(const tn_subject* subject) {
  const int before = tn_belongings_count(TN_THREADS);
  pj_open(subject);
  const int after = tn_belongings_count_settled(TN_THREADS, before);
  TN_EXPECT(after <= before, "no thread before there is a client", "%d threads", after - before);
}

// What is left after the first client may be kept for the next; what grows with each is lost.
static void nothing_piles_up(const tn_subject* subject) {
  const tn_countable what = (tn_countable)subject->arg;
  pj_open(subject);
  make_and_use_client(subject);
  make_and_use_client(subject);
  const int before = tn_belongings_count(what);
  for (int i = 0; i < 3; ++i) make_and_use_client(subject);
  const int after = tn_belongings_count_settled(what, before);
  TN_EXPECT(after <= before + 2, what == TN_THREADS ? "as many threads" : "as many descriptors",
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
    {"process.standard_output", "standard output belongs to the host", belongings,
     TN_STANDARD_OUTPUT},
    {"process.working_folder", "the working folder belongs to the host", belongings,
     TN_WORKING_FOLDER},
    {"process.quiet_start", "threads come with a client, not with the plugin: hosts fork before",
     quiet_start, 0},
    {"process.threads_end", "threads of a client end with it", nothing_piles_up, TN_THREADS},
    {"process.descriptors_close", "descriptors of a client are closed with it", nothing_piles_up,
     TN_DESCRIPTORS},
    {"process.fork", "a fork of the process leaves the client usable", fork_beside_it, 0},
};
const tn_check_group tn_check_pjrt_process = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
