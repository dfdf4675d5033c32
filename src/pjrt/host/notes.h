// What tn_pjrt_notes tells.
#ifndef TENON_PJRT_HOST_NOTES_H_
#define TENON_PJRT_HOST_NOTES_H_

#include "pjrt/host/plugin.h"

// Notes what is remarkable in the plugin's table, and what was noted when its file was loaded.
void tn_pjrt_note_table(tn_pjrt* plugin);
void tn_pjrt_notes_drop(tn_pjrt* plugin);

#endif  // TENON_PJRT_HOST_NOTES_H_
