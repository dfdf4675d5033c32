// Tensor handles to reuse. A kernel call makes and drops several, so each thread keeps a few.
#ifndef TENON_TENSOR_HANDLES_H_
#define TENON_TENSOR_HANDLES_H_

#include "tensor/tensor.h"

// A handle with undefined contents; NULL when out of memory.
tn_tensor* tn_handle_take(void);
// Gives back a handle that holds nothing any more.
void tn_handle_give(tn_tensor* handle);

#endif  // TENON_TENSOR_HANDLES_H_
