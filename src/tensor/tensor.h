// The tensor object and what the host does with it beyond tenon/tensor.h.
#ifndef TENON_TENSOR_TENSOR_H_
#define TENON_TENSOR_TENSOR_H_

#include "base/memory.h"
#include "tenon/tensor.h"
#include "tensor/buffer.h"
#include "tensor/dtype.h"
#include "tensor/object.h"
#include "tensor/shape.h"

struct TF_Tensor {
  tn_dtype dtype;
  bool initialized;  // false: an output or variable that was never set
  tn_shape shape;    // always full
  tn_buffer* buffer;
  struct TF_Tensor* next_free;  // in a thread's list of handles to reuse
};

TN_ALSO_INLINE tn_dtype tn_tensor_dtype(const tn_tensor* tensor) {
  return tensor ? tensor->dtype : TN_INVALID;
}
TN_ALSO_INLINE int tn_tensor_rank(const tn_tensor* tensor) {
  return tensor ? tensor->shape.rank : 0;
}
TN_ALSO_INLINE int64_t tn_tensor_dim(const tn_tensor* tensor, int i) {
  if (i < 0 || i >= tn_tensor_rank(tensor)) return -1;
  const tn_shape* shape = &tensor->shape;
  return shape->rank <= TN_SMALL_RANK ? shape->small[i] : shape->large[i];
}
TN_ALSO_INLINE void* tn_tensor_data(const tn_tensor* tensor) {
  return tensor && tensor->buffer ? tensor->buffer->data : NULL;
}

// The same as tn_tensor_share, faster, of a handle that nobody but the caller has seen yet.
tn_tensor* tn_tensor_share_unseen(const tn_tensor* tensor, tn_status* status);

// A handle on `buffer`, taking over one reference of it (also when it fails). INVALID_ARGUMENT when
// the buffer is too small.
tn_tensor* tn_tensor_wrap(tn_buffer* buffer, tn_dtype dtype, const int64_t* dims, int rank,
                          tn_status* status);
// Like tn_tensor_create, from a device's memory. Elements that own something (strings, objects) are
// initialised empty and always lie in host memory.
tn_tensor* tn_tensor_create_in(tn_allocator* allocator, tn_dtype dtype, const int64_t* dims,
                               int rank, tn_status* status);
// Bytes needed; false and INVALID_ARGUMENT when that does not fit or a dimension is negative.
bool tn_tensor_size_of(tn_dtype dtype, const int64_t* dims, int rank, size_t* out_bytes,
                       tn_status* status);
// A copy with host memory of its own (strings deep, objects shared); FAILED_PRECONDITION for a
// tensor in device memory.
tn_tensor* tn_tensor_clone(const tn_tensor* tensor, tn_status* status);
// `target` becomes a handle on the memory of `source` with that type and shape. Byte sizes must
// agree; strings and objects can only change their shape.
bool tn_tensor_bitcast(tn_tensor* target, const tn_tensor* source, tn_dtype dtype,
                       const int64_t* dims, int rank, tn_status* status);
// Replaces the shape only (TF_SetShape). It may have fewer elements than before, and more as long
// as the memory holds them.
bool tn_tensor_set_shape(tn_tensor* tensor, const int64_t* dims, int rank, tn_status* status);

// True when there is a tensor and its elements lie in host memory; otherwise says that it cannot
// `verb` it ("print").
bool tn_tensor_is_readable(const tn_tensor* tensor, const char* verb, tn_status* status);

// A scalar resource or variant tensor that holds `object`, taking over one reference of it (also
// when it fails).
tn_tensor* tn_tensor_of_object(tn_dtype dtype, tn_object* object, tn_status* status);
// The object in a tensor of one resource or variant, borrowed; NULL when there is none. Memory that
// is not the host's own is not looked at.
tn_object* tn_tensor_object(const tn_tensor* tensor);

// TensorProto, appended to `out`; resources and variants have none (UNIMPLEMENTED).
bool tn_tensor_encode(const tn_tensor* tensor, tn_text* out, tn_status* status);
// Safe on any bytes. Values may stand for a larger tensor by repeating the last one: up to `limit`
// bytes of it, 2 GiB for tn_tensor_decode.
tn_tensor* tn_tensor_decode(tn_view bytes, tn_status* status);
tn_tensor* tn_tensor_decode_within(tn_view bytes, size_t limit, tn_status* status);

#endif  // TENON_TENSOR_TENSOR_H_
