#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "harness.h"
#include "plugin/first_contact.h"
#include "tenon/plugin.h"

#define FAKE(name) TENON_BUILD_DIR "/tests/plugins/" name

static bool meet(const char* path, uint32_t time_limit_ms, tn_status* status) {
  tn_contact contact = {path, TN_ENTRY_KERNEL, time_limit_ms, false, NULL, NULL, NULL};
  return tn_first_contact(&contact, status);
}

static void check_met(const char* path, tn_code code, const char* message) {
  tn_status status = {0};
  CHECK(!meet(path, code == TN_DEADLINE_EXCEEDED ? 500 : 30000, &status));
  CHECK_CONTAINS(tn_status_message(&status), path);
  CHECK_CONTAINS(tn_status_message(&status), message);
  CHECK_INT(tn_status_fault(&status), TN_FAULT_PLUGIN);
  CHECK_CODE(&status, code);
  CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

static int open_descriptors(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

TEST(test_a_good_plugin_passes_and_leaves_nothing_behind) {
  tn_status status = {0};
  int before = open_descriptors();
  CHECK(meet(FAKE("good.so"), 30000, &status));
  CHECK_OK(&status);
  CHECK_INT(open_descriptors(), before);
  CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

TEST(test_a_crash_is_a_status_with_the_signal_and_the_call) {
  check_met(FAKE("crash_in_constructor.so"), TN_INTERNAL,
            "killed by SIGSEGV in its constructors (dlopen)");
  check_met(FAKE("abort_in_constructor.so"), TN_INTERNAL,
            "killed by SIGABRT in its constructors (dlopen)");
  check_met(FAKE("crash_in_init.so"), TN_INTERNAL, "killed by SIGSEGV in TF_InitKernel");
}

TEST(test_the_last_words_of_a_plugin_are_quoted) {
  check_met(FAKE("crash_in_init.so"), TN_INTERNAL,
            "its last words:\n  about to crash\n  in two lines");
}

TEST(test_an_exit_is_a_status_even_with_code_0) {
  check_met(FAKE("exit_in_constructor.so"), TN_INTERNAL,
            "ended the process with exit code 3 in its constructors (dlopen)");
  check_met(FAKE("exit_in_init.so"), TN_INTERNAL,
            "ended the process with exit code 0 in TF_InitKernel");
}

TEST(test_a_hang_is_ended_at_the_time_limit) {
  check_met(FAKE("hang_in_init.so"), TN_DEADLINE_EXCEEDED, "not back after 0.5 s in TF_InitKernel");
}

TEST(test_what_the_child_finds_wrong_comes_back_as_it_was) {
  tn_status status = {0};
  CHECK(!meet(FAKE("missing_libraries.so"), 30000, &status));
  CHECK_CONTAINS(tn_status_message(&status), "libtenon_absent_one.so, libtenon_absent_two.so");
  CHECK_INT(tn_status_fault(&status), TN_FAULT_PLUGIN);
  CHECK_CODE(&status, TN_NOT_FOUND);
}

TEST(test_a_grandchild_that_holds_the_pipes_neither_delays_nor_outlives) {
  tn_status status = {0};
  int before = open_descriptors();
  CHECK(meet(FAKE("child_left_behind.so"), 30000, &status));
  CHECK_OK(&status);
  CHECK_INT(open_descriptors(), before);
}

TEST(test_a_program_that_ignores_its_children_still_gets_an_answer) {
  signal(SIGCHLD, SIG_IGN);
  tn_status status = {0};
  CHECK(meet(FAKE("good.so"), 30000, &status));
  CHECK_OK(&status);
  CHECK(!meet(FAKE("crash_in_init.so"), 30000, &status));
  CHECK_CONTAINS(tn_status_message(&status), "in TF_InitKernel");
  CHECK_CODE(&status, TN_INTERNAL);
}

TEST(test_a_missing_probe_is_the_hosts_fault) {
  setenv("TENON_PROBE", "/no/such/probe", 1);
  tn_status status = {0};
  CHECK(!meet(FAKE("good.so"), 30000, &status));
  CHECK_CONTAINS(tn_status_message(&status), "/no/such/probe is not there");
  CHECK_INT(tn_status_fault(&status), TN_FAULT_HOST);
  CHECK_CODE(&status, TN_NOT_FOUND);
}

TEST(test_a_probe_that_says_nothing_is_the_hosts_fault) {
  setenv("TENON_PROBE", "/bin/true", 1);
  tn_status status = {0};
  CHECK(!meet(FAKE("good.so"), 30000, &status));
  CHECK_CONTAINS(tn_status_message(&status), "exit code 0 before it came to the plugin");
  CHECK_INT(tn_status_fault(&status), TN_FAULT_HOST);
  CHECK_CODE(&status, TN_INTERNAL);
}

static bool meet_once(void* arg, tn_status* status) { return meet(arg, 30000, status); }

TEST(test_first_contact_without_memory_is_a_status) {
  CHECK(test_sweep_allocations(meet_once, FAKE("good.so")) > 1);
}
