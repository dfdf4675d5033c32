#include <elf.h>
#include <unistd.h>

#include "base/status.h"
#include "harness.h"
#include "plugin/loader_cache.h"
#include "plugin/needs.h"

#define FAKE(name) TENON_BUILD_DIR "/tests/plugins/" name

static tn_needs* needs_of(const char* path) {
  tn_status status = {0};
  tn_elf* elf = tn_elf_look(path, &status);
  tn_needs* needs = elf ? tn_needs_find(elf, &status) : NULL;
  CHECK_OK(&status);
  tn_status_deinit(&status);
  if (!needs) exit(1);
  return needs;
}

static void count_lines(const char* key, const char* value, void* arg) {
  if (strcmp(key, TN_MISSING_PAYLOAD) != 0) return;
  for (++*(size_t*)arg; *value; ++value) *(size_t*)arg += *value == '\n';
}

static void check_gaps(const char* path, tn_code code, tn_fault fault, const char* message) {
  tn_status status = {0};
  tn_needs* needs = needs_of(path);
  CHECK(!tn_needs_check(needs, false, &status));
  CHECK_CONTAINS(tn_status_message(&status), path);
  CHECK_CONTAINS(tn_status_message(&status), message);
  CHECK_INT(tn_status_fault(&status), fault);
  size_t named = 0;
  tn_status_each_payload(&status, count_lines, &named);
  CHECK_INT(named, needs->gap_count);
  CHECK_CODE(&status, code);
  tn_needs_destroy(needs);
}

static const tn_library* library_named(const tn_needs* needs, const char* name) {
  for (const tn_library* at = needs->libraries; at; at = at->next)
    if (strcmp(at->name, name) == 0) return at;
  return NULL;
}

TEST(test_a_good_plugin_lacks_nothing) {
  tn_status status = {0};
  tn_needs* needs = needs_of(FAKE("good.so"));
  CHECK(tn_needs_check(needs, false, &status));
  CHECK_OK(&status);
  CHECK_INT(needs->gap_count, 0);
  CHECK(!needs->unsure);
  tn_needs_destroy(needs);
}

TEST(test_every_missing_library_is_named_not_the_first) {
  check_gaps(FAKE("missing_libraries.so"), TN_NOT_FOUND, TN_FAULT_PLUGIN,
             "it needs libraries that are nowhere on this machine: libtenon_absent_one.so, "
             "libtenon_absent_two.so");
}

TEST(test_every_function_the_host_lacks_is_named) {
  check_gaps(FAKE("missing_function.so"), TN_UNIMPLEMENTED, TN_FAULT_HOST,
             "it wants functions that this host does not have: TF_Added");
  check_gaps(FAKE("missing_function.so"), TN_UNIMPLEMENTED, TN_FAULT_HOST, "TF_AddedInTheFuture");
  check_gaps(FAKE("missing_function.so"), TN_UNIMPLEMENTED, TN_FAULT_HOST, "TF_AddedEvenLater");
}

TEST(test_a_symbol_that_nobody_defines_is_named) {
  check_gaps(FAKE("missing_symbol.so"), TN_NOT_FOUND, TN_FAULT_PLUGIN,
             "symbols that none of its libraries defines: fake_defined_nowhere");
}

TEST(test_a_library_without_the_version_wanted_is_named) {
  check_gaps(FAKE("old_neighbour.so"), TN_NOT_FOUND, TN_FAULT_PLUGIN,
             "it needs newer libraries than this machine has: NEIGHBOUR_2 of libneighbour.so");
}

TEST(test_functions_wanted_weakly_count_unless_told_otherwise) {
  check_gaps(FAKE("missing_weak_function.so"), TN_UNIMPLEMENTED, TN_FAULT_HOST,
             "would jump to address 0): TF_AddedInTheFuture");
  tn_needs* needs = needs_of(FAKE("missing_weak_function.so"));
  CHECK(tn_needs_check(needs, true, NULL));
  tn_needs_destroy(needs);
}

TEST(test_libraries_are_found_where_the_loader_finds_them) {
  tn_needs* needs = needs_of(FAKE("neighbour.so"));
  const tn_library* neighbour = library_named(needs, "libneighbour.so");
  CHECK(neighbour && !neighbour->loaded);
  CHECK_TEXT(neighbour->elf->path, FAKE("libneighbour.so"));
  tn_needs_destroy(needs);

  tn_elf* elf = tn_elf_look(FAKE("good.so"), NULL);
  tn_search_for object = {elf, NULL};
  char* path;
  CHECK_INT(tn_search_library("libc.so.6", &object, &path), TN_SEARCH_LOADED);
  CHECK_CONTAINS(path, "/libc.so.6");
  tn_free(path);
  CHECK_INT(tn_search_library("libtenon_absent_one.so", &object, &path), TN_SEARCH_MISSING);
  CHECK(!path);
  // Not loaded here, and only the loader's own list or folders lead to it.
  CHECK_INT(tn_search_library("libthread_db.so.1", &object, &path), TN_SEARCH_FOUND);
  CHECK(path && access(path, R_OK) == 0);
  tn_free(path);
  CHECK(tn_loader_cache_find("libthread_db.so.1", &path));
  CHECK_CONTAINS(path, "libthread_db.so.1");
  tn_free(path);
  CHECK(tn_loader_cache_find("libtenon_absent_one.so", &path));
  CHECK(!path);
  tn_elf_destroy(elf);
}

// The loader reads LD_LIBRARY_PATH when the process begins: this test starts itself again.
TEST(test_a_library_on_ld_library_path_is_found) {
  const char* folder = getenv("TN_TEST_NEIGHBOUR");
  char plugin[4096], command[16384], self[4096] = "";
  if (folder) {
    snprintf(plugin, sizeof plugin, "%s/neighbour.so", folder);
    tn_needs* needs = needs_of(plugin);
    const tn_library* neighbour = library_named(needs, "libneighbour.so");
    CHECK(neighbour);
    CHECK_CONTAINS(neighbour->elf->path, "/elsewhere/libneighbour.so");
    CHECK(tn_needs_check(needs, false, NULL));
    tn_needs_destroy(needs);
    return;
  }
  CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  snprintf(command, sizeof command,
           "mkdir '%s/elsewhere' && cp '%s' '%s' && cp '%s' '%s/elsewhere' && "
           "TN_TEST_NEIGHBOUR='%s' LD_LIBRARY_PATH='%s/elsewhere' '%s' "
           "test_a_library_on_ld_library_path_is_found",
           test_folder(), FAKE("neighbour.so"), test_folder(), FAKE("libneighbour.so"),
           test_folder(), test_folder(), test_folder(), self);
  CHECK_INT(system(command), 0);
}

TEST(test_a_library_of_another_machine_is_passed_over) {
  char path[4096], command[8192];
  snprintf(path, sizeof path, "%s/neighbour.so", test_folder());
  snprintf(command, sizeof command,
           "cp '%s' '%s' && cp '" TENON_SOURCE_DIR
           "/tests/fuzz/corpus/elf/aarch64.so' '%s/libneighbour.so'",
           FAKE("neighbour.so"), path, test_folder());
  CHECK_INT(system(command), 0);
  check_gaps(path, TN_NOT_FOUND, TN_FAULT_PLUGIN, "nowhere on this machine: libneighbour.so");
}

TEST(test_a_damaged_library_beside_a_plugin_is_named) {
  char path[4096], command[8192];
  snprintf(path, sizeof path, "%s/neighbour.so", test_folder());
  snprintf(command, sizeof command, "cp '%s' '%s' && head -c 4000 '%s' > '%s/libneighbour.so'",
           FAKE("neighbour.so"), path, FAKE("libneighbour.so"), test_folder());
  CHECK_INT(system(command), 0);
  tn_status status = {0};
  tn_elf* elf = tn_elf_look(path, &status);
  CHECK(!tn_needs_find(elf, &status));
  CHECK_CONTAINS(tn_status_message(&status), "libneighbour.so: the file is cut short");
  CHECK_CONTAINS(tn_status_message(&status), "needed by ");
  CHECK_CODE(&status, TN_DATA_LOSS);
}

TEST(test_tensorflow_s_own_names_are_served_by_stand_ins) {
  static const char* const names[][2] = {
      {FAKE("needs_framework.so"), "libtensorflow_framework.so.2"},
      {FAKE("needs_cc.so"), "libtensorflow_cc.so.2"},
      {FAKE("needs_pywrap.so"), "_pywrap_tensorflow_internal.so"}};
  for (size_t i = 0; i < 3; ++i) {
    tn_needs* needs = needs_of(names[i][0]);
    const tn_library* library = library_named(needs, names[i][1]);
    CHECK(library && library->shim);
    CHECK_TEXT(library->elf->soname, names[i][1]);
    CHECK_INT(library->elf->version_count, 1);
    CHECK_TEXT(library->elf->versions[0], "tensorflow");
    CHECK(tn_needs_check(needs, false, NULL));
    tn_needs_destroy(needs);
  }
}

static bool find_once(void* arg, tn_status* status) {
  tn_elf* elf = tn_elf_look(arg, status);
  tn_needs* needs = elf ? tn_needs_find(elf, status) : NULL;
  bool fine = needs && !tn_needs_check(needs, false, status);
  // The last round sees the gap itself.
  if (fine && tn_status_code(status) == TN_NOT_FOUND) tn_status_clear(status);
  tn_needs_destroy(needs);
  return fine && tn_ok(status);
}

TEST(test_looking_for_needs_without_memory_is_a_status) {
  CHECK(test_sweep_allocations(find_once, FAKE("missing_libraries.so")) > 10);
}

TEST(test_a_missing_file_of_our_own_is_the_hosts_fault) {
  setenv("TENON_LIBDIR", test_folder(), 1);
  tn_status status = {0};
  CHECK(!tn_needs_find(tn_elf_look(FAKE("good.so"), &status), &status));
  CHECK_CONTAINS(tn_status_message(&status), "/libtenon_tf.so.0 is not there");
  CHECK_CONTAINS(tn_status_message(&status), "TENON_LIBDIR");
  CHECK_INT(tn_status_fault(&status), TN_FAULT_HOST);
  CHECK_CODE(&status, TN_NOT_FOUND);
}
