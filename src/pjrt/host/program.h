#ifndef TENON_PJRT_HOST_PROGRAM_H_
#define TENON_PJRT_HOST_PROGRAM_H_

#include "base/view.h"
#include "pjrt/host/plugin.h"

// Whether the plugin's StableHLO reads a program, as far as both tell their versions.
bool tn_pjrt_program_check(const tn_pjrt* plugin, tn_view code, tn_status* status);

#endif  // TENON_PJRT_HOST_PROGRAM_H_
