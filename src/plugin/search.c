#include "plugin/search.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "plugin/loader_cache.h"

// One search in progress.
typedef struct search {
  const char* name;
  uint16_t machine;
  char* path;  // the file, once found
  bool unsure, failed;
} search;

// The loader passes over files of another machine or word size on its way.
static bool fits(const char* path, uint16_t machine) {
  Elf64_Ehdr header;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  ssize_t size = read(fd, &header, sizeof header);
  close(fd);
  return size == sizeof header && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == machine;
}

// Takes `path`; true when it ends the search.
static bool try_path(search* search, char* path) {
  if (!path) search->failed = true;
  if (path && fits(path, search->machine)) {
    search->path = path;
    return true;
  }
  tn_free(path);
  return search->failed;
}

// Takes "$ORIGIN" or "${ORIGIN}" off the front.
static bool skip_origin(tn_view* entry) {
  return tn_view_skip(entry, "${ORIGIN}") || tn_view_skip(entry, "$ORIGIN");
}

// A RPATH or RUNPATH of `elf`: folders with colons between.
static bool try_search_path(search* search, const char* folders, const tn_elf* elf) {
  while (folders && *folders) {
    size_t size = strcspn(folders, ":");
    tn_view entry = {folders, size};
    folders += size + (folders[size] == ':');
    bool by_origin = skip_origin(&entry);
    if (memchr(entry.data, '$', entry.size)) {
      search->unsure = true;
      continue;
    }
    const char* slash = strrchr(elf->path, '/');
    tn_view origin = {elf->path, slash && by_origin ? (size_t)(slash - elf->path) : 0};
    if (by_origin && !slash) origin = tn_view_of(".");
    if (try_path(search,
                 tn_printf("%.*s%.*s/%s", TN_VIEW_ARGS(origin), TN_VIEW_ARGS(entry), search->name)))
      return true;
  }
  return false;
}

// Whether the loader has such a folder from its own build. glibc fills in no flags that would tell.
static bool is_system_folder(const char* folder) {
  return strncmp(folder, "/lib", 4) == 0 || strncmp(folder, "/usr/lib", 8) == 0;
}

// The folders that the loader itself knows: the system's, or LD_LIBRARY_PATH as it was when the
// process began. It is asked about its C library, which has no search path of its own.
static bool try_own_folders(search* search, bool system) {
  void* library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  Dl_serinfo size;
  if (!library || dlinfo(library, RTLD_DI_SERINFOSIZE, &size) != 0) return false;
  Dl_serinfo* folders = tn_alloc(size.dls_size);
  if (!folders) {
    search->failed = true;
    return true;
  }
  bool ended = false;
  *folders = size;
  if (dlinfo(library, RTLD_DI_SERINFO, folders) == 0)
    for (unsigned int i = 0; i < folders->dls_cnt && !ended; ++i) {
      const char* folder = folders->dls_serpath[i].dls_name;
      if (is_system_folder(folder) == system)
        ended = try_path(search, tn_printf("%s/%s", folder, search->name));
    }
  tn_free(folders);
  dlclose(library);
  return ended;
}

static bool try_everywhere(search* search, const tn_search_for* object) {
  if (!object->elf->runpath)
    for (const tn_search_for* at = object; at; at = at->needed_by)
      if (!at->elf->runpath && try_search_path(search, at->elf->rpath, at->elf)) return true;
  if (try_own_folders(search, false)) return true;
  if (try_search_path(search, object->elf->runpath, object->elf)) return true;
  char* cached = NULL;
  if (!tn_loader_cache_find(search->name, &cached)) return search->failed = true;
  if (cached && try_path(search, cached)) return true;
  return try_own_folders(search, true);
}

tn_search_result tn_search_library(const char* name, const tn_search_for* object, char** out_path) {
  struct link_map* map = NULL;
  search search = {.name = name, .machine = object->elf->machine};
  *out_path = NULL;
  void* loaded = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (loaded) {
    if (dlinfo(loaded, RTLD_DI_LINKMAP, &map) == 0) *out_path = tn_strdup(map->l_name);
    dlclose(loaded);  // gives back this call's count; whoever loaded it still holds it
    return *out_path ? TN_SEARCH_LOADED : TN_SEARCH_FAILED;
  }
  bool found =
      strchr(name, '/') ? try_path(&search, tn_strdup(name)) : try_everywhere(&search, object);
  if (search.failed) return TN_SEARCH_FAILED;
  *out_path = search.path;
  return found ? TN_SEARCH_FOUND : search.unsure ? TN_SEARCH_UNSURE : TN_SEARCH_MISSING;
}
