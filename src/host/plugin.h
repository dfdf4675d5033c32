// The host's side of a loaded plugin, beyond tenon/plugin.h.
#ifndef TENON_HOST_PLUGIN_H_
#define TENON_HOST_PLUGIN_H_

#include "base/origin.h"
#include "tenon/plugin.h"

// What the plugin's registrations carry. Lives as long as the process.  [any thread]
const tn_origin* tn_plugin_origin(const tn_plugin* plugin);

// tn_plugin_load that tells each stage before it begins (TN_STAGE_OPEN, then the entry points'
// names).
tn_plugin* tn_plugin_load_staged(const char* path, const tn_load_options* options,
                                 void (*stage)(const char* name, void* arg), void* arg,
                                 tn_status* status);

// The whole of the program tenon-probe: loads the plugin its arguments name and reports to
// descriptor TN_CONTACT_FD (plugin/first_contact.h). `pjrt` meets plugins of that kind, which this
// room does not know. Does not return.
typedef bool tn_probe_pjrt(const char* path, void (*stage)(const char* name, void* arg), void* arg,
                           tn_status* status);
void tn_probe_main(int argc, char** argv, tn_probe_pjrt* pjrt) __attribute__((noreturn));

#endif  // TENON_HOST_PLUGIN_H_
