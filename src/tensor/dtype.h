// What the host knows of element types beyond tenon/dtype.h.
#ifndef TENON_TENSOR_DTYPE_H_
#define TENON_TENSOR_DTYPE_H_

#include "base/view.h"
#include "tenon/dtype.h"

// Same as tn_dtype_from_name, on a view.
tn_dtype tn_dtype_from_view(tn_view name);
// "DT_FLOAT", "DT_FLOAT_REF"; NULL for an unknown number.
const char* tn_dtype_enum_name(tn_dtype dtype);
// A number that names a TensorFlow type (reference types included).
bool tn_dtype_is_known(tn_dtype dtype);

static inline bool tn_dtype_is_ref(tn_dtype dtype) {
  return dtype > TN_REF_OFFSET && dtype < 2 * TN_REF_OFFSET;
}
static inline tn_dtype tn_dtype_base(tn_dtype dtype) {
  return tn_dtype_is_ref(dtype) ? (tn_dtype)(dtype - TN_REF_OFFSET) : dtype;
}

// Bytes one element takes in a buffer: 24 for a string (TF_TString), a pointer for resources and
// variants (tn_object*), else tn_dtype_size.
size_t tn_dtype_stored_size(tn_dtype dtype);
// Elements that own something (string, resource, variant): not to be copied as bytes.
bool tn_dtype_owns(tn_dtype dtype);

#endif  // TENON_TENSOR_DTYPE_H_
