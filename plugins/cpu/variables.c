// AssignAddVariableOp, AssignSubVariableOp, and access to variables for others. (Making, setting
// and reading variables is the host's.)

#include "variables.h"

#include <string.h>

#include "cpu/arithmetic.h"
#include "moving.h"

#pragma weak TF_AssignUpdateVariable
#pragma weak TF_GetInputTensorFromVariable
#pragma weak TF_MaybeLockVariableInputMutexesInOrder
#pragma weak TF_ReleaseVariableInputLockHolder

bool has_variables(void) {
  return TF_AssignUpdateVariable && TF_GetInputTensorFromVariable &&
         TF_MaybeLockVariableInputMutexesInOrder && TF_ReleaseVariableInputLockHolder;
}

void copy_variable(TF_OpKernelContext* context, TF_Tensor* source, TF_Tensor* dest) {
  if (TF_TensorType(source) == TF_STRING) {
    run run;
    run_begin(&run, context, "variable");
    move_dense(&run, TN_STRING, TF_TensorElementCount(source), TF_TensorData(source),
               TF_TensorData(dest));
    run_end(&run);
  } else {
    memcpy(TF_TensorData(dest), TF_TensorData(source), TF_TensorByteSize(source));
  }
  TF_DeleteTensor(source);
  TF_DeleteTensor(dest);
}

bool find_variable(run* run) {
  TF_Tensor* tensor = NULL;
  if (!run_ok(run)) return false;
  TF_GetInputTensorFromVariable(run->context, 0, false, false, true, copy_variable, &tensor,
                                run->status);
  TF_DeleteTensor(tensor);
  return run_ok(run);
}

bool hold_variables(run* run, int count, bool sparse, held_variables* held, array* out) {
  static const int inputs[MAX_VARIABLES] = {0, 1, 2, 3};
  *held = (held_variables){0};
  if (!run_ok(run)) return false;
  TF_MaybeLockVariableInputMutexesInOrder(run->context, true, sparse, inputs, (size_t)count,
                                          copy_variable, &held->locks, run->status);
  for (int i = 0; i < count && run_ok(run); ++i) {
    TF_GetInputTensorFromVariable(run->context, i, true, false, sparse, copy_variable,
                                  &held->tensors[i], run->status);
    if (run_ok(run) && held->tensors[i]) run_describe(run, held->tensors[i], &out[i]);
  }
  return run_ok(run);
}

// Handles first: whoever waits for the locks must not find the memory shared.
void release_variables(held_variables* held) {
  for (int i = 0; i < MAX_VARIABLES; ++i) TF_DeleteTensor(held->tensors[i]);
  TF_ReleaseVariableInputLockHolder(held->locks);
}

// The host has checked that both have one shape; takes both handles.
static void update(TF_OpKernelContext* context, TF_Tensor* variable, TF_Tensor* value, int op) {
  const int64_t count = TF_TensorElementCount(variable), one = 1;
  const int64_t* strides[] = {&one, &one};
  const void* in[] = {TF_TensorData(variable), TF_TensorData(value)};
  tn_cpu_zip(tn_cpu_arithmetic(op, (tn_dtype)TF_TensorType(variable)), 1, &count, in, strides,
             TF_TensorData(variable), NULL);
  TF_DeleteTensor(variable);
  TF_DeleteTensor(value);
}

static void assign_update(TF_OpKernelContext* context, const char* name, int op) {
  run run;
  run_begin(&run, context, name);
  TF_AssignUpdateVariable(context, 0, 1, op, 0, copy_variable, update, run.status);
  run_end(&run);
}

static void assign_add(void* state, TF_OpKernelContext* context) {
  assign_update(context, "AssignAddVariableOp", TN_CPU_ADD);
}
static void assign_sub(void* state, TF_OpKernelContext* context) {
  assign_update(context, "AssignSubVariableOp", TN_CPU_SUB);
}

void register_variables(void) {
  if (!has_variables()) return;
  const kernel kernels[] = {
      {.op = "AssignAddVariableOp",
       .compute = assign_add,
       .constraints = {{"dtype", TN_CPU_NUMBERS}},
       .modest = true},
      {.op = "AssignSubVariableOp",
       .compute = assign_sub,
       .constraints = {{"dtype", TN_CPU_NUMBERS}},
       .modest = true},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
