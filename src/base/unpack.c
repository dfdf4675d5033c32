#include "base/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/temporary.h"
#include "base/zip.h"

// The folders on the way to `path`, below the one that is `root` bytes of it.
static bool make_folders(char* path, size_t root) {
  for (char* at = path + root + 1; (at = strchr(at, '/')); ++at) {
    *at = '\0';
    const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
    *at = '/';
    if (!made) return false;
  }
  return true;
}

static bool is_inside(const char* name) {
  return name[0] != '/' && strcmp(name, "..") != 0 && strncmp(name, "../", 3) != 0 &&
         !strstr(name, "/../");
}

static bool unpack_one(const tn_zip* zip, const tn_zip_entry* entry, const char* path,
                       const char* folder, tn_status* status) {
  if (!is_inside(entry->name)) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s: its file '%s' would be unpacked outside of it",
                  path, entry->name);
    return false;
  }
  char* target = tn_printf("%s/%s", folder, entry->name);
  bool good = target != NULL;
  if (!good) {
    tn_status_set_no_memory(status, "unpacking an archive");
  } else if (!make_folders(target, strlen(folder))) {
    tn_status_set(status, TN_PERMISSION_DENIED, "cannot unpack %s: %s", entry->name,
                  strerror(errno));
    good = false;
  }
  good = good && tn_zip_extract(zip, entry, target, status);
  tn_free(target);
  return good;
}

char* tn_unpack(const char* path, bool (*wanted)(const char* name), tn_status* status) {
  char* folder = tn_temporary_make("tenon-wheel", status);
  if (!folder) {
    tn_status_annotate(status, "while unpacking '%s'", path);
    return NULL;
  }
  tn_zip zip;
  bool good = tn_zip_open(&zip, path, status);
  for (size_t i = 0; good && i < zip.count; ++i)
    if (wanted(zip.entries[i].name)) good = unpack_one(&zip, &zip.entries[i], path, folder, status);
  tn_zip_close(&zip);
  if (good) return folder;
  tn_temporary_remove(folder);
  return NULL;
}
