#include "plugin/open.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "plugin/wrapper.h"

// One opening in progress.
typedef struct opening {
  const tn_needs* needs;
  const tn_elf* plugin;
  tn_text* notes;
  tn_status* status;
} opening;

static bool refuse(opening* opening, tn_code code, tn_fault fault, const char* format, ...)
    TN_PRINTF(4, 5);
static bool refuse(opening* opening, tn_code code, tn_fault fault, const char* format, ...) {
  va_list args;
  va_start(args, format);
  tn_status_setv(opening->status, code, format, args);
  tn_status_set_fault(opening->status, fault);
  va_end(args);
  return false;
}

static void note(opening* opening, const char* fact) {
  tn_text_printf(opening->notes, "%s%s", opening->notes->size ? "\n" : "", fact);
}

static bool same_file(const char* path, const tn_elf* elf) {
  struct stat info;
  return stat(path, &info) == 0 && info.st_dev == elf->device && info.st_ino == elf->inode;
}

// True when `address` is a function of a TF_* library that is not ours.
static bool is_foreign(const opening* opening, const void* address) {
  Dl_info info;
  return address && dladdr(address, &info) && !same_file(info.dli_fname, opening->needs->host->elf);
}

// True when the global scope offers a TF_* that the plugin would bind to before it comes to ours.
static bool tensorflow_is_global(const opening* opening) {
  if (is_foreign(opening, dlsym(RTLD_DEFAULT, "TF_NewStatus"))) return true;
  for (const tn_library* at = opening->needs->libraries; at; at = at->next)
    for (size_t i = 0; i < at->elf->import_count; ++i) {
      const char* name = at->elf->imports[i].name;
      if (tn_is_host_function(name) && is_foreign(opening, dlsym(RTLD_DEFAULT, name))) return true;
    }
  return false;
}

// The sanitizers' dlopen ends the process over deep binding, which would part a library from their
// malloc.
static bool sanitizer_is_here(void) {
  return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init") ||
         dlsym(RTLD_DEFAULT, "__msan_init");
}

static bool check_shims(opening* opening, bool tensorflow_may_follow) {
  for (const tn_library* at = opening->needs->libraries; at; at = at->next) {
    if (at->shim && tensorflow_may_follow)
      return refuse(opening, TN_FAILED_PRECONDITION, TN_FAULT_CALLER,
                    "%s: it needs %s by TensorFlow's own name, and TensorFlow may follow in this "
                    "process, where it would get Tenon's stand-in of that name instead of its own; "
                    "load this plugin in a process of its own",
                    opening->plugin->path, at->name);
    if (at->tensorflow)
      note(opening,
           "a library it needs by TensorFlow's own name is TensorFlow's, which was in this process "
           "first; the TF_* functions are Tenon's");
  }
  return true;
}

// A library that was here before keeps the TF_* it was bound to.
static bool check_neighbours(opening* opening, bool tensorflow_global) {
  for (const tn_library* at = opening->needs->libraries->next; at; at = at->next) {
    const char* wanted = NULL;
    for (size_t i = 0; i < at->elf->import_count && !wanted; ++i)
      if (tn_is_host_function(at->elf->imports[i].name)) wanted = at->elf->imports[i].name;
    if (!at->loaded || at->shim || at->tensorflow || !wanted) continue;
    void* handle = dlopen(at->elf->path, RTLD_LAZY | RTLD_NOLOAD);
    const void* address = handle ? dlsym(handle, wanted) : NULL;
    if (address ? is_foreign(opening, address) : tensorflow_global)
      return refuse(opening, TN_FAILED_PRECONDITION, TN_FAULT_CALLER,
                    "%s: it needs %s, which is in this process already and bound to another host's "
                    "TF_*; load this plugin in a process of its own",
                    opening->plugin->path, at->elf->path);
  }
  return true;
}

// Deep binding ends at the libraries that opening the plugin opens.
static void note_later_libraries(opening* opening) {
  for (const tn_library* at = opening->needs->libraries; at; at = at->next)
    for (size_t i = 0; i < at->elf->import_count; ++i)
      if (!at->loaded && strcmp(at->elf->imports[i].name, "dlopen") == 0) {
        note(opening,
             "TensorFlow is in this process: libraries that the plugin opens by itself will find "
             "TensorFlow's TF_* functions before Tenon's");
        return;
      }
}

static bool copy_bytes(int from, int to, uint64_t size) {
  while (size > 0) {
    ssize_t done = sendfile(to, from, NULL, size);
    if (done <= 0) return false;
    size -= (uint64_t)done;
  }
  return true;
}

// The loader maps a file once, and whoever opened this one first has bound it: Tenon needs another
// file with the same bytes.
static bool make_private_copy(opening* opening, int* out_fd, char path[TN_MEMORY_FILE_PATH]) {
  const char* folders[] = {opening->plugin->rpath, opening->plugin->runpath};
  for (int i = 0; i < 2; ++i)
    if (folders[i] && (strstr(folders[i], "$ORIGIN") || strstr(folders[i], "${ORIGIN}")))
      return refuse(
          opening, TN_FAILED_PRECONDITION, TN_FAULT_CALLER,
          "%s: another host has this file open in this process, and a copy of it would not "
          "find the libraries that it looks for beside itself (%s); load it in a process of "
          "its own",
          opening->plugin->path, folders[i]);
  if (!tn_memory_file_create("tenon-plugin", out_fd, path, opening->status)) return false;
  int from = open(opening->plugin->path, O_RDONLY | O_CLOEXEC);
  bool fine = from >= 0 && copy_bytes(from, *out_fd, opening->plugin->file_size);
  int error = errno;
  if (from >= 0) close(from);
  if (fine) {
    note(opening,
         "another host has this file open in this process; Tenon works with a copy in memory");
    return true;
  }
  close(*out_fd);
  tn_status_set_errno(opening->status, error, opening->plugin->path);
  return false;
}

// Through the wrapper: our TF_*, the stand-ins it names, then the plugin.
static void* open_wrapped(opening* opening, const char* path, bool deep) {
  const char* paths[8] = {opening->needs->host->elf->path};
  size_t count = 1;
  for (const tn_library* at = opening->needs->libraries; at; at = at->next)
    if (at->shim && count < 7) paths[count++] = at->elf->path;
  paths[count++] = path;
  int flags = RTLD_NOW | RTLD_LOCAL | (deep ? RTLD_DEEPBIND : 0);
  if (!tn_wrapper_open(paths, count, flags, opening->status)) {
    if (opening->status && opening->status->code == TN_FAILED_PRECONDITION) {
      tn_status_annotate(opening->status, "while opening %s", opening->plugin->path);
      tn_status_set_fault(opening->status, TN_FAULT_PLUGIN);
    }
    return NULL;
  }
  void* handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (!handle)
    refuse(opening, TN_INTERNAL, TN_FAULT_HOST, "%s: opened, and then not found again: %s", path,
           dlerror());
  return handle;
}

void* tn_plugin_open(const tn_needs* needs, bool tensorflow_may_follow, tn_text* notes,
                     tn_status* status) {
  opening opening = {needs, needs->libraries->elf, notes, status};
  bool deep = tensorflow_is_global(&opening);
  if (!check_shims(&opening, tensorflow_may_follow) || !check_neighbours(&opening, deep))
    return NULL;
  if (deep && sanitizer_is_here()) {
    refuse(
        &opening, TN_FAILED_PRECONDITION, TN_FAULT_CALLER,
        "%s: TensorFlow's TF_* are in this process's global scope, and a sanitizer forbids to bind "
        "past them; run without the sanitizer, or in a process of its own",
        opening.plugin->path);
    return NULL;
  }
  if (deep) note_later_libraries(&opening);
  if (!dlopen(opening.plugin->path, RTLD_LAZY | RTLD_NOLOAD))
    return open_wrapped(&opening, opening.plugin->path, deep);
  int fd;
  char copy[TN_MEMORY_FILE_PATH];
  if (!make_private_copy(&opening, &fd, copy)) return NULL;
  void* handle = open_wrapped(&opening, copy, deep);
  close(fd);
  return handle;
}
