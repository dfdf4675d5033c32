#include "tensor/tensor.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/status.h"
#include "tensor/handles.h"
#include "tensor/tstring.h"

// Says why there is no size; when there is one after all (a dimension is 0), sets it.
static bool size_of_odd_shape(tn_dtype dtype, const int64_t* dims, int rank, size_t* out_bytes,
                              tn_status* status) {
  size_t size = tn_dtype_stored_size(dtype);
  if (size == 0)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "no tensor can have elements of type %s (number %d)", tn_dtype_name(dtype),
                   (int)dtype);
  if (rank < 0 || rank > TN_MAX_RANK || (rank > 0 && !dims))
    return tn_fail(status, TN_INVALID_ARGUMENT, "a tensor of rank %d%s; ranks go from 0 to %d",
                   rank, rank > 0 && !dims ? " without dimensions" : "", TN_MAX_RANK);
  for (int i = 0; i < rank; ++i)
    if (dims[i] < 0)
      return tn_fail(status, TN_INVALID_ARGUMENT,
                     "dimension %d of a tensor is %" PRId64 "; it must be 0 or more", i, dims[i]);
  *out_bytes = 0;
  if (tn_dims_elements(dims, rank) == 0) return true;
  tn_text shape = {0};
  tn_dims_print(dims, rank, &shape);
  tn_status_set(status, TN_INVALID_ARGUMENT, "a %s tensor of shape %s has too many bytes",
                tn_dtype_name(dtype), tn_text_view(&shape).data);
  tn_text_deinit(&shape);
  return false;
}

bool tn_tensor_size_of(tn_dtype dtype, const int64_t* dims, int rank, size_t* out_bytes,
                       tn_status* status) {
  int64_t bytes = (int64_t)tn_dtype_stored_size(dtype);
  bool odd = bytes == 0 || rank < 0 || rank > TN_MAX_RANK || (rank > 0 && !dims);
  for (int i = 0; !odd && i < rank; ++i)
    odd = dims[i] < 0 || __builtin_mul_overflow(bytes, dims[i], &bytes);
  if (odd) return size_of_odd_shape(dtype, dims, rank, out_bytes, status);
  *out_bytes = (size_t)bytes;
  return true;
}

// A handle on a buffer that is known to be large enough; takes the reference in any case.
static tn_tensor* make_handle(tn_buffer* buffer, tn_dtype dtype, const int64_t* dims, int rank,
                              tn_status* status) {
  tn_tensor* tensor = tn_handle_take();
  if (!tensor) {
    tn_status_set_no_memory(status, "making a tensor");
  } else if (rank <= TN_SMALL_RANK) {
    tensor->shape.rank = rank;
    for (int i = 0; i < rank; ++i) tensor->shape.small[i] = dims[i];
  } else if (!tn_shape_init(&tensor->shape, dims, rank, status)) {
    tn_handle_give(tensor);
    tensor = NULL;
  }
  if (!tensor) {
    tn_buffer_unref(buffer);
    return NULL;
  }
  tensor->dtype = dtype;
  tensor->initialized = true;
  tensor->buffer = buffer;
  return tensor;
}

tn_tensor* tn_tensor_wrap(tn_buffer* buffer, tn_dtype dtype, const int64_t* dims, int rank,
                          tn_status* status) {
  size_t bytes;
  bool fits = tn_tensor_size_of(dtype, dims, rank, &bytes, status);
  if (fits && bytes > buffer->size)
    fits = tn_fail(status, TN_INVALID_ARGUMENT, "a tensor of %zu bytes in memory of %zu bytes",
                   bytes, buffer->size);
  if (fits) return make_handle(buffer, dtype, dims, rank, status);
  tn_buffer_unref(buffer);
  return NULL;
}

tn_tensor* tn_tensor_create_in(tn_allocator* allocator, tn_dtype dtype, const int64_t* dims,
                               int rank, tn_status* status) {
  size_t bytes;
  if (!tn_tensor_size_of(dtype, dims, rank, &bytes, status)) return NULL;
  bool owns = tn_dtype_owns(dtype);
  tn_buffer* buffer = tn_buffer_allocate(owns ? &tn_host_allocator : allocator, bytes, status);
  if (!buffer) return NULL;
  if (owns) tn_buffer_hold(buffer, dtype, bytes / tn_dtype_stored_size(dtype));
  return make_handle(buffer, dtype, dims, rank, status);
}

tn_tensor* tn_tensor_create(tn_dtype dtype, const int64_t* dims, int rank, tn_status* status) {
  return tn_tensor_create_in(&tn_host_allocator, dtype, dims, rank, status);
}

tn_tensor* tn_tensor_create_from(tn_dtype dtype, const int64_t* dims, int rank, const void* data,
                                 size_t size, tn_status* status) {
  size_t bytes;
  if (!tn_tensor_size_of(dtype, dims, rank, &bytes, status)) return NULL;
  if (tn_dtype_owns(dtype)) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "elements of type %s cannot be copied as bytes; strings are made by "
                  "tn_tensor_create_strings",
                  tn_dtype_name(dtype));
    return NULL;
  }
  if (size != bytes || (size > 0 && !data)) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%zu bytes%s were given for a tensor that needs %zu",
                  size, size > 0 && !data ? " at NULL" : "", bytes);
    return NULL;
  }
  tn_tensor* tensor = tn_tensor_create(dtype, dims, rank, status);
  if (tensor && size > 0) memcpy(tensor->buffer->data, data, size);
  return tensor;
}

tn_tensor* tn_tensor_create_strings(const int64_t* dims, int rank, const char* const* texts,
                                    const size_t* sizes, tn_status* status) {
  tn_tensor* tensor = tn_tensor_create(TN_STRING, dims, rank, status);
  if (!tensor) return NULL;
  tn_tstring* strings = tensor->buffer->data;
  int64_t count = tn_tensor_elements(tensor);
  for (int64_t i = 0; i < count; ++i) {
    if (!texts || !texts[i])
      tn_status_set(status, TN_INVALID_ARGUMENT, "text %" PRId64 " of %" PRId64 " is NULL", i,
                    count);
    else if (tn_tstring_copy(&strings[i], texts[i], sizes ? sizes[i] : strlen(texts[i])))
      continue;
    else
      tn_status_set_no_memory(status, "copying strings into a tensor");
    tn_tensor_destroy(tensor);
    return NULL;
  }
  return tensor;
}

static inline tn_tensor* share(const tn_tensor* tensor, tn_buffer* (*ref)(tn_buffer*),
                               tn_status* status) {
  if (!tensor) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "there is no tensor to share (NULL)");
    return NULL;
  }
  tn_tensor* handle = tn_handle_take();
  if (!handle) {
    tn_status_set_no_memory(status, "sharing a tensor");
    return NULL;
  }
  *handle = *tensor;
  if (tensor->shape.rank > TN_SMALL_RANK &&
      !tn_shape_copy(&handle->shape, &tensor->shape, status)) {
    tn_handle_give(handle);
    return NULL;
  }
  if (handle->buffer) ref(handle->buffer);
  return handle;
}

tn_tensor* tn_tensor_share(const tn_tensor* tensor, tn_status* status) {
  return share(tensor, tn_buffer_ref, status);
}

tn_tensor* tn_tensor_share_unseen(const tn_tensor* tensor, tn_status* status) {
  return share(tensor, tn_buffer_ref_unseen, status);
}

void tn_tensor_destroy(tn_tensor* tensor) {
  if (!tensor) return;
  tn_buffer_unref(tensor->buffer);
  if (tensor->shape.rank > TN_SMALL_RANK) tn_shape_deinit(&tensor->shape);
  tn_handle_give(tensor);
}

bool tn_tensor_is_readable(const tn_tensor* tensor, const char* verb, tn_status* status) {
  if (tensor && tensor->buffer && tensor->buffer->on_host) return true;
  if (!tensor || !tensor->buffer)
    tn_status_set(status, TN_INVALID_ARGUMENT, "there is no tensor to %s", verb);
  else
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "cannot %s a tensor in device memory; copy it to the host first", verb);
  return false;
}

tn_tensor* tn_tensor_clone(const tn_tensor* tensor, tn_status* status) {
  if (!tn_tensor_is_readable(tensor, "clone", status)) return NULL;
  if (tn_dtype_owns(tensor->dtype) && tensor->dtype != TN_STRING &&
      tensor->buffer->held_type != tensor->dtype) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "a %s tensor in memory from outside cannot be cloned: what its elements are is "
                  "not known",
                  tn_dtype_name(tensor->dtype));
    return NULL;
  }
  tn_tensor* clone =
      tn_tensor_create(tensor->dtype, tn_shape_dims(&tensor->shape), tensor->shape.rank, status);
  if (!clone) return NULL;
  int64_t count = tn_tensor_elements(tensor);
  if (tensor->dtype == TN_STRING) {
    const tn_tstring* from = tensor->buffer->data;
    tn_tstring* to = clone->buffer->data;
    for (int64_t i = 0; i < count; ++i) {
      if (tn_tstring_copy(&to[i], tn_tstring_data(&from[i]), tn_tstring_size(&from[i]))) continue;
      tn_status_set_no_memory(status, "cloning a string tensor");
      tn_tensor_destroy(clone);
      return NULL;
    }
  } else if (tn_dtype_owns(tensor->dtype)) {
    tn_object* const* from = tensor->buffer->data;
    tn_object** to = clone->buffer->data;
    for (int64_t i = 0; i < count; ++i) to[i] = tn_object_ref(from[i]);
  } else {
    memcpy(clone->buffer->data, tensor->buffer->data, tn_tensor_bytes(tensor));
  }
  clone->initialized = tensor->initialized;
  return clone;
}

tn_tensor* tn_tensor_of_object(tn_dtype dtype, tn_object* object, tn_status* status) {
  tn_tensor* tensor = tn_tensor_create(dtype, NULL, 0, status);
  if (tensor)
    *(tn_object**)tensor->buffer->data = object;
  else
    tn_object_unref(object);
  return tensor;
}

tn_object* tn_tensor_object(const tn_tensor* tensor) {
  if (!tensor || (tensor->dtype != TN_RESOURCE && tensor->dtype != TN_VARIANT)) return NULL;
  if (!tensor->buffer || tensor->buffer->held_type != tensor->dtype) return NULL;
  return tn_tensor_elements(tensor) == 1 ? *(tn_object**)tensor->buffer->data : NULL;
}

bool tn_tensor_bitcast(tn_tensor* target, const tn_tensor* source, tn_dtype dtype,
                       const int64_t* dims, int rank, tn_status* status) {
  size_t bytes;
  if (!target || !source || !source->buffer) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "bitcast needs two tensors");
    return false;
  }
  if (!tn_tensor_size_of(dtype, dims, rank, &bytes, status)) return false;
  bool owns = tn_dtype_owns(dtype) || tn_dtype_owns(source->dtype);
  if (bytes != tn_tensor_bytes(source) || (owns && dtype != source->dtype)) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "a %s tensor of %zu bytes cannot be taken for a %s tensor of %zu bytes",
                  tn_dtype_name(source->dtype), tn_tensor_bytes(source), tn_dtype_name(dtype),
                  bytes);
    return false;
  }
  tn_shape shape;
  if (!tn_shape_init(&shape, dims, rank, status)) return false;
  tn_buffer* old = target->buffer;
  target->buffer = tn_buffer_ref(source->buffer);
  tn_buffer_unref(old);
  tn_shape_deinit(&target->shape);
  target->shape = shape;
  target->dtype = dtype;
  target->initialized = source->initialized;
  return true;
}

bool tn_tensor_set_shape(tn_tensor* tensor, const int64_t* dims, int rank, tn_status* status) {
  size_t bytes;
  if (!tensor) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "there is no tensor to give a shape (NULL)");
    return false;
  }
  if (!tn_tensor_size_of(tensor->dtype, dims, rank, &bytes, status)) return false;
  if (tensor->buffer && bytes > tensor->buffer->size) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "a shape that needs %zu bytes was set on a tensor with %zu bytes of memory",
                  bytes, tensor->buffer->size);
    return false;
  }
  tn_shape shape;
  if (!tn_shape_init(&shape, dims, rank, status)) return false;
  tn_shape_deinit(&tensor->shape);
  tensor->shape = shape;
  return true;
}

tn_dtype tn_tensor_dtype(const tn_tensor* tensor) { return tensor ? tensor->dtype : TN_INVALID; }
int tn_tensor_rank(const tn_tensor* tensor) { return tensor ? tensor->shape.rank : 0; }

int64_t tn_tensor_dim(const tn_tensor* tensor, int i) {
  return i < 0 || i >= tn_tensor_rank(tensor) ? -1 : tn_shape_dims(&tensor->shape)[i];
}

int64_t tn_tensor_elements(const tn_tensor* tensor) {
  return tensor ? tn_shape_elements(&tensor->shape) : 0;
}

size_t tn_tensor_bytes(const tn_tensor* tensor) {
  return (size_t)tn_tensor_elements(tensor) * tn_dtype_stored_size(tn_tensor_dtype(tensor));
}

void* tn_tensor_data(const tn_tensor* tensor) {
  return tensor && tensor->buffer ? tensor->buffer->data : NULL;
}

const char* tn_tensor_string(const tn_tensor* tensor, int64_t i, size_t* out_size) {
  tn_view text = {"", 0};
  if (tn_tensor_dtype(tensor) == TN_STRING && tensor->buffer && i >= 0 &&
      i < tn_tensor_elements(tensor))
    text = tn_tstring_view((const tn_tstring*)tensor->buffer->data + i);
  if (out_size) *out_size = text.size;
  return text.data;
}
