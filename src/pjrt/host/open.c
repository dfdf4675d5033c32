// A view of a plugin: its table as the options want it seen, initialized, with what it tells of
// itself.
#include "pjrt/host/open.h"

#include "base/memory.h"
#include "base/status.h"
#include "pjrt/host/file.h"
#include "pjrt/host/notes.h"
#include "pjrt/host/policy.h"
#include "pjrt/host/public_table.h"
#include "pjrt/host/sizes.h"
#include "plugin/first_contact.h"
#include "plugin/guard.h"
#include "tenon/plugin.h"

tn_pjrt* tn_pjrt_ref(tn_pjrt* plugin) {
  atomic_fetch_add_explicit(&plugin->references, 1, memory_order_relaxed);
  return plugin;
}

void tn_pjrt_unref(tn_pjrt* plugin) {
  if (!plugin || atomic_fetch_sub_explicit(&plugin->references, 1, memory_order_acq_rel) > 1)
    return;
  tn_pjrt_notes_drop(plugin);
  tn_pjrt_public_table_drop(plugin);
  tn_pjrt_values_destroy(plugin->attributes);
  tn_free(plugin);
}

void tn_pjrt_close(tn_pjrt* plugin) { tn_pjrt_unref(plugin); }

static tn_pjrt* create_view(tn_pjrt_file* file, const tn_pjrt_open_options* options,
                            tn_status* status) {
  tn_pjrt* plugin = tn_alloc_zeroed(1, sizeof *plugin);
  if (!plugin) {
    tn_status_set_no_memory(status, "opening a plugin");
    return NULL;
  }
  plugin->theirs = file->table;
  plugin->major = file->number.major;
  plugin->minor = file->number.minor;
  plugin->host_minor = options->as_host ? options->as_host : TN_PJRT_NEWEST;
  plugin->path = file->path;
  plugin->name = file->name;
  plugin->trace = tn_pjrt_trace_word();
  plugin->file = file;
  atomic_init(&plugin->references, 1);
  tn_pjrt_sizes_init(plugin, options->as_host != 0);
  tn_mapped* mapped = tn_mapped_read();
  const bool fine = tn_pjrt_table_fill(plugin, mapped, status);
  tn_mapped_destroy(mapped);
  if (fine) return plugin;
  tn_pjrt_unref(plugin);
  return NULL;
}

// Once for the file. What it gave the first time is what every later opening gets.
static bool initialize(tn_pjrt* plugin, const tn_pjrt_stages* stages, tn_status* status) {
  tn_pjrt_file* file = plugin->file;
  if (!file->initialized && TN_PJRT_HAS(plugin, PJRT_Plugin_Initialize)) {
    tn_guard guard;
    tn_text notes = {0};
    tn_guard_begin(&guard);
    tn_pjrt_stage(stages, TN_PJRT_AT_PJRT_Plugin_Initialize + 1);
    file->initialized = true;
    TN_PJRT_ARGS(plugin, PJRT_Plugin_Initialize_Args, args, );
    TN_PJRT_CALL(plugin, PJRT_Plugin_Initialize, args, &file->failure);
    tn_guard_end(&guard, "PJRT_Plugin_Initialize", &notes);
    if (notes.size && !notes.failed)
      tn_text_printf(&file->notes, "%s%s", file->notes.size ? "\n" : "", notes.data);
    tn_memory_keep(file->notes.data);
    tn_text_deinit(&notes);
  }
  file->initialized = true;
  if (tn_ok(&file->failure)) return true;
  tn_status_copy(status, &file->failure);
  return false;
}

static bool read_attributes(tn_pjrt* plugin, const tn_pjrt_stages* stages, tn_status* status) {
  const PJRT_NamedValue* list = NULL;
  size_t count = 0;
  if (TN_PJRT_HAS(plugin, PJRT_Plugin_Attributes)) {
    tn_status failure = {0};
    tn_pjrt_stage(stages, TN_PJRT_AT_PJRT_Plugin_Attributes + 1);
    TN_PJRT_ARGS(plugin, PJRT_Plugin_Attributes_Args, args, );
    if (TN_PJRT_CALL(plugin, PJRT_Plugin_Attributes, args, &failure)) {
      list = args->attributes;
      count = args->num_attributes;
    } else {
      tn_pjrt_note(plugin, tn_status_message(&failure));
    }
    tn_status_deinit(&failure);
  }
  plugin->attributes = tn_pjrt_values_copy(plugin, list, count, status);
  return plugin->attributes != NULL;
}

static bool meet(const char* path, void* arg, tn_status* status) {
  const tn_pjrt_open_options* options = arg;
  const tn_contact contact = {
      .path = path, .entry_points = TN_ENTRY_PJRT, .time_limit_ms = options->time_limit_ms};
  return !options->first_contact || tn_first_contact(&contact, status);
}

static tn_pjrt* open_staged(const char* path, const tn_pjrt_open_options* given,
                            const tn_pjrt_stages* stages, tn_status* status) {
  tn_pjrt_open_options options;
  if (!path || !*path) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "tn_pjrt_open: no path was given");
    tn_status_set_fault(status, TN_FAULT_CALLER);
    return NULL;
  }
  if (!tn_pjrt_options_read(given, &options, status)) return NULL;
  tn_pjrt_lock();
  tn_pjrt_file* file = tn_pjrt_file_get(path, &(tn_pjrt_meeting){meet, &options}, stages, status);
  tn_pjrt* plugin = NULL;
  if (file && tn_pjrt_policy_check(&options, file->path, file->number.minor, status))
    plugin = create_view(file, &options, status);
  if (plugin && !(initialize(plugin, stages, status) && read_attributes(plugin, stages, status))) {
    tn_pjrt_unref(plugin);
    plugin = NULL;
  }
  tn_pjrt_unlock();
  if (plugin) tn_pjrt_note_table(plugin);
  return plugin;
}

tn_pjrt* tn_pjrt_open(const char* path, const tn_pjrt_open_options* options, tn_status* status) {
  return open_staged(path, options, &(tn_pjrt_stages){0}, status);
}

bool tn_pjrt_meet(const char* path, void (*stage)(const char* name, void* arg), void* arg,
                  tn_status* status) {
  tn_pjrt* plugin = open_staged(path, NULL, &(tn_pjrt_stages){stage, arg}, status);
  tn_pjrt_close(plugin);
  return plugin != NULL;
}

const char* tn_pjrt_path(const tn_pjrt* plugin) { return plugin ? plugin->path : ""; }

void tn_pjrt_api_version(const tn_pjrt* plugin, int* major, int* minor) {
  if (major) *major = plugin ? plugin->major : 0;
  if (minor) *minor = plugin ? plugin->minor : 0;
}

int tn_pjrt_newest_known(void) { return TN_PJRT_NEWEST; }

bool tn_pjrt_has(const tn_pjrt* plugin, const char* function) {
  const int entry = tn_pjrt_entry_find(function);
  return plugin && entry >= 0 && plugin->absent[entry] == TN_PJRT_PRESENT;
}

const tn_pjrt_values* tn_pjrt_attributes(const tn_pjrt* plugin) {
  return plugin ? plugin->attributes : NULL;
}
