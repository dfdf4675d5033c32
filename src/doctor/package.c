#include "doctor/package.h"

#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/unpack.h"

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

static bool unpack_wheel(tn_package* package, const char* path, tn_status* status) {
  package->unpacked = tn_unpack(path, is_shared_object, status);
  return package->unpacked && add_folder(package, package->unpacked, status);
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
  tn_temporary_remove(package->unpacked);
  *package = (tn_package){.count = 0};
}
