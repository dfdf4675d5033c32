// Shapes, full or partial: rank -1 is an unknown rank, a dimension of -1 an unknown size.
#ifndef TENON_TENSOR_SHAPE_H_
#define TENON_TENSOR_SHAPE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "base/wire.h"
#include "tenon/status.h"

enum { TN_MAX_RANK = 254, TN_SMALL_RANK = 8 };

// A value type in its owner. Ranks over TN_SMALL_RANK live on the heap; zero bytes are a scalar.
typedef struct tn_shape {
  int32_t rank;
  union {
    int64_t small[TN_SMALL_RANK];
    int64_t* large;
  };
} tn_shape;

static inline const int64_t* tn_shape_dims(const tn_shape* shape) {
  return shape->rank <= TN_SMALL_RANK ? shape->small : shape->large;
}

// Fills `shape`, which held nothing. False and INVALID_ARGUMENT for a rank over TN_MAX_RANK or a
// dimension below -1, RESOURCE_EXHAUSTED without memory; `shape` is then a scalar.
bool tn_shape_init(tn_shape* shape, const int64_t* dims, int rank, tn_status* status);
bool tn_shape_copy(tn_shape* target, const tn_shape* source, tn_status* status);
void tn_shape_deinit(tn_shape* shape);
bool tn_shape_equal(const tn_shape* a, const tn_shape* b);
// Rank and every dimension known.
bool tn_shape_is_full(const tn_shape* shape);
// The product of the dimensions, -1 when it is unknown or does not fit.
int64_t tn_shape_elements(const tn_shape* shape);
int64_t tn_dims_elements(const int64_t* dims, int rank);
// "[2,?,3]", "<unknown>": the way TensorFlow's messages print them.
void tn_shape_print(const tn_shape* shape, tn_text* out);
void tn_dims_print(const int64_t* dims, int rank, tn_text* out);

// TensorShapeProto.
void tn_shape_encode(const tn_shape* shape, tn_text* out);
bool tn_shape_decode(tn_shape* shape, tn_view bytes, tn_status* status);

#endif  // TENON_TENSOR_SHAPE_H_
