// Opening a plugin so that it finds our TF_* and nobody else's, and nobody else finds ours.
#ifndef TENON_PLUGIN_OPEN_H_
#define TENON_PLUGIN_OPEN_H_

#include "base/text.h"
#include "plugin/needs.h"

// Opens the plugin; its constructors run. `needs` must have passed tn_needs_check, and the plugin
// must not have been opened by this function before. Appends to `notes`, one fact a line, what a
// user may want to know. Returns the plugin's own handle, never to be closed; NULL with the reason.
// [one thread at a time]
void* tn_plugin_open(const tn_needs* needs, bool tensorflow_may_follow, tn_text* notes,
                     tn_status* status);

#endif  // TENON_PLUGIN_OPEN_H_
