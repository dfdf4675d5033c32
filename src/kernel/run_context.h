// One run of a kernel: inputs in, outputs out. Behind TF_OpKernelContext; alive until compute returned
// or, for asynchronous kernels and deferred work, until all of it is done.
#ifndef TENON_KERNEL_RUN_CONTEXT_H_
#define TENON_KERNEL_RUN_CONTEXT_H_

#include <stdatomic.h>

#include "kernel/instance.h"

// Memory given in advance by a planner: outputs and temporaries take it, in order, when it is large
// enough. Zero: the device's allocator serves everything.
typedef struct tn_assigned_memory {
  tn_buffer** outputs;      // per output, NULL entries allowed; a reference is taken on use
  tn_buffer** temporaries;
  size_t temporary_count;
} tn_assigned_memory;

struct TF_OpKernelContext {
  const tn_kernel_instance* instance;
  tn_tensor* const* inputs;  // borrowed; NULL entries are uninitialised
  size_t input_count;
  tn_tensor** outputs;       // owned by the caller of the run; NULL until set
  size_t output_count;
  const tn_assigned_memory* assigned;  // may be NULL
  size_t temporaries_used;
  tn_status status;          // first failure wins
  atomic_int deferred;       // TF_IncNumDeferredOps
  int64_t step_id;
};

// Runs `instance`. `inputs` are borrowed. Outputs become handles owned by the caller, all of them or,
// on failure, none. Blocks until an asynchronous kernel has called its callback and deferred work is
// done. A kernel that returns without setting an output, and without failure, is INTERNAL.
bool tn_kernel_run(const tn_kernel_instance* instance, tn_tensor* const* inputs, size_t input_count,
                   tn_tensor** outputs, size_t output_count, const tn_assigned_memory* assigned,
                   tn_status* status);

// What TF_* functions of kernels.h do, by the same names. Handles returned are new and belong to the
// kernel. A bad index is OUT_OF_RANGE and, in those without a status, a sentinel and a failed context.
tn_tensor* tn_run_input(tn_run_context* context, int i, tn_status* status);
bool tn_run_set_output(tn_run_context* context, int i, const tn_tensor* tensor, tn_status* status);
tn_tensor* tn_run_output(tn_run_context* context, int i, tn_status* status);
tn_tensor* tn_run_allocate_output(tn_run_context* context, int i, const int64_t* dims, int rank,
                                  tn_status* status);
tn_tensor* tn_run_forward_or_allocate(tn_run_context* context, const int* candidates,
                                      int candidate_count, int output, const int64_t* dims, int rank,
                                      int* out_forwarded, tn_status* status);
tn_tensor* tn_run_allocate_temp(tn_run_context* context, tn_dtype dtype, const int64_t* dims, int rank,
                                bool on_host, tn_status* status);
void tn_run_fail(tn_run_context* context, const tn_status* status);
void tn_run_defer(tn_run_context* context);
void tn_run_deferred_done(tn_run_context* context);
// Calls the completion of an asynchronous kernel and frees the callback; once.
void tn_done_callback_run(tn_done_callback* done);

#endif  // TENON_KERNEL_RUN_CONTEXT_H_
