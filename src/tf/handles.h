// The boxes of ops.h and tenon/shape_inference.h: checked on the way in, filled on the way out.
#ifndef TENON_TF_HANDLES_H_
#define TENON_TF_HANDLES_H_

#include "base/status.h"
#include "op/shape_inference.h"

// The arguments that a call cannot do without; the status is OK when they are there.
static inline bool tf_begin(const void* ctx, const void* first, const void* second,
                            tn_status* status) {
  tn_status_clear(status);
  if (ctx && first && second) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "%s is NULL",
                !ctx ? "the shape inference context" : "an argument");
  return false;
}

// The shape in a box that is read; NULL after setting `status` when there is none.
static inline tn_shape_ref tf_unbox(const struct TF_ShapeHandle* handle, tn_status* status) {
  if (!handle->shape)
    tn_status_set(status, TN_INVALID_ARGUMENT, "a shape handle is read before anything set it");
  return handle->shape;
}

static inline void tf_put(struct TF_ShapeHandle* handle, tn_shape_ref shape) {
  if (shape) handle->shape = shape;
}

#endif  // TENON_TF_HANDLES_H_
