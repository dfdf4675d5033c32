// Sessions in programs that fork, close their outputs or have little left, and plugins that start
// processes.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "tenon/pjrt_session.h"

#define LIAR TENON_BUILD_DIR "/tests/plugins/liar.so"

static const char add_one[] =
    "func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {\n"
    "  %c = stablehlo.constant dense<1.0> : tensor<f32>\n"
    "  %0 = stablehlo.add %arg0, %c : tensor<f32>\n"
    "  return %0 : tensor<f32>\n}\n";

static tn_pjrt_session* start_isolated(tn_status* status) {
  tn_pjrt_session_options options = TN_INIT(tn_pjrt_session_options);
  options.isolate = true;
  return tn_pjrt_session_start(LIAR, &options, status);
}

static int compile(tn_pjrt_session* session, tn_status* status) {
  return tn_pjrt_session_compile(session, add_one, sizeof add_one - 1, NULL, status);
}

// What the session makes of `value`; -1 when it fails.
static float add(tn_pjrt_session* session, int program, float value, tn_status* status) {
  tn_tensor* x = tn_tensor_create_from(TN_FLOAT, NULL, 0, &value, sizeof value, status);
  tn_tensor* sum = NULL;
  float result = -1;
  if (tn_pjrt_session_run(session, program, &x, 1, &sum, 1, NULL, status))
    result = *(const float*)tn_tensor_data(sum);
  tn_tensor_destroy(sum);
  tn_tensor_destroy(x);
  return result;
}

static bool is_gone(pid_t pid) {
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE* file = fopen(path, "r");
  if (!file) return true;
  const bool read = fgets(text, sizeof text, file) != NULL;
  fclose(file);
  const char* state = strrchr(text, ')');
  return !read || !state || state[2] == 'Z' || state[2] == 'X';
}

static void check_goes(pid_t pid) {
  for (int i = 0; i < 6000 && !is_gone(pid); ++i) usleep(10000);
  CHECK(is_gone(pid));
}

// The only child of a process; 0 where the system does not tell.
static pid_t child_of(pid_t parent) {
  char path[64];
  int pid = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
  FILE* file = fopen(path, "r");
  if (!file || fscanf(file, "%d", &pid) != 1) pid = 0;
  if (file) fclose(file);
  return pid;
}

TEST(test_a_copy_of_the_process_that_a_plugin_forks_answers_nothing) {
  setenv("PJRT_LIE", "forks", 1);
  tn_status* status = tn_status_create();
  tn_pjrt_session* session = start_isolated(status);
  const int program = compile(session, status);
  CHECK_OK(status);
  for (int i = 1; i < 6; ++i) {
    CHECK_INT(add(session, program, 10.0f * (float)i, status), 10 * i + 1);
    usleep(30000);  // a copy is back by now, most likely
  }
  CHECK_OK(status);
  tn_pjrt_session_stop(session);
  tn_status_destroy(status);
}

// The number of the daemon that the plugin started; -1 when there is none.
static pid_t daemon_at(const char* place) {
  FILE* file = fopen(place, "r");
  int pid = -1;
  if (!file || fscanf(file, "%d", &pid) != 1) pid = -1;
  if (file) fclose(file);
  return pid;
}

TEST(test_a_daemon_that_a_plugin_starts_ends_with_the_session_however_that_ends) {
  static const char* const ends[] = {"", "crash@PJRT_Client_Compile", "exit@PJRT_Client_Compile"};
  char place[4096];
  snprintf(place, sizeof place, "%s/pid", test_folder());
  setenv("DAEMON_PID", place, 1);
  setenv("PJRT_LIE", "daemon", 1);
  tn_status* status = tn_status_create();
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    setenv("PJRT_MISDEED", ends[i], 1);
    tn_pjrt_session* session = start_isolated(status);
    CHECK_OK(status);
    const pid_t pid = daemon_at(place);
    CHECK(pid > 0 && !is_gone(pid));
    CHECK_INT(compile(session, status), i == 0 ? 0 : -1);
    tn_status_clear(status);
    tn_pjrt_session_stop(session);
    check_goes(pid);
    unlink(place);
  }
  tn_status_destroy(status);
}

// Then a child that has ended is nobody's, and its number anybody's: nothing is sent to it.
TEST(test_a_program_that_reaps_its_children_itself_has_sessions_too) {
  struct sigaction before;
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_IGN}, &before);
  tn_status* status = tn_status_create();
  tn_pjrt_session* session = start_isolated(status);
  const int program = compile(session, status);
  CHECK_INT(add(session, program, 1, status), 2);
  CHECK_OK(status);
  tn_pjrt_session_stop(session);
  setenv("PJRT_MISDEED", "crash@PJRT_Client_Compile", 1);
  session = start_isolated(status);
  CHECK_OK(status);
  CHECK_INT(compile(session, status), -1);
  CHECK_CONTAINS(tn_status_message(status), "this program reaps its children itself");
  CHECK_CODE(status, TN_ABORTED);
  tn_pjrt_session_stop(session);
  sigaction(SIGCHLD, &before, NULL);
  tn_status_destroy(status);
}

TEST(test_a_program_without_outputs_can_have_a_session_and_print) {
  tn_status* status = tn_status_create();
  const int kept = dup(2);
  for (int fd = 0; fd < 3; ++fd) close(fd);
  tn_pjrt_session* session = start_isolated(status);
  const ssize_t said = write(1, "hello", 5) + write(2, "hello", 5);
  const int program = session ? compile(session, status) : -1;
  const float sum = program >= 0 ? add(session, program, 1, status) : -1;
  tn_pjrt_session_stop(session);
  for (int fd = 0; fd < 3; ++fd) dup2(kept, fd);
  CHECK_OK(status);
  CHECK_INT(said, -2);
  CHECK_INT(sum, 2);
  tn_status_destroy(status);
}

TEST(test_a_child_ends_with_its_parent_when_that_has_forked) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t parent = fork();
  if (parent == 0) {
    tn_pjrt_session* session = start_isolated(NULL);
    pid_t pids[2] = {child_of(getpid()), 0};
    if ((pids[1] = fork()) == 0) {
      alarm(600);
      for (;;) pause();
    }
    if (write(ends[1], pids, sizeof pids) != sizeof pids || !session) _exit(1);
    for (;;) pause();
  }
  pid_t pids[2] = {0, 0};
  CHECK(read(ends[0], pids, sizeof pids) == sizeof pids);
  kill(parent, SIGKILL);
  waitpid(parent, NULL, 0);
  if (pids[0]) check_goes(pids[0]);
  kill(pids[1], SIGKILL);
  if (!pids[0]) test_skip("this system does not tell of a process's children");
  close(ends[0]);
  close(ends[1]);
}

// Sets what the process itself may change.
static void lower(int resource, rlim_t to) {
  struct rlimit limit;
  CHECK(getrlimit(resource, &limit) == 0);
  limit.rlim_cur = to;
  CHECK(setrlimit(resource, &limit) == 0);
}

TEST(test_a_limit_on_the_size_of_files_is_a_status) {
  tn_status* status = tn_status_create();
  lower(RLIMIT_FSIZE, 1024);
  CHECK(!start_isolated(status));
  CHECK_CONTAINS(tn_status_message(status), "the limit on the size of files (ulimit -f)");
  CHECK(!tn_ok(status));
  tn_status_clear(status);
  lower(RLIMIT_FSIZE, 4096);
  tn_pjrt_session* session = start_isolated(status);
  CHECK_OK(status);
  CHECK_INT(compile(session, status), -1);
  CHECK_CONTAINS(tn_status_message(status), "the limit on the size of files (ulimit -f)");
  CHECK(!tn_ok(status));
  tn_status_clear(status);
  // The child still has the limit: it has no room for the output.
  lower(RLIMIT_FSIZE, 1 << 20);
  const int program = compile(session, status);
  CHECK_OK(status);
  CHECK_INT(add(session, program, 1, status), -1);
  CHECK_CONTAINS(tn_status_message(status), "the limit on the size of files (ulimit -f)");
  CHECK(!tn_ok(status));
  tn_pjrt_session_stop(session);
  tn_status_destroy(status);
}

TEST(test_too_few_descriptors_are_called_so) {
  tn_status* status = tn_status_create();
  lower(RLIMIT_NOFILE, 10);
  CHECK(!start_isolated(status));
  CHECK_CONTAINS(tn_status_message(status), "Too many open files");
  CHECK_CODE(status, TN_RESOURCE_EXHAUSTED);
  tn_status_destroy(status);
}
