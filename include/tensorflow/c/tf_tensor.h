// Tensors: an element type, dims, and a reference-counted buffer that several handles can share.

#ifndef TENSORFLOW_C_TF_TENSOR_H_
#define TENSORFLOW_C_TF_TENSOR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_AllocatorAttributes {
  size_t struct_size;
  TF_Bool on_host;  // 1: host memory, also on a device
} TF_AllocatorAttributes;

#define TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE TF_OFFSET_OF_END(TF_AllocatorAttributes, on_host)

typedef struct TF_Tensor TF_Tensor;

// Making and deleting. `len` counts bytes. Deleting a handle leaves the other handles' data alone.

// Takes over `data` and frees it through `deallocator`, at the latest when the last handle goes.
// Memory that is not aligned well enough is copied at once.
TF_CAPI_EXPORT TF_Tensor* TF_NewTensor(TF_DataType dtype, const int64_t* dims, int num_dims,
                                       void* data, size_t len,
                                       void (*deallocator)(void* data, size_t len, void* arg),
                                       void* deallocator_arg);
TF_CAPI_EXPORT TF_Tensor* TF_AllocateTensor(TF_DataType dtype, const int64_t* dims, int num_dims,
                                            size_t len);

// A tensor over the same buffer if `tensor` is its only user, else NULL and nothing happens.
TF_CAPI_EXPORT TF_Tensor* TF_TensorMaybeMove(TF_Tensor* tensor);
TF_CAPI_EXPORT void TF_DeleteTensor(TF_Tensor* tensor);

// Makes `to` share the bytes of `from` under another type and shape of the same byte count.
TF_CAPI_EXPORT void TF_TensorBitcastFrom(const TF_Tensor* from, TF_DataType type, TF_Tensor* to,
                                         const int64_t* new_dims, int num_new_dims,
                                         TF_Status* status);

// Reading.

TF_CAPI_EXPORT TF_DataType TF_TensorType(const TF_Tensor* tensor);
TF_CAPI_EXPORT int TF_NumDims(const TF_Tensor* tensor);
TF_CAPI_EXPORT int64_t TF_Dim(const TF_Tensor* tensor, int dim_index);
TF_CAPI_EXPORT int64_t TF_TensorElementCount(const TF_Tensor* tensor);
TF_CAPI_EXPORT size_t TF_TensorByteSize(const TF_Tensor* tensor);
TF_CAPI_EXPORT void* TF_TensorData(const TF_Tensor* tensor);
TF_CAPI_EXPORT bool TF_TensorIsAligned(const TF_Tensor* tensor);
TF_CAPI_EXPORT size_t TF_TensorDefaultAlignment(void);

// Changes the dims of this handle; the element count must stay what it is.
TF_CAPI_EXPORT void TF_SetShape(TF_Tensor* tensor, const int64_t* dims, int num_dims);

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_TF_TENSOR_H_
