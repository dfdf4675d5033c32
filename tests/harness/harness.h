// The test runner. Each TEST runs in a process of its own: how it ended (finished, failed, signal,
// time-out, skipped) is five different results, and a crash never hides the tests after it.
//
//   build/tests/kernel                 all tests of that room, as TAP
//   build/tests/kernel --list          their names
//   build/tests/kernel NAME            one test in this very process, for a debugger
//   LD_LIBRARY_PATH=OLD/lib build/tests/kernel NAME    the same test against another build
//
// TN_TEST_SEED replays a random test; TN_TEST_TIMEOUT is the limit per test in seconds (60).
#ifndef TENON_TESTS_HARNESS_H_
#define TENON_TESTS_HARNESS_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct test_case {
  const char* name;
  const char* file;
  void (*body)(void);
  struct test_case* next;
} test_case;

void test_register(test_case* test);
void test_fail(const char* file, int line, const char* format, ...) TN_PRINTF(3, 4);
// Ends the test as skipped; the reason is shown in the summary.
void test_skip(const char* format, ...) TN_PRINTF(1, 2) __attribute__((noreturn));

// A generator whose seed is printed when the test fails.
uint64_t test_seed(void);
uint64_t test_random(uint64_t* state);
// Uniform in [low, high].
int64_t test_between(uint64_t* state, int64_t low, int64_t high);

// A folder of this test's own, removed when it ends.
const char* test_folder(void);

// Fails the 1st, 2nd, 3rd ... allocation of the host in turn until `once` runs with none failing.
// `once` must return true when it saw success; a failing round must report RESOURCE_EXHAUSTED (the
// sweep checks `status`) and must leave no block behind. Rounds run are returned.
int test_sweep_allocations(bool (*once)(void* arg, tn_status* status), void* arg);

#define TEST(test_name)                                                        \
  static void test_name(void);                                                 \
  static test_case test_name##_case = {#test_name, __FILE__, test_name, NULL}; \
  __attribute__((constructor)) static void test_name##_register(void) {        \
    test_register(&test_name##_case);                                          \
  }                                                                            \
  static void test_name(void)

#define CHECK(condition)                                               \
  do {                                                                 \
    if (!(condition)) test_fail(__FILE__, __LINE__, "%s", #condition); \
  } while (0)
#define CHECK_INT(found, expected)                                                           \
  do {                                                                                       \
    long long found_ = (long long)(found), expected_ = (long long)(expected);                \
    if (found_ != expected_)                                                                 \
      test_fail(__FILE__, __LINE__, "%s is %lld, expected %lld", #found, found_, expected_); \
  } while (0)
#define CHECK_TEXT(found, expected)                                                \
  do {                                                                             \
    const char *found_ = (found), *expected_ = (expected);                         \
    if (!found_ || strcmp(found_, expected_) != 0)                                 \
      test_fail(__FILE__, __LINE__, "%s is\n  \"%s\"\nexpected\n  \"%s\"", #found, \
                found_ ? found_ : "(null)", expected_);                            \
  } while (0)
#define CHECK_CONTAINS(found, piece)                                              \
  do {                                                                            \
    const char *found_ = (found), *piece_ = (piece);                              \
    if (!found_ || !strstr(found_, piece_))                                       \
      test_fail(__FILE__, __LINE__, "%s is\n  \"%s\"\nwithout\n  \"%s\"", #found, \
                found_ ? found_ : "(null)", piece_);                              \
  } while (0)
#define CHECK_OK(status)                                                                         \
  do {                                                                                           \
    if (!tn_ok(status))                                                                          \
      test_fail(__FILE__, __LINE__, "%s: %s: %s", #status, tn_code_name(tn_status_code(status)), \
                tn_status_message(status));                                                      \
  } while (0)
// The code is expected; the status is cleared for the next call.
#define CHECK_CODE(status, expected)                                             \
  do {                                                                           \
    if (tn_status_code(status) != (expected))                                    \
      test_fail(__FILE__, __LINE__, "%s is %s \"%s\", expected %s", #status,     \
                tn_code_name(tn_status_code(status)), tn_status_message(status), \
                tn_code_name(expected));                                         \
    tn_status_clear(status);                                                     \
  } while (0)

#ifdef __cplusplus
}
#endif
#endif  // TENON_TESTS_HARNESS_H_
