// Opening a plugin on behalf of another process.
#ifndef TENON_PJRT_HOST_OPEN_H_
#define TENON_PJRT_HOST_OPEN_H_

#include "tenon/pjrt.h"

// Opens the plugin and gives the view back, telling each step before it begins. For tenon-probe.
bool tn_pjrt_meet(const char* path, void (*stage)(const char* name, void* arg), void* arg,
                  tn_status* status);

#endif  // TENON_PJRT_HOST_OPEN_H_
