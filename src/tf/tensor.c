// tf_tensor.h and tf_datatype.h: a TF_Tensor is a tn_tensor.

#include "tensor/tensor.h"

#include <string.h>

#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_tensor.h"
#include "tf/entry.h"

size_t TF_DataTypeSize(TF_DataType dt) { return tn_dtype_size((tn_dtype)dt); }
size_t TF_TensorDefaultAlignment(void) { return TN_ALIGNMENT; }

static bool is_aligned(const void* data) { return (uintptr_t)data % TN_ALIGNMENT == 0; }

// Memory of the caller's is used where it lies when it is aligned. Elements that own something
// cannot be moved, so those stay where they are in any case.
TF_Tensor* TF_NewTensor(TF_DataType dtype, const int64_t* dims, int num_dims, void* data,
                        size_t len, void (*deallocator)(void* data, size_t len, void* arg),
                        void* deallocator_arg) {
  size_t needed;
  bool fits = tn_tensor_size_of((tn_dtype)dtype, dims, num_dims, &needed, NULL) && len >= needed &&
              (data || needed == 0);
  if (fits && data && (is_aligned(data) || tn_dtype_owns((tn_dtype)dtype))) {
    tn_buffer* buffer = tn_buffer_adopt(data, len, deallocator, deallocator_arg, NULL);
    return buffer ? tn_tensor_wrap(buffer, (tn_dtype)dtype, dims, num_dims, NULL) : NULL;
  }
  tn_tensor* tensor = fits ? tn_tensor_create((tn_dtype)dtype, dims, num_dims, NULL) : NULL;
  if (tensor && needed) memcpy(tn_tensor_data(tensor), data, needed);
  if (deallocator) deallocator(data, len, deallocator_arg);
  return tensor;
}

TF_Tensor* TF_AllocateTensor(TF_DataType dtype, const int64_t* dims, int num_dims, size_t len) {
  size_t needed;
  if (!tn_tensor_size_of((tn_dtype)dtype, dims, num_dims, &needed, NULL) || len < needed)
    return NULL;
  return tn_tensor_create((tn_dtype)dtype, dims, num_dims, NULL);
}

TF_Tensor* TF_TensorMaybeMove(TF_Tensor* tensor) {
  if (!tensor || !tensor->buffer->owned || tn_buffer_is_shared(tensor->buffer)) return NULL;
  return tensor;
}

void TF_DeleteTensor(TF_Tensor* tensor) { tn_tensor_destroy(tensor); }

void TF_TensorBitcastFrom(const TF_Tensor* from, TF_DataType type, TF_Tensor* to,
                          const int64_t* new_dims, int num_new_dims, TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(from, status) || !TF_GIVEN(to, status)) return;
  tn_tensor_bitcast(to, from, (tn_dtype)type, new_dims, num_new_dims, status);
}

TF_DataType TF_TensorType(const TF_Tensor* tensor) { return (TF_DataType)tn_tensor_dtype(tensor); }
int TF_NumDims(const TF_Tensor* tensor) { return tn_tensor_rank(tensor); }
int64_t TF_Dim(const TF_Tensor* tensor, int dim_index) { return tn_tensor_dim(tensor, dim_index); }
int64_t TF_TensorElementCount(const TF_Tensor* tensor) { return tn_tensor_elements(tensor); }
size_t TF_TensorByteSize(const TF_Tensor* tensor) { return tn_tensor_bytes(tensor); }
void* TF_TensorData(const TF_Tensor* tensor) { return tn_tensor_data(tensor); }
bool TF_TensorIsAligned(const TF_Tensor* tensor) {
  return tensor && is_aligned(tn_tensor_data(tensor));
}

void TF_SetShape(TF_Tensor* tensor, const int64_t* dims, int num_dims) {
  if (tensor) tn_tensor_set_shape(tensor, dims, num_dims, NULL);
}
