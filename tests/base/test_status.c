#include "base/status.h"

#include <fcntl.h>
#include <unistd.h>

#include "harness.h"

TEST(test_a_new_status_is_ok_and_says_nothing) {
  tn_status* status = tn_status_create();
  CHECK(tn_ok(status));
  CHECK_TEXT(tn_status_message(status), "");
  tn_status_destroy(status);
}

static void count_payload(const char* key, const char* value, void* arg) {
  int* seen = arg;
  if (strcmp(key, "a") == 0 && strcmp(value, "2") == 0) *seen += 1;
  if (strcmp(key, "b") == 0 && strcmp(value, "3") == 0) *seen += 10;
}

TEST(test_null_is_an_ok_status_everywhere) {
  CHECK(tn_ok(NULL));
  CHECK_INT(tn_status_code(NULL), TN_OK);
  CHECK_TEXT(tn_status_message(NULL), "");
  CHECK_INT(tn_status_fault(NULL), TN_FAULT_UNSAID);
  tn_status_set_fault(NULL, TN_FAULT_HOST);
  tn_status_each_payload(NULL, count_payload, NULL);
  tn_status_set(NULL, TN_INTERNAL, "lost");
  tn_status_annotate(NULL, "lost");
  tn_status_set_payload(NULL, "k", "v");
  tn_status_update(NULL, NULL);
  tn_status_join(NULL, NULL);
  tn_status_copy(NULL, NULL);
  tn_status_clear(NULL);
  tn_status_destroy(NULL);
  CHECK_INT(tn_report(NULL), 0);
}

TEST(test_nonsense_in_a_status_is_kept_or_passed_over) {
  tn_status* status = tn_status_create();
  tn_status_set(status, (tn_code)99, "odd");
  CHECK_INT(tn_status_code(status), 99);
  tn_status_set(status, TN_INTERNAL, NULL);
  CHECK_INT(tn_status_code(status), TN_INTERNAL);
  CHECK_TEXT(tn_status_message(status), "");
  tn_status_set_fault(status, (tn_fault)-1);
  tn_status_set_payload(status, NULL, "v");
  tn_status_set_payload(status, "k", NULL);
  tn_status_each_payload(status, NULL, NULL);
  int seen = 0;
  tn_status_each_payload(status, count_payload, &seen);
  CHECK_INT(seen, 0);
  tn_status_clear(status);
  tn_status_clear(status);
  CHECK(tn_ok(status));
  tn_status_destroy(status);
}

TEST(test_annotations_follow_the_message) {
  tn_status status = {0};
  tn_status_set(&status, TN_NOT_FOUND, "no %s", "file");
  tn_status_annotate(&status, "in step %d", 3);
  CHECK_TEXT(tn_status_message(&status), "no file; in step 3");
  CHECK_INT(tn_status_code(&status), TN_NOT_FOUND);
  tn_status_deinit(&status);
}

TEST(test_setting_a_status_from_its_own_message_is_safe) {
  tn_status status = {0};
  tn_status_set(&status, TN_NOT_FOUND, "inner");
  tn_status_set(&status, TN_INTERNAL, "outer(%s)", tn_status_message(&status));
  CHECK_TEXT(tn_status_message(&status), "outer(inner)");
  tn_status_deinit(&status);
}

TEST(test_update_keeps_the_first_failure_and_join_keeps_both) {
  tn_status first = {0}, second = {0};
  tn_status_set(&second, TN_ABORTED, "second");
  tn_status_update(&first, &second);
  CHECK_TEXT(tn_status_message(&first), "second");
  tn_status_set(&second, TN_CANCELLED, "third");
  tn_status_update(&first, &second);
  CHECK_TEXT(tn_status_message(&first), "second");
  tn_status_join(&first, &second);
  CHECK_TEXT(tn_status_message(&first), "second; and then: CANCELLED: third");
  tn_status_deinit(&first);
  tn_status_deinit(&second);
}

TEST(test_payloads_and_fault_travel_with_a_copy_and_go_with_ok) {
  tn_status status = {0}, copy = {0};
  tn_status_set_payload(&status, "a", "ignored while OK");
  tn_status_set_fault(&status, TN_FAULT_PLUGIN);
  CHECK_INT(tn_status_fault(&status), TN_FAULT_UNSAID);
  tn_status_set(&status, TN_INTERNAL, "x");
  tn_status_set_fault(&status, TN_FAULT_PLUGIN);
  tn_status_set_payload(&status, "a", "1");
  tn_status_set_payload(&status, "b", "3");
  tn_status_set_payload(&status, "a", "2");
  tn_status_copy(&copy, &status);
  int seen = 0;
  tn_status_each_payload(&copy, count_payload, &seen);
  CHECK_INT(seen, 11);
  CHECK_INT(tn_status_fault(&copy), TN_FAULT_PLUGIN);
  tn_status_set(&copy, TN_OK, "%s", "");
  seen = 0;
  tn_status_each_payload(&copy, count_payload, &seen);
  CHECK_INT(seen, 0);
  tn_status_deinit(&status);
  tn_status_deinit(&copy);
}

static bool set_and_annotate(void* arg, tn_status* status) {
  tn_status own = {0};
  tn_status_set(&own, TN_INTERNAL, "a message");
  tn_status_annotate(&own, "and more");
  tn_status_set_payload(&own, "key", "value");
  tn_status_deinit(&own);
  return true;
}

TEST(test_a_status_keeps_its_code_without_memory) {
  test_sweep_allocations(set_and_annotate, NULL);
  tn_status status = {0};
  tn_memory_fail_at(0);
  CHECK(!tn_status_create());
  tn_memory_fail_at(0);
  tn_status_set(&status, TN_ABORTED, "gone");
  tn_memory_fail_at(-1);
  CHECK_INT(tn_status_code(&status), TN_ABORTED);
  CHECK_CONTAINS(tn_status_message(&status), "out of memory");
  tn_status_deinit(&status);
}

TEST(test_a_report_does_not_let_words_of_others_control_the_terminal) {
  char path[4096], text[256] = "";
  snprintf(path, sizeof path, "%s/said", test_folder());
  const int kept = dup(2), file = open(path, O_RDWR | O_CREAT, 0600);
  tn_status status = {0};
  tn_status_set(&status, TN_INTERNAL,
                "it said: \033[2J\007\302\233\177\r\377 gr\303\274n\n  twice");
  fflush(stderr);
  dup2(file, 2);
  const int result = tn_report(&status);
  fflush(stderr);
  dup2(kept, 2);
  CHECK_INT(result, 1);
  CHECK(pread(file, text, sizeof text - 1, 0) > 0);
  CHECK_TEXT(text, "tenon: it said: \\x1b[2J\\x07\\x9b\\x7f\\x0d\\xff gr\303\274n\n  twice\n");
  close(file);
  close(kept);
  tn_status_clear(&status);
  tn_status_deinit(&status);
}
