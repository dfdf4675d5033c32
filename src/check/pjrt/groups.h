// The groups of PJRT cases, one per file of this folder.
#ifndef TENON_CHECK_PJRT_GROUPS_H_
#define TENON_CHECK_PJRT_GROUPS_H_

#include "check/case.h"

extern const tn_check_group tn_check_pjrt_entry;

#endif  // TENON_CHECK_PJRT_GROUPS_H_
