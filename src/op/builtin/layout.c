// Moving elements without changing them: reshape, transpose, pad, tile, reverse, blocks of space.
#include "op/builtin/family.h"

// Product of the known dimensions; `out_unknown` gets the only unknown one, -1 without any, -2 with
// several.
static bool known_elements(tn_shape_ref shape, int64_t* out_count, int* out_unknown,
                           tn_status* status) {
  *out_count = 1;
  *out_unknown = -1;
  bool empty = false;
  for (int i = 0; i < shape->rank; ++i) {
    int64_t dim = tn_infer_dim(shape, i);
    empty = empty || dim == 0;
    if (dim < 0)
      *out_unknown = *out_unknown == -1 ? i : -2;
    else if (!tn_infer_multiply(*out_count, dim, out_count, status))
      return false;
  }
  if (empty) *out_unknown = -1;  // nothing times anything
  return true;
}

static void reshape_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref in = tn_infer_input(c, 0);
  tn_shape_ref out = tn_infer_value_as_shape(c, 1, status);
  if (!out) return;
  if (tn_infer_rank_known(in) && tn_infer_rank_known(out)) {
    int64_t in_count, out_count, dim;
    int in_unknown, out_unknown;
    if (!known_elements(in, &in_count, &in_unknown, status) ||
        !known_elements(out, &out_count, &out_unknown, status))
      return;
    if (in_unknown == -1 && out_unknown == -1 && in_count != out_count) {
      tn_shapes_fail(status, "%lld elements do not fit a shape of %lld elements",
                     (long long)in_count, (long long)out_count);
      return;
    }
    if (in_unknown == -1 && out_unknown >= 0 && out_count > 0) {
      if (!tn_infer_divide(in_count, out_count, true, &dim, status)) return;
      out = tn_infer_replace_dim(c, out, out_unknown, dim, status);
    } else if (in_unknown >= 0 && out_unknown == -1 && in_count != 0) {
      if (!tn_infer_divide(out_count, in_count, true, &dim, status)) return;
    }
  }
  tn_infer_set_output(c, 0, out);
}

static void expand_dims_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  int64_t count = 1, axis;
  const int64_t* dim = tn_shapes_ints(c, 1, &count, status);
  if (!tn_ok(status)) return;
  if (count != 1) {
    tn_shapes_fail(status, "input 1 (dim) must be one number, not %lld", (long long)count);
    return;
  }
  if (!dim || !tn_infer_rank_known(input)) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  if (!tn_shapes_axis(*dim, input->rank + 1, &axis, status)) return;
  tn_shape_ref before = tn_infer_concatenate(c, tn_infer_subshape(c, input, 0, axis, status),
                                             tn_infer_vector(c, 1, status), status);
  tn_infer_set_output(c, 0,
                      tn_infer_concatenate(
                          c, before, tn_infer_subshape(c, input, axis, INT64_MAX, status), status));
}

static void squeeze_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  int64_t count, axis, dims[TN_MAX_RANK], rank = 0;
  const int64_t* axes = tn_shapes_attr_ints(c, "squeeze_dims", &count, status);
  if (!axes) return;
  bool squeezed[TN_MAX_RANK] = {false};
  for (int64_t i = 0; tn_infer_rank_known(input) && i < count; ++i) {
    if (!tn_shapes_axis(axes[i], input->rank, &axis, status)) return;
    squeezed[axis] = true;
    int64_t dim = tn_infer_dim(input, axis);
    if (dim >= 0 && dim != 1) {
      tn_shapes_fail(status, "dimension %lld is %lld and cannot be squeezed, only 1 can",
                     (long long)axis, (long long)dim);
      return;
    }
  }
  bool known = tn_infer_rank_known(input);
  for (int i = 0; i < input->rank; ++i) {
    int64_t dim = tn_infer_dim(input, i);
    if (count == 0 && dim < 0) known = false;
    if (count == 0 ? dim != 1 : !squeezed[i]) dims[rank++] = dim;
  }
  tn_infer_set_output(c, 0, known ? tn_infer_make(c, dims, rank, status) : tn_infer_unknown(c));
}

static void transpose_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0), perm = tn_infer_input(c, 1);
  int64_t count = tn_shapes_elements(perm), rank = input->rank, unused;
  const int64_t* from = tn_shapes_ints(c, 1, &count, status);
  if (!tn_ok(status)) return;
  if (rank < 0) rank = count;
  // One element or none says nothing about an input of unknown rank: scalars and vectors stay.
  if (!tn_infer_rank_known(input) && rank < 2) {
    tn_infer_set_output(c, 0, input);
    return;
  }
  input = tn_infer_with_rank(c, input, rank, status);
  if (!input || !tn_infer_with_rank(c, perm, 1, status) ||
      !tn_infer_with_value(count, rank, &unused, status))
    return;
  int64_t* dims = tn_shapes_numbers(c, rank, status);
  if (!dims) return;
  for (int64_t i = 0, axis; i < rank; ++i) {
    dims[i] = -1;
    if (!from) continue;
    if (!tn_shapes_axis(from[i], rank, &axis, status)) return;
    dims[i] = tn_infer_dim(input, axis);
  }
  tn_infer_set_output(c, 0, tn_infer_make(c, dims, rank, status));
}

static void tile_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  tn_shape_ref multiples = tn_infer_value_as_shape(c, 1, status);
  if (!multiples) return;
  if (tn_infer_rank_known(input)) multiples = tn_infer_with_rank(c, multiples, input->rank, status);
  if (!multiples) return;
  if (!tn_infer_rank_known(multiples)) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  input = tn_infer_with_rank(c, input, multiples->rank, status);
  int64_t dims[TN_MAX_RANK];
  for (int i = 0; input && i < input->rank; ++i)
    if (!tn_infer_multiply(tn_infer_dim(input, i), tn_infer_dim(multiples, i), &dims[i], status))
      return;
  if (input) tn_infer_set_output(c, 0, tn_infer_make(c, dims, input->rank, status));
}

// Input 0 with what the rows of matrix input 1 say added to or taken from each dimension.
static void pad(tn_inference* c, bool add, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  tn_shape_ref paddings = tn_infer_with_rank(c, tn_infer_input(c, 1), 2, status);
  int64_t rank, count, two;
  if (!paddings || !tn_infer_with_value(tn_infer_dim(paddings, 1), 2, &two, status) ||
      !tn_infer_merge_dim(tn_infer_dim(paddings, 0), add ? input->rank : -1, &rank, status))
    return;
  const int64_t* pads = tn_shapes_ints(c, 1, &count, status);
  if (!tn_ok(status)) return;
  if (rank < 0) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  input = tn_infer_with_rank(c, input, rank, status);
  if (!input) return;
  if (!pads) {
    tn_infer_set_output(c, 0, tn_infer_unknown_of_rank(c, rank, status));
    return;
  }
  int64_t* dims = tn_shapes_numbers(c, rank, status);
  if (!dims) return;
  for (int64_t i = 0, both; i < rank; ++i) {
    if (pads[2 * i] < 0 || pads[2 * i + 1] < 0) {
      tn_shapes_fail(status, "padding of dimension %lld is negative", (long long)i);
      return;
    }
    int64_t dim = tn_infer_dim(input, i);
    if (!tn_infer_add(pads[2 * i], pads[2 * i + 1], &both, status) ||
        !(add ? tn_infer_add : tn_infer_subtract)(dim, both, &dims[i], status))
      return;
  }
  tn_infer_set_output(c, 0, tn_infer_make(c, dims, rank, status));
}

static void pad_shape(tn_inference* c, tn_status* status) { pad(c, true, status); }
static void mirror_pad_grad_shape(tn_inference* c, tn_status* status) { pad(c, false, status); }

static void reverse_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_most(c, tn_infer_input(c, 0), 8, status);
  int64_t count = 0;
  if (!input || !tn_shapes_input_rank(c, 1, 1, status)) return;
  const int64_t* axes = tn_shapes_ints(c, 1, &count, status);
  unsigned seen = 0;
  for (int64_t i = 0, axis; axes && tn_infer_rank_known(input) && i < count; ++i) {
    if (!tn_shapes_axis(axes[i], input->rank, &axis, status)) return;
    if (seen & 1u << axis) {
      tn_shapes_fail(status, "axis %lld is given twice", (long long)axis);
      return;
    }
    seen |= 1u << axis;
  }
  if (tn_ok(status)) tn_infer_set_output(c, 0, input);
}

static void reverse_sequence_shape(tn_inference* c, tn_status* status) {
  int64_t seq, batch, size;
  tn_shape_ref input = tn_infer_input(c, 0);
  tn_shape_ref lengths = tn_infer_with_rank(c, tn_infer_input(c, 1), 1, status);
  if (!lengths || !tn_infer_attr_int(c, "seq_dim", &seq, status) ||
      !tn_infer_attr_int(c, "batch_dim", &batch, status))
    return;
  if (!tn_infer_rank_known(input)) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  if (batch < 0) {
    tn_shapes_fail(status, "batch_dim must not be negative, but is %lld", (long long)batch);
    return;
  }
  int64_t last = seq > batch ? seq : batch;
  input = tn_infer_with_rank_at_least(c, input, tn_shapes_rank_for(last), status);
  if (!input ||
      !tn_infer_merge_dim(tn_infer_dim(input, batch), tn_infer_dim(lengths, 0), &size, status))
    return;
  tn_infer_set_output(c, 0, tn_infer_replace_dim(c, input, batch, size, status));
}

static void roll_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  tn_shape_ref shift = tn_infer_with_rank_at_most(c, tn_infer_input(c, 1), 1, status);
  tn_shape_ref axis = tn_infer_with_rank_at_most(c, tn_infer_input(c, 2), 1, status);
  if (tn_infer_merge(c, shift, axis, status)) tn_infer_set_output(c, 0, input);
}

static void broadcast_to_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  if (!tn_shapes_input_rank(c, 1, 1, status)) return;
  tn_shape_ref out = tn_infer_value_as_shape(c, 1, status);
  if (out && tn_infer_rank_known(input) && tn_infer_rank_known(out)) {
    input = tn_infer_with_rank_at_most(c, input, out->rank, status);
    for (int i = 1; input && out && i <= input->rank; ++i) {
      int64_t from = tn_infer_dim(input, -i), to;
      if (from <= 1) continue;  // stretches, or may turn out to
      if (!tn_infer_merge_dim(from, tn_infer_dim(out, -i), &to, status)) return;
      out = tn_infer_replace_dim(c, out, -i, to, status);
    }
    if (!input) return;
  }
  tn_infer_set_output(c, 0, out);
}

// Blocks of the dimensions after the first move into the first (`gather`) or back out of it.
static void space_batch(tn_inference* c, bool gather, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0), edges = tn_infer_input(c, 2);
  tn_shape_ref blocks = tn_infer_input(c, 1);
  int64_t count = tn_infer_dim(blocks, 0), unused;
  if (blocks->rank != 1 || count < 0) {
    tn_shapes_fail(status, "input 1 (block_shape) must be a vector of known size");
    return;
  }
  input = tn_infer_with_rank_at_least(c, input, count + 1, status);
  edges = tn_infer_merge(c, edges, tn_infer_make(c, (int64_t[]){count, 2}, 2, status), status);
  int64_t* dims = tn_shapes_numbers(c, count + 1, status);
  if (!input || !edges || !dims) return;
  const int64_t* block = tn_shapes_ints(c, 1, &unused, status);
  const int64_t* edge = tn_shapes_ints(c, 2, &unused, status);
  if (!tn_ok(status)) return;
  int64_t batch = count > 0 && !block ? -1 : tn_infer_dim(input, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t dim = block && edge ? tn_infer_dim(input, i + 1) : -1;
    if ((block && block[i] < 1) || (edge && (edge[2 * i] < 0 || edge[2 * i + 1] < 0))) {
      tn_shapes_fail(status, "block and edges of dimension %lld must be positive and not negative",
                     (long long)i + 1);
      return;
    }
    if (block && !(gather ? tn_infer_multiply(batch, block[i], &batch, status)
                          : tn_infer_divide(batch, block[i], true, &batch, status)))
      return;
    if (block && edge &&
        !(gather ? tn_infer_add(dim, edge[2 * i], &dim, status) &&
                       tn_infer_add(dim, edge[2 * i + 1], &dim, status) &&
                       tn_infer_divide(dim, block[i], true, &dim, status)
                 : tn_infer_multiply(dim, block[i], &dim, status) &&
                       tn_infer_subtract(dim, edge[2 * i], &dim, status) &&
                       tn_infer_subtract(dim, edge[2 * i + 1], &dim, status)))
      return;
    dims[i + 1] = dim;
  }
  dims[0] = batch;
  tn_infer_set_output(
      c, 0,
      tn_infer_concatenate(c, tn_infer_make(c, dims, count + 1, status),
                           tn_infer_subshape(c, input, count + 1, INT64_MAX, status), status));
}

static void space_to_batch_shape(tn_inference* c, tn_status* status) {
  space_batch(c, true, status);
}
static void batch_to_space_shape(tn_inference* c, tn_status* status) {
  space_batch(c, false, status);
}

// Squares of block_size move between the two spatial dimensions and the channels.
static void space_depth(tn_inference* c, bool gather, tn_status* status) {
  tn_view format;
  int64_t block, dims[5];
  if (!tn_infer_attr_string(c, "data_format", &format, status) ||
      !tn_shapes_attr_int(c, "block_size", &block, status))
    return;
  int rank = tn_view_is(format, "NCHW_VECT_C") ? 5 : 4;
  int space = tn_view_is(format, "NHWC") ? 1 : 2, channels = space == 1 ? 3 : 1;
  tn_shape_ref input = tn_infer_with_rank(c, tn_infer_input(c, 0), rank, status);
  if (!input) return;
  for (int i = 0; i < rank; ++i) {
    dims[i] = i == 4 ? 4 : tn_infer_dim(input, i);
    bool in_space = i == space || i == space + 1;
    if (!in_space && i != channels) continue;
    int64_t factor = in_space ? block : block * block;
    if (!(in_space == gather ? tn_infer_divide(dims[i], factor, true, &dims[i], status)
                             : tn_infer_multiply(dims[i], factor, &dims[i], status)))
      return;
  }
  tn_infer_set_output(c, 0, tn_infer_make(c, dims, rank, status));
}

static void space_to_depth_shape(tn_inference* c, tn_status* status) {
  space_depth(c, true, status);
}
static void depth_to_space_shape(tn_inference* c, tn_status* status) {
  space_depth(c, false, status);
}

#define DEPTH_ATTRS \
  "T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"
#define MIRROR_ATTRS "T: type; Tpaddings: " INDEX_32 "; mode: {'REFLECT', 'SYMMETRIC'}"

const tn_builtin_op tn_layout_ops[] = {
    {"Reshape", "tensor: T; shape: Tshape", "output: T", "T: type; Tshape: " INDEX_32,
     reshape_shape},
    {"ExpandDims", "input: T; dim: Tdim", "output: T", "T: type; Tdim: " INDEX_32,
     expand_dims_shape},
    {"Squeeze", "input: T", "output: T", "T: type; squeeze_dims: list(int) >= 0 = []",
     squeeze_shape},
    {"Transpose ConjugateTranspose", "x: T; perm: Tperm", "y: T", "T: type; Tperm: " INDEX_32,
     transpose_shape},
    {"Tile", "input: T; multiples: Tmultiples", "output: T", "T: type; Tmultiples: " INDEX_32,
     tile_shape},
    {"Pad", "input: T; paddings: Tpaddings", "output: T", "T: type; Tpaddings: " INDEX_32,
     pad_shape},
    {"PadV2", "input: T; paddings: Tpaddings; constant_values: T", "output: T",
     "T: type; Tpaddings: " INDEX_32, pad_shape},
    {"MirrorPad", "input: T; paddings: Tpaddings", "output: T", MIRROR_ATTRS, pad_shape},
    {"MirrorPadGrad", "input: T; paddings: Tpaddings", "output: T", MIRROR_ATTRS,
     mirror_pad_grad_shape},
    {"ReverseV2", "tensor: T; axis: Tidx", "output: T",
     "Tidx: " INDEX_32 "; T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, "
     "bfloat16, half, float, double, complex64, complex128, string}",
     reverse_shape},
    {"ReverseSequence", "input: T; seq_lengths: Tlen", "output: T",
     "seq_dim: int; batch_dim: int = 0; T: type; Tlen: " INDEX_64, reverse_sequence_shape},
    {"Roll", "input: T; shift: Tshift; axis: Taxis", "output: T",
     "T: type; Tshift: " INDEX "; Taxis: " INDEX, roll_shape},
    {"BroadcastTo", "input: T; shape: Tidx", "output: T", "T: type; Tidx: " INDEX_32,
     broadcast_to_shape},
    {"SpaceToBatchND", "input: T; block_shape: Tblock_shape; paddings: Tpaddings", "output: T",
     "T: type; Tblock_shape: " INDEX_32 "; Tpaddings: " INDEX_32, space_to_batch_shape},
    {"BatchToSpaceND", "input: T; block_shape: Tblock_shape; crops: Tcrops", "output: T",
     "T: type; Tblock_shape: " INDEX_32 "; Tcrops: " INDEX_32, batch_to_space_shape},
    {"SpaceToDepth", "input: T", "output: T", DEPTH_ATTRS, space_to_depth_shape},
    {"DepthToSpace", "input: T", "output: T", DEPTH_ATTRS, depth_to_space_shape},
    {0},
};
