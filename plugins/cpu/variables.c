// AssignVariableOp, AssignAddVariableOp, AssignSubVariableOp, ReadVariableOp.
//
// TensorFlow stopped exporting the functions behind these in 2.19, so they are imported weakly and
// the kernels registered only where the host has them.

#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "strings.h"
#include "tensorflow/c/kernels_experimental.h"

#pragma weak TF_AssignVariable
#pragma weak TF_AssignUpdateVariable
#pragma weak TF_GetInputTensorFromVariable

// Called by the host to give a variable memory of its own; takes both handles.
static void copy_tensor(TF_OpKernelContext* context, TF_Tensor* source, TF_Tensor* dest) {
  if (TF_TensorType(source) == TF_STRING) {
    const TF_TString* from = TF_TensorData(source);
    TF_TString* to = TF_TensorData(dest);
    const int64_t count = TF_TensorElementCount(source);
    for (int64_t i = 0; i < count; ++i)
      TF_TString_Copy(&to[i], TF_TString_GetDataPointer(&from[i]), TF_TString_GetSize(&from[i]));
  } else {
    memcpy(TF_TensorData(dest), TF_TensorData(source), TF_TensorByteSize(source));
  }
  TF_DeleteTensor(source);
  TF_DeleteTensor(dest);
}

static void* assign_create(TF_OpKernelConstruction* construction) {
  return read_bools(construction, "AssignVariableOp", (const char*[]){"validate_shape", NULL});
}

static void assign(void* state, TF_OpKernelContext* context) {
  run run;
  run_begin(&run, context, "AssignVariableOp");
  TF_AssignVariable(context, 0, 1, *(TF_Bool*)state, copy_tensor, run.status);
  run_end(&run);
}

// The host has checked that both have one shape; takes both handles.
static void update(TF_OpKernelContext* context, TF_Tensor* variable, TF_Tensor* value, int op) {
  const int64_t count = TF_TensorElementCount(variable), stride = 1;
  tn_cpu_binary((tn_cpu_binary_op)op, (tn_dtype)TF_TensorType(variable), 1, &count,
                TF_TensorData(variable), &stride, TF_TensorData(value), &stride,
                TF_TensorData(variable), NULL);
  TF_DeleteTensor(variable);
  TF_DeleteTensor(value);
}

static void assign_update(TF_OpKernelContext* context, const char* name, tn_cpu_binary_op op) {
  run run;
  run_begin(&run, context, name);
  TF_AssignUpdateVariable(context, 0, 1, op, 0, copy_tensor, update, run.status);
  run_end(&run);
}

static void assign_add(void* state, TF_OpKernelContext* context) {
  assign_update(context, "AssignAddVariableOp", TN_CPU_ADD);
}
static void assign_sub(void* state, TF_OpKernelContext* context) {
  assign_update(context, "AssignSubVariableOp", TN_CPU_SUB);
}

static void read(void* state, TF_OpKernelContext* context) {
  run run;
  run_begin(&run, context, "ReadVariableOp");
  TF_Tensor* value = NULL;
  TF_GetInputTensorFromVariable(context, 0, false, false, false, copy_tensor, &value, run.status);
  if (run_ok(&run) && TF_TensorType(value) != TF_ExpectedOutputDataType(context, 0)) {
    run_fail(&run, TF_INVALID_ARGUMENT, "input resource holds type %d, and attr dtype asks for %d",
             (int)TF_TensorType(value), (int)TF_ExpectedOutputDataType(context, 0));
  }
  run_share_output(&run, 0, value);
  TF_DeleteTensor(value);
  run_end(&run);
}

void register_variables(void) {
  if (!TF_AssignVariable || !TF_AssignUpdateVariable || !TF_GetInputTensorFromVariable) return;
  const tn_cpu_types any = TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_STRING) |
                           TN_CPU_TYPE(TN_QINT8) | TN_CPU_TYPE(TN_QUINT8) | TN_CPU_TYPE(TN_QINT32);
  const kernel kernels[] = {
      {.op = "AssignVariableOp",
       .create = assign_create,
       .compute = assign,
       .destroy = free,
       .constraints = {{"dtype", any}},
       .modest = true},
      {.op = "AssignAddVariableOp",
       .compute = assign_add,
       .constraints = {{"dtype", TN_CPU_NUMBERS}},
       .modest = true},
      {.op = "AssignSubVariableOp",
       .compute = assign_sub,
       .constraints = {{"dtype", TN_CPU_NUMBERS}},
       .modest = true},
      {.op = "ReadVariableOp", .compute = read, .constraints = {{"dtype", any}}, .modest = true},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
