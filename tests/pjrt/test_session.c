#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "harness.h"
#include "pjrt/host/session_wire.h"
#include "tenon/pjrt_session.h"

#define PLUGIN TENON_BUILD_DIR "/tests/plugins/pjrt_0_114.so"

static const char add_one[] =
    "func.func public @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
    "  %c = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
    "  %0 = stablehlo.add %arg0, %c : tensor<2x3xf32>\n"
    "  return %0 : tensor<2x3xf32>\n}\n";

static tn_pjrt_session* start(bool isolate, tn_status* status) {
  tn_pjrt_session_options options = TN_INIT(tn_pjrt_session_options);
  options.isolate = isolate;
  return tn_pjrt_session_start(PLUGIN, &options, status);
}

static tn_tensor* six_numbers(tn_status* status) {
  static const float values[] = {0, 1, 2, 3, 4, 5};
  static const int64_t dims[] = {2, 3};
  return tn_tensor_create_from(TN_FLOAT, dims, 2, values, sizeof values, status);
}

static void check_sum(const tn_tensor* sum) {
  const float* values = tn_tensor_data(sum);
  CHECK_INT(tn_tensor_dtype(sum), TN_FLOAT);
  CHECK_INT(tn_tensor_dim(sum, 1), 3);
  for (int i = 0; i < 6; ++i) CHECK(values && values[i] == (float)i + 1);
}

// Start, compile, run, look, stop: true when all of it worked.
static bool whole_session(bool isolate, tn_status* status) {
  tn_pjrt_session* session = start(isolate, status);
  const int program =
      session ? tn_pjrt_session_compile(session, add_one, sizeof add_one - 1, NULL, status) : -1;
  tn_tensor* x = program >= 0 ? six_numbers(status) : NULL;
  tn_tensor* sum = NULL;
  const bool ran = x && tn_pjrt_session_run(session, program, &x, 1, &sum, 1, NULL, status);
  if (ran) check_sum(sum);
  tn_tensor_destroy(sum);
  tn_tensor_destroy(x);
  tn_pjrt_session_stop(session);
  return ran;
}

static int open_descriptors(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (folder && readdir(folder)) ++count;
  if (folder) closedir(folder);
  return count;
}

static void check_no_children(void) { CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD); }

TEST(test_a_program_runs_in_this_process_and_in_a_child_alike) {
  tn_status status = {0};
  for (int isolate = 0; isolate < 2; ++isolate) {
    tn_pjrt_session* session = start(isolate, &status);
    CHECK_OK(&status);
    if (!session) return;
    tn_pjrt_session_facts facts = TN_INIT(tn_pjrt_session_facts);
    CHECK(tn_pjrt_session_tell(session, &facts, &status));
    CHECK_INT(facts.minor, 114);
    CHECK_TEXT(facts.platform, "tenon_test");
    CHECK_TEXT(facts.device, "test device");
    CHECK(facts.device_count > 0 && *facts.stablehlo);
    tn_tensor* x = six_numbers(&status);
    for (int i = 0; i < 3; ++i) {
      const int program =
          tn_pjrt_session_compile(session, add_one, sizeof add_one - 1, NULL, &status);
      CHECK_INT(program, i);
      CHECK_INT(tn_pjrt_session_output_count(session, program), 1);
      tn_tensor* sum = NULL;
      CHECK(tn_pjrt_session_run(session, program, &x, 1, &sum, 1, NULL, &status));
      CHECK_OK(&status);
      check_sum(sum);
      tn_tensor_destroy(sum);
    }
    tn_tensor_destroy(x);
    tn_pjrt_session_stop(session);
  }
  check_no_children();
}

TEST(test_runs_are_timed_and_the_first_result_is_kept) {
  tn_status status = {0};
  for (int isolate = 0; isolate < 2; ++isolate) {
    tn_pjrt_session* session = start(isolate, &status);
    const int program =
        tn_pjrt_session_compile(session, add_one, sizeof add_one - 1, NULL, &status);
    tn_pjrt_timing timing = TN_INIT(tn_pjrt_timing);
    timing.calls = 50;
    timing.most_ms = 60000;
    tn_tensor *x = six_numbers(&status), *sum = NULL;
    CHECK(tn_pjrt_session_run(session, program, &x, 1, &sum, 1, &timing, &status));
    CHECK_OK(&status);
    check_sum(sum);
    CHECK_INT(timing.calls, 50);
    CHECK(timing.first > 0 && timing.per_call > 0 && timing.in_a_row > 0);
    CHECK(timing.p50 > 0 && timing.p50 <= timing.p99);
    tn_tensor_destroy(sum);
    tn_tensor_destroy(x);
    tn_pjrt_session_stop(session);
  }
}

TEST(test_a_timing_tells_mean_middle_and_the_slow_end) {
  uint64_t times[100];
  for (int i = 0; i < 100; ++i) times[i] = (uint64_t)(100 - i);
  tn_pjrt_timing timing = TN_INIT(tn_pjrt_timing);
  tn_pjrt_timing_fill(&timing, times, 100);
  CHECK_INT(timing.calls, 100);
  CHECK_INT(timing.per_call, 50);
  CHECK_INT(timing.p50, 50);
  CHECK_INT(timing.p99, 99);
  uint64_t one[] = {7};
  tn_pjrt_timing_fill(&timing, one, 1);
  CHECK_INT(timing.p50, 7);
  CHECK_INT(timing.p99, 7);
}

// ---- A plugin that ends ----

static void check_ends(const char* misdeed, tn_code code, const char* words) {
  setenv("PJRT_MISDEED", misdeed, 1);
  tn_status status = {0};
  const bool ran = whole_session(true, &status);
  if (ran) test_fail(__FILE__, __LINE__, "%s was not noticed", misdeed);
  CHECK_CONTAINS(tn_status_message(&status), "pjrt_0_114.so: ");
  CHECK_CONTAINS(tn_status_message(&status), words);
  CHECK_INT(tn_status_fault(&status), TN_FAULT_PLUGIN);
  CHECK_CODE(&status, code);
}

TEST(test_a_crash_in_any_call_is_a_status_that_names_it_and_the_program_lives) {
  static const char* const calls[] = {"PJRT_Plugin_Initialize",
                                      "PJRT_Plugin_Attributes",
                                      "PJRT_Client_Create",
                                      "PJRT_Client_PlatformName",
                                      "PJRT_Client_PlatformVersion",
                                      "PJRT_Client_Devices",
                                      "PJRT_Client_AddressableDevices",
                                      "PJRT_DeviceDescription_Kind",
                                      "PJRT_Client_Compile",
                                      "PJRT_Executable_NumOutputs",
                                      "PJRT_Client_BufferFromHostBuffer",
                                      "PJRT_LoadedExecutable_Execute",
                                      "PJRT_Event_Await",
                                      "PJRT_Buffer_ToHostBuffer",
                                      "PJRT_Buffer_Destroy"};
  const int before = open_descriptors();
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    char misdeed[80], words[120];
    snprintf(misdeed, sizeof misdeed, "crash@%s", calls[i]);
    snprintf(words, sizeof words, "the plugin died with SIGSEGV in %s", calls[i]);
    check_ends(misdeed, TN_ABORTED, words);
  }
  CHECK_INT(open_descriptors(), before);
  check_no_children();
}

TEST(test_an_abort_and_an_exit_are_told_apart) {
  check_ends("abort@PJRT_Client_Compile", TN_ABORTED,
             "the plugin died with SIGABRT in PJRT_Client_Compile");
  check_ends("exit@PJRT_LoadedExecutable_Execute", TN_ABORTED,
             "the plugin ended the process with exit code 3 in PJRT_LoadedExecutable_Execute");
  check_no_children();
}

// A slow machine may need longer than the limit just to get there: then it gets more.
static bool came_too_late(const tn_status* status, uint32_t limit_ms, const char* where) {
  return limit_ms < 16000 && !strstr(tn_status_message(status), where);
}

TEST(test_a_plugin_that_hangs_is_ended_when_its_time_is_over) {
  tn_pjrt_session_options options = TN_INIT(tn_pjrt_session_options);
  tn_pjrt_open_options open = TN_INIT(tn_pjrt_open_options);
  options.isolate = true;
  options.open = &open;
  tn_status status = {0};
  setenv("PJRT_MISDEED", "hang@PJRT_Client_Create", 1);
  open.time_limit_ms = 250;
  do {
    open.time_limit_ms *= 2;
    tn_status_clear(&status);
    CHECK(!tn_pjrt_session_start(PLUGIN, &options, &status));
  } while (came_too_late(&status, open.time_limit_ms, " s in PJRT_Client_Create"));
  CHECK_CONTAINS(tn_status_message(&status), "the plugin is not back after");
  CHECK_CONTAINS(tn_status_message(&status), " s in PJRT_Client_Create");
  CHECK_CODE(&status, TN_DEADLINE_EXCEEDED);
  setenv("PJRT_MISDEED", "hang@PJRT_Client_Compile", 1);
  open.time_limit_ms = 60000;
  options.time_limit_ms = 250;
  do {
    options.time_limit_ms *= 2;
    tn_status_clear(&status);
    tn_pjrt_session* session = tn_pjrt_session_start(PLUGIN, &options, &status);
    CHECK_OK(&status);
    CHECK_INT(tn_pjrt_session_compile(session, add_one, sizeof add_one - 1, NULL, &status), -1);
    tn_pjrt_session_stop(session);
  } while (came_too_late(&status, options.time_limit_ms, " s in PJRT_Client_Compile"));
  CHECK_CONTAINS(tn_status_message(&status), "not back after");
  CHECK_CONTAINS(tn_status_message(&status), " s in PJRT_Client_Compile");
  CHECK_CODE(&status, TN_DEADLINE_EXCEEDED);
  check_no_children();
}

TEST(test_what_a_dead_plugin_was_asked_for_says_how_it_ended) {
  setenv("PJRT_MISDEED", "crash@PJRT_LoadedExecutable_Execute", 1);
  tn_status status = {0};
  tn_pjrt_session* session = start(true, &status);
  const int program = tn_pjrt_session_compile(session, add_one, sizeof add_one - 1, NULL, &status);
  tn_tensor *x = six_numbers(&status), *sum = NULL;
  CHECK_OK(&status);
  for (int i = 0; i < 2; ++i) {
    CHECK(!tn_pjrt_session_run(session, program, &x, 1, &sum, 1, NULL, &status));
    CHECK(!sum);
    CHECK_CONTAINS(tn_status_message(&status),
                   "died with SIGSEGV in PJRT_LoadedExecutable_Execute");
    CHECK_CODE(&status, TN_ABORTED);
  }
  CHECK_INT(tn_pjrt_session_compile(session, add_one, sizeof add_one - 1, NULL, &status), -1);
  CHECK_CONTAINS(tn_status_message(&status), "start another session");
  CHECK_CODE(&status, TN_ABORTED);
  tn_tensor_destroy(x);
  tn_pjrt_session_stop(session);
}

TEST(test_what_the_plugin_refuses_is_the_same_in_a_child) {
  char* messages[2] = {NULL, NULL};
  setenv("PJRT_MISDEED", "fail@PJRT_Client_Create", 1);
  for (int isolate = 0; isolate < 2; ++isolate) {
    tn_status status = {0};
    CHECK(!start(isolate, &status));
    messages[isolate] = strdup(tn_status_message(&status));
    CHECK_INT(tn_status_fault(&status), TN_FAULT_PLUGIN);
    tn_status_clear(&status);
    tn_status_deinit(&status);
  }
  CHECK_TEXT(messages[0], messages[1]);
  CHECK_CONTAINS(messages[0],
                 "\n  the plugin loaded and its version is fine (0.114); it could not");
  for (int i = 0; i < 2; ++i) free(messages[i]);
}

TEST(test_a_client_without_devices_says_so) {
  setenv("PJRT_MISDEED", "no_devices", 1);
  tn_status status = {0};
  for (int isolate = 0; isolate < 2; ++isolate) {
    CHECK(!start(isolate, &status));
    CHECK_CONTAINS(tn_status_message(&status), "device");
    CHECK(!tn_ok(&status));
    tn_status_clear(&status);
  }
}

TEST(test_a_device_that_is_not_there_is_refused_with_those_that_are) {
  tn_pjrt_session_options options = TN_INIT(tn_pjrt_session_options);
  tn_status status = {0};
  options.device = 99;
  CHECK(!tn_pjrt_session_start(PLUGIN, &options, &status));
  CHECK_CONTAINS(tn_status_message(&status), "has no device 99; these can be used here: 0 (");
  CHECK_CODE(&status, TN_NOT_FOUND);
  options.device = -1;
  CHECK(!tn_pjrt_session_start(PLUGIN, &options, &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
}

TEST(test_the_second_device_is_worked_with_when_it_is_asked_for) {
  tn_pjrt_session_options options = TN_INIT(tn_pjrt_session_options);
  options.device = 1;
  tn_status status = {0};
  tn_pjrt_session* session = tn_pjrt_session_start(PLUGIN, &options, &status);
  CHECK_OK(&status);
  const int program = tn_pjrt_session_compile(session, add_one, sizeof add_one - 1, NULL, &status);
  tn_tensor *x = six_numbers(&status), *sum = NULL;
  CHECK(tn_pjrt_session_run(session, program, &x, 1, &sum, 1, NULL, &status));
  CHECK_OK(&status);
  check_sum(sum);
  tn_tensor_destroy(sum);
  tn_tensor_destroy(x);
  tn_pjrt_session_stop(session);
}

// ---- A child that is none ----

// Makes tenon-probe a shell script, whose descriptor 3 is the channel.
static void probe_is(const char* script) {
  char path[4096];
  snprintf(path, sizeof path, "%s/probe", test_folder());
  FILE* file = fopen(path, "w");
  CHECK(file != NULL);
  fprintf(file, "#!/bin/sh\n%s\n", script);
  fclose(file);
  chmod(path, 0755);
  setenv("TENON_PROBE", path, 1);
}

TEST(test_what_makes_no_sense_in_the_channel_ends_the_child) {
  static const char* const scripts[] = {
#define FIRST "\\001\\000\\000\\000"  // the number of the request
      "printf 'this is no answer at all' >&3; sleep 600",
      // far too large
      "printf '\\004\\000\\000\\000\\377\\377\\377\\377" FIRST "' >&3; sleep 600",
      // more than it says
      "printf '\\004\\000\\000\\000\\001\\000\\000\\000" FIRST "xyz' >&3; sleep 600",
      // no message
      "printf '\\004\\000\\000\\000\\003\\000\\000\\000" FIRST "\\377\\377\\377' >&3; sleep 600",
      // failed, with OK
      "printf '\\005\\000\\000\\000\\000\\000\\000\\000" FIRST "' >&3; sleep 600",
      // the answer to another request
      "printf '\\004\\000\\000\\000\\000\\000\\000\\000\\002\\000\\000\\000' >&3; sleep 600",
      "head -c 40000000 /dev/zero >&3; sleep 600",
  };
  const int before = open_descriptors();
  tn_status status = {0};
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
    probe_is(scripts[i]);
    CHECK(!start(true, &status));
    CHECK_CONTAINS(tn_status_message(&status), "makes no sense");
    CHECK_CODE(&status, TN_DATA_LOSS);
  }
  CHECK_INT(open_descriptors(), before);
  check_no_children();
}

TEST(test_a_child_that_says_nothing_is_told_with_its_last_words) {
  tn_status status = {0};
  probe_is("echo 'nothing works today' >&2; exit 7");
  CHECK(!start(true, &status));
  CHECK_CONTAINS(tn_status_message(&status),
                 "tenon-probe ended the process with exit code 7 before the plugin was opened");
  CHECK_CONTAINS(tn_status_message(&status), "its last words:\n  nothing works today");
  CHECK_INT(tn_status_fault(&status), TN_FAULT_HOST);
  CHECK_CODE(&status, TN_ABORTED);
  setenv("TENON_PROBE", "/nowhere/probe", 1);
  CHECK(!start(true, &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
  check_no_children();
}

TEST(test_a_child_that_hangs_up_and_stays_is_ended) {
  tn_status status = {0};
  probe_is("exec 3>&- 4>&- 3<&-; sleep 600");
  CHECK(!start(true, &status));
  CHECK_CODE(&status, TN_DATA_LOSS);
  check_no_children();
}

TEST(test_bytes_that_are_no_message_are_refused) {
  uint64_t state = test_seed();
  for (int round = 0; round < 20000; ++round) {
    char bytes[64];
    const size_t size = (size_t)test_between(&state, 0, sizeof bytes);
    for (size_t i = 0; i < size; ++i) bytes[i] = (char)test_random(&state);
    const tn_view view = {bytes, size};
    tn_session_run run = {0};
    if (tn_session_get_run(view, 1 << 20, &run, NULL))
      for (size_t i = 0; i < run.array_count; ++i)
        CHECK(run.arrays[i].bytes == 0 || run.arrays[i].at + run.arrays[i].bytes <= 1 << 20);
    tn_session_run_deinit(&run);
    tn_pjrt_found found = {0};
    tn_session_get_found(view, &found, NULL);
    tn_pjrt_found_deinit(&found);
    tn_session_start begin = {0};
    tn_session_get_start(view, &begin);
    tn_session_start_deinit(&begin);
    tn_session_compile compile = {0};
    tn_session_get_compile(view, &compile);
    tn_free(compile.format);
    tn_status status = {0};
    tn_session_get_failure(view, &status);
    tn_status_deinit(&status);
    uint64_t first, second;
    tn_session_get_numbers(view, &first, &second);
  }
}

TEST(test_an_array_outside_of_the_shared_memory_is_refused) {
  tn_tensor* x = six_numbers(NULL);
  for (int i = 0; i < 3; ++i) {
    static const uint64_t places[] = {TN_SESSION_DATA, TN_SESSION_DATA + 1, UINT64_MAX - 8};
    tn_text text = {0};
    tn_session_put_run(&text, 0, NULL);
    tn_session_put_array(&text, x, places[i]);
    tn_session_run run = {0};
    CHECK(tn_session_get_run(tn_text_view(&text), TN_SESSION_DATA + 24, &run, NULL) == (i == 0));
    tn_session_run_deinit(&run);
    tn_text_deinit(&text);
  }
  tn_tensor_destroy(x);
}

TEST(test_options_reach_the_child_as_they_are) {
  tn_pjrt_values* values = tn_pjrt_values_create();
  tn_status status = {0};
  tn_pjrt_values_set_string(values, "text", "a=b\n", &status);
  tn_pjrt_values_set_int(values, "number", -5, &status);
  tn_pjrt_values_set_ints(values, "numbers", (const int64_t[]){1, -2, 3}, 3, &status);
  tn_pjrt_values_set_float(values, "part", 0.25f, &status);
  tn_pjrt_values_set_bool(values, "truth", true, &status);
  tn_pjrt_open_options open = TN_INIT(tn_pjrt_open_options);
  open.policy = TN_PJRT_WINDOW;
  open.window_weeks = 7;
  open.as_of = "2026-01-02";
  open.as_host = 76;
  open.time_limit_ms = 1234;
  tn_pjrt_session_options options = TN_INIT(tn_pjrt_session_options);
  options.open = &open;
  options.client = values;
  options.device = 3;
  tn_text text = {0};
  tn_session_put_start(&text, "some/where.so", &options);
  tn_session_start got = {0};
  CHECK(tn_session_get_start(tn_text_view(&text), &got));
  CHECK_TEXT(got.path, "some/where.so");
  CHECK_INT(got.options.open->policy, TN_PJRT_WINDOW);
  CHECK_INT(got.options.open->window_weeks, 7);
  CHECK_TEXT(got.options.open->as_of, "2026-01-02");
  CHECK_INT(got.options.open->as_host, 76);
  CHECK_INT(got.options.open->time_limit_ms, 1234);
  CHECK_INT(got.options.device, 3);
  const tn_pjrt_values* there = got.options.client;
  CHECK_INT(tn_pjrt_values_count(there), 5);
  CHECK_TEXT(tn_pjrt_values_string(there, tn_pjrt_values_find(there, "text")), "a=b\n");
  CHECK_INT(tn_pjrt_values_int(there, tn_pjrt_values_find(there, "number")), -5);
  size_t count = 0;
  const int64_t* numbers =
      tn_pjrt_values_ints(there, tn_pjrt_values_find(there, "numbers"), &count);
  CHECK(count == 3 && numbers && numbers[1] == -2);
  CHECK(tn_pjrt_values_float(there, tn_pjrt_values_find(there, "part")) == 0.25f);
  CHECK(tn_pjrt_values_bool(there, tn_pjrt_values_find(there, "truth")));
  tn_session_start_deinit(&got);
  tn_text_deinit(&text);
  tn_pjrt_values_destroy(values);
}

// ---- A parent that ends ----

static bool is_gone(pid_t pid) {
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE* file = fopen(path, "r");
  if (!file) return true;
  const bool read = fgets(text, sizeof text, file) != NULL;
  fclose(file);
  const char* state = strrchr(text, ')');
  return !read || !state || state[2] == 'Z' || state[2] == 'X';
}

static pid_t only_child(void) {
  char path[64];
  int pid = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE* file = fopen(path, "r");
  if (!file || fscanf(file, "%d", &pid) != 1) pid = 0;
  if (file) fclose(file);
  return pid;
}

TEST(test_a_child_ends_with_its_parent_even_when_the_plugin_hangs) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t parent = fork();
  if (parent == 0) {
    setenv("PJRT_MISDEED", "hang@PJRT_Client_Compile", 1);
    tn_pjrt_session* session = start(true, NULL);
    const pid_t child = only_child();
    if (write(ends[1], &child, sizeof child) != sizeof child || !session) _exit(1);
    tn_pjrt_session_compile(session, add_one, sizeof add_one - 1, NULL, NULL);
    _exit(0);
  }
  pid_t child = 0;
  CHECK(read(ends[0], &child, sizeof child) == sizeof child);
  kill(parent, SIGKILL);
  waitpid(parent, NULL, 0);
  if (child == 0) test_skip("this system does not tell of a process's children");
  for (int i = 0; i < 3000 && !is_gone(child); ++i) usleep(10000);
  CHECK(is_gone(child));
  close(ends[0]);
  close(ends[1]);
}

static void* start_elsewhere(void* arg) {
  *(tn_pjrt_session**)arg = start(true, NULL);
  return NULL;
}

TEST(test_a_session_outlives_the_thread_that_started_it) {
  tn_pjrt_session* session = NULL;
  pthread_t thread;
  pthread_create(&thread, NULL, start_elsewhere, &session);
  pthread_join(thread, NULL);
  CHECK(session != NULL);
  usleep(50000);
  tn_status status = {0};
  CHECK_INT(tn_pjrt_session_compile(session, add_one, sizeof add_one - 1, NULL, &status), 0);
  CHECK_OK(&status);
  tn_pjrt_session_stop(session);
}

// ---- Threads, wrong arguments, no memory ----

static tn_pjrt_session* shared;

static void* run_some(void* arg) {
  tn_status status = {0};
  tn_tensor* x = six_numbers(&status);
  for (int i = 0; i < 20; ++i) {
    tn_tensor* sum = NULL;
    CHECK(tn_pjrt_session_run(shared, 0, &x, 1, &sum, 1, NULL, &status));
    check_sum(sum);
    tn_tensor_destroy(sum);
  }
  CHECK_OK(&status);
  tn_tensor_destroy(x);
  return arg;
}

TEST(test_threads_take_turns_on_a_session) {
  for (int isolate = 0; isolate < 2; ++isolate) {
    tn_status status = {0};
    shared = start(isolate, &status);
    tn_pjrt_session_compile(shared, add_one, sizeof add_one - 1, NULL, &status);
    CHECK_OK(&status);
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, run_some, NULL);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    tn_pjrt_session_stop(shared);
  }
}

TEST(test_wrong_arguments_of_sessions_are_refused) {
  tn_status status = {0};
  CHECK(!tn_pjrt_session_start(NULL, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_pjrt_session_options options = TN_INIT(tn_pjrt_session_options);
  options.ext = &options;
  CHECK(!tn_pjrt_session_start(PLUGIN, &options, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_pjrt_session_stop(NULL);
  CHECK(!tn_pjrt_session_tell(NULL, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_pjrt_session_compile(NULL, add_one, 1, NULL, &status), -1);
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_pjrt_session_output_count(NULL, 0), -1);
  CHECK(!tn_pjrt_session_run(NULL, 0, NULL, 0, NULL, 0, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);

  for (int isolate = 0; isolate < 2; ++isolate) {
    tn_pjrt_session* session = start(isolate, &status);
    CHECK_OK(&status);
    CHECK_INT(tn_pjrt_session_compile(session, add_one, 0, NULL, &status), -1);
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
    tn_pjrt_compile_options many = TN_INIT(tn_pjrt_compile_options);
    many.replicas = 2;
    CHECK_INT(tn_pjrt_session_compile(session, add_one, sizeof add_one, &many, &status), -1);
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
    CHECK_INT(tn_pjrt_session_compile(session, "nonsense", 8, NULL, &status), -1);
    CHECK(!tn_ok(&status));
    tn_status_clear(&status);
    const int program =
        tn_pjrt_session_compile(session, add_one, sizeof add_one - 1, NULL, &status);
    CHECK_INT(program, 0);
    CHECK_INT(tn_pjrt_session_output_count(session, 1), -1);
    tn_tensor *x = six_numbers(&status), *none = NULL;
    tn_tensor* sum[2];
    CHECK(!tn_pjrt_session_run(session, 1, &x, 1, sum, 1, NULL, &status));
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
    CHECK(!tn_pjrt_session_run(session, program, &x, 1, sum, 2, NULL, &status));
    CHECK_CONTAINS(tn_status_message(&status), "1 outputs, and there is room for 2");
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
    CHECK(!tn_pjrt_session_run(session, program, &none, 1, sum, 1, NULL, &status));
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
    CHECK(!tn_pjrt_session_run(session, program, NULL, 0, sum, 1, NULL, &status));
    CHECK(!tn_ok(&status) && !sum[0]);  // the plugin's own words
    tn_status_clear(&status);
    const char* text = "text";
    tn_tensor* strings = tn_tensor_create_strings(NULL, 0, &text, NULL, &status);
    CHECK(!tn_pjrt_session_run(session, program, &strings, 1, sum, 1, NULL, &status));
    CHECK_CONTAINS(tn_status_message(&status), "string");
    CHECK(!tn_ok(&status));
    tn_status_clear(&status);
    tn_tensor_destroy(strings);
    CHECK(tn_pjrt_session_run(session, program, &x, 1, sum, 1, NULL, &status));
    CHECK_OK(&status);
    tn_tensor_destroy(sum[0]);
    tn_tensor_destroy(x);
    tn_pjrt_session_stop(session);
  }
}

static bool once(void* arg, tn_status* status) { return whole_session(*(bool*)arg, status); }

TEST(test_a_session_survives_every_failing_allocation) {
  bool isolate = false;
  CHECK(test_sweep_allocations(once, &isolate) > 10);
}

TEST(test_an_isolated_session_survives_every_failing_allocation) {
  bool isolate = true;
  CHECK(test_sweep_allocations(once, &isolate) > 3);
}
