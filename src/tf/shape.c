// tf_shape.h. The C API has no way to give a shape dimensions: it is made with an unknown rank.

#include "tensor/shape.h"

#include "base/memory.h"
#include "tensorflow/c/tf_shape.h"

struct TF_Shape {
  tn_shape shape;
};

TF_Shape* TF_NewShape(void) {
  TF_Shape* shape = tn_alloc_zeroed(1, sizeof *shape);
  if (shape) shape->shape.rank = -1;
  return shape;
}

void TF_DeleteShape(TF_Shape* shape) {
  if (shape) tn_shape_deinit(&shape->shape);
  tn_free(shape);
}

int TF_ShapeDims(const TF_Shape* shape) { return shape ? shape->shape.rank : -1; }

int64_t TF_ShapeDimSize(const TF_Shape* shape, int d) {
  if (!shape || d < 0 || d >= shape->shape.rank) return -1;
  return tn_shape_dims(&shape->shape)[d];
}
