// What shape functions get from Tenon beyond tensorflow/c/ops.h: merging, broadcasting, dimension
// arithmetic, attributes of every type, values of inputs, and what resource handles hold.
//
// TensorFlow does not have these functions. They are declared weak, so a plugin that uses them
// loads there too, and asks before it calls one:
//
//   if (TN_ShapeInferenceContextMerge) {
//     TN_ShapeInferenceContextMerge(ctx, a, b, out, status);
//   } else {
//     TF_ShapeInferenceContextSetUnknownShape(ctx, status);
//   }
//
// All are there when one is, unless its comment names a later version of Tenon.
//
// Handles are boxes of the caller's (TF_NewShapeHandle, TF_NewDimensionHandle); what is put into
// them belongs to the context and is valid while the shape function runs. A result may be the box
// of an argument. On failure `status` says why and no result is written; on success it is OK. A
// NULL or unset handle is INVALID_ARGUMENT. Sizes are -1 where they are unknown.
#ifndef TENON_SHAPE_INFERENCE_H_
#define TENON_SHAPE_INFERENCE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TN_SHAPE_INFERENCE_API
#define TN_SHAPE_INFERENCE_API __attribute__((weak))
#endif

// -- Making shapes and dimensions --

// Puts an unknown shape into `result`, a box the caller owns.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextUnknownShape(TF_ShapeInferenceContext* ctx,
                                                                 TF_ShapeHandle* result);

// Puts a shape of `rank` unknown dimensions into `result`, a box the caller owns. Ranks go to 254.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextUnknownShapeOfRank(
    TF_ShapeInferenceContext* ctx, int64_t rank, TF_ShapeHandle* result, TF_Status* status);

// Puts the shape with these sizes into `result`, a box the caller owns; copies `dims`. A rank of -1
// is an unknown shape.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextMakeShape(TF_ShapeInferenceContext* ctx,
                                                              const int64_t* dims, int64_t rank,
                                                              TF_ShapeHandle* result,
                                                              TF_Status* status);

// The same from `rank` dimension handles, which it borrows.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextMakeShapeFromDims(
    TF_ShapeInferenceContext* ctx, TF_DimensionHandle* const* dims, int64_t rank,
    TF_ShapeHandle* result, TF_Status* status);

// Puts the size `value`, or -1 for unknown, into `result`, a box the caller owns.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_DimensionHandleSetValue(TF_DimensionHandle* result, int64_t value);

// Puts the product of all dimensions into `result`, a box the caller owns: unknown where one is
// unknown or it does not fit.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextNumElements(TF_ShapeInferenceContext* ctx,
                                                                TF_ShapeHandle* shape,
                                                                TF_DimensionHandle* result,
                                                                TF_Status* status);

// -- Shapes together --

// Demands that two shapes are equal as far as both are known, and puts what they know together into
// `result`. Borrows all handles.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextMerge(TF_ShapeInferenceContext* ctx,
                                                          TF_ShapeHandle* first,
                                                          TF_ShapeHandle* second,
                                                          TF_ShapeHandle* result,
                                                          TF_Status* status);

// Demands that `shape` begins with `prefix` and puts both, with what they know together, into the
// two results (either may be NULL). Borrows all handles. [the thread that runs the shape function]
// since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextMergePrefix(
    TF_ShapeInferenceContext* ctx, TF_ShapeHandle* shape, TF_ShapeHandle* prefix,
    TF_ShapeHandle* shape_result, TF_ShapeHandle* prefix_result, TF_Status* status);

// Puts the shape into `result` that two shapes broadcast to, as numpy does and TensorFlow infers.
// Borrows all handles.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextBroadcast(TF_ShapeInferenceContext* ctx,
                                                              TF_ShapeHandle* first,
                                                              TF_ShapeHandle* second,
                                                              TF_ShapeHandle* result,
                                                              TF_Status* status);

// Puts `shape` with dimension `i` (counted from the end when negative) replaced into `result`.
// Borrows all handles.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextReplaceDim(TF_ShapeInferenceContext* ctx,
                                                               TF_ShapeHandle* shape, int64_t i,
                                                               TF_DimensionHandle* dim,
                                                               TF_ShapeHandle* result,
                                                               TF_Status* status);

// -- Dimensions --

// Demands that `dim` is `value` or unknown and puts `value` into `result`. Borrows all handles.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextWithValue(TF_ShapeInferenceContext* ctx,
                                                              TF_DimensionHandle* dim,
                                                              int64_t value,
                                                              TF_DimensionHandle* result,
                                                              TF_Status* status);

// Demands that two dimensions are equal as far as known and puts what is known into `result`.
// Borrows all handles.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextMergeDims(TF_ShapeInferenceContext* ctx,
                                                              TF_DimensionHandle* first,
                                                              TF_DimensionHandle* second,
                                                              TF_DimensionHandle* result,
                                                              TF_Status* status);

// Puts first + second into `result`; an overflow is INVALID_ARGUMENT. Borrows all handles.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextAdd(TF_ShapeInferenceContext* ctx,
                                                        TF_DimensionHandle* first,
                                                        TF_DimensionHandle* second,
                                                        TF_DimensionHandle* result,
                                                        TF_Status* status);

// Puts first - second into `result`; a negative size is INVALID_ARGUMENT. Borrows all handles.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextSubtract(TF_ShapeInferenceContext* ctx,
                                                             TF_DimensionHandle* first,
                                                             TF_DimensionHandle* second,
                                                             TF_DimensionHandle* result,
                                                             TF_Status* status);

// Puts first * second into `result`; an overflow is INVALID_ARGUMENT. Borrows all handles.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextMultiply(TF_ShapeInferenceContext* ctx,
                                                             TF_DimensionHandle* first,
                                                             TF_DimensionHandle* second,
                                                             TF_DimensionHandle* result,
                                                             TF_Status* status);

// Puts dividend / divisor, rounded down, into `result`. With `evenly` a rest is INVALID_ARGUMENT.
// Borrows all handles.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextDivide(TF_ShapeInferenceContext* ctx,
                                                           TF_DimensionHandle* dividend,
                                                           TF_DimensionHandle* divisor, bool evenly,
                                                           TF_DimensionHandle* result,
                                                           TF_Status* status);

// Puts the smaller of two sizes into `result`, unknown unless both are known or one is 0. Borrows
// all handles.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextMin(TF_ShapeInferenceContext* ctx,
                                                        TF_DimensionHandle* first,
                                                        TF_DimensionHandle* second,
                                                        TF_DimensionHandle* result,
                                                        TF_Status* status);

// Puts the larger of two sizes into `result`, unknown unless both are known. Borrows all handles.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextMax(TF_ShapeInferenceContext* ctx,
                                                        TF_DimensionHandle* first,
                                                        TF_DimensionHandle* second,
                                                        TF_DimensionHandle* result,
                                                        TF_Status* status);

// -- The node --

// The number of outputs. Borrows `ctx`.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API int64_t TN_ShapeInferenceContextNumOutputs(TF_ShapeInferenceContext* ctx);

// Puts a new handle on the value of input `i` into `tensor`, owned by the caller until
// TF_DeleteTensor; NULL where the value is not known.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetInputTensor(TF_ShapeInferenceContext* ctx,
                                                                   int i, TF_Tensor** tensor,
                                                                   TF_Status* status);

// Puts the shape that shape-valued input `i` spells, as far as known, into `result`, a box the
// caller owns.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetInputTensorAsShape(
    TF_ShapeInferenceContext* ctx, int i, TF_ShapeHandle* result, TF_Status* status);

// True when input `i` is a known scalar integer, which is copied to `value`. An input that is known
// but is none is INVALID_ARGUMENT.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API bool TN_ShapeInferenceContextGetInputTensorAsInt64(
    TF_ShapeInferenceContext* ctx, int i, int64_t* value, TF_Status* status);

// True when it is known what resource input `i` holds: its type is copied to `dtype` (may be NULL)
// and its shape goes into `result`, a box the caller owns.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API bool TN_ShapeInferenceContextGetInputHandle(TF_ShapeInferenceContext* ctx,
                                                                   int i, TF_DataType* dtype,
                                                                   TF_ShapeHandle* result,
                                                                   TF_Status* status);

// Says what resource output `i` holds. Borrows `shape`.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextSetOutputHandle(TF_ShapeInferenceContext* ctx,
                                                                    int i, TF_DataType dtype,
                                                                    TF_ShapeHandle* shape,
                                                                    TF_Status* status);

// -- Attributes: a missing one, or one of another type, is INVALID_ARGUMENT --

// True when the node has that attribute. Borrows `attr_name`.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API bool TN_ShapeInferenceContextHasAttr(TF_ShapeInferenceContext* ctx,
                                                            const char* attr_name);

// The length of a list attribute of any type, -1 for one that is no list. Borrows `attr_name`.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API int64_t TN_ShapeInferenceContextGetAttrSize(TF_ShapeInferenceContext* ctx,
                                                                   const char* attr_name,
                                                                   TF_Status* status);

// Copies an int attribute to `value`.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrInt64(TF_ShapeInferenceContext* ctx,
                                                                 const char* attr_name,
                                                                 int64_t* value, TF_Status* status);

// Copies a float attribute to `value`.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrFloat(TF_ShapeInferenceContext* ctx,
                                                                 const char* attr_name,
                                                                 float* value, TF_Status* status);

// Copies a bool attribute to `value`.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrBool(TF_ShapeInferenceContext* ctx,
                                                                const char* attr_name, bool* value,
                                                                TF_Status* status);

// Points `value` at the `size` bytes of a string attribute, which the node owns; a NUL follows
// them. [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrString(TF_ShapeInferenceContext* ctx,
                                                                  const char* attr_name,
                                                                  const char** value, size_t* size,
                                                                  TF_Status* status);

// Puts a shape attribute into `value`, a box the caller owns.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrShape(TF_ShapeInferenceContext* ctx,
                                                                 const char* attr_name,
                                                                 TF_ShapeHandle* value,
                                                                 TF_Status* status);

// Puts a new handle on a tensor attribute into `value`, owned by the caller until TF_DeleteTensor.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrTensor(TF_ShapeInferenceContext* ctx,
                                                                  const char* attr_name,
                                                                  TF_Tensor** value,
                                                                  TF_Status* status);

// Points `name` at the name of a function attribute, which the node owns.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrFunctionName(
    TF_ShapeInferenceContext* ctx, const char* attr_name, const char** name, TF_Status* status);

// The list getters write at most `max_values` elements; TN_ShapeInferenceContextGetAttrSize says
// how many there are.

// Copies the elements of a list(int).  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrInt64List(TF_ShapeInferenceContext* ctx,
                                                                     const char* attr_name,
                                                                     int64_t* values,
                                                                     int max_values,
                                                                     TF_Status* status);

// Copies the elements of a list(float).  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrFloatList(TF_ShapeInferenceContext* ctx,
                                                                     const char* attr_name,
                                                                     float* values, int max_values,
                                                                     TF_Status* status);

// Copies the elements of a list(bool).  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrBoolList(TF_ShapeInferenceContext* ctx,
                                                                    const char* attr_name,
                                                                    bool* values, int max_values,
                                                                    TF_Status* status);

// Copies the elements of a list(type).  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrTypeList(TF_ShapeInferenceContext* ctx,
                                                                    const char* attr_name,
                                                                    TF_DataType* values,
                                                                    int max_values,
                                                                    TF_Status* status);

// Points `values` at the bytes of the elements of a list(string), which the node owns, and writes
// their `sizes`; a NUL follows each.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrStringList(TF_ShapeInferenceContext* ctx,
                                                                      const char* attr_name,
                                                                      const char** values,
                                                                      size_t* sizes, int max_values,
                                                                      TF_Status* status);

// Puts the elements of a list(shape) into `values`, boxes the caller owns.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrShapeList(TF_ShapeInferenceContext* ctx,
                                                                     const char* attr_name,
                                                                     TF_ShapeHandle* const* values,
                                                                     int max_values,
                                                                     TF_Status* status);

// Puts new handles on the elements of a list(tensor) into `values`, each owned by the caller until
// TF_DeleteTensor.  [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrTensorList(TF_ShapeInferenceContext* ctx,
                                                                      const char* attr_name,
                                                                      TF_Tensor** values,
                                                                      int max_values,
                                                                      TF_Status* status);

// Points `names` at the names of the elements of a list(func), which the node owns.
// [the thread that runs the shape function]  since 0.1
TN_SHAPE_INFERENCE_API void TN_ShapeInferenceContextGetAttrFunctionNameList(
    TF_ShapeInferenceContext* ctx, const char* attr_name, const char** names, int max_values,
    TF_Status* status);

#ifdef __cplusplus
}
#endif
#endif  // TENON_SHAPE_INFERENCE_H_
