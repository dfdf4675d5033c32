#include "harness.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"

static test_case* cases;
static uint64_t seed;
static char folder[64];

// A test tells its outcome over a descriptor of its own, at its very end: an exit code or a signal
// can never be taken for "passed" or "skipped".
enum { result_descriptor = 198 };

void test_register(test_case* test) {
  // Kept in the order of the source: constructors run in it, and lists are short.
  test_case** end = &cases;
  while (*end) end = &(*end)->next;
  *end = test;
}

static int remove_entry(const char* path, const struct stat* info, int kind, struct FTW* walk) {
  return remove(path);
}

static void finish(char outcome, const char* reason) {
  if (folder[0]) nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  dprintf(result_descriptor, "%c%s", outcome, reason);
}

void test_fail(const char* file, int line, const char* format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s:%d: ", file, line);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  if (seed) fprintf(stderr, "replay with TN_TEST_SEED=%llu\n", (unsigned long long)seed);
  finish('F', "");
  fflush(NULL);
  _exit(1);
}

void test_skip(const char* format, ...) {
  char reason[512];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  finish('S', reason);
  fflush(NULL);
  _exit(0);
}

uint64_t test_seed(void) {
  const char* given = getenv("TN_TEST_SEED");
  if (given) {
    seed = strtoull(given, NULL, 10);
  } else {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    seed = (uint64_t)now.tv_nsec * 1000003u + (uint64_t)getpid() + 1;
  }
  return seed;
}

uint64_t test_random(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int64_t test_between(uint64_t* state, int64_t low, int64_t high) {
  return low + (int64_t)(test_random(state) % (uint64_t)(high - low + 1));
}

const char* test_folder(void) {
  if (!folder[0]) {
    strcpy(folder, "/tmp/tenon-test-XXXXXX");
    if (!mkdtemp(folder)) test_fail(__FILE__, __LINE__, "mkdtemp: %s", strerror(errno));
  }
  return folder;
}

int test_sweep_allocations(bool (*once)(void*, tn_status*), void* arg) {
  // A first round fills caches that stay for the life of the process.
  tn_memory_fail_at(-1);
  tn_status status = {0};
  if (!once(arg, &status))
    test_fail(__FILE__, __LINE__, "fails with no allocation failing: %s",
              tn_status_message(&status));
  for (int round = 0;; ++round) {
    int64_t before = tn_memory_alive();
    tn_memory_fail_at(round);
    bool succeeded = once(arg, &status);
    bool failed_one = tn_memory_asked() > round;
    tn_memory_fail_at(-1);
    if (!succeeded && tn_status_code(&status) != TN_RESOURCE_EXHAUSTED)
      test_fail(__FILE__, __LINE__, "allocation %d fails: reported as %s \"%s\"", round,
                tn_code_name(tn_status_code(&status)), tn_status_message(&status));
    tn_status_deinit(&status);
    int64_t left = tn_memory_alive() - before;
    if (left > 0)
      test_fail(__FILE__, __LINE__, "allocation %d fails: %lld blocks left behind", round,
                (long long)left);
    if (!failed_one) {
      if (!succeeded) test_fail(__FILE__, __LINE__, "fails after the last allocation");
      return round;
    }
    if (round > 100000) test_fail(__FILE__, __LINE__, "no end of allocations");
  }
}

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void show_output(FILE* output) {
  rewind(output);
  char line[1024];
  while (fgets(line, sizeof line, output)) printf("# %s%s", line, strchr(line, '\n') ? "" : "\n");
}

// Runs one test in a child. Returns 'P', 'F' or 'S' and describes anything but a pass in `why`.
static char run_in_child(const char* self, const test_case* test, char* why, size_t why_size) {
  int result[2];
  if (pipe(result)) return snprintf(why, why_size, "pipe: %s", strerror(errno)), 'F';
  FILE* output = tmpfile();
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    dup2(result[1], result_descriptor);
    close(result[0]);
    close(result[1]);
    dup2(fileno(output), 1);
    dup2(fileno(output), 2);
    execl(self, self, test->name, (char*)NULL);
    _exit(127);
  }
  close(result[1]);

  const char* limit_text = getenv("TN_TEST_TIMEOUT");
  double limit = limit_text ? atof(limit_text) : 60, end = now_seconds() + limit;
  int wait_status = 0;
  bool timed_out = false;
  while (waitpid(child, &wait_status, WNOHANG) == 0) {
    if (now_seconds() > end) {
      timed_out = true;
      kill(-child, SIGKILL);
      waitpid(child, &wait_status, 0);
      break;
    }
    poll(NULL, 0, 1);
  }
  kill(-child, SIGKILL);  // what the test left running

  char record[512] = {0};
  struct pollfd ready = {result[0], POLLIN, 0};
  if (poll(&ready, 1, 0) > 0 && read(result[0], record, sizeof record - 1) < 0) record[0] = 0;
  close(result[0]);

  char outcome = 'F';
  if (timed_out) {
    snprintf(why, why_size, "time-out after %.0f s", limit);
  } else if (WIFSIGNALED(wait_status)) {
    snprintf(why, why_size, "signal SIG%s", sigabbrev_np(WTERMSIG(wait_status)));
  } else if (record[0] == 'S' && WEXITSTATUS(wait_status) == 0) {
    snprintf(why, why_size, "%s", record + 1);
    outcome = 'S';
  } else if (record[0] == 'P' && WEXITSTATUS(wait_status) == 0) {
    outcome = 'P';
  } else if (record[0] == 'F') {
    snprintf(why, why_size, "check failed");
  } else if (record[0] == 'P') {
    snprintf(why, why_size, "exit %d after the test (a sanitizer or an exit handler)",
             WEXITSTATUS(wait_status));
  } else {
    snprintf(why, why_size, "exit %d before the end of the test", WEXITSTATUS(wait_status));
  }
  if (outcome == 'F') show_output(output);
  fclose(output);
  return outcome;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--list") == 0) {
    for (test_case* test = cases; test; test = test->next) puts(test->name);
    return 0;
  }
  if (argc > 1) {
    for (test_case* test = cases; test; test = test->next) {
      if (strcmp(test->name, argv[1]) != 0) continue;
      test->body();
      finish('P', "");
      return 0;
    }
    fprintf(stderr, "%s: no test named '%s'; --list shows them\n", argv[0], argv[1]);
    return 2;
  }

  char self[4096] = {0};
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 2;
  int total = 0, number = 0, passed = 0, failed = 0, skipped = 0;
  for (test_case* test = cases; test; test = test->next) ++total;
  printf("1..%d\n", total);
  for (test_case* test = cases; test; test = test->next) {
    char why[1024] = {0};
    fflush(stdout);
    char outcome = run_in_child(self, test, why, sizeof why);
    ++number;
    if (outcome == 'P') {
      ++passed;
      printf("ok %d - %s\n", number, test->name);
    } else if (outcome == 'S') {
      ++skipped;
      printf("ok %d - %s # SKIP %s\n", number, test->name, why);
    } else {
      ++failed;
      printf("not ok %d - %s # %s\n", number, test->name, why);
    }
  }
  printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed ? 1 : 0;
}
