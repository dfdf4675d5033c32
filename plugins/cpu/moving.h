// What kernels share that move elements without looking at them.
#ifndef TENON_PLUGINS_CPU_MOVING_H_
#define TENON_PLUGINS_CPU_MOVING_H_

#include "cpu/layout.h"
#include "kernel.h"

// The types whose elements can be moved. A resource is kept out: TensorFlow's C API passes only
// scalars of it; and a variant's elements can be shared, not copied.
#define MOVABLE                                                                             \
  (TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_STRING) | TN_CPU_TYPE(TN_QINT8) | \
   TN_CPU_TYPE(TN_QUINT8) | TN_CPU_TYPE(TN_QINT16) | TN_CPU_TYPE(TN_QUINT16) |              \
   TN_CPU_TYPE(TN_QINT32) | TN_CPU_TYPE(TN_FLOAT8_E5M2) | TN_CPU_TYPE(TN_FLOAT8_E4M3FN) |   \
   TN_CPU_TYPE(TN_FLOAT8_E4M3FNUZ) | TN_CPU_TYPE(TN_FLOAT8_E4M3B11FNUZ) |                   \
   TN_CPU_TYPE(TN_FLOAT8_E5M2FNUZ) | TN_CPU_TYPE(TN_INT4) | TN_CPU_TYPE(TN_UINT4) |         \
   TN_CPU_TYPE(TN_INT2) | TN_CPU_TYPE(TN_UINT2) | TN_CPU_TYPE(TN_FLOAT4_E2M1FN))
#define SHAREABLE (MOVABLE | TN_CPU_TYPE(TN_VARIANT))
#define INDICES (TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64))

// Bytes of an element in memory; a string's is its TF_TString.
size_t element_size(tn_dtype dtype);

// An array, or a part of one, as something to walk: the address of its first element, and strides
// that count elements.
typedef struct place {
  void* data;
  const int64_t* strides;
} place;

// Element [i, j, ...] of `from` becomes that of `to`: tn_cpu_move, for strings too. False when the
// run has failed.
bool move_elements(run* run, tn_dtype dtype, int rank, const int64_t* dims, place from, place to);
// `count` elements that follow each other.
bool move_dense(run* run, tn_dtype dtype, int64_t count, const void* from, void* to);
// `count` times the element at `value`.
bool fill_elements(run* run, tn_dtype dtype, int64_t count, const void* value, void* to);
// Element `i` of `data`.
void* element_at(tn_dtype dtype, const void* data, int64_t i);

// Reads the numbers of the vector `input` (a scalar counts as one): at most TN_CPU_MAX_RANK.
bool read_vector(run* run, const char* name, const array* input, int64_t* out);
// Reads one dimension of `rank`, counted from either end.
bool read_axis(run* run, const char* name, const array* input, int rank, int* out);
bool check_axis(run* run, const char* name, int64_t value, int rank, int* out);
// A status unless the shape of input `name` is a vector (rank 1).
bool check_vector(run* run, const char* name, const array* input);
// A status unless an output of this rank, of these dims can be.
bool check_output_rank(run* run, int rank);
bool check_output_dims(run* run, int rank, const int64_t* dims);
// dims[begin] * ... * dims[end - 1].
int64_t product(const int64_t* dims, int begin, int end);
// Puts integer i of an int32 or int64 output.
void put_index(const array* output, int64_t i, int64_t value);

#endif  // TENON_PLUGINS_CPU_MOVING_H_
