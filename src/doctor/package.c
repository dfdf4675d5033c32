#include "doctor/package.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/zip.h"

static bool no_memory(tn_status* status) {
  tn_status_set_no_memory(status, "looking through a package");
  return false;
}

static bool is_shared_object(const char* name) {
  const char* slash = strrchr(name, '/');
  const char* at = strstr(slash ? slash : name, ".so");
  return at && (at[3] == '\0' || at[3] == '.');
}

static bool add(tn_package* package, const char* path, const char* name, tn_status* status) {
  if (!tn_grow(&package->files, &package->capacity, package->count + 1, sizeof *package->files))
    return no_memory(status);
  tn_package_file* file = &package->files[package->count++];
  *file = (tn_package_file){tn_strdup(path), tn_strdup(name)};
  return (file->path && file->name) || no_memory(status);
}

static int by_name(const FTSENT** a, const FTSENT** b) {
  return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool add_folder(tn_package* package, const char* path, tn_status* status) {
  char* const roots[] = {(char*)path, NULL};
  FTS* walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
  bool good = walk != NULL || no_memory(status);
  const size_t prefix = strlen(path) + (path[strlen(path) - 1] != '/');
  for (FTSENT* at; good && (at = fts_read(walk));)
    if (at->fts_info == FTS_F && is_shared_object(at->fts_path))
      good = add(package, at->fts_path, at->fts_path + prefix, status);
  if (walk) fts_close(walk);
  return good;
}

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

static bool unpack_wheel(tn_package* package, const char* path, tn_status* status) {
  const char* temporary = getenv("TMPDIR");
  package->unpacked =
      tn_printf("%s/tenon-wheel-XXXXXX", temporary && *temporary ? temporary : "/tmp");
  if (!package->unpacked) return no_memory(status);
  if (!mkdtemp(package->unpacked)) {
    tn_status_set(status, TN_PERMISSION_DENIED, "cannot make a folder to unpack %s into (%s): %s",
                  path, package->unpacked, strerror(errno));
    tn_free(package->unpacked);
    package->unpacked = NULL;
    return false;
  }
  tn_zip zip;
  bool good = tn_zip_open(&zip, path, status);
  for (size_t i = 0; good && i < zip.count; ++i) {
    const tn_zip_entry* entry = &zip.entries[i];
    if (!is_shared_object(entry->name)) continue;
    if (!is_inside(entry->name)) {
      tn_status_set(status, TN_INVALID_ARGUMENT,
                    "%s: its file '%s' would be unpacked outside of it", path, entry->name);
      good = false;
      break;
    }
    char* target = tn_printf("%s/%s", package->unpacked, entry->name);
    good = target || no_memory(status);
    if (good && !make_folders(target, strlen(package->unpacked))) {
      tn_status_set(status, TN_PERMISSION_DENIED, "cannot unpack %s: %s", entry->name,
                    strerror(errno));
      good = false;
    }
    good = good && tn_zip_extract(&zip, entry, target, status) &&
           add(package, target, entry->name, status);
    tn_free(target);
  }
  tn_zip_close(&zip);
  return good;
}

bool tn_package_open(tn_package* package, const char* path, tn_status* status) {
  struct stat info;
  const size_t length = strlen(path);
  const bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
  const bool is_wheel = length > 4 && strcmp(path + length - 4, ".whl") == 0;
  *package = (tn_package){.count = 0};
  if (!is_folder && !is_wheel) return add(package, path, path, status);
  if (!(is_folder ? add_folder(package, path, status) : unpack_wheel(package, path, status)))
    return false;
  if (package->count > 0) return true;
  tn_status_set(status, TN_NOT_FOUND, "%s has no shared objects in it", path);
  return false;
}

void tn_package_close(tn_package* package) {
  for (size_t i = 0; i < package->count; ++i) {
    tn_free(package->files[i].path);
    tn_free(package->files[i].name);
  }
  tn_free(package->files);
  if (package->unpacked) {
    char* const roots[] = {package->unpacked, NULL};
    FTS* walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT* at; walk && (at = fts_read(walk));)
      if (at->fts_info != FTS_D) remove(at->fts_path);
    if (walk) fts_close(walk);
    tn_free(package->unpacked);
  }
  *package = (tn_package){.count = 0};
}
