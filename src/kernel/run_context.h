// One run of a kernel: inputs in, outputs out. Behind TF_OpKernelContext; alive until compute
// returned or, for asynchronous kernels and deferred work, until all of it is done.
#ifndef TENON_KERNEL_RUN_CONTEXT_H_
#define TENON_KERNEL_RUN_CONTEXT_H_

#include <stdatomic.h>

#include "base/cancel.h"
#include "kernel/instance.h"

// The GraphDef version that kernels are told: TensorFlow 2.21's.
enum { TN_GRAPH_DEF_VERSION = 2474 };

// Memory given in advance by a planner: outputs and temporaries take it, in order, when it is large
// enough. Zero: the device's allocator serves everything.
typedef struct tn_assigned_memory {
  tn_buffer** outputs;  // per output, NULL entries allowed, or NULL; a reference is taken on use
  tn_buffer** temporaries;
  size_t temporary_count;
} tn_assigned_memory;

// What a run may be told besides its inputs. Zero bytes are the defaults.
typedef struct tn_run_options {
  const tn_assigned_memory* assigned;  // may be NULL
  // Per input: the caller needs its contents no more, so a kernel may have an output take over its
  // memory (TF_ForwardInputOrAllocateOutput). NULL: no input is given up.
  const bool* donated;
  struct tn_stream* stream;  // of the kernel's device; NULL: the device's own
  int64_t step_id;
  uint64_t frame_id;
  int64_t iter_id;
  const tn_cancel* cancel;  // ends the run early when asked; may be NULL
} tn_run_options;

struct TF_OpKernelContext {
  const tn_kernel_instance* instance;
  tn_tensor* const* inputs;  // borrowed; NULL entries are uninitialised
  size_t input_count;
  tn_tensor** outputs;  // owned by the caller of the run; NULL until set
  size_t output_count;
  const tn_run_options* options;
  atomic_size_t temporaries_used;
  atomic_flag failing;   // guards status: kernels may fail from several threads
  tn_status status;      // first failure wins
  atomic_int deferred;   // TF_IncNumDeferredOps
  atomic_int pending;    // deferred and scheduled work that is not done: the run waits for it
  atomic_bool left_out;  // work was left undone because the run is cancelled
};

// Runs `instance`. `inputs` are borrowed. Outputs become handles owned by the caller, all of them
// or, on failure, none (NULLs). Blocks until an asynchronous kernel has run its callback and
// deferred work is done: a kernel that never does so blocks for ever. INVALID_ARGUMENT, without a
// call of the kernel, for inputs or outputs that do not fit the node; a kernel that returns without
// setting an output, and without failure, is INTERNAL. Reference inputs and outputs: variable.h.
// CANCELLED when the options' `cancel` was asked before the kernel was called, or when the kernel
// left work out because of it, whatever else it then said.
bool tn_kernel_run(const tn_kernel_instance* instance, tn_tensor* const* inputs, size_t input_count,
                   tn_tensor** outputs, size_t output_count, const tn_assigned_memory* assigned,
                   tn_status* status);
bool tn_kernel_run_with(const tn_kernel_instance* instance, tn_tensor* const* inputs,
                        size_t input_count, tn_tensor** outputs, size_t output_count,
                        const tn_run_options* options, tn_status* status);

// A tensor in `assigned` when that is given and fits, else in the device's or host's memory.
tn_tensor* tn_run_place(const tn_kernel_instance* instance, const tn_run_options* options,
                        tn_dtype dtype, const int64_t* dims, int rank, bool on_host,
                        tn_buffer* assigned, tn_status* status);

// What the TF_* functions of kernels.h do, by the same names. Handles returned are new and belong
// to the kernel. A NULL context or argument is INVALID_ARGUMENT; a bad index is OUT_OF_RANGE and,
// in those without a status, a sentinel (-1, TN_INVALID, an empty view) and a failed context.

// The checks themselves.
bool tn_run_has_input(const tn_run_context* context, int i, tn_status* status);
bool tn_run_has_output(const tn_run_context* context, int i, tn_status* status);

// Inputs.
int tn_run_input_count(const tn_run_context* context);
// A handle on input i; of a reference input, on what it refers to at this moment.
tn_tensor* tn_run_input(tn_run_context* context, int i, tn_status* status);
tn_tensor* tn_run_input_by_name(tn_run_context* context, const char* name, tn_status* status);
tn_dtype tn_run_input_dtype(tn_run_context* context, int i);
bool tn_run_input_on_host(tn_run_context* context, int i, tn_status* status);
bool tn_run_input_is_ref(tn_run_context* context, int i, tn_status* status);
// The flattened range [start, stop) of an input argument; both -1 on failure.
bool tn_run_input_range(tn_run_context* context, const char* name, int* out_start, int* out_stop,
                        tn_status* status);

// Outputs and temporaries.
int tn_run_output_count(const tn_run_context* context);
tn_dtype tn_run_output_dtype(tn_run_context* context, int i);
bool tn_run_output_on_host(tn_run_context* context, int i, tn_status* status);
bool tn_run_set_output(tn_run_context* context, int i, const tn_tensor* tensor, tn_status* status);
tn_tensor* tn_run_output(tn_run_context* context, int i, tn_status* status);
// False and INVALID_ARGUMENT when output i is there and has another type; TN_INVALID asks for
// nothing.
bool tn_run_output_type_is(const tn_run_context* context, int i, tn_dtype dtype, tn_status* status);
tn_tensor* tn_run_allocate_output(tn_run_context* context, int i, const int64_t* dims, int rank,
                                  tn_status* status);
// Forwards the first candidate that was donated, has the output's type, element count and memory
// kind, and whose memory nobody else holds; else allocates. `out_forwarded` (may be NULL) gets the
// input's index or -1.
tn_tensor* tn_run_forward_or_allocate(tn_run_context* context, const int* candidates,
                                      int candidate_count, int output, const int64_t* dims,
                                      int rank, int* out_forwarded, tn_status* status);
tn_tensor* tn_run_allocate_temp(tn_run_context* context, tn_dtype dtype, const int64_t* dims,
                                int rank, bool on_host, tn_status* status);

// Where and as part of what it runs. Views live as long as the kernel instance and end in NUL.
tn_view tn_run_node_name(tn_run_context* context);
tn_view tn_run_requested_input(tn_run_context* context, size_t i);
tn_view tn_run_device_name(tn_run_context* context);
int tn_run_device_id(tn_run_context* context);
tn_view tn_run_default_container(tn_run_context* context);
int64_t tn_run_step_id(const tn_run_context* context);
uint64_t tn_run_frame_id(const tn_run_context* context);
int64_t tn_run_iter_id(const tn_run_context* context);
// The device's stream; NULL and FAILED_PRECONDITION on one without.
void* tn_run_stream(tn_run_context* context, tn_status* status);

// Whether the run's result is wanted no more. What is about to begin for it (a piece of a loop, a
// task) may be left out then; whoever does so says it by tn_run_leave_out.  [any thread]
static inline bool tn_run_cancelled(const tn_run_context* context) {
  return context && tn_cancel_asked(context->options->cancel);
}
static inline void tn_run_leave_out(tn_run_context* context) {
  atomic_store_explicit(&context->left_out, true, memory_order_relaxed);
}
// Outcome.
void tn_run_fail(tn_run_context* context, const tn_status* status);
void tn_run_failf(tn_run_context* context, tn_code code, const char* format, ...) TN_PRINTF(3, 4);
// True when the context has failed; `status` (may be NULL) becomes that failure.
bool tn_run_failed(tn_run_context* context, tn_status* status);
// Ends a function that reports to both: unless `done`, `why` goes to `status` and fails the
// context. Frees `why` and returns `done`.
bool tn_run_conclude(tn_run_context* context, bool done, tn_status* why, tn_status* status);
void tn_run_defer(tn_run_context* context);
void tn_run_deferred_done(tn_run_context* context);

// Work that the run waits for. Nobody touches the context after saying that it is done.
static inline void tn_run_begin_pending(tn_run_context* context) {
  atomic_fetch_add_explicit(&context->pending, 1, memory_order_relaxed);
}
void tn_run_pending_done(tn_run_context* context);

// The run that this thread works for (tn_pool_owner); NULL for none.
tn_run_context* tn_run_of_this_thread(void);
// Makes it `context`, and gives what it was, to be set back.
static inline void* tn_run_enter(tn_run_context* context) {
  void* outer = tn_pool_owner;
  tn_pool_owner = context;
  return outer;
}
static inline void tn_run_leave(void* outer) { tn_pool_owner = outer; }

// The completion of one asynchronous run. The handle that kernels get is a number, not an address:
// a second call with it, or a call with one that never was, is seen and ignored. [any thread]
void tn_done_callback_run(tn_done_callback* done);
// The runner's side: NULL when out of memory; wait blocks until run, and ends the handle.
tn_done_callback* tn_done_callback_create(void);
void tn_done_callback_wait(tn_done_callback* done);

#endif  // TENON_KERNEL_RUN_CONTEXT_H_
