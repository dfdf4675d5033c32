// tenon/shape_inference.h.

#define TN_SHAPE_INFERENCE_API  // defined here, so not weak
#include "tenon/shape_inference.h"

#include "tf/handles.h"

static int64_t dim_of(const TF_DimensionHandle* dim) { return dim->is_set ? dim->value : -1; }
static void put_dim(TF_DimensionHandle* result, int64_t value) {
  *result = (TF_DimensionHandle){value < 0 ? -1 : value, true};
}

void TN_ShapeInferenceContextUnknownShape(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* result) {
  if (result) result->shape = tn_infer_unknown(ctx);
}

void TN_ShapeInferenceContextUnknownShapeOfRank(TF_ShapeInferenceContext* ctx, int64_t rank,
                                                TF_ShapeHandle* result, TF_Status* status) {
  if (tf_begin(ctx, result, result, status))
    tf_put(result, tn_infer_unknown_of_rank(ctx, rank, status));
}

void TN_ShapeInferenceContextMakeShape(TF_ShapeInferenceContext* ctx, const int64_t* dims,
                                       int64_t rank, TF_ShapeHandle* result, TF_Status* status) {
  if (tf_begin(ctx, dims || rank <= 0 ? ctx : NULL, result, status))
    tf_put(result, tn_infer_make(ctx, dims, rank, status));
}

void TN_ShapeInferenceContextMakeShapeFromDims(TF_ShapeInferenceContext* ctx,
                                               TF_DimensionHandle* const* dims, int64_t rank,
                                               TF_ShapeHandle* result, TF_Status* status) {
  if (!tf_begin(ctx, dims || rank <= 0 ? ctx : NULL, result, status)) return;
  int64_t sizes[TN_MAX_RANK];
  for (int64_t i = 0; i < rank && i < TN_MAX_RANK; ++i) {
    if (!tf_begin(ctx, dims[i], ctx, status)) return;
    sizes[i] = dim_of(dims[i]);
  }
  tf_put(result, tn_infer_make(ctx, sizes, rank, status));
}

void TN_DimensionHandleSetValue(TF_DimensionHandle* result, int64_t value) {
  if (result) put_dim(result, value);
}

void TN_ShapeInferenceContextNumElements(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* shape,
                                         TF_DimensionHandle* result, TF_Status* status) {
  if (!tf_begin(ctx, shape, result, status)) return;
  tn_shape_ref known = tf_unbox(shape, status);
  if (known) put_dim(result, tn_shape_elements(known));
}

typedef tn_shape_ref (*pair_verb)(tn_inference*, tn_shape_ref, tn_shape_ref, tn_status*);

static void combine(pair_verb verb, TF_ShapeInferenceContext* ctx, TF_ShapeHandle* first,
                    TF_ShapeHandle* second, TF_ShapeHandle* result, TF_Status* status) {
  if (!tf_begin(ctx, first, second, status) || !tf_begin(ctx, result, result, status)) return;
  tn_shape_ref a = tf_unbox(first, status), b = tf_unbox(second, status);
  tf_put(result, verb(ctx, a, b, status));
}

void TN_ShapeInferenceContextMerge(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* first,
                                   TF_ShapeHandle* second, TF_ShapeHandle* result,
                                   TF_Status* status) {
  combine(tn_infer_merge, ctx, first, second, result, status);
}

void TN_ShapeInferenceContextBroadcast(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* first,
                                       TF_ShapeHandle* second, TF_ShapeHandle* result,
                                       TF_Status* status) {
  combine(tn_infer_broadcast, ctx, first, second, result, status);
}

void TN_ShapeInferenceContextMergePrefix(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* shape,
                                         TF_ShapeHandle* prefix, TF_ShapeHandle* shape_result,
                                         TF_ShapeHandle* prefix_result, TF_Status* status) {
  if (!tf_begin(ctx, shape, prefix, status)) return;
  tn_shape_ref whole = tf_unbox(shape, status), front = tf_unbox(prefix, status);
  tn_shape_ref merged = tn_infer_merge_prefix(ctx, whole, front, status);
  // Where either rank is unknown both stay as they are.
  tn_shape_ref merged_front = merged && merged->rank >= 0 && front->rank >= 0
                                  ? tn_infer_subshape(ctx, merged, 0, front->rank, status)
                                  : front;
  if (!merged || !merged_front) return;
  if (shape_result) tf_put(shape_result, merged);
  if (prefix_result) tf_put(prefix_result, merged_front);
}

void TN_ShapeInferenceContextReplaceDim(TF_ShapeInferenceContext* ctx, TF_ShapeHandle* shape,
                                        int64_t i, TF_DimensionHandle* dim, TF_ShapeHandle* result,
                                        TF_Status* status) {
  if (tf_begin(ctx, shape, dim, status) && tf_begin(ctx, result, result, status))
    tf_put(result, tn_infer_replace_dim(ctx, tf_unbox(shape, status), i, dim_of(dim), status));
}

void TN_ShapeInferenceContextWithValue(TF_ShapeInferenceContext* ctx, TF_DimensionHandle* dim,
                                       int64_t value, TF_DimensionHandle* result,
                                       TF_Status* status) {
  int64_t size;
  if (tf_begin(ctx, dim, result, status) && tn_infer_with_value(dim_of(dim), value, &size, status))
    put_dim(result, size);
}

typedef bool (*dim_verb)(int64_t a, int64_t b, int64_t* out_dim, tn_status* status);

static void calculate(dim_verb verb, TF_ShapeInferenceContext* ctx, TF_DimensionHandle* first,
                      TF_DimensionHandle* second, TF_DimensionHandle* result, TF_Status* status) {
  int64_t size;
  if (tf_begin(ctx, first, second, status) && tf_begin(ctx, result, result, status) &&
      verb(dim_of(first), dim_of(second), &size, status))
    put_dim(result, size);
}

static bool divide(int64_t a, int64_t b, int64_t* out_dim, tn_status* status) {
  return tn_infer_divide(a, b, false, out_dim, status);
}
static bool divide_evenly(int64_t a, int64_t b, int64_t* out_dim, tn_status* status) {
  return tn_infer_divide(a, b, true, out_dim, status);
}
static bool smaller(int64_t a, int64_t b, int64_t* out_dim, tn_status* status) {
  *out_dim = tn_infer_min(a, b);
  return true;
}
static bool larger(int64_t a, int64_t b, int64_t* out_dim, tn_status* status) {
  *out_dim = tn_infer_max(a, b);
  return true;
}

void TN_ShapeInferenceContextMergeDims(TF_ShapeInferenceContext* ctx, TF_DimensionHandle* first,
                                       TF_DimensionHandle* second, TF_DimensionHandle* result,
                                       TF_Status* status) {
  calculate(tn_infer_merge_dim, ctx, first, second, result, status);
}

void TN_ShapeInferenceContextAdd(TF_ShapeInferenceContext* ctx, TF_DimensionHandle* first,
                                 TF_DimensionHandle* second, TF_DimensionHandle* result,
                                 TF_Status* status) {
  calculate(tn_infer_add, ctx, first, second, result, status);
}

void TN_ShapeInferenceContextSubtract(TF_ShapeInferenceContext* ctx, TF_DimensionHandle* first,
                                      TF_DimensionHandle* second, TF_DimensionHandle* result,
                                      TF_Status* status) {
  calculate(tn_infer_subtract, ctx, first, second, result, status);
}

void TN_ShapeInferenceContextMultiply(TF_ShapeInferenceContext* ctx, TF_DimensionHandle* first,
                                      TF_DimensionHandle* second, TF_DimensionHandle* result,
                                      TF_Status* status) {
  calculate(tn_infer_multiply, ctx, first, second, result, status);
}

void TN_ShapeInferenceContextDivide(TF_ShapeInferenceContext* ctx, TF_DimensionHandle* dividend,
                                    TF_DimensionHandle* divisor, bool evenly,
                                    TF_DimensionHandle* result, TF_Status* status) {
  calculate(evenly ? divide_evenly : divide, ctx, dividend, divisor, result, status);
}

void TN_ShapeInferenceContextMin(TF_ShapeInferenceContext* ctx, TF_DimensionHandle* first,
                                 TF_DimensionHandle* second, TF_DimensionHandle* result,
                                 TF_Status* status) {
  calculate(smaller, ctx, first, second, result, status);
}

void TN_ShapeInferenceContextMax(TF_ShapeInferenceContext* ctx, TF_DimensionHandle* first,
                                 TF_DimensionHandle* second, TF_DimensionHandle* result,
                                 TF_Status* status) {
  calculate(larger, ctx, first, second, result, status);
}

int64_t TN_ShapeInferenceContextNumOutputs(TF_ShapeInferenceContext* ctx) {
  return ctx ? (int64_t)ctx->node->output_count : 0;
}

static bool begin_input(TF_ShapeInferenceContext* ctx, int i, const void* result,
                        TF_Status* status) {
  if (!tf_begin(ctx, result, result, status)) return false;
  if (tn_infer_input(ctx, i)) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "input index out of range");
  return false;
}

void TN_ShapeInferenceContextGetInputTensor(TF_ShapeInferenceContext* ctx, int i,
                                            TF_Tensor** tensor, TF_Status* status) {
  if (!begin_input(ctx, i, tensor, status)) return;
  const tn_tensor* value = tn_infer_value(ctx, i);
  *tensor = value ? tn_tensor_share(value, status) : NULL;
}

void TN_ShapeInferenceContextGetInputTensorAsShape(TF_ShapeInferenceContext* ctx, int i,
                                                   TF_ShapeHandle* result, TF_Status* status) {
  if (begin_input(ctx, i, result, status)) tf_put(result, tn_infer_value_as_shape(ctx, i, status));
}

bool TN_ShapeInferenceContextGetInputTensorAsInt64(TF_ShapeInferenceContext* ctx, int i,
                                                   int64_t* value, TF_Status* status) {
  return begin_input(ctx, i, value, status) && tn_infer_value_as_int(ctx, i, value, status);
}

bool TN_ShapeInferenceContextGetInputHandle(TF_ShapeInferenceContext* ctx, int i,
                                            TF_DataType* dtype, TF_ShapeHandle* result,
                                            TF_Status* status) {
  if (!begin_input(ctx, i, result, status)) return false;
  const tn_handle_data* held = tn_infer_handle(ctx, i);
  if (!held) return false;
  if (dtype) *dtype = (TF_DataType)held->dtype;
  tf_put(result, held->shape);
  return true;
}

void TN_ShapeInferenceContextSetOutputHandle(TF_ShapeInferenceContext* ctx, int i,
                                             TF_DataType dtype, TF_ShapeHandle* shape,
                                             TF_Status* status) {
  if (!tf_begin(ctx, shape, shape, status)) return;
  if (i < 0 || (size_t)i >= ctx->node->output_count) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "output index out of range");
  } else {
    tn_infer_set_handle(ctx, i, (tn_dtype)dtype, tf_unbox(shape, status));
  }
}

bool TN_ShapeInferenceContextHasAttr(TF_ShapeInferenceContext* ctx, const char* attr_name) {
  return ctx && tn_attrs_find(&ctx->node->attrs, attr_name);
}

int64_t TN_ShapeInferenceContextGetAttrSize(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                            TF_Status* status) {
  if (!tf_begin(ctx, attr_name, ctx, status)) return -1;
  const tn_attr_value* value = tn_attrs_find(&ctx->node->attrs, attr_name);
  // Asked for as a string to get the words for a missing attribute.
  if (!value) tn_infer_attr(ctx, attr_name, TN_ATTR_STRING, false, status);
  return value && value->is_list ? (int64_t)value->count : -1;
}

// The attribute when it is there, of that type, and there is somewhere to put it.
static const tn_attr_value* find(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                 tn_attr_kind kind, bool is_list, const void* result,
                                 TF_Status* status) {
  if (!tf_begin(ctx, attr_name, result, status)) return NULL;
  return tn_infer_attr(ctx, attr_name, kind, is_list, status);
}

// How many elements a list getter writes. `result` may be NULL when that is none.
static int find_list(TF_ShapeInferenceContext* ctx, const char* attr_name, tn_attr_kind kind,
                     const void* result, int max_values, const tn_attr_value** out_value,
                     TF_Status* status) {
  *out_value = find(ctx, attr_name, kind, true, max_values > 0 ? result : ctx, status);
  if (!*out_value || max_values <= 0) return 0;
  return (*out_value)->count < (size_t)max_values ? (int)(*out_value)->count : max_values;
}

void TN_ShapeInferenceContextGetAttrInt64(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                          int64_t* value, TF_Status* status) {
  const tn_attr_value* found = find(ctx, attr_name, TN_ATTR_INT, false, value, status);
  if (found) *value = found->ints[0];
}

void TN_ShapeInferenceContextGetAttrFloat(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                          float* value, TF_Status* status) {
  const tn_attr_value* found = find(ctx, attr_name, TN_ATTR_FLOAT, false, value, status);
  if (found) *value = found->floats[0];
}

void TN_ShapeInferenceContextGetAttrBool(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                         bool* value, TF_Status* status) {
  const tn_attr_value* found = find(ctx, attr_name, TN_ATTR_BOOL, false, value, status);
  if (found) *value = found->bools[0];
}

void TN_ShapeInferenceContextGetAttrString(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                           const char** value, size_t* size, TF_Status* status) {
  const tn_attr_value* found = find(ctx, attr_name, TN_ATTR_STRING, false, value, status);
  if (!found) return;
  *value = found->strings[0].data;
  if (size) *size = found->strings[0].size;
}

void TN_ShapeInferenceContextGetAttrShape(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                          TF_ShapeHandle* value, TF_Status* status) {
  const tn_attr_value* found = find(ctx, attr_name, TN_ATTR_SHAPE, false, value, status);
  if (found) tf_put(value, &found->shapes[0]);
}

void TN_ShapeInferenceContextGetAttrTensor(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                           TF_Tensor** value, TF_Status* status) {
  const tn_attr_value* found = find(ctx, attr_name, TN_ATTR_TENSOR, false, value, status);
  if (found) *value = tn_tensor_share(found->tensors[0], status);
}

void TN_ShapeInferenceContextGetAttrFunctionName(TF_ShapeInferenceContext* ctx,
                                                 const char* attr_name, const char** name,
                                                 TF_Status* status) {
  const tn_attr_value* found = find(ctx, attr_name, TN_ATTR_FUNC, false, name, status);
  if (found) *name = found->funcs[0].name;
}

void TN_ShapeInferenceContextGetAttrInt64List(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                              int64_t* values, int max_values, TF_Status* status) {
  const tn_attr_value* found;
  int count = find_list(ctx, attr_name, TN_ATTR_INT, values, max_values, &found, status);
  for (int i = 0; i < count; ++i) values[i] = found->ints[i];
}

void TN_ShapeInferenceContextGetAttrFloatList(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                              float* values, int max_values, TF_Status* status) {
  const tn_attr_value* found;
  int count = find_list(ctx, attr_name, TN_ATTR_FLOAT, values, max_values, &found, status);
  for (int i = 0; i < count; ++i) values[i] = found->floats[i];
}

void TN_ShapeInferenceContextGetAttrBoolList(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                             bool* values, int max_values, TF_Status* status) {
  const tn_attr_value* found;
  int count = find_list(ctx, attr_name, TN_ATTR_BOOL, values, max_values, &found, status);
  for (int i = 0; i < count; ++i) values[i] = found->bools[i];
}

void TN_ShapeInferenceContextGetAttrTypeList(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                             TF_DataType* values, int max_values,
                                             TF_Status* status) {
  const tn_attr_value* found;
  int count = find_list(ctx, attr_name, TN_ATTR_TYPE, values, max_values, &found, status);
  for (int i = 0; i < count; ++i) values[i] = (TF_DataType)found->types[i];
}

void TN_ShapeInferenceContextGetAttrStringList(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                               const char** values, size_t* sizes, int max_values,
                                               TF_Status* status) {
  const tn_attr_value* found;
  int count = find_list(ctx, attr_name, TN_ATTR_STRING, values, max_values, &found, status);
  for (int i = 0; i < count; ++i) {
    values[i] = found->strings[i].data;
    if (sizes) sizes[i] = found->strings[i].size;
  }
}

void TN_ShapeInferenceContextGetAttrShapeList(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                              TF_ShapeHandle* const* values, int max_values,
                                              TF_Status* status) {
  const tn_attr_value* found;
  int count = find_list(ctx, attr_name, TN_ATTR_SHAPE, values, max_values, &found, status);
  for (int i = 0; i < count; ++i)
    if (tf_begin(ctx, values[i], ctx, status)) tf_put(values[i], &found->shapes[i]);
}

void TN_ShapeInferenceContextGetAttrTensorList(TF_ShapeInferenceContext* ctx, const char* attr_name,
                                               TF_Tensor** values, int max_values,
                                               TF_Status* status) {
  const tn_attr_value* found;
  int count = find_list(ctx, attr_name, TN_ATTR_TENSOR, values, max_values, &found, status);
  for (int i = 0; i < count; ++i) {
    values[i] = tn_tensor_share(found->tensors[i], status);
    if (values[i]) continue;
    while (i > 0) {  // all or none
      tn_tensor_destroy(values[--i]);
      values[i] = NULL;
    }
    return;
  }
}

void TN_ShapeInferenceContextGetAttrFunctionNameList(TF_ShapeInferenceContext* ctx,
                                                     const char* attr_name, const char** names,
                                                     int max_values, TF_Status* status) {
  const tn_attr_value* found;
  int count = find_list(ctx, attr_name, TN_ATTR_FUNC, names, max_values, &found, status);
  for (int i = 0; i < count; ++i) names[i] = found->funcs[i].name;
}
