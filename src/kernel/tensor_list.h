// A list of tensors as the element of a variant tensor (TensorFlow's TensorList): what AddN and
// ZerosLike of variants work on.
#ifndef TENON_KERNEL_TENSOR_LIST_H_
#define TENON_KERNEL_TENSOR_LIST_H_

#include "tensor/tensor.h"

// Never changed once other handles may see it.
typedef struct tn_tensor_list {
  tn_object object;
  tn_dtype element_dtype;
  tn_shape element_shape;  // may be partial
  size_t count;
  tn_tensor* tensors[];  // NULL: not set
} tn_tensor_list;

extern const tn_object_type tn_tensor_list_type;

// With `count` entries that are not set; one reference, the caller's. `element_shape` may be NULL.
tn_tensor_list* tn_tensor_list_create(tn_dtype element_dtype, const tn_shape* element_shape,
                                      size_t count, tn_status* status);
// The list in a scalar variant tensor, borrowed; NULL when there is none.
tn_tensor_list* tn_tensor_list_of(const tn_tensor* tensor);

#endif  // TENON_KERNEL_TENSOR_LIST_H_
