// ops.h: op builders and what shape functions call. A NULL or unset handle is an error or
// "unknown", never a crash.

#include "tensorflow/c/ops.h"

#include "base/memory.h"
#include "op/op_registry.h"
#include "tf/handles.h"

TF_OpDefinitionBuilder* TF_NewOpDefinitionBuilder(const char* op_name) {
  return tn_op_builder_create(op_name);
}

void TF_RegisterOpDefinition(TF_OpDefinitionBuilder* builder, TF_Status* status) {
  tn_status_clear(status);
  tn_op_register(builder, status);
}

void TF_DeleteOpDefinitionBuilder(TF_OpDefinitionBuilder* builder) {
  tn_op_builder_destroy(builder);
}

void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder* builder, const char* attr_spec) {
  tn_op_builder_attr(builder, attr_spec);
}

void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder* builder, const char* input_spec) {
  tn_op_builder_input(builder, input_spec);
}

void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder* builder, const char* output_spec) {
  tn_op_builder_output(builder, output_spec);
}

void TF_OpDefinitionBuilderSetIsCommutative(TF_OpDefinitionBuilder* builder, bool is_commutative) {
  tn_op_builder_commutative(builder, is_commutative);
}

void TF_OpDefinitionBuilderSetIsAggregate(TF_OpDefinitionBuilder* builder, bool is_aggregate) {
  tn_op_builder_aggregate(builder, is_aggregate);
}

void TF_OpDefinitionBuilderSetIsStateful(TF_OpDefinitionBuilder* builder, bool is_stateful) {
  tn_op_builder_stateful(builder, is_stateful);
}

void TF_OpDefinitionBuilderSetAllowsUninitializedInput(TF_OpDefinitionBuilder* builder,
                                                       bool allows_uninitialized_input) {
  tn_op_builder_allows_uninitialized_input(builder, allows_uninitialized_input);
}

void TF_OpDefinitionBuilderDeprecated(TF_OpDefinitionBuilder* builder, int version,
                                      const char* explanation) {
  tn_op_builder_deprecated(builder, version, explanation);
}

void TF_OpDefinitionBuilderSetShapeInferenceFunction(
    TF_OpDefinitionBuilder* builder,
    void (*shape_inference_func)(TF_ShapeInferenceContext* ctx, TF_Status* status)) {
  tn_op_builder_shape_function(builder, shape_inference_func);
}

TF_ShapeHandle* TF_NewShapeHandle(void) { return tn_alloc_zeroed(1, sizeof(TF_ShapeHandle)); }
void TF_DeleteShapeHandle(TF_ShapeHandle* handle) { tn_free(handle); }
TF_DimensionHandle* TF_NewDimensionHandle(void) {
  return tn_alloc_zeroed(1, sizeof(TF_DimensionHandle));
}
void TF_DeleteDimensionHandle(TF_DimensionHandle* handle) { tn_free(handle); }

int TF_DimensionHandleValueKnown(TF_DimensionHandle* dim_handle) {
  return TF_DimensionHandleValue(dim_handle) >= 0;
}

int64_t TF_DimensionHandleValue(TF_DimensionHandle* dim_handle) {
  return dim_handle && dim_handle->is_set ? dim_handle->value : -1;
}

static TF_ShapeHandle* box(tn_shape_ref shape) {
  TF_ShapeHandle* handle = shape ? TF_NewShapeHandle() : NULL;
  if (handle) handle->shape = shape;
  return handle;
}

int64_t TF_ShapeInferenceContextNumInputs(TF_ShapeInferenceContext* ctx) {
  return ctx ? (int64_t)ctx->node->input_count : 0;
}

void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext* ctx, int i, TF_ShapeHandle* handle,
                                      TF_Status* status) {
  if (!tf_begin(ctx, handle, handle, status)) return;
  tn_shape_ref shape = tn_infer_input(ctx, i);
  if (!shape) tn_status_set(status, TN_INVALID_ARGUMENT, "input index out of range");
  tf_put(handle, shape);
}

void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext* ctx, int i, TF_ShapeHandle* handle,
                                       TF_Status* status) {
  if (!tf_begin(ctx, handle, handle, status)) return;
  if (i < 0 || (size_t)i >= ctx->node->output_count) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "output index out of range");
  } else {
    tn_infer_set_output(ctx, i, handle->shape ? handle->shape : tn_infer_unknown(ctx));
  }
}

void TF_ShapeInferenceContextSetUnknownShape(TF_ShapeInferenceContext* ctx, TF_Status* status) {
  if (!tf_begin(ctx, ctx, ctx, status)) return;
  for (size_t i = 0; i < ctx->node->output_count; ++i)
    tn_infer_set_output(ctx, (int)i, tn_infer_unknown(ctx));
}

void TF_ShapeInferenceContext_GetAttrType(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                          TF_DataType* val, TF_Status* status) {
  tn_dtype type;
  if (tf_begin(ctx, attr_name, val, status) && tn_infer_attr_type(ctx, attr_name, &type, status))
    *val = (TF_DataType)type;
}

TF_ShapeHandle* TF_ShapeInferenceContextScalar(TF_ShapeInferenceContext* ctx) {
  return ctx ? box(tn_infer_scalar(ctx)) : NULL;
}

TF_ShapeHandle* TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext* ctx, size_t size) {
  int64_t dim = size > INT64_MAX ? -1 : (int64_t)size;
  return ctx ? box(tn_infer_vector(ctx, dim, NULL)) : NULL;
}

int64_t TF_ShapeInferenceContextRank(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle) {
  return handle && handle->shape ? handle->shape->rank : -1;
}

int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle) {
  return TF_ShapeInferenceContextRank(ctx, handle) >= 0;
}

typedef tn_shape_ref (*rank_verb)(tn_inference*, tn_shape_ref, int64_t, tn_status*);

static void demand_rank(rank_verb verb, TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle,
                        int64_t rank, TF_ShapeHandle* result, TF_Status* status) {
  if (tf_begin(ctx, handle, result, status))
    tf_put(result, verb(ctx, tf_unbox(handle, status), rank, status));
}

void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle,
                                      int64_t rank, TF_ShapeHandle* result, TF_Status* status) {
  demand_rank(tn_infer_with_rank, ctx, handle, rank, result, status);
}

void TF_ShapeInferenceContextWithRankAtLeast(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle,
                                             int64_t rank, TF_ShapeHandle* result,
                                             TF_Status* status) {
  demand_rank(tn_infer_with_rank_at_least, ctx, handle, rank, result, status);
}

void TF_ShapeInferenceContextWithRankAtMost(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* handle,
                                            int64_t rank, TF_ShapeHandle* result,
                                            TF_Status* status) {
  demand_rank(tn_infer_with_rank_at_most, ctx, handle, rank, result, status);
}

void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* shape_handle,
                                 int64_t i, TF_DimensionHandle* result) {
  if (!result) return;
  tn_shape_ref shape = shape_handle ? shape_handle->shape : NULL;
  *result = (TF_DimensionHandle){tn_infer_dim(shape, i), true};
}

void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* shape_handle,
                                      int64_t start, int64_t end, TF_ShapeHandle* result,
                                      TF_Status* status) {
  if (tf_begin(ctx, shape_handle, result, status))
    tf_put(result, tn_infer_subshape(ctx, tf_unbox(shape_handle, status), start, end, status));
}

void TF_ShapeInferenceContextConcatenateShapes(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* first,
                                               TF_ShapeHandle* second, TF_ShapeHandle* result,
                                               TF_Status* status) {
  if (!tf_begin(ctx, first, second, status) || !tf_begin(ctx, result, result, status)) return;
  tn_shape_ref front = tf_unbox(first, status), back = tf_unbox(second, status);
  tf_put(result, tn_infer_concatenate(ctx, front, back, status));
}
