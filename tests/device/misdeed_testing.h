// Driving tests/plugins/misdeed_device.so. A plugin's load cannot be undone, so that each case that
// gets so far runs in a process of its own.
#ifndef TENON_TESTS_DEVICE_MISDEED_TESTING_H_
#define TENON_TESTS_DEVICE_MISDEED_TESTING_H_

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../plugins/misdeed.h"
#include "harness.h"
#include "tenon/tenon.h"

#define MISDEED_PLUGIN TENON_BUILD_DIR "/tests/plugins/misdeed_device.so"

static inline tn_plugin* load_with(const char* misdeed, tn_status* status) {
  setenv("TENON_TEST_MISDEED", misdeed, 1);
  return tn_plugin_load(MISDEED_PLUGIN, NULL, status);
}

static inline bool misdeed_is_open(void) {
  return dlopen(MISDEED_PLUGIN, RTLD_NOW | RTLD_NOLOAD) != NULL;
}

static inline void* misdeed_symbol(const char* name) {
  void* handle = dlopen(MISDEED_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
  void* symbol = handle ? dlsym(handle, name) : NULL;
  if (!symbol) test_fail(__FILE__, __LINE__, "%s: %s", name, dlerror());
  return symbol;
}

static inline int live(int kind) { return ((int (*)(int))misdeed_symbol("misdeed_live"))(kind); }

static inline void misdeed_from_now(const char* name) {
  ((void (*)(const char*))misdeed_symbol("misdeed_set"))(name);
}

// The device of a plugin that loaded.
static inline tn_device* load_device(const char* misdeed) {
  tn_status* status = tn_status_create();
  load_with(misdeed, status);
  CHECK_OK(status);
  tn_device* device = tn_device_find(MISDEED_TYPE ":0", status);
  CHECK_OK(status);
  tn_status_destroy(status);
  return device;
}

// Ends a child. Leaks are looked for at exit; ThreadSanitizer sleeps there for a second, in vain.
static inline void leave_child(int code) {
#ifdef __SANITIZE_THREAD__
  fflush(NULL);
  syscall(SYS_exit_group, code);
#else
  exit(code);
#endif
}

// Runs `body` in a child; its failure is this test's.
static inline void in_child(void (*body)(const void* arg), const void* arg, const char* name) {
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    body(arg);
    leave_child(0);
  }
  int outcome = 0;
  if (child < 0 || waitpid(child, &outcome, 0) != child || outcome != 0)
    test_fail(__FILE__, __LINE__, "in case %s: the child ended with %#x", name, outcome);
}

static inline tn_tensor* some_floats(void) {
  static const float values[4] = {1, -2, 3, 4.5f};
  return tn_tensor_create_from(TN_FLOAT, (const int64_t[]){4}, 1, values, sizeof values, NULL);
}

#endif  // TENON_TESTS_DEVICE_MISDEED_TESTING_H_
