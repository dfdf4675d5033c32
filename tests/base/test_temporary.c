#include "base/temporary.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

static void fill(const char* folder) {
  char path[4200];
  snprintf(path, sizeof path, "%s/inner", folder);
  CHECK(mkdir(path, 0700) == 0);
  snprintf(path, sizeof path, "%s/inner/file", folder);
  FILE* file = fopen(path, "w");
  CHECK(file && fclose(file) == 0);
}

TEST(a_temporary_folder_goes_with_all_that_is_in_it) {
  tn_status* status = tn_status_create();
  char* folder = tn_temporary_make("tenon-test", status);
  CHECK_OK(status);
  fill(folder);
  char kept[4200];
  snprintf(kept, sizeof kept, "%s", folder);
  tn_temporary_remove(folder);
  CHECK(access(kept, F_OK) != 0);
  tn_temporary_remove(NULL);
  tn_status_destroy(status);
}

TEST(a_temporary_folder_goes_with_a_process_that_is_killed) {
  int ends[2];
  char path[4200] = "";
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    char* folder = tn_temporary_make("tenon-test", NULL);
    if (!folder || write(ends[1], folder, strlen(folder)) < 0) _exit(1);
    for (;;) pause();
  }
  CHECK(read(ends[0], path, sizeof path - 1) > 0);
  CHECK(access(path, F_OK) == 0);
  fill(path);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  for (int i = 0; i < 6000 && access(path, F_OK) == 0; ++i)
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  CHECK(access(path, F_OK) != 0);
  close(ends[0]);
  close(ends[1]);
}

TEST(a_temporary_folder_that_cannot_be_made_is_a_status) {
  const char* before = getenv("TMPDIR");
  char* kept = before ? strdup(before) : NULL;
  setenv("TMPDIR", "/nonexistent", 1);
  tn_status* status = tn_status_create();
  CHECK(!tn_temporary_make("tenon-test", status));
  CHECK_CONTAINS(tn_status_message(status), "/nonexistent/tenon-test-");
  if (kept)
    setenv("TMPDIR", kept, 1);
  else
    unsetenv("TMPDIR");
  free(kept);
  tn_status_destroy(status);
}

static bool make_once(void* arg, tn_status* status) {
  char* folder = tn_temporary_make("tenon-test", status);
  tn_temporary_remove(folder);
  return folder != NULL;
}

TEST(no_memory_for_a_temporary_folder_is_a_status) {
  CHECK(test_sweep_allocations(make_once, NULL) > 0);
}
