// kernels_experimental.h: the variable, reference and variant functions that TensorFlow's wheels
// stopped exporting in 2.19.

#include "tensorflow/c/kernels_experimental.h"

#include "kernel/run_variable.h"
#include "tf/entry.h"

void TF_AssignVariable(TF_OpKernelContext* ctx, int input_index, int value_index,
                       bool validate_shape,
                       void (*copyFunc)(TF_OpKernelContext* ctx, TF_Tensor* source,
                                        TF_Tensor* dest),
                       TF_Status* status) {
  tf_begin(status);
  tn_run_assign_variable(ctx, input_index, value_index, validate_shape, copyFunc, status);
}

void TF_AssignRefVariable(TF_OpKernelContext* ctx, int input_ref_index, int output_ref_index,
                          int value_index, bool use_locking, bool validate_shape,
                          void (*copyFunc)(TF_OpKernelContext* ctx, TF_Tensor* source,
                                           TF_Tensor* dest),
                          TF_Status* status) {
  tf_begin(status);
  tn_run_assign_ref(ctx, input_ref_index, output_ref_index, value_index, use_locking,
                    validate_shape, copyFunc, status);
}

void TF_AssignUpdateVariable(
    TF_OpKernelContext* ctx, int input_index, int value_index, int Op, int isVariantType,
    void (*copyFunc)(TF_OpKernelContext* ctx, TF_Tensor* source, TF_Tensor* dest),
    void (*updateFunc)(TF_OpKernelContext* ctx, TF_Tensor* tensor, TF_Tensor* value, int Op),
    TF_Status* status) {
  tf_begin(status);
  tn_run_assign_update(ctx, input_index, value_index, Op, isVariantType != 0, copyFunc, updateFunc,
                       status);
}

void TF_GetInputTensorFromVariable(TF_OpKernelContext* ctx, int input, bool lock_held,
                                   bool isVariantType, bool sparse,
                                   void (*copyFunc)(TF_OpKernelContext* ctx, TF_Tensor* source,
                                                    TF_Tensor* dest),
                                   TF_Tensor** out, TF_Status* status) {
  tf_begin(status);
  if (TF_GIVEN(out, status))
    *out = tn_run_variable_value(ctx, input, lock_held, isVariantType, sparse, copyFunc, status);
}

void TF_MaybeLockVariableInputMutexesInOrder(
    TF_OpKernelContext* ctx, bool do_lock, bool sparse, const int* const inputs, size_t len,
    void (*copyFunc)(TF_OpKernelContext* ctx, TF_Tensor* source, TF_Tensor* dest),
    TF_VariableInputLockHolder** lockHolder, TF_Status* status) {
  tf_begin(status);
  if (TF_GIVEN(lockHolder, status))
    *lockHolder = tn_run_lock_variables(ctx, do_lock, sparse, inputs, len, copyFunc, status);
}

void TF_ReleaseVariableInputLockHolder(TF_VariableInputLockHolder* lockHolder) {
  tn_variable_locks_release(lockHolder);
}

bool TF_IsRefInput(TF_OpKernelContext* ctx, int i, TF_Status* status) {
  tf_begin(status);
  return tn_run_input_is_ref(ctx, i, status);
}

void TF_OpKernelContext_ForwardRefInputToRefOutput(TF_OpKernelContext* ctx, int32_t input_index,
                                                   int32_t output_index) {
  tn_run_forward_ref(ctx, input_index, output_index);
}

static tn_view from_view(const TF_StringView* view) {
  return view && view->data ? (tn_view){view->data, view->len} : (tn_view){"", 0};
}

void TF_TemporaryVariable(TF_OpKernelContext* ctx, TF_DataType dtype, const int64_t* dims,
                          int num_dims, TF_StringView* var_name,
                          void (*plugin_allocator)(TF_OpKernelContext*, TF_Tensor*, TF_DataType,
                                                   const int64_t*, int, TF_Status*),
                          TF_Status* tf_status) {
  tf_begin(tf_status);
  // TF_DataType and tn_dtype are the same numbers in enums of the same size.
  tn_run_temporary_variable(ctx, (tn_dtype)dtype, dims, num_dims, from_view(var_name),
                            (void (*)(tn_run_context*, tn_tensor*, tn_dtype, const int64_t*, int,
                                      tn_status*))plugin_allocator,
                            tf_status);
}

void TF_DestroyTemporaryVariable(TF_OpKernelContext* ctx, const int index, TF_StringView* var_name,
                                 TF_Status* tf_status) {
  tf_begin(tf_status);
  tn_run_destroy_temporary_variable(ctx, index, from_view(var_name), tf_status);
}

void TF_AddNVariant(TF_OpKernelContext* ctx,
                    void (*binary_add_func)(TF_OpKernelContext* ctx, TF_Tensor* a, TF_Tensor* b,
                                            TF_Tensor* out),
                    TF_Status* status) {
  tf_begin(status);
  tn_run_add_n_variant(ctx, binary_add_func, status);
}

void TF_ZerosLikeVariant(TF_OpKernelContext* ctx,
                         void (*zeros_like_func)(TF_OpKernelContext* ctx, TF_Tensor* input,
                                                 TF_Tensor* out),
                         TF_Status* status) {
  tf_begin(status);
  tn_run_zeros_like_variant(ctx, zeros_like_func, status);
}

void TF_GetInputByName(TF_OpKernelContext* ctx, const char* inputName, TF_Tensor** tensor,
                       TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(tensor, status)) return;
  tn_tensor* input = tn_run_input_by_name(ctx, inputName, status);
  if (input) *tensor = input;
}
