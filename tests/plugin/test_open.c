#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include "base/status.h"
#include "harness.h"
#include "plugin/open.h"
#include "plugin/wrapper.h"

#define FAKE(name) TENON_BUILD_DIR "/tests/plugins/" name
#define OTHER_HOST TENON_BUILD_DIR "/tests/plugins/import/libtensorflow_framework.so.2"

// Opens a fake and asks it whose TF_* it got.
static const char* host_seen_by(const char* path, bool tensorflow_may_follow, tn_text* notes,
                                tn_status* status) {
  tn_elf* elf = tn_elf_look(path, status);
  tn_needs* needs = elf ? tn_needs_find(elf, status) : NULL;
  void* handle = needs && tn_needs_check(needs, false, status)
                     ? tn_plugin_open(needs, tensorflow_may_follow, notes, status)
                     : NULL;
  tn_needs_destroy(needs);
  const char* (*library)(void) =
      handle ? (const char* (*)(void))dlsym(handle, "fake_host_library") : NULL;
  return library ? library() : NULL;
}

static void check_sees_tenon(const char* path) {
  tn_status status = {0};
  tn_text notes = {0};
  const char* library = host_seen_by(path, false, &notes, &status);
  CHECK_OK(&status);
  CHECK_CONTAINS(library, "/libtenon_tf.so");
  tn_text_deinit(&notes);
  tn_status_deinit(&status);
}

static bool sanitized(void) {
  return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init");
}

static void bring_in_the_other_host(int flags) {
  void* handle = dlopen(OTHER_HOST, RTLD_NOW | flags);
  if (!handle) test_fail(__FILE__, __LINE__, "%s", dlerror());
}

static int open_descriptors(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

TEST(test_a_plugin_that_names_no_library_finds_our_functions_and_others_do_not) {
  CHECK(!dlsym(RTLD_DEFAULT, "TF_NewStatus"));
  check_sees_tenon(FAKE("good.so"));
  CHECK(!dlsym(RTLD_DEFAULT, "TF_NewStatus"));
}

TEST(test_opening_leaves_no_descriptor_behind) {
  check_sees_tenon(FAKE("good.so"));
  int before = open_descriptors();
  check_sees_tenon(FAKE("other_good.so"));
  check_sees_tenon(FAKE("needs_cc.so"));
  CHECK_INT(open_descriptors(), before);
}

TEST(test_plugins_that_name_tensorflow_s_libraries_find_our_functions) {
  check_sees_tenon(FAKE("needs_framework.so"));
  check_sees_tenon(FAKE("needs_cc.so"));
  check_sees_tenon(FAKE("needs_pywrap.so"));
}

TEST(test_a_host_in_the_global_scope_is_bound_past) {
  if (sanitized()) test_skip("sanitizers forbid deep binding");
  bring_in_the_other_host(RTLD_GLOBAL);
  check_sees_tenon(FAKE("good.so"));
  check_sees_tenon(FAKE("needs_cc.so"));
}

TEST(test_under_a_sanitizer_a_host_in_the_global_scope_is_a_reason_to_refuse) {
  if (!sanitized()) test_skip("only with a sanitizer");
  bring_in_the_other_host(RTLD_GLOBAL);
  tn_status status = {0};
  tn_text notes = {0};
  CHECK(!host_seen_by(FAKE("good.so"), false, &notes, &status));
  CHECK_CONTAINS(tn_status_message(&status), "a sanitizer forbids");
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
}

TEST(test_a_host_that_comes_later_does_not_change_what_a_plugin_got) {
  check_sees_tenon(FAKE("good.so"));
  bring_in_the_other_host(RTLD_GLOBAL);
  void* handle = dlopen(FAKE("good.so"), RTLD_NOW | RTLD_NOLOAD);
  const char* (*library)(void) = (const char* (*)(void))dlsym(handle, "fake_host_library");
  CHECK_CONTAINS(library(), "/libtenon_tf.so");
}

TEST(test_a_library_tensorflow_brought_itself_serves_the_name_and_we_the_functions) {
  if (sanitized()) test_skip("sanitizers forbid deep binding");
  bring_in_the_other_host(RTLD_GLOBAL);
  tn_status status = {0};
  tn_text notes = {0};
  const char* library = host_seen_by(FAKE("needs_framework.so"), true, &notes, &status);
  CHECK_OK(&status);
  CHECK_CONTAINS(library, "/libtenon_tf.so");
  CHECK_CONTAINS(notes.data, "TensorFlow's, which was in this process first");
  tn_text_deinit(&notes);
}

TEST(test_stand_ins_are_refused_where_tensorflow_may_follow) {
  tn_status status = {0};
  tn_text notes = {0};
  CHECK(!host_seen_by(FAKE("needs_cc.so"), true, &notes, &status));
  CHECK_CONTAINS(
      tn_status_message(&status),
      "it needs libtensorflow_cc.so.2 by TensorFlow's own name, and TensorFlow may follow");
  CHECK_INT(tn_status_fault(&status), TN_FAULT_CALLER);
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  CHECK(host_seen_by(FAKE("good.so"), true, &notes, &status));
}

TEST(test_a_file_that_another_host_has_open_is_opened_as_a_copy) {
  if (sanitized()) test_skip("sanitizers forbid deep binding");
  bring_in_the_other_host(RTLD_GLOBAL);
  void* theirs = dlopen(FAKE("good.so"), RTLD_NOW | RTLD_LOCAL);
  const char* (*their_library)(void) = (const char* (*)(void))dlsym(theirs, "fake_host_library");
  int before = open_descriptors();
  tn_status status = {0};
  tn_text notes = {0};
  const char* library = host_seen_by(FAKE("good.so"), false, &notes, &status);
  CHECK_OK(&status);
  CHECK_CONTAINS(library, "/libtenon_tf.so");
  CHECK_TEXT(their_library(), OTHER_HOST);
  CHECK_CONTAINS(notes.data, "Tenon works with a copy in memory");
  CHECK_INT(open_descriptors(), before);
  tn_text_deinit(&notes);
}

TEST(test_a_copy_that_would_lose_its_neighbours_is_refused) {
  if (sanitized()) test_skip("sanitizers forbid deep binding");
  bring_in_the_other_host(RTLD_GLOBAL);
  char path[4096], command[8192];
  snprintf(path, sizeof path, "%s/moved.so", test_folder());
  snprintf(command, sizeof command, "cp '%s' '%s' && cp '%s' '%s/'", FAKE("neighbour.so"), path,
           FAKE("libneighbour.so"), test_folder());
  CHECK_INT(system(command), 0);
  CHECK(dlopen(path, RTLD_NOW | RTLD_LOCAL));
  tn_status status = {0};
  tn_text notes = {0};
  CHECK(!host_seen_by(path, false, &notes, &status));
  CHECK_CONTAINS(tn_status_message(&status),
                 "would not find the libraries that it looks for beside itself ($ORIGIN)");
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
}

TEST(test_the_loaders_own_words_are_passed_on) {
  const char* paths[] = {"/no/such/library.so"};
  tn_status status = {0};
  CHECK(!tn_wrapper_open(paths, 1, RTLD_NOW, &status));
  CHECK_CONTAINS(tn_status_message(&status), "/no/such/library.so: cannot open shared object file");
  tn_status_deinit(&status);
}

TEST(test_many_wrappers_are_told_apart) {
  tn_status status = {0};
  const char* paths[] = {FAKE("libneighbour.so")};
  void* handles[70];
  for (int i = 0; i < 70; ++i) {
    handles[i] = tn_wrapper_open(paths, 1, RTLD_NOW | RTLD_LOCAL, &status);
    for (int k = 0; k < i; ++k) CHECK(handles[i] != handles[k]);
  }
  CHECK_OK(&status);
}
