// Bitcast: the bytes of a tensor under another element type. An op with its shape function and a
// kernel, as a plugin in plain C. The same source builds against Tenon's headers and TensorFlow's.
//
//   same size       [...]          stays [...]
//   smaller type    [...]          becomes [..., ratio]
//   larger type     [..., ratio]   becomes [...]

// TensorFlow's ops.h uses these names without declaring them for C. Saying it twice is allowed.
typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
typedef struct TF_ShapeHandle TF_ShapeHandle;
typedef struct TF_DimensionHandle TF_DimensionHandle;
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;

#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

#ifndef OP_NAME  // TensorFlow has a Bitcast of its own, so there it needs another name
#define OP_NAME "Bitcast"
#endif

#define TYPES                                                                                  \
  "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, " \
  "complex64, complex128, qint8, quint8, qint16, quint16, qint32}"

// The shape function

static int ok(TF_Status* status) { return TF_GetCode(status) == TF_OK; }

// shape becomes [..., ratio].
static void append_dim(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* shape, size_t ratio,
                       TF_Status* status) {
  TF_ShapeHandle* last = TF_ShapeInferenceContextVectorFromSize(ctx, ratio);
  TF_ShapeInferenceContextConcatenateShapes(ctx, shape, last, shape, status);
  TF_DeleteShapeHandle(last);
}

// shape, which must be [..., ratio] as far as it is known, becomes [...].
static void drop_dim(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* shape, size_t ratio,
                     TF_Status* status) {
  TF_ShapeInferenceContextWithRankAtLeast(ctx, shape, 1, shape, status);
  if (!ok(status)) return;
  TF_DimensionHandle* last = TF_NewDimensionHandle();
  TF_ShapeInferenceContextDim(ctx, shape, -1, last);
  if (TF_DimensionHandleValueKnown(last) && TF_DimensionHandleValue(last) != (int64_t)ratio) {
    char message[160];
    snprintf(message, sizeof message,
             "the last dimension is %lld, but %zu elements of the input make one of the output",
             (long long)TF_DimensionHandleValue(last), ratio);
    TF_SetStatus(status, TF_INVALID_ARGUMENT, message);
  } else {
    TF_ShapeInferenceContextSubshape(ctx, shape, 0, -1, shape, status);
  }
  TF_DeleteDimensionHandle(last);
}

static void infer_shape(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  TF_DataType from = TF_FLOAT, to = TF_FLOAT;
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
  if (ok(status)) TF_ShapeInferenceContext_GetAttrType(ctx, "T", &from, status);
  if (ok(status)) TF_ShapeInferenceContext_GetAttrType(ctx, "type", &to, status);
  if (ok(status)) {
    const size_t from_size = TF_DataTypeSize(from), to_size = TF_DataTypeSize(to);
    if (!TF_ShapeInferenceContextRankKnown(ctx, shape)) {
      TF_ShapeInferenceContextSetUnknownShape(ctx, status);
    } else {
      if (to_size < from_size) append_dim(ctx, shape, from_size / to_size, status);
      if (to_size > from_size) drop_dim(ctx, shape, to_size / from_size, status);
      if (ok(status)) TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
  }
  TF_DeleteShapeHandle(shape);
}

// The kernel. Its state is the type to cast to.

static void* create(TF_OpKernelConstruction* construction) {
  TF_Status* status = TF_NewStatus();
  TF_DataType* type = malloc(sizeof *type);
  if (type) {
    TF_OpKernelConstruction_GetAttrType(construction, "type", type, status);
  } else {
    TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, OP_NAME ": no memory");
  }
  if (!ok(status)) TF_OpKernelConstruction_Failure(construction, status);
  TF_DeleteStatus(status);
  return type;
}

// The output's dims into `dims`; returns the rank, or -1 with a status.
static int output_dims(const TF_Tensor* input, TF_DataType to, int64_t* dims, TF_Status* status) {
  const size_t from_size = TF_DataTypeSize(TF_TensorType(input)), to_size = TF_DataTypeSize(to);
  int rank = TF_NumDims(input);
  for (int i = 0; i < rank; ++i) dims[i] = TF_Dim(input, i);
  if (to_size < from_size) dims[rank++] = (int64_t)(from_size / to_size);
  if (to_size <= from_size) return rank;
  if (rank > 0 && dims[rank - 1] == (int64_t)(to_size / from_size)) return rank - 1;
  char message[200], last[32] = "there is none";
  if (rank > 0) snprintf(last, sizeof last, "it is %lld", (long long)dims[rank - 1]);
  snprintf(message, sizeof message,
           OP_NAME
           ": elements of %zu bytes make elements of %zu bytes only with a last dimension of "
           "%zu, and %s",
           from_size, to_size, to_size / from_size, last);
  TF_SetStatus(status, TF_INVALID_ARGUMENT, message);
  return -1;
}

enum { MAX_RANK = 254 };

static void compute(void* state, TF_OpKernelContext* ctx) {
  const TF_DataType type = *(const TF_DataType*)state;
  TF_Status* status = TF_NewStatus();
  TF_Tensor *input = NULL, *output = NULL;
  int64_t dims[MAX_RANK + 1];
  TF_GetInput(ctx, 0, &input, status);
  int rank = ok(status) ? output_dims(input, type, dims, status) : -1;
  if (rank >= 0) {
    // A tensor to be pointed at the input's memory: nothing is copied.
    const int64_t nothing = 0;
    output = TF_AllocateTensor(type, &nothing, 1, 0);
    if (output) {
      TF_TensorBitcastFrom(input, type, output, dims, rank, status);
    } else {
      TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, OP_NAME ": no memory");
    }
  }
  if (ok(status)) TF_SetOutput(ctx, 0, output, status);
  if (!ok(status)) TF_OpKernelContext_Failure(ctx, status);
  TF_DeleteTensor(output);
  TF_DeleteTensor(input);
  TF_DeleteStatus(status);
}

// The host calls this once, after loading.
void TF_InitKernel(void) {
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* op = TF_NewOpDefinitionBuilder(OP_NAME);
  TF_OpDefinitionBuilderAddInput(op, "input: T");
  TF_OpDefinitionBuilderAddOutput(op, "output: type");
  TF_OpDefinitionBuilderAddAttr(op, "T: " TYPES);
  TF_OpDefinitionBuilderAddAttr(op, "type: " TYPES);
  TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
  TF_RegisterOpDefinition(op, status);
  if (!ok(status)) fprintf(stderr, OP_NAME ": %s\n", TF_Message(status));

  TF_KernelBuilder* kernel = TF_NewKernelBuilder(OP_NAME, "CPU", create, compute, free);
  TF_RegisterKernelBuilder(OP_NAME, kernel, status);
  if (!ok(status)) fprintf(stderr, OP_NAME ": %s\n", TF_Message(status));
  TF_DeleteStatus(status);
}
