// All groups of cases, in the order in which they run.
#include "check/case.h"
#include "check/pjrt/groups.h"

const tn_check_group* const tn_check_groups[] = {
    &tn_check_pjrt_entry,
};
const size_t tn_check_group_count = sizeof tn_check_groups / sizeof *tn_check_groups;
