#include "plugin/needs.h"

#include <dlfcn.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "plugin/own_files.h"

static const char* const tensorflow_libraries[] = {
    "libtensorflow_framework.so.2", "libtensorflow_cc.so.2", "_pywrap_tensorflow_internal.so"};

static bool is_tensorflow_library(const char* name) {
  for (size_t i = 0; i < sizeof tensorflow_libraries / sizeof *tensorflow_libraries; ++i)
    if (strcmp(name, tensorflow_libraries[i]) == 0) return true;
  return false;
}

bool tn_is_host_function(const char* name) {
  return strncmp(name, "TF_", 3) == 0 || strncmp(name, "TFE_", 4) == 0 ||
         strncmp(name, "TSL_", 4) == 0;
}

static bool no_memory(tn_status* status) {
  tn_status_set_no_memory(status, "looking for what a plugin needs");
  return false;
}

// Puts a library at the end of the list that `link` points into. Takes `elf`.
static tn_library* add_library(tn_library** link, tn_elf* elf, const char* name,
                               const tn_library* needed_by, tn_status* status) {
  tn_library* library = elf ? tn_alloc_zeroed(1, sizeof *library) : NULL;
  if (!library) {
    if (elf) no_memory(status);
    tn_elf_destroy(elf);
    return NULL;
  }
  library->elf = elf;
  library->name = name;
  library->search = (tn_search_for){elf, needed_by ? &needed_by->search : NULL};
  while (*link) link = &(*link)->next;
  return *link = library;
}

static bool add_gap(tn_needs* needs, tn_gap gap, tn_status* status) {
  if (!tn_grow(&needs->gaps, &needs->gap_capacity, needs->gap_count + 1, sizeof gap))
    return no_memory(status);
  needs->gaps[needs->gap_count++] = gap;
  return true;
}

static bool is_listed(const tn_needs* needs, const char* name, const tn_elf* elf) {
  for (const tn_library* at = needs->libraries; at; at = at->next)
    if (strcmp(at->name, name) == 0 || (at->elf->soname && strcmp(at->elf->soname, name) == 0) ||
        (elf && at->elf->device == elf->device && at->elf->inode == elf->inode))
      return true;
  for (size_t i = 0; i < needs->gap_count; ++i)
    if (strcmp(needs->gaps[i].name, name) == 0) return true;
  return false;
}

// Finds one needed name and lists it, or the gap it leaves.
static bool find_one(tn_needs* needs, const tn_library* by, const char* name, tn_status* status) {
  char *path = NULL, *shim = NULL;
  bool named_by_tensorflow = is_tensorflow_library(name);
  tn_search_result result = tn_search_library(name, &by->search, &path);
  if (named_by_tensorflow && result != TN_SEARCH_LOADED && result != TN_SEARCH_FAILED) {
    // A TensorFlow that happens to lie on a search path must not come in beside ours.
    tn_free(path);
    path = shim = tn_own_shim(name, status);
    if (!path) return false;
    result = TN_SEARCH_FOUND;
  }
  if (result == TN_SEARCH_FAILED) return no_memory(status);
  if (result == TN_SEARCH_UNSURE) {
    needs->unsure = true;
    return true;
  }
  if (result == TN_SEARCH_MISSING)
    return add_gap(needs, (tn_gap){TN_GAP_LIBRARY, name, NULL, by->elf}, status);
  tn_status problem = {0};
  tn_elf* elf = tn_elf_look(path, &problem);
  // The file behind a loaded library may be gone: an upgrade, another mount.
  bool gone = !elf && result == TN_SEARCH_LOADED && problem.code != TN_RESOURCE_EXHAUSTED;
  if (!elf && !gone) tn_status_copy(status, &problem);
  tn_status_deinit(&problem);
  if (gone) {
    needs->unsure = true;
    tn_free(path);
    return true;
  }
  if (elf && named_by_tensorflow && !shim) {
    char* ours = tn_own_shim(name, NULL);
    tn_elf* own = ours ? tn_elf_look(ours, NULL) : NULL;
    if (own && own->device == elf->device && own->inode == elf->inode) shim = path;
    tn_elf_destroy(own);
    tn_free(ours);
  }
  tn_free(path);
  if (elf && is_listed(needs, elf->path, elf)) {  // the same file under a second name
    tn_elf_destroy(elf);
    return true;
  }
  tn_library* library = add_library(&needs->libraries, elf, name, by, status);
  if (!library) return false;
  library->loaded = result == TN_SEARCH_LOADED;
  library->shim = shim != NULL;
  library->tensorflow = named_by_tensorflow && !shim;
  return true;
}

// Breadth first, as the loader does; what is in the process has what it needs.
static bool find_libraries(tn_needs* needs, tn_status* status) {
  for (const tn_library* by = needs->libraries; by; by = by->next) {
    if (by->loaded || by->shim) continue;
    for (size_t i = 0; i < by->elf->needed_count; ++i)
      if (!is_listed(needs, by->elf->needed[i], NULL) &&
          !find_one(needs, by, by->elf->needed[i], status)) {
        tn_status_annotate(status, "needed by %s", by->elf->path);
        return false;
      }
  }
  return true;
}

static const tn_library* library_named(const tn_needs* needs, const char* name) {
  for (const tn_library* at = needs->libraries; at; at = at->next)
    if (strcmp(at->name, name) == 0 || (at->elf->soname && strcmp(at->elf->soname, name) == 0))
      return at;
  return NULL;
}

static bool defines_version(const tn_elf* elf, const char* version) {
  if (elf->version_count == 0) return true;  // the loader takes a library without any
  for (size_t i = 0; i < elf->version_count; ++i)
    if (strcmp(elf->versions[i], version) == 0) return true;
  return false;
}

static bool find_version_gaps(tn_needs* needs, const tn_elf* elf, tn_status* status) {
  for (size_t i = 0; i < elf->version_need_count; ++i) {
    const tn_elf_version_need* need = &elf->version_needs[i];
    const tn_library* library = library_named(needs, need->library);
    if (!need->weak && library && !defines_version(library->elf, need->version) &&
        !add_gap(needs, (tn_gap){TN_GAP_VERSION, need->version, need->library, elf}, status))
      return false;
  }
  return true;
}

static bool add_exports(tn_map* defined, const tn_elf* elf, tn_status* status) {
  for (size_t i = 0; i < elf->export_count; ++i)
    if (!tn_map_put(defined, tn_view_of(elf->exports[i]), (void*)elf)) return no_memory(status);
  return true;
}

// The TF_* names may come from us and from the plugin's own libraries, never from a TensorFlow in
// the same process; all others from wherever the loader looks.
static bool find_symbol_gaps(tn_needs* needs, const tn_elf* elf, tn_map* defined,
                             tn_status* status) {
  bool complete = needs->gap_count == 0 && !needs->unsure;
  for (size_t i = 0; i < elf->import_count; ++i) {
    const tn_elf_import* import = &elf->imports[i];
    bool host = tn_is_host_function(import->name);
    if ((!host && (import->weak || !complete)) || tn_map_get(defined, tn_view_of(import->name)) ||
        (!host && dlsym(RTLD_DEFAULT, import->name)))
      continue;
    tn_gap_kind kind = !host          ? TN_GAP_SYMBOL
                       : import->weak ? TN_GAP_WEAK_FUNCTION
                                      : TN_GAP_FUNCTION;
    if (!add_gap(needs, (tn_gap){kind, import->name, NULL, elf}, status)) return false;
    // Once is enough, whoever else wants it.
    if (!tn_map_put(defined, tn_view_of(import->name), (void*)elf)) return no_memory(status);
  }
  return true;
}

static bool find_gaps(tn_needs* needs, tn_status* status) {
  tn_map defined = {0};
  bool fine = add_exports(&defined, needs->host->elf, status);
  for (const tn_library* at = needs->libraries; at && fine; at = at->next)
    if (!at->tensorflow) fine = add_exports(&defined, at->elf, status);
  for (const tn_library* at = needs->libraries; at && fine; at = at->next)
    if (!at->loaded && !at->shim) fine = find_version_gaps(needs, at->elf, status);
  for (const tn_library* at = needs->libraries; at && fine; at = at->next)
    if (!at->loaded && !at->shim) fine = find_symbol_gaps(needs, at->elf, &defined, status);
  tn_map_deinit(&defined);
  return fine;
}

tn_needs* tn_needs_find(tn_elf* elf, tn_status* status) {
  char* host = tn_own_tf_library(status);
  tn_needs* needs = host ? tn_alloc_zeroed(1, sizeof *needs) : NULL;
  bool fine = false;
  if (needs) {
    fine = add_library(&needs->libraries, elf, elf->path, NULL, status) &&
           add_library(&needs->host, tn_elf_look(host, status), "libtenon_tf.so.0", NULL, status) &&
           find_libraries(needs, status) && find_gaps(needs, status);
  } else {
    if (host) no_memory(status);
    tn_elf_destroy(elf);
  }
  tn_free(host);
  if (fine) return needs;
  tn_needs_destroy(needs);
  return NULL;
}

static void destroy_libraries(tn_library* library) {
  while (library) {
    tn_library* next = library->next;
    tn_elf_destroy(library->elf);
    tn_free(library);
    library = next;
  }
}

void tn_needs_destroy(tn_needs* needs) {
  if (!needs) return;
  destroy_libraries(needs->libraries);
  destroy_libraries(needs->host);
  tn_free(needs->gaps);
  tn_free(needs);
}

static size_t count_gaps(const tn_needs* needs, tn_gap_kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < needs->gap_count; ++i) count += needs->gaps[i].kind == kind;
  return count;
}

// "; it needs 2 libraries ...: liba.so, libb.so (for libx.so) and 3 more".
static void print_gaps(const tn_needs* needs, tn_gap_kind kind, const char* before, tn_text* out) {
  // C++ names come by the hundred and are long; all are in the status's payload.
  const size_t most_shown = kind == TN_GAP_SYMBOL ? 12 : needs->gap_count;
  const tn_elf* plugin = needs->libraries->elf;
  size_t count = count_gaps(needs, kind), shown = 0;
  if (count == 0) return;
  tn_text_printf(out, "%s%s", out->size ? "; " : "", before);
  for (size_t i = 0; i < needs->gap_count && shown < most_shown; ++i) {
    const tn_gap* gap = &needs->gaps[i];
    if (gap->kind != kind) continue;
    tn_text_printf(out, "%s%s", shown++ ? ", " : ": ", gap->name);
    if (gap->library) tn_text_printf(out, " of %s", gap->library);
    const char* slash = strrchr(gap->wanted_by->path, '/');
    if (gap->wanted_by != plugin)
      tn_text_printf(out, " (for %s)", slash ? slash + 1 : gap->wanted_by->path);
  }
  if (count > shown) tn_text_printf(out, " and %zu more", count - shown);
}

// One name a line.
static void tell_all(const tn_needs* needs, bool weak_is_fine, tn_status* status) {
  tn_text names = {0};
  for (size_t i = 0; i < needs->gap_count; ++i)
    if (needs->gaps[i].kind != TN_GAP_WEAK_FUNCTION || !weak_is_fine)
      tn_text_printf(&names, "%s%s", names.size ? "\n" : "", needs->gaps[i].name);
  if (!names.failed) tn_status_set_payload(status, TN_MISSING_PAYLOAD, names.data);
  tn_text_deinit(&names);
}

bool tn_needs_check(const tn_needs* needs, bool weak_is_fine, tn_status* status) {
  size_t functions = count_gaps(needs, TN_GAP_FUNCTION);
  size_t weak = weak_is_fine ? 0 : count_gaps(needs, TN_GAP_WEAK_FUNCTION);
  size_t rest = needs->gap_count - functions - count_gaps(needs, TN_GAP_WEAK_FUNCTION);
  if (functions + weak + rest == 0) return true;
  tn_text text = {0};
  print_gaps(needs, TN_GAP_LIBRARY, "it needs libraries that are nowhere on this machine", &text);
  print_gaps(needs, TN_GAP_VERSION, "it needs newer libraries than this machine has", &text);
  print_gaps(needs, TN_GAP_FUNCTION, "it wants functions that this host does not have", &text);
  if (weak)
    print_gaps(
        needs, TN_GAP_WEAK_FUNCTION,
        "it wants, weakly, functions that this host does not have (calling one would jump to "
        "address 0)",
        &text);
  print_gaps(needs, TN_GAP_SYMBOL, "it wants symbols that none of its libraries defines", &text);
  if (text.failed) {
    no_memory(status);
  } else {
    tn_status_set(status, rest ? TN_NOT_FOUND : TN_UNIMPLEMENTED, "%s: %s",
                  needs->libraries->elf->path, text.data);
    tn_status_set_fault(status, rest ? TN_FAULT_PLUGIN : TN_FAULT_HOST);
    tell_all(needs, weak_is_fine, status);
  }
  tn_text_deinit(&text);
  return false;
}
