#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "harness.h"

// Everything below writes to a file in place of standard error.
static char log_path[256];

static void catch_standard_error(void) {
  snprintf(log_path, sizeof log_path, "%s/log", test_folder());
  int descriptor = open(log_path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
  CHECK(descriptor >= 0);
  CHECK(dup2(descriptor, STDERR_FILENO) >= 0);
}

static const char* caught(void) {
  static char text[1 << 20];
  FILE* file = fopen(log_path, "r");
  size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
  text[size] = 0;
  if (file) fclose(file);
  return text;
}

TEST(test_warnings_and_errors_show_by_default) {
  unsetenv("TENON_LOG");
  catch_standard_error();
  tn_log(TN_LOG_DEBUG, "d");
  tn_log(TN_LOG_INFO, "i");
  tn_log(TN_LOG_WARNING, "w %d", 1);
  tn_log(TN_LOG_ERROR, "e %s", "two");
  CHECK_TEXT(caught(), "tenon: warning: w 1\ntenon: error: e two\n");
}

TEST(test_the_environment_sets_the_level_by_name) {
  setenv("TENON_LOG", "Debug", 1);
  catch_standard_error();
  CHECK(tn_log_enabled(TN_LOG_DEBUG));
  tn_log(TN_LOG_DEBUG, "seen");
  CHECK_TEXT(caught(), "tenon: debug: seen\n");
}

TEST(test_the_environment_sets_the_level_by_number) {
  setenv("TENON_LOG", "3", 1);
  CHECK(!tn_log_enabled(TN_LOG_WARNING));
  CHECK(tn_log_enabled(TN_LOG_ERROR));
}

TEST(test_off_silences_errors_too) {
  setenv("TENON_LOG", "off", 1);
  catch_standard_error();
  tn_log(TN_LOG_ERROR, "unheard");
  tn_log(TN_LOG_OFF, "not a level of a message");
  CHECK_TEXT(caught(), "");
}

TEST(test_a_level_that_is_not_understood_means_warning) {
  setenv("TENON_LOG", "loud", 1);
  CHECK(!tn_log_enabled(TN_LOG_INFO));
  CHECK(tn_log_enabled(TN_LOG_WARNING));
}

TEST(test_a_level_set_by_the_program_wins_over_the_environment) {
  setenv("TENON_LOG", "off", 1);
  tn_log_set_level(TN_LOG_INFO);
  CHECK(tn_log_enabled(TN_LOG_INFO));
  CHECK(!tn_log_enabled(TN_LOG_DEBUG));
}

TEST(test_a_message_is_one_line_whatever_it_holds) {
  tn_log_set_level(TN_LOG_DEBUG);
  catch_standard_error();
  tn_log(TN_LOG_INFO, "a\nb\x1b[31m\tc\n\n");
  CHECK_TEXT(caught(), "tenon: info: a b [31m c\n");
}

TEST(test_a_long_message_is_cut_and_says_so) {
  static char text[5000];
  memset(text, 'x', sizeof text - 1);
  catch_standard_error();
  tn_log(TN_LOG_ERROR, "%s", text);
  CHECK_INT(strlen(caught()), strlen("tenon: error: ") + 2000 + 1);
  CHECK_CONTAINS(caught(), "xxx...\n");
}

TEST(test_logging_leaves_errno_alone) {
  catch_standard_error();
  close(STDERR_FILENO);
  errno = ENOENT;
  tn_log(TN_LOG_ERROR, "nowhere to go");
  CHECK_INT(errno, ENOENT);
}

static int heard;

static void log_again(const char* line) {
  ++heard;
  tn_log(TN_LOG_ERROR, "I heard: %s", line);
}

TEST(test_a_listener_may_log_without_hearing_itself) {
  catch_standard_error();
  tn_log_set_listener(log_again);
  tn_log(TN_LOG_ERROR, "one");
  tn_log(TN_LOG_ERROR, "two");
  tn_log_set_listener(NULL);
  CHECK_INT(heard, 2);
  CHECK_CONTAINS(caught(), "two\ntenon: error: I heard: tenon: error: two\n");
}

enum { threads = 4, lines = 200 };

static void* write_lines(void* arg) {
  for (int i = 0; i < lines; ++i) tn_log(TN_LOG_ERROR, "<%s>", (const char*)arg);
  return NULL;
}

TEST(test_lines_of_several_threads_do_not_mix) {
  catch_standard_error();
  char words[threads][100];
  pthread_t thread[threads];
  for (int i = 0; i < threads; ++i) {
    memset(words[i], 'a' + i, 99);
    words[i][99] = 0;
    CHECK_INT(pthread_create(&thread[i], NULL, write_lines, words[i]), 0);
  }
  for (int i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
  int seen[threads] = {0};
  for (const char* at = caught(); *at; at = strchr(at, '\n') + 1) {
    int which = at[strlen("tenon: error: <")] - 'a';
    CHECK(which >= 0 && which < threads);
    CHECK(strncmp(at + strlen("tenon: error: <"), words[which], 99) == 0);
    ++seen[which];
  }
  for (int i = 0; i < threads; ++i) CHECK_INT(seen[i], lines);
}
