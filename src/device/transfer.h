// Moving tensors between the host's memory and devices'.
#ifndef TENON_DEVICE_TRANSFER_H_
#define TENON_DEVICE_TRANSFER_H_

#include "device/stream.h"
#include "tensor/tensor.h"

// Strings and objects own host memory, so that they lie there whatever a kernel says.
static inline bool tn_dtype_is_hosts(tn_dtype dtype) {
  dtype = tn_dtype_base(dtype);
  return dtype == TN_STRING || dtype == TN_RESOURCE || dtype == TN_VARIANT;
}

// Puts a copy of `size` bytes on the stream, between buffers of the host or of the stream's device.
// Both are kept until it is done; the copy is done when this returns if one of them is the host's
// and the target.
bool tn_copy_bytes(tn_stream* stream, tn_buffer* target, tn_buffer* source, size_t size,
                   tn_status* status);

// A copy in memory of its own where `tensor` lies, put on `stream`; NULL: on one of its device's.
tn_tensor* tn_tensor_duplicate(const tn_tensor* tensor, tn_stream* stream, tn_status* status);

#endif  // TENON_DEVICE_TRANSFER_H_
