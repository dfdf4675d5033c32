// A device plugin that registers itself wrongly: each misdeed is a status that names the file and
// the field, what was made is taken down again, and the host goes on.
#include "base/memory.h"
#include "misdeed_testing.h"

typedef struct misdeed {
  const char* name;
  tn_code code;
  const char* words;
  int left;  // structs that cannot be given back, because what says how is spoilt
} misdeed;

static void check_refused(const misdeed* misdeed) {
  tn_status* status = tn_status_create();
  const size_t devices = tn_device_count();
  const int before = misdeed_is_open() ? live(MISDEED_TABLES) : 0;
  if (load_with(misdeed->name, status))
    test_fail(__FILE__, __LINE__, "%s was not refused", misdeed->name);
  const char* message = tn_status_message(status);
  if (tn_status_code(status) != misdeed->code || !strstr(message, misdeed->words) ||
      !strstr(message, MISDEED_PLUGIN))
    test_fail(__FILE__, __LINE__, "%s: found %s \"%s\", expected %s, %s and the file",
              misdeed->name, tn_code_name(tn_status_code(status)), message,
              tn_code_name(misdeed->code), misdeed->words);
  CHECK_INT(tn_status_fault(status), TN_FAULT_PLUGIN);
  CHECK_INT(tn_device_count(), devices);
  if (live(MISDEED_TABLES) - before != misdeed->left)
    test_fail(__FILE__, __LINE__, "%s left %d structs, expected %d", misdeed->name,
              live(MISDEED_TABLES) - before, misdeed->left);
  for (int kind = MISDEED_DEVICES; kind < MISDEED_KINDS; ++kind) CHECK_INT(live(kind), 0);
  tn_status_destroy(status);
}

// The same file without the misdeed: nothing of the failed loads stands in its way.
static void check_loads_now(void) {
  tn_status* status = tn_status_create();
  CHECK(load_with("", status));
  CHECK_OK(status);
  CHECK_INT(tn_device_count(), 3);
  tn_stream* stream = tn_device_stream(tn_device_find(MISDEED_TYPE, status), status);
  CHECK(tn_stream_wait(stream, 0, status));
  CHECK_OK(status);
  tn_status_destroy(status);
}

static void check_all_refused(const misdeed* misdeeds, size_t count) {
  for (size_t i = 0; i < count; ++i) check_refused(&misdeeds[i]);
  check_loads_now();
}
#define CHECK_ALL_REFUSED(list) check_all_refused(list, sizeof(list) / sizeof(list)[0])

#define SIZE_0(name) "Expected initialized `" name "` structure with `struct_size` field set to"
#define MUST_BE_SET(name, field) "'" field "' field in " name " must be set."

TEST(test_a_struct_of_size_zero_is_refused) {
  static const misdeed misdeeds[] = {
      {"size:SE_PlatformRegistrationParams:0", TN_FAILED_PRECONDITION,
       SIZE_0("SE_PlatformRegistrationParams"), 2},
      {"size:SP_Platform:0", TN_FAILED_PRECONDITION, SIZE_0("SP_Platform"), 0},
      {"size:SP_PlatformFns:0", TN_FAILED_PRECONDITION, SIZE_0("SP_PlatformFns"), 0},
      {"size:SP_DeviceFns:0", TN_FAILED_PRECONDITION, SIZE_0("SP_DeviceFns"), 0},
      {"size:SP_StreamExecutor:0", TN_FAILED_PRECONDITION, SIZE_0("SP_StreamExecutor"), 0},
  };
  CHECK_ALL_REFUSED(misdeeds);
}

TEST(test_a_short_struct_is_refused_with_the_first_field_that_it_lacks) {
  static const misdeed misdeeds[] = {
      {"size:SE_PlatformRegistrationParams:48", TN_FAILED_PRECONDITION,
       MUST_BE_SET("SE_PlatformRegistrationParams", "destroy_platform"), 2},
      {"size:SP_Platform:23", TN_FAILED_PRECONDITION, MUST_BE_SET("SP_Platform", "name"), 0},
      {"size:SP_Platform:24", TN_FAILED_PRECONDITION, MUST_BE_SET("SP_Platform", "type"), 0},
      {"size:SP_PlatformFns:30", TN_FAILED_PRECONDITION, "field in SP_PlatformFns must be set.", 0},
      {"size:SP_StreamExecutor:16", TN_FAILED_PRECONDITION,
       MUST_BE_SET("SP_StreamExecutor", "allocate"), 0},
      {"size:SP_StreamExecutor:100", TN_FAILED_PRECONDITION,
       MUST_BE_SET("SP_StreamExecutor", "create_stream_dependency"), 0},
      {"size:SP_StreamExecutor:1", TN_FAILED_PRECONDITION, SIZE_0("SP_StreamExecutor"), 0},
  };
  CHECK_ALL_REFUSED(misdeeds);
}

TEST(test_reserved_words_that_are_set_are_refused) {
  static const misdeed misdeeds[] = {
      {"ext:SE_PlatformRegistrationParams", TN_FAILED_PRECONDITION,
       "'ext' field in SE_PlatformRegistrationParams", 2},
      {"ext:SP_Platform", TN_FAILED_PRECONDITION, "'ext' field in SP_Platform", 0},
      {"ext:SP_PlatformFns", TN_FAILED_PRECONDITION, "'ext' field in SP_PlatformFns", 0},
      {"ext:SP_DeviceFns", TN_FAILED_PRECONDITION, "'ext' field in SP_DeviceFns", 0},
      {"ext:SP_StreamExecutor", TN_FAILED_PRECONDITION, "'ext' field in SP_StreamExecutor", 0},
  };
  CHECK_ALL_REFUSED(misdeeds);
}

// The texts are TensorFlow's, behind the file's name.
TEST(test_each_missing_function_that_is_needed_is_named) {
  static const char* const needed[][2] = {
      {"SP_Platform", "name"},
      {"SP_Platform", "type"},
      {"SP_PlatformFns", "get_device_count"},
      {"SP_PlatformFns", "create_device"},
      {"SP_PlatformFns", "destroy_device"},
      {"SP_PlatformFns", "create_device_fns"},
      {"SP_PlatformFns", "destroy_device_fns"},
      {"SP_PlatformFns", "create_stream_executor"},
      {"SP_PlatformFns", "destroy_stream_executor"},
      {"SP_StreamExecutor", "allocate"},
      {"SP_StreamExecutor", "deallocate"},
      {"SP_StreamExecutor", "host_memory_allocate"},
      {"SP_StreamExecutor", "host_memory_deallocate"},
      {"SP_StreamExecutor", "get_allocator_stats"},
      {"SP_StreamExecutor", "device_memory_usage"},
      {"SP_StreamExecutor", "create_stream"},
      {"SP_StreamExecutor", "destroy_stream"},
      {"SP_StreamExecutor", "create_stream_dependency"},
      {"SP_StreamExecutor", "get_stream_status"},
      {"SP_StreamExecutor", "create_event"},
      {"SP_StreamExecutor", "destroy_event"},
      {"SP_StreamExecutor", "get_event_status"},
      {"SP_StreamExecutor", "record_event"},
      {"SP_StreamExecutor", "wait_for_event"},
      {"SP_StreamExecutor", "memcpy_dtoh"},
      {"SP_StreamExecutor", "memcpy_htod"},
      {"SP_StreamExecutor", "sync_memcpy_dtoh"},
      {"SP_StreamExecutor", "sync_memcpy_htod"},
      {"SP_StreamExecutor", "block_host_for_event"},
      {"SP_StreamExecutor", "synchronize_all_activity"},
      {"SP_StreamExecutor", "mem_zero"},
      {"SP_StreamExecutor", "memset"},
      {"SP_StreamExecutor", "memset32"},
      {"SP_StreamExecutor", "host_callback"},
      {"SE_PlatformRegistrationParams", "destroy_platform"},
      {"SE_PlatformRegistrationParams", "destroy_platform_fns"},
  };
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; ++i) {
    char name[128], words[128];
    snprintf(name, sizeof name, "null:%s:%s", needed[i][0], needed[i][1]);
    snprintf(words, sizeof words, "'%s' field in %s must be set.", needed[i][1], needed[i][0]);
    const misdeed misdeed = {name, TN_FAILED_PRECONDITION, words,
                             strncmp(needed[i][0], "SE_", 3) == 0 ? 2 : 0};
    check_refused(&misdeed);
  }
  check_loads_now();
}

TEST(test_a_registration_that_says_nonsense_or_nothing_is_refused) {
  static const misdeed misdeeds[] = {
      {"unavailable", TN_UNAVAILABLE, "SE_InitPlugin: the driver is not installed", 0},
      {"no_platform", TN_FAILED_PRECONDITION,
       MUST_BE_SET("SE_PlatformRegistrationParams", "destroy_platform"), 0},
      {"version:1", TN_FAILED_PRECONDITION, "it speaks StreamExecutor 1.0.1", 0},
      {"replaces_structs", TN_FAILED_PRECONDITION, "SE_InitPlugin replaced 'platform'", 2},
      {"unified_without_functions", TN_FAILED_PRECONDITION,
       "'unified_memory_allocate' field in SP_StreamExecutor must be set, because", 0},
      {"name:INVALID:NAME", TN_FAILED_PRECONDITION,
       "Device name/type 'INVALID:NAME' must match [A-Z][A-Z_]*.", 0},
      {"name:lower", TN_FAILED_PRECONDITION, "'lower' must match", 0},
      {"name:", TN_FAILED_PRECONDITION, "'' must match", 0},
      {"name:\xc3\x84", TN_FAILED_PRECONDITION, "must match", 0},
      {"type:GPU2", TN_FAILED_PRECONDITION, "'GPU2' must match", 0},
      {"type:CPU", TN_FAILED_PRECONDITION, "its platform has the type CPU, which is the host's", 0},
      {"type:_GPU", TN_FAILED_PRECONDITION, "'_GPU' must match", 0},
  };
  CHECK_ALL_REFUSED(misdeeds);
}

TEST(test_creation_that_fails_half_way_is_taken_back) {
  static const misdeed misdeeds[] = {
      {"fail:create_device_fns", TN_UNAVAILABLE, "create_device_fns: the device is on strike", 0},
      {"fail:create_stream_executor", TN_UNAVAILABLE,
       "create_stream_executor: the device is on strike", 0},
  };
  CHECK_ALL_REFUSED(misdeeds);
}

// Platforms that load, and what the user is told.
typedef struct noted {
  const char* name;
  const char* note;
  size_t devices;
} noted;

static void load_and_note(const void* arg) {
  const noted* expected = arg;
  tn_status* status = tn_status_create();
  tn_plugin* plugin = load_with(expected->name, status);
  CHECK_OK(status);
  CHECK_CONTAINS(tn_plugin_notes(plugin), expected->note);
  CHECK_INT(tn_device_count(), 1 + expected->devices);
  CHECK(!tn_device_find(MISDEED_TYPE ":2", status));
  CHECK_CODE(status, TN_NOT_FOUND);
  tn_status_destroy(status);
}

TEST(test_a_platform_that_cannot_count_its_devices_has_none_and_says_why) {
  static const noted cases[] = {
      {"count:0", "found no device on this machine", 0},
      {"count:-1", "get_device_count gave -1", 0},
      {"count:100000", "get_device_count gave 100000", 0},
      {"fail:get_device_count", "get_device_count: the device is on strike", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    in_child(load_and_note, &cases[i], cases[i].name);
}

TEST(test_a_platform_without_timers_loads_and_says_so) {
  static const noted cases[] = {
      {"fail:create_timer_fns", "has no timers", 2},
      {"size:SP_TimerFns:0", "has no timers", 2},
      {"ext:SP_TimerFns", "has no timers", 2},
      {"null:SP_TimerFns:nanoseconds", "has no timers", 2},
      {"null:SP_PlatformFns:create_timer_fns", "", 2},
      {"null:SP_PlatformFns:destroy_timer_fns", "", 2},
      {"", "", 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    in_child(load_and_note, &cases[i], cases[i].name);
}

TEST(test_more_devices_than_there_is_room_for_are_refused_and_none_is_added) {
  tn_status* status = tn_status_create();
  CHECK(!load_with("count:4000", status));
  CHECK_CONTAINS(tn_status_message(status), MISDEED_PLUGIN " says that it has 4000");
  CHECK_CODE(status, TN_RESOURCE_EXHAUSTED);
  CHECK_INT(tn_device_count(), 1);
  CHECK_INT(live(MISDEED_TABLES), 0);
  check_loads_now();
  tn_status_destroy(status);
}

TEST(test_a_second_platform_of_one_name_is_refused) {
  char copy[4096], command[8192];
  tn_status* status = tn_status_create();
  CHECK(load_with("", status));
  snprintf(copy, sizeof copy, "%s/copy.so", test_folder());
  snprintf(command, sizeof command, "cp '%s' '%s'", MISDEED_PLUGIN, copy);
  CHECK_INT(system(command), 0);
  CHECK(!tn_plugin_load(copy, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), copy);
  CHECK_CONTAINS(tn_status_message(status),
                 "platform is already registered with name: \"" MISDEED_TYPE "\"");
  CHECK_CONTAINS(tn_status_message(status), MISDEED_PLUGIN);
  CHECK_INT(tn_status_fault(status), TN_FAULT_PLUGIN);
  CHECK_CODE(status, TN_ALREADY_EXISTS);
  CHECK_INT(tn_device_count(), 3);
  // The first is loaded already, and asking again changes nothing.
  CHECK(load_with("unavailable", status));
  CHECK_INT(tn_device_count(), 3);
  tn_status_destroy(status);
}

TEST(test_crashes_exits_and_hangs_in_init_are_met_in_a_child_process) {
  static const struct {
    const char *misdeed, *words;
    tn_code code;
  } cases[] = {
      {"crash", "killed by SIGSEGV in SE_InitPlugin", TN_INTERNAL},
      {"abort", "killed by SIGABRT in SE_InitPlugin", TN_INTERNAL},
      {"exit", "SE_InitPlugin", TN_INTERNAL},
      {"hang", "not back after", TN_DEADLINE_EXCEEDED},
  };
  tn_load_options options = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE, .first_contact = true};
  tn_status* status = tn_status_create();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    setenv("TENON_TEST_MISDEED", cases[i].misdeed, 1);
    options.time_limit_ms = strcmp(cases[i].misdeed, "hang") == 0 ? 700 : 0;
    CHECK(!tn_plugin_load(MISDEED_PLUGIN, &options, status));
    CHECK_CONTAINS(tn_status_message(status), MISDEED_PLUGIN);
    CHECK_CONTAINS(tn_status_message(status), cases[i].words);
    CHECK_INT(tn_status_fault(status), TN_FAULT_PLUGIN);
    CHECK_CODE(status, cases[i].code);
  }
  setenv("TENON_TEST_MISDEED", "", 1);
  options.time_limit_ms = 0;
  CHECK(tn_plugin_load(MISDEED_PLUGIN, &options, status));
  CHECK_OK(status);
  tn_status_destroy(status);
}

// Loads and opens with the `round`th allocation failing: all is there in the end, or nothing is and
// the next time it is. Returns whether an allocation failed.
static bool load_without_memory(const char* misdeed, int round) {
  tn_status* status = tn_status_create();
  tn_memory_fail_at(round);
  tn_device* device = load_with(misdeed, status) ? tn_device_at(1) : NULL;
  const bool open = device && tn_device_stream(device, status);
  const bool failed_one = tn_memory_asked() > round;
  tn_memory_fail_at(-1);
  if (!open) {
    CHECK_CODE(status, TN_RESOURCE_EXHAUSTED);
    CHECK_INT(tn_device_count(), device ? 3 : 1);
    CHECK_INT(live(MISDEED_TABLES), device ? 5 : 0);
    for (int kind = MISDEED_DEVICES; kind < MISDEED_KINDS; ++kind) CHECK_INT(live(kind), 0);
  }
  check_loads_now();
  CHECK_INT(live(MISDEED_TABLES), 5);
  CHECK_INT(live(MISDEED_STREAMS), 1);
  tn_status_destroy(status);
  return failed_one;
}

TEST(test_a_device_plugin_loads_and_opens_after_every_failing_allocation) {
  // The file is opened first: what can fail before is not a device's.
  tn_status* status = tn_status_create();
  CHECK(!load_with("unavailable", status));
  tn_status_destroy(status);
  for (int pooled = 0; pooled < 2; ++pooled) {
    int round = 0, outcome = 0;
    for (; outcome == 0 && round < 1000; ++round) {
      fflush(NULL);
      const pid_t child = fork();
      if (child == 0) leave_child(load_without_memory(pooled ? "pooled" : "", round) ? 0 : 7);
      CHECK(waitpid(child, &outcome, 0) == child);
    }
    if (!WIFEXITED(outcome) || WEXITSTATUS(outcome) != 7)
      test_fail(__FILE__, __LINE__, "allocation %d fails: the child ended with %#x", round - 1,
                outcome);
    CHECK(round > 20);
  }
}
