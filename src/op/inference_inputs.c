// What a shape function may ask besides shapes: values of inputs, and attributes.

#include <inttypes.h>

#include "base/memory.h"
#include "op/op_validate.h"
#include "op/shape_inference.h"

const tn_tensor* tn_infer_value(tn_inference* c, int i) {
  return c->values && i >= 0 && (size_t)i < c->node->input_count ? c->values[i] : NULL;
}

static bool read_integer(const tn_tensor* tensor, int64_t i, int64_t* out_value) {
  const void* data = tn_tensor_data(tensor);
  if (tensor->dtype == TN_INT32) {
    *out_value = ((const int32_t*)data)[i];
  } else if (tensor->dtype == TN_INT64) {
    *out_value = ((const int64_t*)data)[i];
  } else {
    return false;
  }
  return true;
}

static tn_shape_ref shape_from_tensor(tn_inference* c, const tn_tensor* tensor, tn_status* status) {
  int rank = tn_tensor_rank(tensor);
  if (rank != 1) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "Input tensor must be rank 1, but was rank %d",
                  rank);
    return NULL;
  }
  int64_t count = tn_tensor_elements(tensor), dims[TN_MAX_RANK];
  for (int64_t i = 0; i < count && i < TN_MAX_RANK; ++i) {
    if (!read_integer(tensor, i, &dims[i])) {
      tn_status_set(status, TN_INVALID_ARGUMENT, "Input tensor must be int32 or int64, but was %s",
                    tn_dtype_name(tensor->dtype));
      return NULL;
    }
    if (dims[i] < -1) {
      tn_status_set(status, TN_INVALID_ARGUMENT, "Invalid value in tensor used for shape: %" PRId64,
                    dims[i]);
      return NULL;
    }
  }
  return tn_infer_make(c, dims, count, status);
}

tn_shape_ref tn_infer_value_as_shape(tn_inference* c, int i, tn_status* status) {
  tn_shape_ref vector = tn_infer_with_rank(c, tn_infer_input(c, i), 1, status);
  if (!vector) {
    if (tn_ok(status))
      tn_status_set(status, TN_INVALID_ARGUMENT, "there is no input %d to read a shape from", i);
    return NULL;
  }
  tn_shape_ref partial = c->values_as_shapes ? c->values_as_shapes[i] : NULL;
  if (partial && partial->rank >= 0) return partial;
  const tn_tensor* tensor = tn_infer_value(c, i);
  if (tensor) return shape_from_tensor(c, tensor, status);
  int64_t rank = tn_infer_dim(vector, 0);
  return rank < 0 ? tn_infer_unknown(c) : tn_infer_unknown_of_rank(c, rank, status);
}

bool tn_infer_value_as_int(tn_inference* c, int i, int64_t* out_value, tn_status* status) {
  const tn_tensor* tensor = tn_infer_value(c, i);
  if (!tensor) return false;
  if (tn_tensor_rank(tensor) != 0) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "Input must be scalar but has rank %d",
                  tn_tensor_rank(tensor));
    return false;
  }
  if (read_integer(tensor, 0, out_value)) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "Scalar input must be int32 or int64, but was %s",
                tn_dtype_name(tensor->dtype));
  return false;
}

const tn_attr_value* tn_infer_attr(tn_inference* c, const char* name, tn_attr_kind kind,
                                   bool is_list, tn_status* status) {
  const tn_attr_value* value = tn_attrs_find(&c->node->attrs, name);
  if (!value) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "No attr named '%s' in NodeDef:", name ? name : "(null)");
    return NULL;
  }
  return tn_attr_value_has_type(value, kind, is_list, status) ? value : NULL;
}

bool tn_infer_attr_int(tn_inference* c, const char* name, int64_t* out_value, tn_status* status) {
  const tn_attr_value* value = tn_infer_attr(c, name, TN_ATTR_INT, false, status);
  if (value) *out_value = value->ints[0];
  return value != NULL;
}

bool tn_infer_attr_bool(tn_inference* c, const char* name, bool* out_value, tn_status* status) {
  const tn_attr_value* value = tn_infer_attr(c, name, TN_ATTR_BOOL, false, status);
  if (value) *out_value = value->bools[0];
  return value != NULL;
}

bool tn_infer_attr_type(tn_inference* c, const char* name, tn_dtype* out_value, tn_status* status) {
  const tn_attr_value* value = tn_infer_attr(c, name, TN_ATTR_TYPE, false, status);
  if (value) *out_value = value->types[0];
  return value != NULL;
}

bool tn_infer_attr_string(tn_inference* c, const char* name, tn_view* out_value,
                          tn_status* status) {
  const tn_attr_value* value = tn_infer_attr(c, name, TN_ATTR_STRING, false, status);
  if (value) *out_value = value->strings[0];
  return value != NULL;
}
