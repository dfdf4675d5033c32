// All groups of cases, in the order in which they run.
#include "check/case.h"
#include "check/devices/groups.h"
#include "check/kernels/groups.h"
#include "check/pjrt/groups.h"

const tn_check_group* const tn_check_groups[] = {
    // clang-format off
    &tn_check_pjrt_entry,
    &tn_check_pjrt_client,
    &tn_check_pjrt_process,
    &tn_check_pjrt_errors,
    &tn_check_pjrt_devices,
    &tn_check_pjrt_topology,
    &tn_check_pjrt_sizes,
    &tn_check_pjrt_buffers,
    &tn_check_pjrt_reads,
    &tn_check_pjrt_lifetimes,
    &tn_check_pjrt_events,
    &tn_check_pjrt_programs,
    &tn_check_pjrt_bad_programs,
    &tn_check_pjrt_execution,
    &tn_check_pjrt_donation,
    &tn_check_pjrt_transfers,
    &tn_check_pjrt_extensions,
    &tn_check_kernels_load,
    &tn_check_kernels_process,
    &tn_check_kernels_registered,
    &tn_check_kernels_shapes,
    &tn_check_kernels_made,
    &tn_check_kernels_runs,
    &tn_check_kernels_values,
    &tn_check_kernels_memory,
    &tn_check_kernels_threads,
    &tn_check_devices_platform,
    &tn_check_devices_memory,
    &tn_check_devices_streams,
    // clang-format on
};
const size_t tn_check_group_count = sizeof tn_check_groups / sizeof *tn_check_groups;

const char* const tn_check_gates[] = {"pjrt.entry.opens", "pjrt.client.create",
                                      "kernels.load.registers", "devices.platform.opens", NULL};
