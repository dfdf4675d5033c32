// Tensors as text for people, the way numpy's str() prints arrays.
#ifndef TENON_TENSOR_PRINT_H_
#define TENON_TENSOR_PRINT_H_

#include "tensor/tensor.h"

typedef struct tn_print_options {
  int precision;      // places behind the point at most, up to 20
  int64_t threshold;  // tensors with more elements are summarised ...
  int edge_items;     // ... to so many at each end of each dimension
  int line_width;
} tn_print_options;

#define TN_PRINT_OPTIONS_DEFAULT ((tn_print_options){8, 1000, 3, 75})

// Appends to `out`; NULL options are the defaults, which are numpy's.
bool tn_tensor_print(const tn_tensor* tensor, tn_text* out, const tn_print_options* options,
                     tn_status* status);

#endif  // TENON_TENSOR_PRINT_H_
