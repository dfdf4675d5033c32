// The groups of cases for plugins with SE_InitPlugin.
#ifndef TENON_CHECK_DEVICES_GROUPS_H_
#define TENON_CHECK_DEVICES_GROUPS_H_

#include "check/case.h"

extern const tn_check_group tn_check_devices_platform, tn_check_devices_memory,
    tn_check_devices_streams;

#endif  // TENON_CHECK_DEVICES_GROUPS_H_
