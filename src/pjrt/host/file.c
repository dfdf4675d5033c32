// Loading: look at the file, meet it in a child process, open it, ask for its table.
#include "pjrt/host/file.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "plugin/entry_points.h"
#include "plugin/first_contact.h"
#include "plugin/guard.h"
#include "plugin/needs.h"
#include "plugin/open.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static tn_pjrt_file* files;
static _Atomic uint32_t* trace_word;

void tn_pjrt_lock(void) { pthread_mutex_lock(&lock); }
void tn_pjrt_unlock(void) { pthread_mutex_unlock(&lock); }

void tn_pjrt_trace_to(_Atomic uint32_t* word) {
  tn_pjrt_lock();
  trace_word = word;
  tn_pjrt_unlock();
}

_Atomic uint32_t* tn_pjrt_trace_word(void) { return trace_word; }

const char* tn_pjrt_trace_name(uint32_t word) {
  if (word == TN_PJRT_STAGE_DLOPEN) return TN_STAGE_OPEN;
  if (word == TN_PJRT_STAGE_GET_API) return "GetPjrtApi";
  return word >= 1 && word <= TN_PJRT_ENTRY_COUNT ? tn_pjrt_entry_names[word - 1] : NULL;
}

void tn_pjrt_stage(const tn_pjrt_stages* stages, uint32_t what) {
  tn_pjrt_trace(trace_word, what);
  if (what && stages->tell) stages->tell(tn_pjrt_trace_name(what), stages->arg);
}

// ---- Refusals before anything is loaded ----

static bool check_exports(const tn_elf* elf, tn_status* status) {
  const uint32_t found = tn_entry_points_of(elf);
  if (found & TN_ENTRY_PJRT) return true;
  tn_text others = {0};
  for (uint32_t bit = 1; bit && bit <= found; bit <<= 1)
    if ((found & bit) && tn_entry_point_symbol((tn_entry_point)bit))
      tn_text_printf(&others, "%s%s", others.size ? ", " : "",
                     tn_entry_point_symbol((tn_entry_point)bit));
  if (others.failed)
    tn_status_set_no_memory(status, "opening a plugin");
  else if (others.size)
    tn_status_set(
        status, TN_FAILED_PRECONDITION,
        "%s: it exports no GetPjrtApi, so it is no PJRT plugin; it exports %s, as "
        "TensorFlow's plugins do, which have ops and run no programs (tenon doctor tells more)",
        elf->path, others.data);
  else
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "%s: it exports no GetPjrtApi, so it is no PJRT plugin (tenon doctor tells what "
                  "it is)",
                  elf->path);
  // A plugin of another kind is in the wrong place, any other library is no plugin at all.
  tn_status_set_fault(status, others.size ? TN_FAULT_CALLER : TN_FAULT_PLUGIN);
  tn_text_deinit(&others);
  return false;
}

// Symbols that nobody defines may be bound later, or never: only what stops the loader is refused.
static bool check_needs(const tn_needs* needs, tn_text* notes, tn_status* status) {
  size_t symbols = 0;
  const char* first = NULL;
  for (size_t i = 0; i < needs->gap_count; ++i) {
    if (needs->gaps[i].kind != TN_GAP_SYMBOL) return tn_needs_check(needs, true, status);
    if (!symbols++) first = needs->gaps[i].name;
  }
  if (symbols)
    tn_text_printf(notes,
                   "%sit wants %zu symbol%s that none of its libraries defines (%s%s); a call of "
                   "one ends the process",
                   notes->size ? "\n" : "", symbols, symbols == 1 ? "" : "s", first,
                   symbols == 1 ? "" : " is the first");
  return true;
}

static bool wants_host_functions(const tn_elf* elf) {
  for (size_t i = 0; i < elf->import_count; ++i)
    if (tn_is_host_function(elf->imports[i].name)) return true;
  return false;
}

// ---- Loading ----

static void* open_library(const tn_needs* needs, tn_text* notes, tn_status* status) {
  const tn_elf* elf = needs->libraries->elf;
  void* library = dlopen(elf->path, RTLD_LAZY | RTLD_NOLOAD);
  if (library) {
    tn_text_printf(notes,
                   "%sthis file was open in this process before; both work with the same "
                   "plugin",
                   notes->size ? "\n" : "");
    return library;
  }
  // One that has a device for TensorFlow too finds our TF_* when it looks for them.
  if (wants_host_functions(elf)) return tn_plugin_open(needs, false, notes, status);
  library = dlopen(elf->path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    tn_status_set(status, TN_FAILED_PRECONDITION, "%s: it does not load: %s", elf->path, dlerror());
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
  }
  return library;
}

static bool load(tn_pjrt_file* file, const tn_needs* needs, const tn_pjrt_stages* stages,
                 tn_status* status) {
  tn_guard guard;
  tn_guard_begin(&guard);
  tn_pjrt_stage(stages, TN_PJRT_STAGE_DLOPEN);
  file->library = open_library(needs, &file->notes, status);
  tn_pjrt_stage(stages, 0);
  tn_guard_end(&guard, "loading it", &file->notes);
  return file->library != NULL;
}

static bool get_table(tn_pjrt_file* file, const tn_pjrt_stages* stages, tn_status* status) {
  const void* (*get)(void) = (const void* (*)(void))dlsym(file->library, "GetPjrtApi");
  if (!get) {
    tn_status_set(status, TN_NOT_FOUND, "%s: GetPjrtApi is not to be had: %s", file->path,
                  dlerror());
    return false;
  }
  tn_guard guard;
  tn_guard_begin(&guard);
  tn_pjrt_stage(stages, TN_PJRT_STAGE_GET_API);
  file->table = get();
  tn_pjrt_stage(stages, 0);
  tn_guard_end(&guard, "GetPjrtApi", &file->notes);
  return true;
}

static bool read_table(tn_pjrt_file* file, tn_status* status) {
  tn_mapped* mapped = tn_mapped_read();
  const bool fine = tn_pjrt_recognise(file->table, file->path, mapped, &file->number, status);
  tn_pjrt_nodes_deinit(&file->extensions);
  if (fine && file->number.unmarked)
    tn_text_printf(&file->notes, "%sthe version in its table has no struct_size (24 is expected)",
                   file->notes.size ? "\n" : "");
  if (fine && !tn_pjrt_nodes_read(file->table->extension_start, file->number.minor, mapped,
                                  &file->notes, &file->extensions))
    file->notes.failed = true;
  tn_mapped_destroy(mapped);
  const bool has_memory = !file->notes.failed;
  file->notes.failed = false;
  if (fine && !has_memory) tn_status_set_no_memory(status, "opening a plugin");
  return fine && has_memory;
}

static void destroy(tn_pjrt_file* file) {
  if (!file) return;
  tn_pjrt_nodes_deinit(&file->extensions);
  tn_text_deinit(&file->notes);
  tn_free(file->path);
  tn_free(file);
}

static tn_pjrt_file* create(const tn_elf* elf, tn_status* status) {
  tn_pjrt_file* file = tn_alloc_zeroed(1, sizeof *file);
  if (file) file->path = tn_strdup(elf->path);
  if (!file || !file->path) {
    destroy(file);
    tn_status_set_no_memory(status, "opening a plugin");
    return NULL;
  }
  file->name = strrchr(file->path, '/') + 1;
  file->device = elf->device;
  file->inode = elf->inode;
  return file;
}

// Once it is loaded, for ever.
static tn_pjrt_file* keep(tn_pjrt_file* file) {
  tn_pjrt_file** link = &files;
  while (*link) link = &(*link)->next;
  *link = file;
  tn_memory_keep(file);
  tn_memory_keep(file->path);
  return file;
}

// Takes `elf`.
static tn_pjrt_file* load_file(tn_elf* elf, const tn_pjrt_meeting* meeting,
                               const tn_pjrt_stages* stages, tn_status* status) {
  tn_pjrt_file* file = NULL;
  tn_needs* needs = NULL;
  if (tn_elf_check_loadable(elf, status) && check_exports(elf, status) &&
      (file = create(elf, status)))
    needs = tn_needs_find(elf, status);
  else
    tn_elf_destroy(elf);
  const bool fine = needs && check_needs(needs, &file->notes, status) &&
                    (!meeting->call || meeting->call(file->path, meeting->arg, status)) &&
                    load(file, needs, stages, status);
  tn_needs_destroy(needs);
  if (fine) return keep(file);
  destroy(file);
  return NULL;
}

static tn_pjrt_file* find(const char* path) {
  struct stat info;
  if (stat(path, &info) != 0) return NULL;
  for (tn_pjrt_file* at = files; at; at = at->next)
    if (at->device == info.st_dev && at->inode == info.st_ino) return at;
  return NULL;
}

tn_pjrt_file* tn_pjrt_file_get(const char* path, const tn_pjrt_meeting* meeting,
                               const tn_pjrt_stages* stages, tn_status* status) {
  char* absolute = tn_absolute_path(path, status);
  tn_pjrt_file* file = absolute ? find(absolute) : NULL;
  tn_elf* elf = absolute && !file ? tn_elf_look(absolute, status) : NULL;
  tn_free(absolute);
  if (elf) file = load_file(elf, meeting, stages, status);
  // A table that was refused is asked for again: what it depends on may have changed.
  if (file && !file->recognised) {
    file->recognised = get_table(file, stages, status) && read_table(file, status);
    tn_memory_keep(file->extensions.items);
    tn_memory_keep(file->notes.data);
  }
  return file && file->recognised ? file : NULL;
}
