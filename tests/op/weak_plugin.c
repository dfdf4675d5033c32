// An op whose shape function uses tenon/shape_inference.h where the host has it.
#include "tenon/shape_inference.h"

static void merge(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  if (!TN_ShapeInferenceContextMerge) {
    TF_ShapeInferenceContextSetUnknownShape(ctx, status);
    return;
  }
  TF_ShapeHandle *a = TF_NewShapeHandle(), *b = TF_NewShapeHandle();
  TF_ShapeInferenceContextGetInput(ctx, 0, a, status);
  TF_ShapeInferenceContextGetInput(ctx, 1, b, status);
  TN_ShapeInferenceContextMerge(ctx, a, b, a, status);
  TF_ShapeInferenceContextSetOutput(ctx, 0, a, status);
  TF_DeleteShapeHandle(a);
  TF_DeleteShapeHandle(b);
}

__attribute__((constructor)) static void register_op(void) {
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder("WeakMerge");
  TF_OpDefinitionBuilderAddInput(builder, "a: float");
  TF_OpDefinitionBuilderAddInput(builder, "b: float");
  TF_OpDefinitionBuilderAddOutput(builder, "c: float");
  TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, merge);
  TF_Status* status = TF_NewStatus();
  TF_RegisterOpDefinition(builder, status);
  TF_DeleteStatus(status);
}
