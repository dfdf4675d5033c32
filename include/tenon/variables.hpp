// Variables that a kernel changes: training ops. TensorFlow's wheels declare the functions behind
// this and stopped exporting them with 2.19; there each call here is UNIMPLEMENTED, and the plugin
// loads all the same.
#ifndef TENON_VARIABLES_HPP_
#define TENON_VARIABLES_HPP_

#include <utility>
#include <vector>

#include "tenon/op_kernel_context.hpp"
#include "tensorflow/c/kernels_experimental.h"

#pragma weak TF_GetInputTensorFromVariable
#pragma weak TF_MaybeLockVariableInputMutexesInOrder
#pragma weak TF_ReleaseVariableInputLockHolder
#pragma weak TF_AssignVariable
#pragma weak TF_IsRefInput
#pragma weak TF_OpKernelContext_ForwardRefInputToRefOutput

namespace tenon {
namespace internal {

// A variable's own copy of a value that others use too, in host memory.
inline void CopyVariable(TF_OpKernelContext*, TF_Tensor* source, TF_Tensor* dest) {
  Tensor from(source), to(dest);
  if (from.dtype() == DT_STRING) {
    for (int64_t i = 0; i < from.NumElements(); ++i)
      to.base<tstring>()[i] = from.base<tstring>()[i];
  } else if (from.TotalBytes()) {
    memcpy(to.data(), from.data(), from.TotalBytes());
  }
}

}  // namespace internal

// Holds the locks of variables until it goes.
class VariableInputLockHolder {
 public:
  explicit VariableInputLockHolder(TF_VariableInputLockHolder* holder = nullptr)
      : holder_(holder) {}
  VariableInputLockHolder(VariableInputLockHolder&& other) noexcept
      : holder_(std::exchange(other.holder_, nullptr)) {}
  VariableInputLockHolder& operator=(VariableInputLockHolder&& other) noexcept {
    std::swap(holder_, other.holder_);
    return *this;
  }
  ~VariableInputLockHolder() {
    if (holder_) TF_ReleaseVariableInputLockHolder(holder_);
  }

 private:
  TF_VariableInputLockHolder* holder_;
};

// Locks the variables of these inputs, in one order for all kernels. A failure is the context's.
template <typename Device, typename T>
VariableInputLockHolder MaybeLockVariableInputMutexesInOrder(OpKernelContext* context, bool do_lock,
                                                             bool sparse,
                                                             const std::vector<int>& inputs) {
  TF_VariableInputLockHolder* holder = nullptr;
  Status failure;
  if (!TF_MaybeLockVariableInputMutexesInOrder || !TF_ReleaseVariableInputLockHolder) {
    failure = internal::NotInThisHost("TF_MaybeLockVariableInputMutexesInOrder");
  } else {
    internal::HostStatus status;
    TF_MaybeLockVariableInputMutexesInOrder(context->c_context(), do_lock, sparse, inputs.data(),
                                            inputs.size(), &internal::CopyVariable, &holder,
                                            status);
    if (!status.ok()) failure = status.status();
  }
  context->SetStatus(failure);
  return VariableInputLockHolder(holder);
}

// The tensor of the variable at an input; what is written to it is the variable's new value.
template <typename Device, typename T>
Status GetInputTensorFromVariable(OpKernelContext* context, int input, bool lock_held, bool sparse,
                                  Tensor* out) {
  if (!TF_GetInputTensorFromVariable)
    return internal::NotInThisHost("TF_GetInputTensorFromVariable");
  internal::HostStatus status;
  TF_Tensor* tensor = nullptr;
  TF_GetInputTensorFromVariable(context->c_context(), input, lock_held, false, sparse,
                                &internal::CopyVariable, &tensor, status);
  if (!status.ok()) return status.status();
  if (!tensor) return errors::FailedPrecondition("input ", input, " is no variable with a value");
  *out = Tensor(tensor);
  return Status();
}

// For ops that change a reference and hand it on; nothing for those that change a resource.
inline void MaybeForwardRefInputToRefOutput(OpKernelContext* context, int input, int output) {
  if (context->input_dtype(input) == DT_RESOURCE || !TF_IsRefInput) return;
  internal::HostStatus status;
  if (TF_IsRefInput(context->c_context(), input, status))
    TF_OpKernelContext_ForwardRefInputToRefOutput(context->c_context(), input, output);
}

}  // namespace tenon
#endif  // TENON_VARIABLES_HPP_
