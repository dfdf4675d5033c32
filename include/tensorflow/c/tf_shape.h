// A shape object of its own. Tensors and kernels use plain arrays of dims instead.

#ifndef TENSORFLOW_C_TF_SHAPE_H_
#define TENSORFLOW_C_TF_SHAPE_H_

#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Shape TF_Shape;

// A shape of unknown rank. The caller deletes it.
TF_CAPI_EXPORT TF_Shape* TF_NewShape(void);
TF_CAPI_EXPORT void TF_DeleteShape(TF_Shape* shape);

// The rank, and the size of one dimension; -1 where unknown.
TF_CAPI_EXPORT int TF_ShapeDims(const TF_Shape* shape);
TF_CAPI_EXPORT int64_t TF_ShapeDimSize(const TF_Shape* shape, int d);

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_TF_SHAPE_H_
