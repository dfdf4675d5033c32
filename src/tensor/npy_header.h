// The header of a .npy file: a Python dictionary in one line of text.
#ifndef TENON_TENSOR_NPY_HEADER_H_
#define TENON_TENSOR_NPY_HEADER_H_

#include "tensor/tensor.h"

typedef enum tn_npy_kind {
  TN_NPY_NUMBERS,
  TN_NPY_BYTES,    // fixed-width text, '|S5'
  TN_NPY_UNICODE,  // fixed-width text in four-byte characters, '<U5'
} tn_npy_kind;

typedef struct tn_npy_header {
  tn_dtype dtype;
  tn_npy_kind kind;
  bool swapped;        // big-endian
  bool fortran;        // the first dimension varies fastest
  uint64_t item_size;  // bytes per element in the file
  int rank;
  int64_t dims[TN_MAX_RANK];
} tn_npy_header;

// Reads the text of a header. `dtype` says what raw elements ('|V1', '|V2') stand for and is
// otherwise TN_INVALID.
bool tn_npy_header_parse(tn_npy_header* header, tn_view text, tn_dtype dtype, tn_status* status);

// The descr that is written for a type of numbers ("'<f4'", quotes included); NULL when there is
// none. Sets `out_comment` to the type's name when the descr alone does not tell the type.
const char* tn_npy_descr(tn_dtype dtype, const char** out_comment);

#endif  // TENON_TENSOR_NPY_HEADER_H_
