// The load transaction: look at the file, meet it in a child process, open it, call its entry
// points; take back all it registered when any of that fails.
#include "host/plugin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "abi/tf_history.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "device/services.h"
#include "kernel/kernel.h"
#include "op/op_registry.h"
#include "plugin/entry_points.h"
#include "plugin/first_contact.h"
#include "plugin/needs.h"
#include "plugin/open.h"

struct tn_plugin {
  tn_plugin* next;
  tn_origin origin;
  tn_status failure;  // origin.failure points here
  char* path;
  const char* name;   // within path
  const char* since;  // the first TensorFlow release with all functions it imports; NULL: any
  uint64_t device, inode;
  void* handle;  // NULL until it is open
  uint32_t found, called;
  tn_platform* platform;  // made, and not published yet
  bool kept;              // in the list below, for ever
  bool loading;           // its constructors or an entry point run now
  bool loaded;            // the transaction went through
  bool lost_constructed;  // its constructors registered something that was taken back
  char* notes;
};

// One load in progress.
typedef struct load {
  tn_load_options options;
  void (*stage)(const char* name, void* arg);
  void* stage_arg;
  tn_plugin* plugin;
  tn_text notes;
  tn_status* status;
} load;

// Held through a whole load. Recursive: a plugin's entry point may load another plugin.
static pthread_mutex_t loading_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static tn_plugin* plugins;

static bool read_options(const tn_load_options* given, tn_load_options* out, tn_status* status) {
  *out = TN_INIT(tn_load_options);
  const char* wrong = given ? TN_CHECK_RESERVED(given, ext) : NULL;
  if (wrong) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "tn_load_options: struct_size %zu: %s; begin with TN_INIT(tn_load_options), "
                  "which has %zu",
                  given->struct_size, wrong, TN_LOAD_OPTIONS_STRUCT_SIZE);
    tn_status_set_fault(status, TN_FAULT_CALLER);
    return false;
  }
#define TAKE(field) \
  if (given && TN_HAS(given, field)) out->field = given->field
  TAKE(entry_points);
  TAKE(time_limit_ms);
  TAKE(first_contact);
  TAKE(tensorflow_may_follow);
  TAKE(allow_missing_weak);
#undef TAKE
  if (out->entry_points == 0) out->entry_points = TN_ENTRY_POINTS_DRIVEN;
  if (out->time_limit_ms == 0) out->time_limit_ms = 30000;
  return true;
}

static tn_plugin* find_plugin(const tn_elf* elf) {
  for (tn_plugin* at = plugins; at; at = at->next)
    if (at->device == elf->device && at->inode == elf->inode) return at;
  return NULL;
}

// Only for one that was never kept.
static void destroy_plugin(tn_plugin* plugin) {
  if (!plugin) return;
  tn_status_deinit(&plugin->failure);
  tn_free(plugin->path);
  tn_free(plugin);
}

static tn_plugin* create_plugin(const tn_elf* elf, tn_status* status) {
  tn_plugin* plugin = tn_alloc_zeroed(1, sizeof *plugin);
  if (plugin) plugin->path = tn_strdup(elf->path);
  if (!plugin || !plugin->path) {
    destroy_plugin(plugin);
    tn_status_set_no_memory(status, "loading a plugin");
    return NULL;
  }
  plugin->name = strrchr(plugin->path, '/') + 1;
  plugin->origin = (tn_origin){plugin->path, &plugin->failure};
  plugin->device = elf->device;
  plugin->inode = elf->inode;
  plugin->found = tn_entry_points_of(elf);
  for (size_t i = 0; i < elf->import_count; ++i)
    plugin->since = tn_abi_tf_later(plugin->since, tn_abi_tf_since(elf->imports[i].name));
  return plugin;
}

static void keep_plugin(tn_plugin* plugin) {
  if (plugin->kept) return;
  tn_plugin** link = &plugins;
  while (*link) link = &(*link)->next;
  *link = plugin;
  plugin->kept = true;
  tn_memory_keep(plugin);
  tn_memory_keep(plugin->path);
}

// The entry points to call are chosen, never all that are found: one file may have several roles.
static bool check_entry_points(const tn_plugin* plugin, const load* load) {
  uint32_t asked = load->options.entry_points & ~(uint32_t)TN_ENTRY_CONSTRUCTORS;
  if (asked & ~(uint32_t)TN_ENTRY_POINTS_DRIVEN) {
    tn_status_set(load->status, TN_UNIMPLEMENTED,
                  "entry points %#x were asked for, and this host drives %#x only (TF_InitKernel, "
                  "SE_InitPlugin)",
                  asked, (unsigned)TN_ENTRY_POINTS_DRIVEN);
    tn_status_set_fault(load->status, TN_FAULT_CALLER);
    return false;
  }
  if (plugin->found || (load->options.entry_points & TN_ENTRY_CONSTRUCTORS)) return true;
  tn_status_set(
      load->status, TN_INVALID_ARGUMENT,
      "%s: not a plugin: it exports none of the entry points TF_InitKernel, SE_InitPlugin, "
      "TF_InitGraph, TF_InitProfiler, TFNPD_InitPlugin, GetPjrtApi",
      plugin->path);
  tn_status_set_fault(load->status, TN_FAULT_PLUGIN);
  return false;
}

static void begin_stage(const load* load, const char* name) {
  if (load->stage) load->stage(name, load->stage_arg);
}

// The first registration that failed fails the load.
static bool check_registrations(const load* load, const char* during) {
  tn_plugin* plugin = load->plugin;
  if (tn_ok(&plugin->failure)) return true;
  tn_status_set(load->status, tn_status_code(&plugin->failure), "%s: %s: %s", plugin->path, during,
                tn_status_message(&plugin->failure));
  tn_fault fault = tn_status_fault(&plugin->failure);
  tn_status_set_fault(load->status, fault ? fault : TN_FAULT_PLUGIN);
  return false;
}

static size_t count_registrations(const tn_plugin* plugin) {
  return tn_op_registry_count_origin(&plugin->origin) +
         tn_kernel_registry_count_origin(&plugin->origin);
}

static bool open_file(load* load, const tn_needs* needs) {
  tn_plugin* plugin = load->plugin;
  keep_plugin(plugin);  // from here on its registrations point to it
  begin_stage(load, TN_STAGE_OPEN);
  plugin->handle =
      tn_plugin_open(needs, load->options.tensorflow_may_follow, &load->notes, load->status);
  return plugin->handle && check_registrations(load, "in its constructors");
}

static void* find_entry_point(load* load, const char* symbol) {
  void* found = dlsym(load->plugin->handle, symbol);
  if (!found)
    tn_status_set(load->status, TN_NOT_FOUND, "%s: %s is not to be had: %s", load->plugin->path,
                  symbol, dlerror());
  return found;
}

// What a device may offer beyond TensorFlow's tables.
static bool init_services(load* load) {
  tn_init_device_services* init =
      (tn_init_device_services*)dlsym(load->plugin->handle, TN_INIT_DEVICE_SERVICES);
  if (!init) return true;
  begin_stage(load, TN_INIT_DEVICE_SERVICES);
  return tn_platform_add_services(load->plugin->platform, init, load->status);
}

static bool init_device(load* load) {
  tn_plugin* plugin = load->plugin;
  void (*init)(SE_PlatformRegistrationParams*, TF_Status*) =
      (void (*)(SE_PlatformRegistrationParams*, TF_Status*))find_entry_point(load, "SE_InitPlugin");
  if (!init) return false;
  begin_stage(load, "SE_InitPlugin");
  plugin->platform =
      tn_platform_create(init, plugin->path, plugin->since, &load->notes, load->status);
  plugin->called |= TN_ENTRY_DEVICE;
  return plugin->platform && init_services(load) && check_registrations(load, "SE_InitPlugin");
}

static bool init_kernel(load* load) {
  void (*init)(void) = (void (*)(void))find_entry_point(load, "TF_InitKernel");
  if (!init) return false;
  begin_stage(load, "TF_InitKernel");
  init();
  load->plugin->called |= TN_ENTRY_KERNEL;
  return check_registrations(load, "TF_InitKernel");
}

// In TensorFlow's order.
static bool call_entry_points(load* load) {
  const tn_plugin* plugin = load->plugin;
  const uint32_t wanted = load->options.entry_points & plugin->found & ~plugin->called;
  return (!(wanted & TN_ENTRY_DEVICE) || init_device(load)) &&
         (!(wanted & TN_ENTRY_KERNEL) || init_kernel(load));
}

// Last: devices that others have seen cannot be taken back.
static bool publish_devices(load* load) {
  tn_plugin* plugin = load->plugin;
  if (!plugin->platform) return true;
  if (!tn_platform_publish(plugin->platform, load->status)) return false;
  plugin->platform = NULL;
  return true;
}

// What stays true of this file in this process; written once.
static bool keep_notes(load* load) {
  tn_plugin* plugin = load->plugin;
  if (plugin->notes) return true;
  tn_entry_points_explain(plugin->found, TN_ENTRY_POINTS_DRIVEN, &load->notes);
  tn_text_puts(&load->notes, "");
  plugin->notes = tn_text_take(&load->notes, NULL);
  if (!plugin->notes) {
    tn_status_set_no_memory(load->status, "loading a plugin");
    return false;
  }
  tn_memory_keep(plugin->notes);
  return true;
}

static void roll_back(tn_plugin* plugin, size_t constructed) {
  tn_kernel_registry_remove_origin(&plugin->origin);
  tn_op_registry_remove_origin(&plugin->origin);
  tn_platform_destroy(plugin->platform);
  plugin->platform = NULL;
  tn_status_clear(&plugin->failure);
  plugin->called = 0;
  plugin->loaded = false;
  if (constructed) plugin->lost_constructed = true;
}

// The part in which the plugin's own code runs.
static bool run_plugin(load* load, const tn_needs* needs) {
  tn_plugin* plugin = load->plugin;
  const tn_origin* before = tn_origin_enter(&plugin->origin);
  plugin->loading = true;
  size_t constructed = 0;
  bool fine = plugin->handle || open_file(load, needs);
  if (plugin->called == 0) constructed = count_registrations(plugin);
  fine = fine && call_entry_points(load) && keep_notes(load) && publish_devices(load);
  if (fine)
    plugin->loaded = true;
  else
    roll_back(plugin, constructed);
  plugin->loading = false;
  tn_origin_enter(before);
  return fine;
}

static bool meet_first(const load* load) {
  tn_contact contact = {load->plugin->path,
                        load->options.entry_points,
                        load->options.time_limit_ms,
                        load->options.allow_missing_weak,
                        NULL,
                        NULL,
                        NULL};
  return !load->options.first_contact || tn_first_contact(&contact, load->status);
}

// A file that is open already: only entry points that were not called yet are left to do.
static bool load_again(load* load) {
  tn_plugin* plugin = load->plugin;
  uint32_t left = load->options.entry_points & plugin->found & ~plugin->called;
  if (plugin->loading) {
    tn_status_set(load->status, TN_FAILED_PRECONDITION, "%s: it is being loaded right now",
                  plugin->path);
    return false;
  }
  if (plugin->lost_constructed) {
    tn_status_set(
        load->status, TN_FAILED_PRECONDITION,
        "%s: an earlier load of this file failed, and what its constructors registered was "
        "taken back; constructors run once in a process: start another",
        plugin->path);
    return false;
  }
  return (plugin->loaded && !left) || (meet_first(load) && run_plugin(load, NULL));
}

// Takes `elf`.
static bool load_file(load* load, tn_elf* elf) {
  tn_needs* needs = NULL;
  bool fine = tn_elf_check_loadable(elf, load->status) && check_entry_points(load->plugin, load);
  if (fine)
    needs = tn_needs_find(elf, load->status);
  else
    tn_elf_destroy(elf);
  fine = needs && tn_needs_check(needs, load->options.allow_missing_weak, load->status) &&
         meet_first(load) && run_plugin(load, needs);
  tn_needs_destroy(needs);
  return fine;
}

tn_plugin* tn_plugin_load_staged(const char* path, const tn_load_options* options,
                                 void (*stage)(const char* name, void* arg), void* arg,
                                 tn_status* status) {
  load load = {.stage = stage, .stage_arg = arg, .status = status};
  if (!path || !*path) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "tn_plugin_load: no path was given");
    tn_status_set_fault(status, TN_FAULT_CALLER);
    return NULL;
  }
  if (!read_options(options, &load.options, status)) return NULL;
  char* absolute = tn_absolute_path(path, status);
  tn_elf* elf = absolute ? tn_elf_look(absolute, status) : NULL;
  tn_free(absolute);
  if (!elf) return NULL;
  pthread_mutex_lock(&loading_lock);
  load.plugin = find_plugin(elf);
  bool fine;
  if (load.plugin && (load.plugin->handle || load.plugin->loading)) {
    tn_elf_destroy(elf);
    fine = check_entry_points(load.plugin, &load) && load_again(&load);
  } else {
    if (!load.plugin) load.plugin = create_plugin(elf, status);
    if (!load.plugin) tn_elf_destroy(elf);
    fine = load.plugin && load_file(&load, elf);
    if (load.plugin && !load.plugin->kept) destroy_plugin(load.plugin);
  }
  pthread_mutex_unlock(&loading_lock);
  tn_text_deinit(&load.notes);
  return fine ? load.plugin : NULL;
}

tn_plugin* tn_plugin_load(const char* path, const tn_load_options* options, tn_status* status) {
  return tn_plugin_load_staged(path, options, NULL, NULL, status);
}

const tn_origin* tn_plugin_origin(const tn_plugin* plugin) { return &plugin->origin; }
const char* tn_plugin_path(const tn_plugin* plugin) { return plugin ? plugin->path : ""; }
const char* tn_plugin_name(const tn_plugin* plugin) { return plugin ? plugin->name : ""; }
const char* tn_plugin_notes(const tn_plugin* plugin) { return plugin ? plugin->notes : ""; }
uint32_t tn_plugin_entry_points(const tn_plugin* plugin) { return plugin ? plugin->found : 0; }

uint32_t tn_plugin_entry_points_called(const tn_plugin* plugin) {
  if (!plugin) return 0;
  pthread_mutex_lock(&loading_lock);
  uint32_t called = plugin->called;
  pthread_mutex_unlock(&loading_lock);
  return called;
}

size_t tn_plugin_op_count(const tn_plugin* plugin) {
  return plugin ? tn_op_registry_count_origin(&plugin->origin) : 0;
}

size_t tn_plugin_kernel_count(const tn_plugin* plugin) {
  return plugin ? tn_kernel_registry_count_origin(&plugin->origin) : 0;
}

void tn_plugin_each(bool (*visit)(tn_plugin* plugin, void* arg), void* arg) {
  if (!visit) return;
  pthread_mutex_lock(&loading_lock);
  for (tn_plugin* at = plugins; at; at = at->next)
    if (at->loaded && !visit(at, arg)) break;
  pthread_mutex_unlock(&loading_lock);
}
