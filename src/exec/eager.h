// Eager execution behind the TFE_* functions: ops that are prepared step by step and run at once.
//
// A TFE_TensorHandle is a tn_tensor under another name: what holds a tensor on a device is the
// tensor.
#ifndef TENON_EXEC_EAGER_H_
#define TENON_EXEC_EAGER_H_

#include "kernel/run_context.h"

typedef struct TFE_Context tn_eager_context;
typedef struct TFE_Op tn_eager_op;

// A context. Kernels are cached per process, so contexts are light.
tn_eager_context* tn_eager_context_create(int placement_policy, tn_status* status);
void tn_eager_context_destroy(tn_eager_context* context);
// TFE_ContextDevicePlacementPolicy, which a thread may set for itself.
int tn_eager_context_placement_policy(const tn_eager_context* context);
void tn_eager_context_set_thread_placement_policy(tn_eager_context* context, int policy);
// The step that ops run in; ending the last one frees its temporary variables.
void tn_eager_context_start_step(tn_eager_context* context);
void tn_eager_context_end_step(tn_eager_context* context);

// An op of the registry to be run; NULL and NOT_FOUND, with the nearest name, when there is none.
// [one thread per op, here and below]
tn_eager_op* tn_eager_op_create(tn_eager_context* context, const char* name, tn_status* status);
void tn_eager_op_destroy(tn_eager_op* op);
const tn_op_def* tn_eager_op_def(const tn_eager_op* op);
tn_eager_context* tn_eager_op_context(const tn_eager_op* op);

bool tn_eager_op_set_device(tn_eager_op* op, const char* name, tn_status* status);
tn_device* tn_eager_op_device(const tn_eager_op* op);

// Inputs, flattened and in order. The memory is shared with the caller's handle.
bool tn_eager_op_add_input(tn_eager_op* op, const tn_tensor* input, tn_status* status);
// All of a list argument at once; its length and types become attrs.
bool tn_eager_op_add_input_list(tn_eager_op* op, tn_tensor* const* inputs, int count,
                                tn_status* status);
size_t tn_eager_op_input_count(const tn_eager_op* op);
// Borrowed; NULL and OUT_OF_RANGE.
tn_tensor* tn_eager_op_input(const tn_eager_op* op, int i, tn_status* status);
// The flattened length of a named argument as far as attrs and inputs tell; -1 with a status.
int tn_eager_op_input_length(const tn_eager_op* op, const char* arg, tn_status* status);
int tn_eager_op_output_length(const tn_eager_op* op, const char* arg, tn_status* status);

// The type of an attr; NULL and INVALID_ARGUMENT when the op has none of that name.
const tn_attr_def* tn_eager_op_attr_def(const tn_op_def* op, const char* attr, tn_status* status);
// Copies `count` items of `kind`. A failure is also remembered, and run reports it: most setters of
// the C API have no status.
bool tn_eager_op_set_attr(tn_eager_op* op, const char* attr, tn_attr_kind kind, bool is_list,
                          const void* items, size_t count, tn_status* status);
// The op's name and attrs as a function value, borrowed.
tn_func tn_eager_op_as_function(const tn_eager_op* op);

// Runs of the op end early when `cancel` (borrowed, may be NULL) is asked.
void tn_eager_op_set_cancel(tn_eager_op* op, const tn_cancel* cancel);

// Runs the op. *count is the room in `outputs` before and the number of outputs after; they are
// handles owned by the caller. Success uses the inputs up, as in TensorFlow: the op may be run
// again with others, attrs and device stay.
bool tn_eager_op_run(tn_eager_op* op, tn_tensor** outputs, int* count, tn_status* status);
// Drops the inputs, keeps attrs and device.
void tn_eager_op_clear_inputs(tn_eager_op* op);

#endif  // TENON_EXEC_EAGER_H_
