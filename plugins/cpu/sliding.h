// Windows that slide over images: what pools and convolutions ask of attributes and shapes.
#ifndef TENON_PLUGINS_CPU_SLIDING_H_
#define TENON_PLUGINS_CPU_SLIDING_H_

#include "kernel.h"

// Attributes padding and, where the op has it, explicit_paddings.
typedef struct padding {
  enum { PADDING_VALID, PADDING_SAME, PADDING_EXPLICIT } kind;
  int64_t edges[8];  // before and after each dimension
} padding;
padding attr_padding(attrs* attrs, bool has_explicit);

// Along one dimension: how often the window fits, and what is padded before.
typedef struct sliding {
  int64_t size, window, stride, dilation;
} sliding;
bool slide(run* run, const padding* padding, int dimension, sliding s, int64_t* out_size,
           int64_t* out_before);

// Fails unless the array has these dimensions; `name` is the input's.
bool check_dims(run* run, const char* name, const array* found, int rank, const int64_t* dims);
bool check_rank(run* run, const char* name, const array* found, int rank);

#endif  // TENON_PLUGINS_CPU_SLIDING_H_
