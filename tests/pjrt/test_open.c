#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "harness.h"
#include "pjrt/host/plugin.h"
#include "pjrt/host/table.h"
#include "tenon/plugin.h"

#define PLUGIN TENON_BUILD_DIR "/tests/plugins/bare_pjrt.so"
#define FAKE(name) TENON_BUILD_DIR "/tests/plugins/" name

static tn_pjrt* open_as(const char* how, const tn_pjrt_open_options* options, tn_status* status) {
  setenv("BARE_PLUGIN", how, 1);
  return tn_pjrt_open(PLUGIN, options, status);
}

// Opens in this very process, which may do so once for each test.
static tn_pjrt* open_fine(const char* how, const tn_pjrt_open_options* options) {
  tn_status* status = tn_status_create();
  tn_pjrt* plugin = open_as(how, options, status);
  CHECK_OK(status);
  CHECK(plugin != NULL);
  tn_status_destroy(status);
  if (!plugin) exit(1);
  return plugin;
}

static void check_refused(const char* how, tn_fault fault, const char* words) {
  tn_status* status = tn_status_create();
  CHECK(!open_as(how, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), PLUGIN);
  CHECK_CONTAINS(tn_status_message(status), words);
  CHECK_INT(tn_status_fault(status), fault);
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  tn_status_destroy(status);
}

// ---- What is refused ----

TEST(test_a_table_without_a_number_is_refused) {
  check_refused("unversioned=1 size=552", TN_FAULT_PLUGIN,
                "no number (struct_size 552, and a function where the version stands");
}

TEST(test_numbers_before_28_are_refused_with_their_day) {
  check_refused("minor=1 size=592", TN_FAULT_PLUGIN, "PJRT 0.1 (of 2023-06-07)");
  check_refused("minor=12", TN_FAULT_PLUGIN, "PJRT 0.12");
  check_refused("minor=27 size=752", TN_FAULT_PLUGIN, "takes 0.28 (August 2023) and newer");
}

TEST(test_number_56_is_refused) {
  check_refused("minor=56 size=816", TN_FAULT_PLUGIN, "built again, with 0.57 or newer");
}

TEST(test_other_majors_are_refused_and_the_host_is_the_older_side) {
  check_refused("major=1 minor=3", TN_FAULT_HOST, "it has PJRT 1.3, and this host knows major 0");
}

TEST(test_tables_that_are_none_are_refused) {
  check_refused("table=0", TN_FAULT_PLUGIN, "GetPjrtApi gave NULL");
  check_refused("table=16", TN_FAULT_PLUGIN, "where there is nothing to read");
  check_refused("version=25", TN_FAULT_PLUGIN, "struct_size 25 (24 is expected)");
  check_refused("version=0xdeadbeef0000", TN_FAULT_PLUGIN, "is no PJRT_Api");
  check_refused("minor=0", TN_FAULT_PLUGIN, "says 0.0");
  check_refused("minor=-1", TN_FAULT_PLUGIN, "says 0.-1");
  check_refused("major=-1", TN_FAULT_PLUGIN, "says -1.90");
  check_refused("version=0 minor=70000", TN_FAULT_PLUGIN, "says 0.70000");
}

TEST(test_absurd_sizes_of_the_table_are_refused) {
  check_refused("size=0", TN_FAULT_PLUGIN, "struct_size 0, which no table has");
  check_refused("size=56", TN_FAULT_PLUGIN, "struct_size 56, which no table has");
  check_refused("size=0x10000000000", TN_FAULT_PLUGIN, "struct_size 1099511627776, which no table");
}

TEST(test_a_table_that_cannot_tell_errors_is_refused) {
  static const char* const names[] = {"PJRT_Error_Destroy", "PJRT_Error_Message",
                                      "PJRT_Error_GetCode"};
  tn_status* status = tn_status_create();
  for (int i = 0; i < 3; ++i) {
    PJRT_Api table = {.struct_size = PJRT_Api_STRUCT_SIZE, .pjrt_api_version = {24, NULL, 0, 90}};
    tn_pjrt view = {
        .theirs = &table, .minor = 90, .host_minor = 117, .path = "/x/y.so", .name = "y.so"};
    void* slots[3] = {(void*)open_as, (void*)open_as, (void*)open_as};
    slots[i] = i == 2 ? (void*)&view : NULL;
    memcpy(&table.PJRT_Error_Destroy, slots, sizeof slots);
    tn_mapped* mapped = tn_mapped_read();
    CHECK(!tn_pjrt_table_fill(&view, mapped, status));
    tn_mapped_destroy(mapped);
    CHECK_CONTAINS(tn_status_message(status), names[i]);
    CHECK_CONTAINS(tn_status_message(status), "no error of the plugin could be read");
    CHECK_CONTAINS(tn_status_message(status), "/x/y.so");
    CHECK_CODE(status, TN_UNIMPLEMENTED);
  }
  tn_status_destroy(status);
}

TEST(test_a_version_without_its_size_is_taken_with_a_note) {
  tn_pjrt* plugin = open_fine("version=0 minor=90 size=1064", NULL);
  CHECK_CONTAINS(tn_pjrt_notes(plugin), "has no struct_size");
  tn_pjrt_close(plugin);
}

// ---- Files ----

TEST(test_files_that_are_no_pjrt_plugins_are_refused_with_a_hint) {
  tn_status* status = tn_status_create();
  CHECK(!tn_pjrt_open(FAKE("good.so"), NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "it exports TF_InitKernel");
  CHECK_CONTAINS(tn_status_message(status), "tenon doctor");
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  CHECK(!tn_pjrt_open(FAKE("no_entry_point.so"), NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "exports no GetPjrtApi");
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  CHECK(!tn_pjrt_open("/nowhere/at/all.so", NULL, status));
  CHECK_CODE(status, TN_NOT_FOUND);
  CHECK(!tn_pjrt_open(TENON_SOURCE_DIR "/README.md", NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_open(NULL, NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_open("", NULL, NULL));
  tn_status_destroy(status);
}

TEST(test_a_file_that_another_host_has_open_is_shared_and_that_is_noted) {
  setenv("BARE_PLUGIN", "minor=90 size=1064", 1);
  CHECK(dlopen(PLUGIN, RTLD_LAZY) != NULL);
  tn_pjrt* plugin = open_fine("minor=90 size=1064", NULL);
  CHECK_CONTAINS(tn_pjrt_notes(plugin), "this file was open in this process before");
  tn_pjrt_close(plugin);
}

TEST(test_libraries_that_a_pjrt_plugin_lacks_are_all_named) {
  tn_status* status = tn_status_create();
  CHECK(!tn_pjrt_open(FAKE("bare_pjrt_needy.so"), NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "libtenon_absent_one.so, libtenon_absent_two.so");
  CHECK_INT(tn_status_fault(status), TN_FAULT_PLUGIN);
  CHECK_CODE(status, TN_NOT_FOUND);
  tn_status_destroy(status);
}

TEST(test_a_function_that_nobody_has_is_noted) {
  tn_status* status = tn_status_create();
  tn_pjrt* plugin = tn_pjrt_open(FAKE("bare_pjrt_open.so"), NULL, status);
  CHECK_OK(status);
  CHECK_CONTAINS(tn_pjrt_notes(plugin),
                 "it wants 1 symbol that none of its libraries defines (nobody_has_this)");
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}

TEST(test_a_pjrt_plugin_finds_the_functions_of_tensorflow_that_it_wants) {
  tn_status* status = tn_status_create();
  tn_pjrt* plugin = tn_pjrt_open(FAKE("bare_pjrt_both.so"), NULL, status);
  CHECK_OK(status);
  TN_PJRT_ARGS(plugin, PJRT_Client_Create_Args, args, );
  CHECK(!TN_PJRT_CALL(plugin, PJRT_Client_Create, args, status));
  CHECK_CONTAINS(tn_status_message(status), "other was called");
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}

// ---- Deaths ----

// The entry in which a child dies, from a word that both can see.
static void check_death(const char* how, bool calls, const char* where) {
  _Atomic uint32_t* word =
      mmap(NULL, sizeof *word, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGABRT, SIG_DFL);
    tn_pjrt_trace_to(word);
    tn_pjrt* plugin = open_as(how, NULL, NULL);
    if (!plugin || atomic_load(word)) _exit(2);
    if (calls) {
      TN_PJRT_ARGS(plugin, PJRT_Client_Create_Args, args, );
      TN_PJRT_CALL(plugin, PJRT_Client_Create, args, NULL);
    }
    _exit(0);
  }
  int ended;
  CHECK_INT(waitpid(child, &ended, 0), child);
  CHECK(where ? WIFSIGNALED(ended) : WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
  const char* name = tn_pjrt_trace_name(atomic_load(word));
  CHECK(!name == !where);
  if (where && name) CHECK_TEXT(name, where);
  munmap((void*)word, sizeof *word);
}

TEST(test_a_death_can_be_named_by_the_call_it_happened_in) {
  check_death("minor=90 size=1064 dlopen_crashes", false, "dlopen");
  check_death("minor=90 size=1064 get_crashes", false, "GetPjrtApi");
  check_death("minor=90 size=1064 initialize_crashes", false, "PJRT_Plugin_Initialize");
  check_death("minor=90 size=1064 other_crashes", true, "PJRT_Client_Create");
  check_death("minor=90 size=1064", true, NULL);
}

TEST(test_a_file_that_was_cut_short_is_refused) {
  char command[1024], path[512];
  snprintf(path, sizeof path, "%s/short.so", test_folder());
  snprintf(command, sizeof command, "head -c 9000 '%s' >'%s'", PLUGIN, path);
  CHECK_INT(system(command), 0);
  tn_status* status = tn_status_create();
  CHECK(!tn_pjrt_open(path, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), path);
  CHECK(!tn_ok(status));
  tn_status_destroy(status);
}

TEST(test_a_file_loads_once_and_is_initialized_once_under_any_name) {
  char link[512];
  snprintf(link, sizeof link, "%s/other_name.so", test_folder());
  CHECK_INT(symlink(PLUGIN, link), 0);
  tn_pjrt* first = open_fine("minor=90 size=1064", NULL);
  tn_status* status = tn_status_create();
  tn_pjrt* second = tn_pjrt_open(link, NULL, status);
  CHECK_OK(status);
  CHECK(second && second != first);
  CHECK_TEXT(tn_pjrt_path(second), PLUGIN);
  tn_pjrt_close(first);
  const tn_pjrt_values* values = tn_pjrt_attributes(second);
  CHECK_INT(tn_pjrt_values_int(values, tn_pjrt_values_find(values, "initializations")), 1);
  tn_pjrt_close(second);
  tn_pjrt_close(NULL);
  tn_status_destroy(status);
}

TEST(test_first_contact_meets_a_crash_in_a_child) {
  const tn_pjrt_open_options options = {.struct_size = tn_pjrt_open_options_STRUCT_SIZE,
                                        .first_contact = true};
  tn_status* status = tn_status_create();
  CHECK(!open_as("dlopen_crashes", &options, status));
  CHECK_CONTAINS(tn_status_message(status), "killed by SIGABRT in its constructors (dlopen)");
  CHECK_CODE(status, TN_INTERNAL);
  CHECK(!open_as("get_crashes", &options, status));
  CHECK_CONTAINS(tn_status_message(status), "killed by SIGABRT in GetPjrtApi");
  CHECK_CODE(status, TN_INTERNAL);
  CHECK(!open_as("initialize_crashes", &options, status));
  CHECK_CONTAINS(tn_status_message(status), "killed by SIGABRT in PJRT_Plugin_Initialize");
  CHECK_INT(tn_status_fault(status), TN_FAULT_PLUGIN);
  CHECK_CODE(status, TN_INTERNAL);
  CHECK(!open_as("minor=3", &options, status));
  CHECK_CONTAINS(tn_status_message(status), "PJRT 0.3");
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  tn_pjrt* plugin = open_as("minor=90 size=1064", &options, status);
  CHECK_OK(status);
  CHECK(plugin != NULL);
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}

// ---- The table ----

TEST(test_sizes_that_are_known_to_lie_are_not_believed) {
  tn_pjrt* plugin = open_fine("minor=55 size=808", NULL);
  CHECK(tn_pjrt_has(plugin, "PJRT_Executable_GetCompiledMemoryStats"));  // 0.40, behind 808
  CHECK(tn_pjrt_has(plugin, "PJRT_ExecuteContext_Destroy"));             // 0.52, ends at 840
  CHECK(!tn_pjrt_has(plugin, "PJRT_Buffer_CopyRawToHost"));              // 0.57
  CHECK(!tn_pjrt_has(plugin, "PJRT_NoSuchFunction") && !tn_pjrt_has(plugin, NULL));
  int major = 7, minor = 7;
  tn_pjrt_api_version(plugin, &major, &minor);
  CHECK(major == 0 && minor == 55);
  tn_pjrt_close(plugin);
}

// One table in memory, for numbers that a process cannot have all.
static int last_entry(int minor, size_t size) {
  static char memory[4096];
  for (size_t i = 0; i < sizeof memory; i += 8) memcpy(memory + i, &(void*){(void*)last_entry}, 8);
  memcpy(memory, &size, 8);
  tn_pjrt view = {.theirs = (const PJRT_Api*)memory,
                  .minor = minor,
                  .host_minor = TN_PJRT_NEWEST,
                  .path = "/x/y.so",
                  .name = "y.so"};
  tn_mapped* mapped = tn_mapped_read();
  CHECK(tn_pjrt_table_fill(&view, mapped, NULL));
  tn_mapped_destroy(mapped);
  int last = -1;
  for (int i = 0; i < TN_PJRT_ENTRY_COUNT; ++i) {
    if (view.absent[i] == TN_PJRT_PRESENT) {
      CHECK_INT(last, i - 1);
      last = i;
    }
    // Whatever is absent can be called, and says its name.
    void* slot;
    memcpy(&slot, (char*)&view.api + TN_PJRT_FIRST_ENTRY + 8 * i, 8);
    CHECK(slot != NULL);
    if (view.absent[i] == TN_PJRT_PRESENT) continue;
    long block[64] = {0};
    PJRT_Error* error = ((PJRT_Error * (*)(void*)) slot)(block);
    CHECK_INT(tn_pjrt_absent_entry(error), i);
    tn_status status = {0};
    CHECK(!tn_pjrt_call_failed(&view, i, error, &status));
    CHECK_CONTAINS(tn_status_message(&status), tn_pjrt_entry_names[i]);
    CHECK_CONTAINS(tn_status_message(&status), "y.so");
    CHECK_INT(tn_status_fault(&status), TN_FAULT_PLUGIN);
    CHECK_CODE(&status, TN_UNIMPLEMENTED);
  }
  return last;
}

TEST(test_each_number_has_its_entries_and_stubs_for_the_rest) {
  // Where the table really ended, with what the header of the time said.
  static const struct {
    int minor, said, end;
  } known[] = {{28, 760, 760},   {29, 776, 776},   {34, 792, 792},    {35, 792, 800},
               {36, 808, 808},   {40, 808, 816},   {47, 808, 816},    {48, 808, 824},
               {51, 808, 824},   {52, 808, 840},   {55, 808, 840},    {57, 848, 848},
               {70, 944, 944},   {85, 1016, 1016}, {110, 1144, 1144}, {114, 1144, 1144},
               {117, 1144, 1144}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    CHECK_INT(40 + 8 * (last_entry(known[i].minor, (size_t)known[i].said) + 1), known[i].end);
  // More than the number has is not used; less is not there, unless it is that number's own lie.
  CHECK_INT(40 + 8 * (last_entry(85, 1144) + 1), 1016);
  CHECK_INT(40 + 8 * (last_entry(85, 1012) + 1), 1008);
  CHECK_INT(40 + 8 * (last_entry(36, 792) + 1), 792);
  CHECK_INT(40 + 8 * (last_entry(40, 800) + 1), 800);
  // Newer than known: what is known of it, as far as it reaches.
  CHECK_INT(40 + 8 * (last_entry(130, 1192) + 1), 1144);
  CHECK_INT(40 + 8 * (last_entry(130, 1000) + 1), 1000);
}

TEST(test_an_entry_that_is_null_says_so) {
  tn_pjrt* plugin = open_fine("minor=76 size=960 null=8 null=10 wild=12 wild=13", NULL);
  tn_status* status = tn_status_create();
  CHECK(!tn_pjrt_has(plugin, "PJRT_Event_Await"));
  TN_PJRT_ARGS(plugin, PJRT_Event_Await_Args, await, );
  CHECK(!TN_PJRT_CALL(plugin, PJRT_Event_Await, await, status));
  CHECK_TEXT(tn_status_message(status),
             "PJRT_Event_Await is NULL in the table of bare_pjrt.so (PJRT 0.76)");
  CHECK_INT(tn_status_fault(status), TN_FAULT_PLUGIN);
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  TN_PJRT_ARGS(plugin, PJRT_Client_CreateErrorBuffer_Args, buffer, );
  CHECK(!TN_PJRT_CALL(plugin, PJRT_Client_CreateErrorBuffer, buffer, status));
  CHECK_TEXT(tn_status_message(status),
             "PJRT_Client_CreateErrorBuffer requires PJRT 0.82; bare_pjrt.so has 0.76 (the older "
             "side: update it)");
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  CHECK(!tn_pjrt_require(plugin, TN_PJRT_AT_PJRT_Client_PlatformName, status));
  CHECK_CONTAINS(tn_status_message(status), "points to memory that holds no code");
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  CHECK(tn_pjrt_require(plugin, TN_PJRT_AT_PJRT_Client_Devices, status));
  CHECK_OK(status);
  CHECK_CONTAINS(tn_pjrt_notes(plugin),
                 "PJRT_Event_Await, PJRT_Client_Create are NULL in its table");
  CHECK_CONTAINS(tn_pjrt_notes(plugin),
                 "PJRT_Client_PlatformName, PJRT_Client_ProcessIndex are no function");
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}

TEST(test_the_whole_table_answers_for_what_is_not_there) {
  tn_pjrt* plugin = open_fine("minor=76 size=960", NULL);
  const PJRT_Api* api = tn_pjrt_table(plugin);
  CHECK(api && api == tn_pjrt_table(plugin));
  CHECK_INT(api->struct_size, 1144);
  PJRT_Buffer_Bitcast_Args args = {.struct_size = PJRT_Buffer_Bitcast_Args_STRUCT_SIZE};
  PJRT_Error* error = api->PJRT_Buffer_Bitcast(&args);
  PJRT_Error_Message_Args message = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE,
                                     .error = error};
  api->PJRT_Error_Message(&message);
  CHECK_CONTAINS(message.message, "PJRT_Buffer_Bitcast requires PJRT 0.98; bare_pjrt.so has 0.76");
  CHECK_INT(message.message_size, strlen(message.message));
  PJRT_Error_GetCode_Args code = {.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE,
                                  .error = error};
  CHECK(!api->PJRT_Error_GetCode(&code));
  CHECK_INT(code.code, PJRT_Error_Code_UNIMPLEMENTED);
  PJRT_Error_ForEachPayload_Args payloads = {
      .struct_size = PJRT_Error_ForEachPayload_Args_STRUCT_SIZE, .error = error};
  CHECK(!api->PJRT_Error_ForEachPayload(&payloads));
  PJRT_Error_Destroy_Args destroy = {.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE,
                                     .error = error};
  api->PJRT_Error_Destroy(&destroy);
  // A plugin's own error goes to the plugin.
  PJRT_Client_Devices_Args devices = {.struct_size = PJRT_Client_Devices_Args_STRUCT_SIZE};
  destroy.error = api->PJRT_Client_Devices(&devices);
  message.error = code.error = destroy.error;
  api->PJRT_Error_Message(&message);
  CHECK_TEXT(message.message, "other was called");
  CHECK(!api->PJRT_Error_GetCode(&code));
  CHECK_INT(code.code, PJRT_Error_Code_UNAVAILABLE);
  api->PJRT_Error_Destroy(&destroy);
  tn_pjrt_close(plugin);
}

TEST(test_tables_are_lent_to_sixteen_views_at_a_time) {
  tn_pjrt* views[17];
  const void* tables[17];
  for (int i = 0; i < 17; ++i) {
    views[i] = open_fine("minor=76 size=960", NULL);
    tables[i] = tn_pjrt_table(views[i]);
    for (int k = 0; k < i; ++k) CHECK(tables[k] != tables[i]);
    CHECK(!tables[i] == (i == 16));
  }
  tn_pjrt_close(views[3]);
  CHECK(tn_pjrt_table(views[16]) != NULL);
  for (int i = 0; i < 17; ++i)
    if (i != 3) tn_pjrt_close(views[i]);
}

TEST(test_no_view_is_told_nothing) {
  int major = 7, minor = 7;
  tn_pjrt_api_version(NULL, &major, &minor);
  CHECK(major == 0 && minor == 0);
  tn_pjrt_api_version(NULL, NULL, NULL);
  CHECK_TEXT(tn_pjrt_path(NULL), "");
  CHECK_TEXT(tn_pjrt_notes(NULL), "");
  CHECK(!tn_pjrt_has(NULL, "PJRT_Client_Create") && !tn_pjrt_attributes(NULL));
  CHECK(!tn_pjrt_table(NULL) && !tn_pjrt_extension(NULL, 1, 0));
  CHECK_INT(tn_pjrt_extension_count(NULL), 0);
  size_t size = 9;
  CHECK_INT(tn_pjrt_extension_type(NULL, 0, &size), -1);
  CHECK_INT(size, 0);
  CHECK_INT(tn_pjrt_newest_known(), 117);
  tn_pjrt_close(NULL);
}

// ---- Errors ----

static void check_error(const char* how, tn_code code, const char* text) {
  tn_pjrt* plugin = open_fine(how, NULL);
  tn_status* status = tn_status_create();
  TN_PJRT_ARGS(plugin, PJRT_Client_Create_Args, args, );
  CHECK(!TN_PJRT_CALL(plugin, PJRT_Client_Create, args, status));
  CHECK_TEXT(tn_status_message(status), text);
  CHECK_CODE(status, code);
  CHECK(!TN_PJRT_CALL(plugin, PJRT_Client_Create, args, NULL));
  // None is left behind.
  tn_pjrt* again = open_fine(how, NULL);
  const tn_pjrt_values* values = tn_pjrt_attributes(again);
  CHECK_INT(tn_pjrt_values_int(values, tn_pjrt_values_find(values, "errors_alive")), 0);
  tn_pjrt_close(again);
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}

TEST(test_a_plugins_error_becomes_a_status) {
  check_error("minor=90 size=1064 other=9", TN_FAILED_PRECONDITION,
              "bare_pjrt.so: PJRT_Client_Create: FAILED_PRECONDITION: other was called");
}
TEST(test_an_error_with_a_code_that_is_none_is_unknown) {
  check_error("minor=90 size=1064 code=4711", TN_UNKNOWN,
              "bare_pjrt.so: PJRT_Client_Create: UNKNOWN: other was called");
}
TEST(test_an_error_whose_code_cannot_be_had_is_unknown) {
  check_error("minor=90 size=1064 codeless=1", TN_UNKNOWN,
              "bare_pjrt.so: PJRT_Client_Create: UNKNOWN: other was called");
}
TEST(test_an_error_without_a_message_still_says_where) {
  check_error("minor=90 size=1064 speechless=1", TN_UNAVAILABLE,
              "bare_pjrt.so: PJRT_Client_Create: UNAVAILABLE: (it gave no message)");
}
TEST(test_a_message_ends_with_its_size_or_its_zero) {
  check_error("minor=90 size=1064 message_size=5", TN_UNAVAILABLE,
              "bare_pjrt.so: PJRT_Client_Create: UNAVAILABLE: other");
}
TEST(test_a_message_with_an_absurd_size_ends_with_its_zero) {
  check_error("minor=90 size=1064 message_size=-1", TN_UNAVAILABLE,
              "bare_pjrt.so: PJRT_Client_Create: UNAVAILABLE: other was called");
}

static void see_payload(const char* key, const char* value, void* arg) {
  CHECK_TEXT(key, "where");
  CHECK_TEXT(value, "here");
  ++*(int*)arg;
}

TEST(test_payloads_of_an_error_are_payloads_of_the_status) {
  tn_pjrt* plugin = open_fine("minor=99 size=1104", NULL);
  tn_status* status = tn_status_create();
  TN_PJRT_ARGS(plugin, PJRT_Client_Create_Args, args, );
  CHECK(!TN_PJRT_CALL(plugin, PJRT_Client_Create, args, status));
  int seen = 0;
  tn_status_each_payload(status, see_payload, &seen);
  CHECK_INT(seen, 1);
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}

// ---- Initialization and attributes ----

TEST(test_a_failing_initialization_is_told_once_and_again) {
  tn_status* status = tn_status_create();
  for (int i = 0; i < 2; ++i) {
    CHECK(
        !open_as(i ? "minor=90 size=1064" : "minor=90 size=1064 initialize_fails=9", NULL, status));
    CHECK_TEXT(tn_status_message(status),
               "bare_pjrt.so: PJRT_Plugin_Initialize: FAILED_PRECONDITION: no device here");
    CHECK_CODE(status, TN_FAILED_PRECONDITION);
  }
  tn_status_destroy(status);
}

TEST(test_attributes_are_copied_and_what_makes_no_sense_is_left_out) {
  tn_pjrt* plugin = open_fine("minor=90 size=1064", NULL);
  const tn_pjrt_values* values = tn_pjrt_attributes(plugin);
  CHECK_INT(tn_pjrt_values_count(values), 6);
  size_t count;
  const int64_t* version =
      tn_pjrt_values_ints(values, tn_pjrt_values_find(values, "stablehlo_current_version"), &count);
  CHECK(count == 3 && version[0] == 1 && version[1] == 13 && version[2] == 2);
  CHECK_TEXT(tn_pjrt_values_string(values, tn_pjrt_values_find(values, "title")), "bare");
  CHECK(tn_pjrt_values_float(values, tn_pjrt_values_find(values, "half")) == 0.5f);
  CHECK(tn_pjrt_values_bool(values, tn_pjrt_values_find(values, "fine")));
  tn_pjrt_close(plugin);
}

TEST(test_a_plugin_without_initialize_and_attributes_is_taken) {
  tn_pjrt* plugin = open_fine("minor=90 size=1064 null=3 null=4", NULL);
  CHECK_INT(tn_pjrt_values_count(tn_pjrt_attributes(plugin)), 0);
  CHECK_CONTAINS(tn_pjrt_notes(plugin),
                 "PJRT_Plugin_Initialize, PJRT_Plugin_Attributes are NULL in its table");
  tn_pjrt_close(plugin);
}

// ---- What it leaves behind ----

static void own_handler(int number) { (void)number; }

TEST(test_signal_handlers_are_put_back_and_threads_are_counted) {
  signal(SIGUSR1, own_handler);
  tn_pjrt* plugin =
      open_fine("minor=90 size=1064 initialize_signals dlopen_signals initialize_threads=3", NULL);
  struct sigaction now;
  sigaction(SIGUSR1, NULL, &now);
  CHECK(now.sa_handler == own_handler);
  sigaction(SIGTERM, NULL, &now);
  CHECK(now.sa_handler == SIG_DFL);
  CHECK_CONTAINS(tn_pjrt_notes(plugin),
                 "loading it replaced the handlers of signals 10 15; they were put back");
  CHECK_CONTAINS(tn_pjrt_notes(plugin), "PJRT_Plugin_Initialize replaced the handlers of signals");
  CHECK_CONTAINS(tn_pjrt_notes(plugin), "PJRT_Plugin_Initialize started ");
  tn_pjrt_close(plugin);
}

TEST(test_notes_grow_and_old_ones_stay_readable) {
  tn_pjrt* plugin = open_fine("minor=90 size=1064", NULL);
  const char* before = tn_pjrt_notes(plugin);
  CHECK_TEXT(before, "");
  tn_pjrt_note(plugin, "one");
  const char* one = tn_pjrt_notes(plugin);
  tn_pjrt_note(plugin, "on");
  tn_pjrt_note(plugin, "one");
  CHECK_TEXT(one, "one");
  CHECK_TEXT(tn_pjrt_notes(plugin), "one\non");
  tn_pjrt_close(plugin);
}

// ---- Threads ----

static void* open_and_ask(void* arg) {
  tn_status* status = tn_status_create();
  for (int i = 0; i < 20; ++i) {
    tn_pjrt* plugin = tn_pjrt_open(PLUGIN, NULL, status);
    CHECK_OK(status);
    const tn_pjrt_values* values = tn_pjrt_attributes(plugin);
    CHECK_INT(tn_pjrt_values_int(values, tn_pjrt_values_find(values, "initializations")), 1);
    tn_pjrt_table(plugin);
    tn_pjrt_note(arg, i % 2 ? "odd" : "even");
    CHECK(strlen(tn_pjrt_notes(arg)) > 0);
    CHECK(tn_pjrt_table(arg) != NULL);
    tn_pjrt_close(plugin);
  }
  tn_status_destroy(status);
  return NULL;
}

TEST(test_threads_open_one_file_at_the_same_time) {
  pthread_t threads[4];
  tn_pjrt* shared = open_fine("minor=90 size=1064", NULL);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, open_and_ask, shared);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  CHECK_CONTAINS(tn_pjrt_notes(shared), "even");
  tn_pjrt_close(shared);
}

// ---- Failing allocations ----

static bool open_once(void* arg, tn_status* status) {
  const tn_pjrt_open_options* options = arg;
  tn_pjrt* plugin = open_as("minor=90 size=1064 null=9", options, status);
  if (plugin) CHECK_INT(tn_pjrt_values_count(tn_pjrt_attributes(plugin)), 6);
  tn_pjrt_close(plugin);
  return plugin != NULL;
}

TEST(test_opening_survives_every_failing_allocation) {
  CHECK(test_sweep_allocations(open_once, NULL) > 10);
}

// A file loads once in a process: each round is one of its own, which takes long with a sanitizer.
TEST(test_the_first_opening_survives_every_failing_allocation) {
#ifdef TENON_SANITIZED
  enum { STEP = 9 };
#else
  enum { STEP = 1 };
#endif
  int round = 0;
  for (int ended = 1; ended == 1; round += STEP) {
    const pid_t child = fork();
    if (child == 0) {
      tn_status* status = tn_status_create();
      tn_memory_fail_at(round);
      tn_pjrt* plugin = open_as("minor=90 size=1064 null=9 circle=1", NULL, status);
      const bool failed = tn_memory_asked() > round;
      tn_memory_fail_at(-1);
      if (!plugin && tn_status_code(status) != TN_RESOURCE_EXHAUSTED) _exit(2);
      tn_pjrt* again = open_as("minor=90 size=1064 null=9 circle=1", NULL, NULL);
      if (!again || tn_pjrt_extension_count(again) != 3) _exit(3);
      _exit(failed);
    }
    CHECK(waitpid(child, &ended, 0) == child && WIFEXITED(ended));
    ended = WEXITSTATUS(ended);
    if (ended > 1) test_fail(__FILE__, __LINE__, "allocation %d: exit code %d", round, ended);
  }
  CHECK(round > 50);
}

TEST(test_questions_about_a_plugin_allocate_nothing) {
  tn_pjrt* plugin = open_fine("minor=90 size=1064", NULL);
  size_t size;
  int minor;
  tn_memory_fail_at(0);
  CHECK_TEXT(tn_pjrt_path(plugin), PLUGIN);
  CHECK_TEXT(tn_pjrt_notes(plugin), "");
  tn_pjrt_api_version(plugin, NULL, &minor);
  CHECK(tn_pjrt_has(plugin, "PJRT_Client_Create") && tn_pjrt_attributes(plugin) != NULL);
  CHECK_INT(tn_pjrt_newest_known(), 117);
  CHECK_INT(tn_pjrt_extension_count(plugin), 3);
  CHECK_INT(tn_pjrt_extension_type(plugin, 1, &size), 24);
  CHECK(tn_pjrt_extension(plugin, 1, 32) != NULL);
  CHECK_INT(tn_memory_asked(), 0);
  CHECK(!tn_pjrt_table(plugin));
  tn_memory_fail_at(-1);
  CHECK(tn_pjrt_table(plugin) != NULL);
  tn_pjrt_close(plugin);
}
