// Making tensors and asking about them: constants, placeholders, identities, shapes, fills, ranges.
#include <math.h>

#include "op/builtin/family.h"
#include "tensor/element.h"

static void const_shape(tn_inference* c, tn_status* status) {
  const tn_attr_value* value = tn_infer_attr(c, "value", TN_ATTR_TENSOR, false, status);
  if (!value) return;
  const tn_shape* shape = &value->tensors[0]->shape;
  tn_infer_set_output(c, 0, tn_infer_make(c, tn_shape_dims(shape), shape->rank, status));
}

// The attr's shape, to which the input must fit.
static void placeholder_with_default_shape(tn_inference* c, tn_status* status) {
  tn_shapes_from_attr(c, status);
  if (tn_ok(status)) tn_infer_merge(c, tn_infer_input(c, 0), c->outputs[0], status);
}

static void ensure_shape(tn_inference* c, tn_status* status) {
  tn_shapes_from_attr(c, status);
  if (tn_ok(status))
    tn_infer_set_output(c, 0, tn_infer_merge(c, tn_infer_input(c, 0), c->outputs[0], status));
}

// Each output is the shape of its input: a vector as long as the rank.
static void shape_shape(tn_inference* c, tn_status* status) {
  for (int i = 0; i < (int)c->node->output_count; ++i)
    tn_infer_set_output(c, i, tn_infer_vector(c, tn_infer_input(c, i)->rank, status));
}

static void fill_shape(tn_inference* c, tn_status* status) {
  int64_t count = 0;
  if (!tn_shapes_input_rank(c, 0, 1, status) || !tn_shapes_input_rank(c, 1, 0, status)) return;
  const int64_t* dims = tn_shapes_ints(c, 0, &count, status);
  for (int64_t i = 0; dims && i < count; ++i) {
    if (dims[i] < 0) {
      tn_shapes_fail(status, "dimension %lld to fill is negative: %lld", (long long)i,
                     (long long)dims[i]);
      return;
    }
  }
  if (tn_ok(status)) tn_shapes_from_input(c, status);
}

static void linspace_shape(tn_inference* c, tn_status* status) {
  int64_t count;
  if (!tn_shapes_input_rank(c, 0, 0, status) || !tn_shapes_input_rank(c, 1, 0, status) ||
      !tn_shapes_input_rank(c, 2, 0, status) || !tn_shapes_size(c, 2, &count, status))
    return;
  if (count == 0) {
    tn_shapes_fail(status, "input 2 (num) must be positive, but is 0");
    return;
  }
  tn_infer_set_output(c, 0, tn_infer_vector(c, count, status));
}

// What is left of `value` in a variable of that type.
static double rounded(tn_dtype dtype, double value) {
  float narrow = (float)value;
  if (dtype == TN_DOUBLE) return value;
  if (dtype == TN_FLOAT) return narrow;
  uint32_t bits;  // bfloat16: the upper half of a float, the nearest even one
  memcpy(&bits, &narrow, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  memcpy(&narrow, &bits, sizeof narrow);
  return narrow;
}

// Elements from start to limit, all of one type. TensorFlow computes this in the type itself.
static bool range_size(tn_dtype dtype, const void* start, const void* limit, const void* delta,
                       int64_t* out_size, tn_status* status) {
  bool up, empty, forward;
  double count;
  if (tn_dtype_kind(dtype) == TN_NUMBER_FLOAT) {
    double from = tn_element_float(dtype, start), to = tn_element_float(dtype, limit);
    double step = tn_element_float(dtype, delta);
    up = step > 0, empty = step == 0, forward = up ? from <= to : from >= to;
    count = ceil(fabs(rounded(dtype, rounded(dtype, to - from) / step)));
    *out_size = count < 0x1p63 ? (int64_t)count : -1;
  } else {
    __int128 bounds[3];
    const void* at[] = {start, limit, delta};
    for (int i = 0; i < 3; ++i)
      bounds[i] = tn_dtype_kind(dtype) == TN_NUMBER_SIGNED
                      ? tn_element_signed(dtype, at[i])
                      : (__int128)tn_element_unsigned(dtype, at[i]);
    __int128 span = bounds[1] - bounds[0], step = bounds[2];
    up = step > 0, empty = step == 0, forward = up ? span >= 0 : span <= 0;
    __int128 size = empty ? 0 : (span + step - (up ? 1 : -1)) / step;
    *out_size = size <= INT64_MAX ? (int64_t)size : -1;
  }
  if (empty) return tn_shapes_fail(status, "input 2 (delta) must not be 0");
  if (!forward)
    return tn_shapes_fail(status, "a %s delta needs start %s limit", up ? "positive" : "negative",
                          up ? "<=" : ">=");
  return *out_size >= 0 || tn_shapes_fail(status, "the range has too many elements to count");
}

static void range_shape(tn_inference* c, tn_status* status) {
  const tn_tensor* bounds[3];  // start, limit, delta
  bool known = true;
  for (int i = 0; i < 3; ++i) {
    if (!tn_shapes_input_rank(c, i, 0, status)) return;
    bounds[i] = tn_infer_value(c, i);
    known = known && bounds[i] && bounds[i]->dtype != TN_HALF;
  }
  int64_t size = -1;
  if (known && !range_size(bounds[0]->dtype, tn_tensor_data(bounds[0]), tn_tensor_data(bounds[1]),
                           tn_tensor_data(bounds[2]), &size, status))
    return;
  tn_infer_set_output(c, 0, tn_infer_vector(c, size, status));
}

static void broadcast_args_shape(tn_inference* c, tn_status* status) {
  if (!tn_shapes_input_rank(c, 0, 1, status) || !tn_shapes_input_rank(c, 1, 1, status)) return;
  int64_t a = tn_infer_dim(tn_infer_input(c, 0), 0), b = tn_infer_dim(tn_infer_input(c, 1), 0);
  tn_infer_set_output(c, 0, tn_infer_vector(c, a < 0 || b < 0 ? -1 : a > b ? a : b, status));
}

static void broadcast_gradient_args_shape(tn_inference* c, tn_status* status) {
  if (!tn_shapes_input_rank(c, 0, 1, status) || !tn_shapes_input_rank(c, 1, 1, status)) return;
  for (int i = 0; i < 2; ++i) tn_infer_set_output(c, i, tn_infer_vector(c, -1, status));
}

static void invert_permutation_shape(tn_inference* c, tn_status* status) {
  tn_infer_set_output(c, 0, tn_infer_with_rank(c, tn_infer_input(c, 0), 1, status));
}

const tn_builtin_op tn_array_ops[] = {
    {"NoOp", "", "", "", NULL},
    {"Const", "", "output: dtype", "value: tensor; dtype: type", const_shape},
    {"Placeholder", "", "output: dtype", "dtype: type; shape: shape = { unknown_rank: true }",
     tn_shapes_from_attr},
    {"PlaceholderWithDefault", "input: dtype", "output: dtype", "dtype: type; shape: shape",
     placeholder_with_default_shape},
    {"Identity StopGradient Snapshot", "input: T", "output: T", "T: type", tn_shapes_like_input},
    {"PreventGradient", "input: T", "output: T", "T: type; message: string = ''",
     tn_shapes_like_input},
    {"IdentityN", "input: T", "output: T", "T: list(type)", tn_shapes_like_each},
    {"CheckNumerics", "tensor: T", "output: T", "T: " FLOATS_B "; message: string",
     tn_shapes_like_input, TN_OP_STATEFUL},
    {"EnsureShape", "input: T", "output: T", "shape: shape; T: type", ensure_shape},
    {"Assert", "condition: bool; data: T", "", "T: list(type); summarize: int = 3", NULL,
     TN_OP_STATEFUL},
    {"Shape", "input: T", "output: out_type", "T: type; out_type: " INDEX_32, shape_shape},
    {"ShapeN", "input: N * T", "output: N * out_type", "N: int; T: type; out_type: " INDEX_32,
     shape_shape},
    {"Size", "input: T", "output: out_type", "T: type; out_type: " INDEX_32, tn_shapes_scalar},
    {"Rank", "input: T", "output: int32", "T: type", tn_shapes_scalar},
    {"Fill", "dims: index_type; value: T", "output: T", "T: type; index_type: " INDEX_32,
     fill_shape},
    {"LinSpace", "start: T; stop: T; num: Tidx", "output: T", "T: " FLOATS_B "; Tidx: " INDEX_32,
     linspace_shape},
    {"Range", "start: Tidx; limit: Tidx; delta: Tidx", "output: Tidx",
     "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = "
     "DT_INT32",
     range_shape},
    {"BroadcastArgs", "s0: T; s1: T", "r0: T", "T: " INDEX_32, broadcast_args_shape},
    {"BroadcastGradientArgs", "s0: T; s1: T", "r0: T; r1: T", "T: " INDEX_32,
     broadcast_gradient_args_shape},
    {"InvertPermutation", "x: T", "y: T", "T: " INDEX_32, invert_permutation_shape},
    {0},
};
