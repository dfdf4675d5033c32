// The symbols a plugin may export for a host to call.
#ifndef TENON_PLUGIN_ENTRY_POINTS_H_
#define TENON_PLUGIN_ENTRY_POINTS_H_

#include "base/text.h"
#include "elf/look.h"
#include "tenon/plugin.h"

// What this host calls when nobody says otherwise.
enum { TN_ENTRY_POINTS_DRIVEN = TN_ENTRY_KERNEL | TN_ENTRY_DEVICE };

// TN_ENTRY_* bits of the symbols that `elf` defines.
uint32_t tn_entry_points_of(const tn_elf* elf);

// One line for each entry point in `found` that is not in `called`, with the reason.
void tn_entry_points_explain(uint32_t found, uint32_t called, tn_text* out);

#endif  // TENON_PLUGIN_ENTRY_POINTS_H_
