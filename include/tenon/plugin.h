// Loading plugins. What a plugin registers is known to the whole process; a plugin stays loaded
// until the process ends.
#ifndef TENON_PLUGIN_H_
#define TENON_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#include "tenon/abi.h"
#include "tenon/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// A loaded plugin file. Belongs to the library until the process ends.
typedef struct tn_plugin tn_plugin;

// What a plugin file can offer, by the symbol it exports.
typedef enum tn_entry_point {
  TN_ENTRY_KERNEL = 1 << 0,         // TF_InitKernel: ops and kernels
  TN_ENTRY_DEVICE = 1 << 1,         // SE_InitPlugin: a device
  TN_ENTRY_GRAPH = 1 << 2,          // TF_InitGraph: a graph pass
  TN_ENTRY_PROFILER = 1 << 3,       // TF_InitProfiler: a profiler
  TN_ENTRY_NEXT_DEVICE = 1 << 4,    // TFNPD_InitPlugin: a device over PJRT
  TN_ENTRY_PJRT = 1 << 5,           // GetPjrtApi: programs
  TN_ENTRY_CONSTRUCTORS = 1 << 30,  // no symbol: a file that exports none is opened too
} tn_entry_point;

// How to load. Zero fields take the defaults.
typedef struct tn_load_options {
  size_t struct_size;          // TN_LOAD_OPTIONS_STRUCT_SIZE                            since 0.1
  void* ext;                   // must be NULL                                           since 0.1
  uint32_t entry_points;       // TN_ENTRY_* to call; 0: all that this host drives       since 0.1
  uint32_t time_limit_ms;      // of the first contact; 0: 30,000                        since 0.1
  bool first_contact;          // load it in a child process first: a crash, an exit or
                               // a hang there is a status here                          since 0.1
  bool tensorflow_may_follow;  // TensorFlow may be loaded later into this process: refuse
                               // what would spoil that                                  since 0.1
  bool allow_missing_weak;     // call entry points although TF_* functions that the plugin
                               // wants weakly are not here (it must test for NULL)      since 0.1
} tn_load_options;
TN_DEFINE_STRUCT_SIZE(tn_load_options, allow_missing_weak);
#define TN_LOAD_OPTIONS_STRUCT_SIZE ((size_t)tn_load_options_STRUCT_SIZE)

// Loads the plugin at `path`: looks at the file, opens it and calls its entry points. A file loads
// once, however often and under whatever name it is asked for. On failure all that the plugin had
// registered is taken back; NULL, and the status says what is wrong and which side has to change.
// `options` may be NULL. The result is owned by the library until the process ends.
// [any thread]  since 0.1
tn_plugin* tn_plugin_load(const char* path, const tn_load_options* options, tn_status* status);

// Loads the plugins that come with Tenon (lib/tenon/plugins), in the order of their names, with the
// same `options` each; a program that wants ops like MatMul computed calls this first. False at the
// first that does not load; the plugins are owned by the library until the process ends.
// [any thread]  since 0.1
bool tn_plugin_load_defaults(const tn_load_options* options, tn_status* status);

// The file, as an absolute path. Owned by the library, valid for ever.  [any thread]  since 0.1
const char* tn_plugin_path(const tn_plugin* plugin);

// The file's name without its folder. Owned by the library, valid for ever.
// [any thread]  since 0.1
const char* tn_plugin_name(const tn_plugin* plugin);

// TN_ENTRY_* bits of the symbols it exports. Borrows `plugin`.  [any thread]  since 0.1
uint32_t tn_plugin_entry_points(const tn_plugin* plugin);

// TN_ENTRY_* bits of those that were called. Borrows `plugin`.  [any thread]  since 0.1
uint32_t tn_plugin_entry_points_called(const tn_plugin* plugin);

// What a user may want to know about this load, one fact a line ("device entry point SE_InitPlugin
// found, not called: ..."); "" when there is nothing. Owned by the library, valid for ever.
// [any thread]  since 0.1
const char* tn_plugin_notes(const tn_plugin* plugin);

// How many ops it registered. Borrows `plugin`.  [any thread]  since 0.1
size_t tn_plugin_op_count(const tn_plugin* plugin);

// How many kernels it registered. Borrows `plugin`.  [any thread]  since 0.1
size_t tn_plugin_kernel_count(const tn_plugin* plugin);

// Calls `visit` for each loaded plugin, in order of loading, until it returns false. The plugins
// are owned by the library, valid for ever.  [any thread]  since 0.1
void tn_plugin_each(bool (*visit)(tn_plugin* plugin, void* arg), void* arg);

// "TF_InitKernel" for TN_ENTRY_KERNEL, and so on; NULL for a number that is no symbol's. Static
// text, owned by the library.  [any thread]  since 0.1
const char* tn_entry_point_symbol(tn_entry_point entry_point);

#ifdef __cplusplus
}
#endif
#endif  // TENON_PLUGIN_H_
