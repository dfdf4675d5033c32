#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "harness.h"

static const char* path_of(const char* name) {
  static char path[4][512];
  static int next;
  char* result = path[next++ % 4];
  snprintf(result, 512, "%s/%s", test_folder(), name);
  return result;
}

static int files_in_folder(void) {
  int count = 0;
  DIR* folder = opendir(test_folder());
  while (folder && readdir(folder)) ++count;
  if (folder) closedir(folder);
  return count - 2;  // "." and ".."
}

TEST(test_what_is_written_is_read_back) {
  uint64_t random = test_seed();
  tn_status status = {0};
  for (int round = 0; round < 30; ++round) {
    size_t size = (size_t)test_between(&random, 0, round < 20 ? 300 : 300000);
    char* bytes = malloc(size + 1);
    for (size_t i = 0; i < size; ++i) bytes[i] = (char)test_random(&random);
    CHECK(tn_file_write(path_of("f"), (tn_view){bytes, size}, &status));
    tn_text text = {0};
    tn_text_puts(&text, "kept");
    CHECK(tn_file_read(path_of("f"), size, &text, &status));
    CHECK_INT(text.size, size + 4);
    CHECK(memcmp(text.data, "kept", 4) == 0 && memcmp(text.data + 4, bytes, size) == 0);
    tn_text_deinit(&text);
    free(bytes);
  }
  CHECK_OK(&status);
  CHECK_INT(files_in_folder(), 1);
}

TEST(test_a_missing_file_is_not_found_and_named) {
  tn_status status = {0};
  tn_text text = {0};
  CHECK(!tn_file_read(path_of("absent"), 10, &text, &status));
  CHECK_CONTAINS(tn_status_message(&status), "absent'; No such file");
  CHECK_CODE(&status, TN_NOT_FOUND);
  CHECK(!tn_file_read(test_folder(), 10, &text, &status));
  CHECK_CONTAINS(tn_status_message(&status), "directory");
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  tn_text_deinit(&text);
}

TEST(test_a_file_over_the_limit_is_refused_and_the_text_is_as_before) {
  tn_status status = {0};
  CHECK(tn_file_write(path_of("f"), tn_view_of("12345678901"), &status));
  tn_text text = {0};
  tn_text_puts(&text, "before");
  CHECK(!tn_file_read(path_of("f"), 10, &text, &status));
  CHECK_CONTAINS(tn_status_message(&status), "more than 10 bytes");
  CHECK_CODE(&status, TN_OUT_OF_RANGE);
  CHECK_TEXT(text.data, "before");
  CHECK(!tn_file_read(path_of("f"), 0, &text, &status));
  CHECK_CODE(&status, TN_OUT_OF_RANGE);
  CHECK(tn_file_read(path_of("f"), 11, &text, &status));
  CHECK_TEXT(text.data, "before12345678901");
  tn_text_deinit(&text);
}

static void* feed(void* arg) {
  int pipe_end = *(int*)arg;
  for (int i = 0; i < 50; ++i)
    if (write(pipe_end, "0123456789", 10) != 10) break;
  close(pipe_end);
  return NULL;
}

TEST(test_a_pipe_and_a_file_without_a_size_are_read_to_their_end) {
  int ends[2];
  CHECK_INT(pipe(ends), 0);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
  pthread_t thread;
  CHECK_INT(pthread_create(&thread, NULL, feed, &ends[1]), 0);
  tn_status status = {0};
  tn_text text = {0};
  CHECK(tn_file_read(path, SIZE_MAX, &text, &status));
  pthread_join(thread, NULL);
  CHECK_INT(text.size, 500);
  CHECK(tn_file_read("/proc/self/stat", 1 << 20, &text, &status));
  CHECK(text.size > 510);
  tn_text_deinit(&text);
}

TEST(test_writing_keeps_permissions_and_follows_links) {
  tn_status status = {0};
  CHECK(tn_file_write(path_of("real"), tn_view_of("old"), &status));
  CHECK_INT(chmod(path_of("real"), 0640), 0);
  CHECK_INT(symlink("real", path_of("link")), 0);
  CHECK(tn_file_write(path_of("link"), tn_view_of("new"), &status));
  struct stat info;
  CHECK_INT(lstat(path_of("link"), &info), 0);
  CHECK(S_ISLNK(info.st_mode));
  CHECK_INT(stat(path_of("real"), &info), 0);
  CHECK_INT(info.st_mode & 0777, 0640);
  CHECK_INT(info.st_size, 3);
  CHECK_INT(files_in_folder(), 2);
}

TEST(test_a_failed_write_leaves_the_old_file_and_nothing_else) {
  tn_status status = {0};
  CHECK_INT(mkdir(path_of("folder"), 0700), 0);
  CHECK(!tn_file_write(path_of("folder"), tn_view_of("x"), &status));
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  CHECK(!tn_file_write(path_of("no/such/place"), tn_view_of("x"), &status));
  CHECK_CONTAINS(tn_status_message(&status), "cannot write '");
  CHECK_CODE(&status, TN_NOT_FOUND);
  CHECK(!tn_file_write("/dev/full", tn_view_of("x"), &status));
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  CHECK(tn_file_write("/dev/null", tn_view_of("x"), &status));
  CHECK_INT(files_in_folder(), 1);
}

enum { writers = 3, rounds = 200, block = 20000 };

static char shared[512];

static void* rewrite(void* arg) {
  char* bytes = malloc(block);
  memset(bytes, *(char*)arg, block);
  for (int i = 0; i < rounds; ++i) {
    tn_status status = {0};
    CHECK(tn_file_write(shared, (tn_view){bytes, block}, &status));
  }
  free(bytes);
  return NULL;
}

TEST(test_a_reader_never_sees_half_a_file) {
  char letters[writers] = {'a', 'b', 'c'};
  pthread_t thread[writers];
  tn_status status = {0};
  snprintf(shared, sizeof shared, "%s", path_of("shared"));
  rewrite(&letters[0]);
  for (int i = 0; i < writers; ++i)
    CHECK_INT(pthread_create(&thread[i], NULL, rewrite, &letters[i]), 0);
  for (int i = 0; i < rounds; ++i) {
    tn_text text = {0};
    CHECK(tn_file_read(shared, block, &text, &status));
    CHECK_INT(text.size, block);
    CHECK(text.data[0] == text.data[block - 1]);
    tn_text_deinit(&text);
  }
  for (int i = 0; i < writers; ++i) pthread_join(thread[i], NULL);
}

static bool read_once(void* path, tn_status* status) {
  tn_text text = {0};
  bool read = tn_file_read(path, 1 << 20, &text, status);
  tn_text_deinit(&text);
  return read;
}

TEST(test_reading_without_memory_is_a_status) {
  tn_status status = {0};
  CHECK(tn_file_write(path_of("f"), tn_view_of("some bytes"), &status));
  char path[512];
  snprintf(path, sizeof path, "%s", path_of("f"));
  CHECK(test_sweep_allocations(read_once, path) >= 1);
}

static bool make_absolute(void* arg, tn_status* status) {
  char* path = tn_absolute_path(arg, status);
  const bool fine = path != NULL;
  tn_free(path);
  return fine;
}

TEST(test_a_path_is_made_absolute_without_following_links) {
  char expected[PATH_MAX + 8];
  CHECK_INT(chdir(test_folder()), 0);
  snprintf(expected, sizeof expected, "%s/a/../b", test_folder());
  char* path = tn_absolute_path("a/../b", NULL);
  CHECK_TEXT(path, expected);
  tn_free(path);
  path = tn_absolute_path("/a/b", NULL);
  CHECK_TEXT(path, "/a/b");
  tn_free(path);
  CHECK(test_sweep_allocations(make_absolute, "/a/b") >= 1);
}
