// One element as a number of C's, whatever its type.
#ifndef TENON_TENSOR_ELEMENT_H_
#define TENON_TENSOR_ELEMENT_H_

#include <stdint.h>

#include "tensor/dtype.h"

typedef enum tn_number_kind {
  TN_NUMBER_NONE,  // strings, resources, variants
  TN_NUMBER_BOOL,
  TN_NUMBER_SIGNED,
  TN_NUMBER_UNSIGNED,
  TN_NUMBER_FLOAT,
  TN_NUMBER_COMPLEX,  // two numbers of tn_dtype_real
} tn_number_kind;

tn_number_kind tn_dtype_kind(tn_dtype dtype);
// Bits of an element that count: int4 has 4 in the low half of its byte.
unsigned tn_dtype_bits(tn_dtype dtype);
// The type of a complex type's parts; other types are their own.
tn_dtype tn_dtype_real(tn_dtype dtype);

// The element at `at`; exact. 0 when the type is of another kind.
int64_t tn_element_signed(tn_dtype dtype, const void* at);
uint64_t tn_element_unsigned(tn_dtype dtype, const void* at);
double tn_element_float(tn_dtype dtype, const void* at);

#endif  // TENON_TENSOR_ELEMENT_H_
