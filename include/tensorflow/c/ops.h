// Defining ops: a builder that takes one-line specs, and the shape function's view of a node.

#ifndef TENSORFLOW_C_OPS_H_
#define TENSORFLOW_C_OPS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_DimensionHandle TF_DimensionHandle;
typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
typedef struct TF_ShapeHandle TF_ShapeHandle;
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;

// The builder. Registering consumes it in every case, so delete only one that never gets there.

TF_CAPI_EXPORT TF_OpDefinitionBuilder* TF_NewOpDefinitionBuilder(const char* op_name);
TF_CAPI_EXPORT void TF_RegisterOpDefinition(TF_OpDefinitionBuilder* builder, TF_Status* status);
TF_CAPI_EXPORT void TF_DeleteOpDefinitionBuilder(TF_OpDefinitionBuilder* builder);

// Specs: attr "T: {float, int32} = DT_FLOAT", input "values: N * T", output "sum: T".
// They are parsed when the op is registered.
TF_CAPI_EXPORT void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder* builder,
                                                  const char* attr_spec);
TF_CAPI_EXPORT void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder* builder,
                                                   const char* input_spec);
TF_CAPI_EXPORT void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder* builder,
                                                    const char* output_spec);

TF_CAPI_EXPORT void TF_OpDefinitionBuilderSetIsCommutative(TF_OpDefinitionBuilder* builder,
                                                           bool is_commutative);
TF_CAPI_EXPORT void TF_OpDefinitionBuilderSetIsAggregate(TF_OpDefinitionBuilder* builder,
                                                         bool is_aggregate);
TF_CAPI_EXPORT void TF_OpDefinitionBuilderSetIsStateful(TF_OpDefinitionBuilder* builder,
                                                        bool is_stateful);
TF_CAPI_EXPORT void TF_OpDefinitionBuilderSetAllowsUninitializedInput(
    TF_OpDefinitionBuilder* builder, bool allows_uninitialized_input);

// Deprecated from GraphDef version `version` on.
TF_CAPI_EXPORT void TF_OpDefinitionBuilderDeprecated(TF_OpDefinitionBuilder* builder, int version,
                                                     const char* explanation);
TF_CAPI_EXPORT void TF_OpDefinitionBuilderSetShapeInferenceFunction(
    TF_OpDefinitionBuilder* builder,
    void (*shape_inference_func)(TF_ShapeInferenceContext* ctx, TF_Status* status));

// Handles. New ones hold nothing (unknown) until a call below fills them; the caller deletes them.
// What a handle holds is valid only while the shape function runs.

TF_CAPI_EXPORT TF_ShapeHandle* TF_NewShapeHandle(void);
TF_CAPI_EXPORT void TF_DeleteShapeHandle(TF_ShapeHandle* handle);
TF_CAPI_EXPORT TF_DimensionHandle* TF_NewDimensionHandle(void);
TF_CAPI_EXPORT void TF_DeleteDimensionHandle(TF_DimensionHandle* handle);
TF_CAPI_EXPORT int TF_DimensionHandleValueKnown(TF_DimensionHandle* dim_handle);
TF_CAPI_EXPORT int64_t TF_DimensionHandleValue(TF_DimensionHandle* dim_handle);  // -1: unknown

// The node whose shapes are wanted.

TF_CAPI_EXPORT int64_t TF_ShapeInferenceContextNumInputs(TF_ShapeInferenceContext* ctx);
TF_CAPI_EXPORT void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext* ctx, int i,
                                                     TF_ShapeHandle* handle, TF_Status* status);
TF_CAPI_EXPORT void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext* ctx, int i,
                                                      TF_ShapeHandle* handle, TF_Status* status);

// Gives every output an unknown shape.
TF_CAPI_EXPORT void TF_ShapeInferenceContextSetUnknownShape(TF_ShapeInferenceContext* ctx,
                                                            TF_Status* status);
TF_CAPI_EXPORT void TF_ShapeInferenceContext_GetAttrType(TF_ShapeInferenceContext* ctx,
                                                         const char* attr_name, TF_DataType* val,
                                                         TF_Status* status);

// Making shapes. The first two return a new handle that the caller deletes.

TF_CAPI_EXPORT TF_ShapeHandle* TF_ShapeInferenceContextScalar(TF_ShapeInferenceContext* ctx);
TF_CAPI_EXPORT TF_ShapeHandle* TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext* ctx,
                                                                      size_t size);
TF_CAPI_EXPORT void TF_ShapeInferenceContextConcatenateShapes(TF_ShapeInferenceContext* ctx,
                                                              TF_ShapeHandle* first,
                                                              TF_ShapeHandle* second,
                                                              TF_ShapeHandle* result,
                                                              TF_Status* status);

// Dims [start, end); negative positions count from the end.
TF_CAPI_EXPORT void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext* ctx,
                                                     TF_ShapeHandle* shape_handle, int64_t start,
                                                     int64_t end, TF_ShapeHandle* result,
                                                     TF_Status* status);

// Asking about shapes, and demanding a rank: INVALID_ARGUMENT unless the rank fits or is unknown.

TF_CAPI_EXPORT int64_t TF_ShapeInferenceContextRank(TF_ShapeInferenceContext* ctx,
                                                    TF_ShapeHandle* handle);
TF_CAPI_EXPORT int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext* ctx,
                                                     TF_ShapeHandle* handle);
TF_CAPI_EXPORT void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext* ctx,
                                                TF_ShapeHandle* shape_handle, int64_t i,
                                                TF_DimensionHandle* result);
TF_CAPI_EXPORT void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext* ctx,
                                                     TF_ShapeHandle* handle, int64_t rank,
                                                     TF_ShapeHandle* result, TF_Status* status);
TF_CAPI_EXPORT void TF_ShapeInferenceContextWithRankAtLeast(TF_ShapeInferenceContext* ctx,
                                                            TF_ShapeHandle* handle, int64_t rank,
                                                            TF_ShapeHandle* result,
                                                            TF_Status* status);
TF_CAPI_EXPORT void TF_ShapeInferenceContextWithRankAtMost(TF_ShapeInferenceContext* ctx,
                                                           TF_ShapeHandle* handle, int64_t rank,
                                                           TF_ShapeHandle* result,
                                                           TF_Status* status);

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_OPS_H_
