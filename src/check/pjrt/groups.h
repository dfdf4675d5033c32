// The groups of PJRT cases, one per file of this folder.
#ifndef TENON_CHECK_PJRT_GROUPS_H_
#define TENON_CHECK_PJRT_GROUPS_H_

#include "check/case.h"

extern const tn_check_group tn_check_pjrt_entry, tn_check_pjrt_process, tn_check_pjrt_errors,
    tn_check_pjrt_client, tn_check_pjrt_devices, tn_check_pjrt_topology, tn_check_pjrt_sizes,
    tn_check_pjrt_buffers, tn_check_pjrt_reads, tn_check_pjrt_lifetimes, tn_check_pjrt_events,
    tn_check_pjrt_programs, tn_check_pjrt_bad_programs, tn_check_pjrt_execution,
    tn_check_pjrt_donation, tn_check_pjrt_transfers, tn_check_pjrt_extensions;

#endif  // TENON_CHECK_PJRT_GROUPS_H_
