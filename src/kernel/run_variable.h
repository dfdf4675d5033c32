// What the functions of kernels_experimental.h do: variables, references and variants in a running
// kernel. Where TensorFlow aborts, or fails the context and leaves the status as it was, these do
// both: they set the status and fail the context.
#ifndef TENON_KERNEL_RUN_VARIABLE_H_
#define TENON_KERNEL_RUN_VARIABLE_H_

#include "kernel/run_context.h"
#include "kernel/variable.h"

// Copies `source` to `target` on the kernel's device and destroys both handles. Where one is asked
// for and NULL is given, host memory is copied by the host.
typedef void (*tn_copy_function)(tn_run_context* context, tn_tensor* source, tn_tensor* target);
// Changes `variable` by `value` and destroys both handles; `op` is passed through.
typedef void (*tn_update_function)(tn_run_context* context, tn_tensor* variable, tn_tensor* value,
                                   int op);

// The variable of resource or reference input i, as a new reference.
tn_variable* tn_run_variable(tn_run_context* context, int i, tn_status* status);

bool tn_run_assign_variable(tn_run_context* context, int input, int value, bool validate_shape,
                            tn_copy_function copy, tn_status* status);
bool tn_run_assign_ref(tn_run_context* context, int input, int output, int value, bool use_locking,
                       bool validate_shape, tn_copy_function copy, tn_status* status);
bool tn_run_assign_update(tn_run_context* context, int input, int value, int op, bool is_variant,
                          tn_copy_function copy, tn_update_function update, tn_status* status);
// The value as a handle that the kernel destroys. For dense access the variable's own memory, made
// private first when others hold it, so that it may be written to; for sparse access likewise, and
// readers get copies from then on.
tn_tensor* tn_run_variable_value(tn_run_context* context, int input, bool lock_held,
                                 bool is_variant, bool sparse, tn_copy_function copy,
                                 tn_status* status);

// Readers get copies from now on, and the value's memory is the variable's own.
bool tn_variable_allow_sparse(tn_run_context* context, tn_variable* variable, bool lock_held,
                              bool is_variant, tn_copy_function copy, tn_status* status);

// A reference input becomes a reference output; resource inputs are left alone. A bad index fails
// the context.
void tn_run_forward_ref(tn_run_context* context, int input, int output);
// Output i refers to `variable` (a reference is taken).
bool tn_run_set_output_ref(tn_run_context* context, int i, tn_variable* variable,
                           tn_status* status);

// A variable for one step, by name, as reference output 0. `allocate` (may be NULL) may have the
// given handle share memory of its own.
bool tn_run_temporary_variable(tn_run_context* context, tn_dtype dtype, const int64_t* dims,
                               int rank, tn_view name,
                               void (*allocate)(tn_run_context* context, tn_tensor* target,
                                                tn_dtype dtype, const int64_t* dims, int rank,
                                                tn_status* status),
                               tn_status* status);
// Its value becomes output 0, and the name is free again.
bool tn_run_destroy_temporary_variable(tn_run_context* context, int input, tn_view name,
                                       tn_status* status);
// Forgets the temporary variables that a step left behind.
void tn_run_end_step(int64_t step_id);

// Locks of several variables, taken in one global order, each once. Exclusive with `do_lock`, else
// shared; without it and without any resource among the inputs nothing is locked.
typedef struct TF_VariableInputLockHolder tn_variable_locks;
tn_variable_locks* tn_run_lock_variables(tn_run_context* context, bool do_lock, bool sparse,
                                         const int* inputs, size_t count, tn_copy_function copy,
                                         tn_status* status);
// Gives them back, from any thread; NULL is fine.
void tn_variable_locks_release(tn_variable_locks* locks);

// Output 0 is the sum of all inputs, lists of tensors in scalar variants; `add` computes out = a +
// b for one pair and destroys the three handles.
bool tn_run_add_n_variant(tn_run_context* context,
                          void (*add)(tn_run_context* context, tn_tensor* a, tn_tensor* b,
                                      tn_tensor* out),
                          tn_status* status);
// Output 0 is a list like that of input 0; `zero` fills one tensor and destroys both handles.
bool tn_run_zeros_like_variant(tn_run_context* context,
                               void (*zero)(tn_run_context* context, tn_tensor* input,
                                            tn_tensor* out),
                               tn_status* status);

// ResourceHandleProto of resource input i.
bool tn_run_encode_resource_handle(tn_run_context* context, int i, tn_text* out, tn_status* status);

#endif  // TENON_KERNEL_RUN_VARIABLE_H_
