#include "plugin/own_files.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

// The folder of the file this code was loaded from, links followed: the shims and the probe stand
// beside the real file.
static bool find_libdir(char folder[PATH_MAX], tn_status* status) {
  const char* given = getenv("TENON_LIBDIR");
  Dl_info info;
  const char* self = given && *given ? given : NULL;
  if (!self && dladdr((const void*)&find_libdir, &info)) self = info.dli_fname;
  if (!self || !realpath(self, folder)) {
    tn_status_set(status, TN_NOT_FOUND,
                  "cannot find the folder of Tenon's libraries (%s); set TENON_LIBDIR to it",
                  self ? self : "the loader does not say");
    tn_status_set_fault(status, TN_FAULT_HOST);
    return false;
  }
  if (self != given) *strrchr(folder, '/') = 0;
  return true;
}

// Takes `path`; hands it back when it names a file that `mode` (R_OK, X_OK) allows.
static char* check_there(char* path, int mode, const char* variable, tn_status* status) {
  if (!path) {
    tn_status_set_no_memory(status, "looking for Tenon's own files");
  } else if (access(path, mode) != 0) {
    tn_status_set(
        status, TN_NOT_FOUND,
        "Tenon's own file %s is not there; repair the installation, or say by %s where it is", path,
        variable);
    tn_status_set_fault(status, TN_FAULT_HOST);
    tn_free(path);
    path = NULL;
  }
  return path;
}

char* tn_own_tf_library(tn_status* status) {
  char folder[PATH_MAX];
  if (!find_libdir(folder, status)) return NULL;
  return check_there(tn_printf("%s/libtenon_tf.so.0", folder), R_OK, "TENON_LIBDIR", status);
}

char* tn_own_shim(const char* name, tn_status* status) {
  char folder[PATH_MAX];
  if (!find_libdir(folder, status)) return NULL;
  return check_there(tn_printf("%s/tenon/shims/%s", folder, name), R_OK, "TENON_LIBDIR", status);
}

char* tn_own_plugin_folder(tn_status* status) {
  char folder[PATH_MAX];
  if (!find_libdir(folder, status)) return NULL;
  return check_there(tn_printf("%s/tenon/plugins", folder), X_OK, "TENON_LIBDIR", status);
}

char* tn_own_probe(tn_status* status) {
  char folder[PATH_MAX];
  const char* given = getenv("TENON_PROBE");
  if (given && *given) return check_there(tn_strdup(given), X_OK, "TENON_PROBE", status);
  if (!find_libdir(folder, status)) return NULL;
  char* path = tn_printf("%s/../libexec/tenon/tenon-probe", folder);
  if (path && access(path, X_OK) != 0) {
    // A distribution's libdir may have a folder more ("lib/x86_64-linux-gnu").
    tn_free(path);
    path = tn_printf("%s/../../libexec/tenon/tenon-probe", folder);
  }
  return check_there(path, X_OK, "TENON_PROBE", status);
}
