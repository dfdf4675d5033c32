// What a file of built-in ops is made of: rows of specs, and the shape functions and verbs that
// several families share.
#ifndef TENON_OP_BUILTIN_FAMILY_H_
#define TENON_OP_BUILTIN_FAMILY_H_

#include "base/memory.h"
#include "base/status.h"
#include "op/shape_inference.h"

enum {
  TN_OP_COMMUTATIVE = 1,
  TN_OP_AGGREGATE = 2,
  TN_OP_STATEFUL = 4,
  TN_OP_UNINITIALIZED_INPUT = 8,
};

// Specs as the op builder takes them, several in one text separated by "; ".
typedef struct tn_builtin_op {
  const char* names;  // ops that differ in nothing else, separated by spaces
  const char* inputs;
  const char* outputs;
  const char* attrs;
  tn_shape_function shape;  // NULL: unknown, or no outputs
  unsigned flags;
  int deprecated;  // graph version, 0 for most
  const char* explanation;
} tn_builtin_op;

// Rows leave out the last columns where they have nothing to say.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

// End with a row without names.
extern const tn_builtin_op tn_elementwise_ops[], tn_matmul_ops[], tn_reduction_ops[],
    tn_array_ops[], tn_layout_ops[], tn_diagonal_ops[], tn_join_ops[], tn_slice_ops[],
    tn_gather_ops[], tn_nn_ops[], tn_window_ops[], tn_image_ops[], tn_string_ops[], tn_random_ops[],
    tn_state_ops[], tn_training_ops[];

// Sets of types that many ops share. The order counts: it is part of an op's definition.
#define INDEX "{int32, int64}"
#define INDEX_32 INDEX " = DT_INT32"
#define INDEX_64 INDEX " = DT_INT64"
#define INDEX_16 "{int16, int32, int64}"
#define FLOATS "{half, bfloat16, float, double}"
#define FLOATS_B "{bfloat16, half, float, double}"
#define FLOATS_COMPLEX "{bfloat16, half, float, double, complex64, complex128}"

// Makes output `output` like input `input`, with what a resource holds.
void tn_shapes_like(tn_inference* c, int output, int input);

// Shape functions. "Like" includes what a resource holds.
void tn_shapes_like_input(tn_inference* c, tn_status* status);   // output 0 is like input 0
void tn_shapes_like_each(tn_inference* c, tn_status* status);    // every output like its input
void tn_shapes_like_vector(tn_inference* c, tn_status* status);  // input 0, of rank 1 or more
void tn_shapes_like_volume(tn_inference* c, tn_status* status);  // input 0, of rank 3 or more
void tn_shapes_merged(tn_inference* c, tn_status* status);       // all inputs have one shape
void tn_shapes_broadcast(tn_inference* c, tn_status* status);    // the two inputs broadcast
void tn_shapes_scalar(tn_inference* c, tn_status* status);       // every output is a scalar
void tn_shapes_from_input(tn_inference* c, tn_status* status);   // input 0 spells the shape
void tn_shapes_reduce(tn_inference* c, tn_status* status);       // over axes in input 1
void tn_shapes_from_attr(tn_inference* c, tn_status* status);    // attr "shape" is the shape

// Verbs. Like those of shape_inference.h they set `status` and return false or NULL on failure.
bool tn_shapes_fail(tn_status* status, const char* format, ...) TN_PRINTF(2, 3);
// A negative axis counted from the end; INVALID_ARGUMENT outside [-rank, rank).
bool tn_shapes_axis(int64_t axis, int64_t rank, int64_t* out_axis, tn_status* status);
// The rank that something with this axis has at least. Without overflow: axes may be any number.
int64_t tn_shapes_rank_for(int64_t axis);
// Elements of integer input i, copied into the context; NULL without failure when it is unknown.
int64_t* tn_shapes_ints(tn_inference* c, int i, int64_t* out_count, tn_status* status);
// Scalar integer input i; false without failure when it is unknown.
bool tn_shapes_int(tn_inference* c, int i, int64_t* out_value, tn_status* status);
// A scalar input that is a size: -1 when unknown, INVALID_ARGUMENT when negative or no scalar.
bool tn_shapes_size(tn_inference* c, int i, int64_t* out_size, tn_status* status);
// Input i as one axis of something of this rank; -1 when the input is unknown.
bool tn_shapes_axis_input(tn_inference* c, int i, int64_t rank, int64_t* out_axis,
                          tn_status* status);
bool tn_shapes_input_rank(tn_inference* c, int i, int64_t rank, tn_status* status);
// Room for `count` numbers in the context.
int64_t* tn_shapes_numbers(tn_inference* c, int64_t count, tn_status* status);
// The product of all dimensions, -1 when it is unknown or does not fit; one 0 makes it 0.
int64_t tn_shapes_elements(tn_shape_ref shape);
// attr `name`, one int or a list of them; INVALID_ARGUMENT over 32 bits, so that sums stay in 64.
bool tn_shapes_attr_int(tn_inference* c, const char* name, int64_t* out_value, tn_status* status);
const int64_t* tn_shapes_attr_ints(tn_inference* c, const char* name, int64_t* out_count,
                                   tn_status* status);
// What resource input i holds; an unknown shape when that is unknown.
tn_shape_ref tn_shapes_resource(tn_inference* c, int i);
// The same of input 0, which must be a variable of the type that attr "dtype" says.
tn_shape_ref tn_shapes_variable(tn_inference* c, tn_status* status);

#endif  // TENON_OP_BUILTIN_FAMILY_H_
