#include "base/cpu_count.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads the first line of `folder`/`name` as up to two words; a missing second one is NULL. False
// when there is no such file or it is empty.
static bool read_words(const char* folder, const char* name, char line[64], const char* words[2]) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "re");
  if (!file) return false;
  bool read = fgets(line, 64, file) != NULL;
  fclose(file);
  if (!read) return false;
  char* rest = NULL;
  words[0] = strtok_r(line, " \n", &rest);
  words[1] = strtok_r(NULL, " \n", &rest);
  return words[0] != NULL;
}

// The quota set at one folder of the hierarchy, in CPUs; 0 when it sets none.
static double quota_at(const char* folder) {
  char line[64], period_line[64];
  const char *words[2], *period[2] = {NULL};
  if (read_words(folder, "cpu.max", line, words)) {
    period[0] = words[1];
  } else if (!read_words(folder, "cpu.cfs_quota_us", line, words) ||
             !read_words(folder, "cpu.cfs_period_us", period_line, period)) {
    return 0;
  }
  // "max" and -1 mean no quota.
  double quota = strtod(words[0], NULL), each = period[0] ? strtod(period[0], NULL) : 100000;
  return quota > 0 && each > 0 ? quota / each : 0;
}

static double tighter(double a, double b) { return a == 0 || (b > 0 && b < a) ? b : a; }

// Every folder from `path` up to the mount point may set a quota. A process in a container often
// sees a path from outside, which does not exist below its own mount point; the top is then its
// own.
static double quota_along(const char* mount, const char* path) {
  char folder[PATH_MAX];
  int size = snprintf(folder, sizeof folder, "%s%s", mount, path);
  if (size < 0 || (size_t)size >= sizeof folder) return 0;
  double quota = 0;
  for (;;) {
    quota = tighter(quota, quota_at(folder));
    char* slash = strrchr(folder, '/');
    if (!slash || (size_t)(slash - folder) < strlen(mount)) return quota;
    *slash = 0;
  }
}

// True when the comma-separated `list` has "cpu" in it.
static bool names_cpu(const char* list, size_t size) {
  for (const char* end = list + size; list < end;) {
    const char* comma = memchr(list, ',', (size_t)(end - list));
    size_t length = comma ? (size_t)(comma - list) : (size_t)(end - list);
    if (length == 3 && memcmp(list, "cpu", 3) == 0) return true;
    list += length + 1;
  }
  return false;
}

double tn_cpu_quota(const char* root) {
  char path[PATH_MAX], line[PATH_MAX];
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE* file = fopen(path, "re");
  if (!file) return 0;
  double quota = 0;
  // Lines are "<number>:<controllers>:<path>"; version 2 is the one without controllers.
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    char* controllers = strchr(line, ':');
    char* place = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!place || place[1] != '/') continue;
    size_t size = (size_t)(place - ++controllers);
    static const char* const mounts[] = {"", "/unified", "/cpu", "/cpu,cpuacct"};
    bool second = size == 0;
    if (!second && !names_cpu(controllers, size)) continue;
    for (int i = second ? 0 : 2; i < (second ? 2 : 4); ++i) {
      char mount[PATH_MAX];
      int length = snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, mounts[i]);
      if (length < 0 || (size_t)length >= sizeof mount) continue;
      quota = tighter(quota, quota_along(mount, place[2] ? place + 1 : ""));
    }
  }
  fclose(file);
  return quota;
}

int tn_cpu_count(void) {
  unsigned long mask[65536 / 8 / sizeof(unsigned long)];
  int count = 1;
  if (sched_getaffinity(0, sizeof mask, (cpu_set_t*)mask) == 0)
    count = CPU_COUNT_S(sizeof mask, (cpu_set_t*)mask);
  double quota = tn_cpu_quota("");
  if (quota > 0 && ceil(quota) < count) count = (int)ceil(quota);
  return count > 1 ? count : 1;
}
