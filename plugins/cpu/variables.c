// AssignAddVariableOp, AssignSubVariableOp. (Making, setting and reading variables is the host's.)
//
// TensorFlow stopped exporting the function behind these in 2.19, so it is imported weakly and the
// kernels registered only where the host has it.

#include <string.h>

#include "cpu/arithmetic.h"
#include "kernel.h"
#include "tensorflow/c/kernels_experimental.h"

#pragma weak TF_AssignUpdateVariable

// Called by the host to give a variable memory of its own; takes both handles.
static void copy_tensor(TF_OpKernelContext* context, TF_Tensor* source, TF_Tensor* dest) {
  memcpy(TF_TensorData(dest), TF_TensorData(source), TF_TensorByteSize(source));
  TF_DeleteTensor(source);
  TF_DeleteTensor(dest);
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
  TF_AssignUpdateVariable(context, 0, 1, op, 0, copy_tensor, update, run.status);
  run_end(&run);
}

static void assign_add(void* state, TF_OpKernelContext* context) {
  assign_update(context, "AssignAddVariableOp", TN_CPU_ADD);
}
static void assign_sub(void* state, TF_OpKernelContext* context) {
  assign_update(context, "AssignSubVariableOp", TN_CPU_SUB);
}

void register_variables(void) {
  if (!TF_AssignUpdateVariable) return;
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
