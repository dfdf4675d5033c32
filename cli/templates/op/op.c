// @Op@: y = x * scale, element by element. One source: TensorFlow and Tenon load the same file.

// TensorFlow's own ops.h uses these names without declaring them for C. Saying it twice is allowed.
typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
typedef struct TF_ShapeHandle TF_ShapeHandle;
typedef struct TF_DimensionHandle TF_DimensionHandle;
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tensorflow/c/kernels.h>
#include <tensorflow/c/ops.h>

typedef struct kernel_state {
  float scale;
} kernel_state;

// Made once per use of the op: the place to read attributes and to refuse bad ones.
static void* create(TF_OpKernelConstruction* construction) {
  TF_Status* status = TF_NewStatus();
  kernel_state* state = calloc(1, sizeof *state);
  if (!state) {
    TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "@Op@: out of memory");
  } else {
    TF_OpKernelConstruction_GetAttrFloat(construction, "scale", &state->scale, status);
    if (TF_GetCode(status) == TF_OK && state->scale == 0)
      TF_SetStatus(status, TF_INVALID_ARGUMENT, "@Op@: scale is 0; give it any other number");
  }
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(construction, status);
  TF_DeleteStatus(status);
  return state;
}

static void destroy(void* state) { free(state); }

// Runs for every call, possibly on several threads at once.
static void compute(void* kernel, TF_OpKernelContext* context) {
  const kernel_state* state = kernel;
  TF_Status* status = TF_NewStatus();
  TF_Tensor* x = NULL;
  TF_Tensor* y = NULL;

  TF_GetInput(context, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) {
    int64_t dims[254];
    int rank = TF_NumDims(x);
    for (int i = 0; i < rank; ++i) dims[i] = TF_Dim(x, i);
    y = TF_AllocateOutput(context, 0, TF_ExpectedOutputDataType(context, 0), dims, rank,
                          TF_TensorByteSize(x), status);
  }
  if (TF_GetCode(status) == TF_OK) {
    const float* from = TF_TensorData(x);
    float* to = TF_TensorData(y);
    for (int64_t i = 0; i < TF_TensorElementCount(x); ++i) to[i] = from[i] * state->scale;
  } else {
    TF_OpKernelContext_Failure(context, status);
  }

  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  TF_DeleteStatus(status);
}

// The output has the shape of the input.
static void infer_shape(TF_ShapeInferenceContext* context, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(context, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) TF_ShapeInferenceContextSetOutput(context, 0, shape, status);
  TF_DeleteShapeHandle(shape);
}

// The one symbol a host looks for.
__attribute__((visibility("default"))) void TF_InitKernel(void) {
  TF_Status* status = TF_NewStatus();

  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder("@Op@");
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, "y: float");
  TF_OpDefinitionBuilderAddAttr(op, "scale: float = 1.0");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
  TF_RegisterOpDefinition(op, status);
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "@Op@: %s\n", TF_Message(status));

  // An op that takes several types (x: T, attr "T: {float, double}") wants one kernel for each,
  // told apart by TF_KernelBuilder_TypeConstraint(kernel, "T", TF_DOUBLE, status): a kernel without
  // it gets them all.
  TF_KernelBuilder* kernel = TF_NewKernelBuilder("@Op@", "CPU", create, compute, destroy);
  TF_RegisterKernelBuilder("@Op@", kernel, status);
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "@Op@: %s\n", TF_Message(status));

  TF_DeleteStatus(status);
}
