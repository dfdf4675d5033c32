// The tensor object and what the host does with it beyond tenon/tensor.h.
#ifndef TENON_TENSOR_TENSOR_H_
#define TENON_TENSOR_TENSOR_H_

#include "tensor/buffer.h"
#include "tensor/dtype.h"
#include "tensor/object.h"
#include "tensor/shape.h"
#include "tenon/tensor.h"

struct TF_Tensor {
  tn_dtype dtype;
  bool initialized;     // false: an output or variable that was never set
  tn_shape shape;       // always full
  tn_buffer* buffer;
  struct TF_Tensor* next_free;  // in a thread's list of handles to reuse
};

// A handle on `buffer`, taking over one reference of it (also when it fails). The buffer must be large enough.
tn_tensor* tn_tensor_wrap(tn_buffer* buffer, tn_dtype dtype, const int64_t* dims, int rank,
                          tn_status* status);
// Like tn_tensor_create, from a device's memory; elements that own something are initialised empty.
tn_tensor* tn_tensor_create_in(tn_allocator* allocator, tn_dtype dtype, const int64_t* dims, int rank,
                               tn_status* status);
// Bytes needed; false and INVALID_ARGUMENT when that does not fit or a dimension is negative.
bool tn_tensor_size_of(tn_dtype dtype, const int64_t* dims, int rank, size_t* out_bytes,
                       tn_status* status);
// A copy with memory of its own (strings deep, objects shared).
tn_tensor* tn_tensor_clone(const tn_tensor* tensor, tn_status* status);
// `target` becomes a handle on the memory of `source` with that type and shape; byte sizes must agree.
bool tn_tensor_bitcast(tn_tensor* target, const tn_tensor* source, tn_dtype dtype,
                       const int64_t* dims, int rank, tn_status* status);
// Replaces the shape only; the number of elements is the caller's business (TF_SetShape).
bool tn_tensor_set_shape(tn_tensor* tensor, const int64_t* dims, int rank, tn_status* status);

// TensorProto.
bool tn_tensor_encode(const tn_tensor* tensor, tn_text* out, tn_status* status);
tn_tensor* tn_tensor_decode(tn_view bytes, tn_status* status);

#endif  // TENON_TENSOR_TENSOR_H_
