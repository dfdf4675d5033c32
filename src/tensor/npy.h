// The .npy format, wherever its bytes lie: in a file of their own or in an archive.
#ifndef TENON_TENSOR_NPY_H_
#define TENON_TENSOR_NPY_H_

#include "tensor/tensor.h"

// Bytes that are read in order. `read` gives exactly `size` of them or fails with a status.
typedef struct tn_npy_source {
  bool (*read)(struct tn_npy_source* source, void* to, size_t size, tn_status* status);
  uint64_t left;  // there are no more than these; kept up to date by `read`
} tn_npy_source;

// Reads one array; bytes after it are left where they are. `dtype` as for tn_npy_read_as.
tn_tensor* tn_npy_read_from(tn_npy_source* source, tn_dtype dtype, tn_status* status);

// How an array will be written: this header, then `item_size` bytes per element.
typedef struct tn_npy_layout {
  tn_text header;
  size_t item_size;
  uint64_t total;  // bytes in all
} tn_npy_layout;

bool tn_npy_layout_init(tn_npy_layout* layout, const tn_tensor* tensor, tn_status* status);
void tn_npy_layout_deinit(tn_npy_layout* layout);
// Passes all bytes to `write`, in order, in pieces.
void tn_npy_write_to(const tn_npy_layout* layout, const tn_tensor* tensor,
                     void (*write)(void* arg, const void* bytes, size_t size), void* arg);

#endif  // TENON_TENSOR_NPY_H_
