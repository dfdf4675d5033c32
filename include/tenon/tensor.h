// Tensors: an element type, a shape and counted memory.
//
// A tensor handle belongs to one owner; its memory may be shared with other handles. Elements lie
// in row-major order at a 64-byte boundary. A `tn_tensor` and the `TF_Tensor` of the plugin ABI are
// the same object under two names.
#ifndef TENON_TENSOR_H_
#define TENON_TENSOR_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tenon/dtype.h"
#include "tenon/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Tensor tn_tensor;

// Makes a tensor in host memory; numbers are not initialised, strings are empty. The result is
// owned by the caller until tn_tensor_destroy. NULL and INVALID_ARGUMENT for a negative dimension,
// a rank over 254 or a type without elements; RESOURCE_EXHAUSTED without memory.
// [any thread]  since 0.1
tn_tensor* tn_tensor_create(tn_dtype dtype, const int64_t* dims, int rank, tn_status* status);

// A tensor with a copy of `size` bytes of `data`, which must be what dtype and shape need (no
// strings). Owned by the caller until tn_tensor_destroy.  [any thread]  since 0.1
tn_tensor* tn_tensor_create_from(tn_dtype dtype, const int64_t* dims, int rank, const void* data,
                                 size_t size, tn_status* status);

// A scalar string tensor or, with `rank` and `dims`, one of `count` strings, copied from `texts`
// with their `sizes` (NULL: NUL-terminated). Owned by the caller until tn_tensor_destroy.
// [any thread]  since 0.1
tn_tensor* tn_tensor_create_strings(const int64_t* dims, int rank, const char* const* texts,
                                    const size_t* sizes, tn_status* status);

// A second handle on the same memory, owned by the caller until tn_tensor_destroy; NULL without
// memory.  [any thread]  since 0.1
tn_tensor* tn_tensor_share(const tn_tensor* tensor, tn_status* status);

// Drops a handle; the last one frees the memory. NULL is fine.  [any thread]  since 0.1
void tn_tensor_destroy(tn_tensor* tensor);

// The element type. Borrows `tensor`.  [any thread]  since 0.1
tn_dtype tn_tensor_dtype(const tn_tensor* tensor);

// The number of dimensions. Borrows `tensor`.  [any thread]  since 0.1
int tn_tensor_rank(const tn_tensor* tensor);

// Dimension `i`, or -1 when there is no such dimension. Borrows `tensor`.  [any thread]  since 0.1
int64_t tn_tensor_dim(const tn_tensor* tensor, int i);

// The number of elements. Borrows `tensor`.  [any thread]  since 0.1
int64_t tn_tensor_elements(const tn_tensor* tensor);

// Bytes of its elements. Borrows `tensor`.  [any thread]  since 0.1
size_t tn_tensor_bytes(const tn_tensor* tensor);

// The elements, owned by the tensor until its last handle goes. Writing is for the only owner.
// [any thread]  since 0.1
void* tn_tensor_data(const tn_tensor* tensor);

// String element `i`; "" and size 0 when there is none. Owned by the tensor until it is changed.
// [any thread]  since 0.1
const char* tn_tensor_string(const tn_tensor* tensor, int64_t i, size_t* out_size);

// Reads one array from a .npy file (or a pipe): numbers of either byte order and either memory
// order, fixed-width texts ('|S5' as they are, '<U5' as UTF-8), TensorFlow's quantized types; '<V2'
// is taken for bfloat16. Owned by the caller until tn_tensor_destroy. NULL with a status that names
// the file and what is wrong with it.  [any thread]  since 0.1
tn_tensor* tn_npy_read(const char* path, tn_status* status);

// Like tn_npy_read, for an array of type `dtype`. This is how files are read that ml_dtypes filled
// with a type numpy does not know: the file only says '<V1' (float8_e4m3fn, int4 and others) or
// '<V2'. A file that says another type is refused; TN_INVALID asks for nothing. Owned by the caller
// until tn_tensor_destroy.  [any thread]  since 0.1
tn_tensor* tn_npy_read_as(const char* path, tn_dtype dtype, tn_status* status);

// Writes a .npy file that numpy reads, byte for byte as numpy's save does. bfloat16 ('<V2') and
// other types that numpy does not know ('<V1') are raw bytes, as ml_dtypes leaves them; a comment
// after the header's dictionary names the latter, so that tn_npy_read knows them again. Strings are
// fixed-width bytes, so one that ends in a NUL is refused, as are resources and variants. Borrows
// `tensor`; a failed write leaves what was there before.  [any thread]  since 0.1
bool tn_npy_write(const char* path, const tn_tensor* tensor, tn_status* status);

// A .npz archive: named arrays in one file. Belongs to whoever opened it.
typedef struct tn_npz tn_npz;

// Opens an archive that numpy's savez or savez_compressed wrote. Owned by the caller until
// tn_npz_close. NULL with a status that names the file and what is wrong with it: two members of
// one name among that.  [any thread]  since 0.1
tn_npz* tn_npz_open(const char* path, tn_status* status);

// Frees an archive; NULL is fine. The caller's pointer, and names got from it, are dead afterwards.
// [one thread per archive]  since 0.1
void tn_npz_close(tn_npz* archive);

// The number of arrays. Borrows `archive`.  [any thread]  since 0.1
size_t tn_npz_count(const tn_npz* archive);

// The name of array `i` without ".npy", in the file's order; NULL when there is none. Owned by the
// archive until it is closed.  [any thread]  since 0.1
const char* tn_npz_name(const tn_npz* archive, size_t i);

// Reads the array `name`. Owned by the caller until tn_tensor_destroy. NULL and NOT_FOUND, with the
// names there are, when it is not in the archive.  [one thread per archive]  since 0.1
tn_tensor* tn_npz_read(tn_npz* archive, const char* name, tn_status* status);

// Like tn_npz_read, for an array of type `dtype` (see tn_npy_read_as). Owned by the caller until
// tn_tensor_destroy.  [one thread per archive]  since 0.1
tn_tensor* tn_npz_read_as(tn_npz* archive, const char* name, tn_dtype dtype, tn_status* status);

// Writes `count` arrays under `names` as numpy's savez does. Borrows everything; a failed write
// leaves what was there before.  [any thread]  since 0.1
bool tn_npz_write(const char* path, const char* const* names, tn_tensor* const* tensors,
                  size_t count, tn_status* status);

// Prints the elements to `stream` the way numpy's str() does, without a line end. Borrows both.
// False with a status when memory or the stream fails.  [any thread]  since 0.1
bool tn_tensor_write_text(const tn_tensor* tensor, FILE* stream, tn_status* status);

// Prints the elements to `stream` as JSON: nested lists in the tensor's shape; NaN and infinities
// as strings, complex numbers as [re, im], strings as JSON strings. Borrows both. False with a
// status when memory or the stream fails.  [any thread]  since 0.1
bool tn_tensor_write_json(const tn_tensor* tensor, FILE* stream, tn_status* status);

#ifdef __cplusplus
}
#endif
#endif  // TENON_TENSOR_H_
