// The groups of cases for plugins with TF_InitKernel.
#ifndef TENON_CHECK_KERNELS_GROUPS_H_
#define TENON_CHECK_KERNELS_GROUPS_H_

#include "check/case.h"

extern const tn_check_group tn_check_kernels_load, tn_check_kernels_process,
    tn_check_kernels_registered, tn_check_kernels_shapes, tn_check_kernels_made,
    tn_check_kernels_runs, tn_check_kernels_values, tn_check_kernels_memory,
    tn_check_kernels_threads;

#endif  // TENON_CHECK_KERNELS_GROUPS_H_
