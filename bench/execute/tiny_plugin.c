// The smallest kernel with one of everything: y = x * scale, one input, one output, one attr. Both
// hosts load this file. TINY_DUMMIES=N registers N other kernels too, half of them for the same op.

#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static void* create(TF_OpKernelConstruction* construction) {
  TF_Status* status = TF_NewStatus();
  float* scale = malloc(sizeof *scale);
  TF_OpKernelConstruction_GetAttrFloat(construction, "scale", scale, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(construction, status);
  TF_DeleteStatus(status);
  return scale;
}

static void compute(void* state, TF_OpKernelContext* context) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor *x = NULL, *y = NULL;
  TF_GetInput(context, 0, &x, status);
  if (TF_GetCode(status) == TF_OK)
    y = TF_AllocateOutput(context, 0, TF_FLOAT, NULL, 0, sizeof(float), status);
  if (TF_GetCode(status) == TF_OK)
    *(float*)TF_TensorData(y) = *(float*)TF_TensorData(x) * *(float*)state;
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(context, status);
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

static void same_shape(TF_ShapeInferenceContext* context, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(context, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(context, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

void TF_InitKernel(void);
void TF_InitKernel(void) {
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("TenonTiny");
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_OpDefinitionBuilderAddAttr(op, "scale: float = 1");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, same_shape);
  TF_RegisterOpDefinition(op, status);
  TF_RegisterKernelBuilder("tiny", TF_NewKernelBuilder("TenonTiny", "CPU", create, compute, free),
                           status);
  const char* dummies = getenv("TINY_DUMMIES");
  for (int i = 0; dummies && i < atoi(dummies); ++i) {
    char name[32];
    snprintf(name, sizeof name, "TenonDummy%d", i);
    TF_KernelBuilder* kernel =
        TF_NewKernelBuilder(i % 2 ? "TenonTiny" : name, "CPU", create, compute, free);
    TF_KernelBuilder_Label(kernel, name);
    TF_RegisterKernelBuilder(name, kernel, status);
  }
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "tiny plugin: %s\n", TF_Message(status));
  TF_DeleteStatus(status);
}
