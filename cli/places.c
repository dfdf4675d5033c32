#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

const char* const cli_library_folders[] = {"../lib", "../lib/" TENON_MULTIARCH, "../lib64", NULL};

bool cli_find_folder(const char* const* candidates, const char* file, char* out) {
  char program[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
  if (size <= 0) return false;
  program[size] = 0;
  *strrchr(program, '/') = 0;
  for (; *candidates; ++candidates) {
    char path[2 * PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s/%s", program, *candidates, file);
    if (access(path, R_OK) != 0) continue;
    snprintf(path, sizeof path, "%s/%s", program, *candidates);
    return realpath(path, out) != NULL;
  }
  return false;
}
