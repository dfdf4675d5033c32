// Putting tensors together and taking them apart: concat, split, pack, unpack, stitch, partition.
#include "op/builtin/family.h"

// What stands beside an axis: shape[:axis], shape[axis], shape[axis + 1:].
typedef struct cut {
  tn_shape_ref before, after;
  int64_t middle;
} cut;

static bool cut_at(tn_inference* c, tn_shape_ref shape, int64_t axis, cut* out, tn_status* status) {
  shape = tn_infer_with_rank_at_least(c, shape, tn_shapes_rank_for(axis), status);
  if (!shape) return false;
  out->before = tn_infer_subshape(c, shape, 0, axis, status);
  out->middle = tn_infer_dim(shape, axis);
  out->after =
      axis == -1 ? tn_infer_scalar(c) : tn_infer_subshape(c, shape, axis + 1, INT64_MAX, status);
  return out->before && out->after;
}

// The values are inputs [first, last], the axis is input `at`.
static void concat(tn_inference* c, int first, int last, int at, tn_status* status) {
  if (!tn_shapes_input_rank(c, at, 0, status)) return;
  int64_t axis;
  if (!tn_shapes_int(c, at, &axis, status)) {
    if (!tn_ok(status)) return;
    // Only the rank can be said, and all known ones must agree.
    tn_shape_ref any = tn_infer_unknown(c);
    for (int i = first; any && i <= last; ++i)
      any = tn_infer_rank_known(any)
                ? tn_infer_with_rank(c, tn_infer_input(c, i), any->rank, status)
                : tn_infer_input(c, i);
    if (any && any->rank == 0)
      tn_shapes_fail(status, "scalars cannot be concatenated, only packed");
    else if (any)
      tn_infer_set_output(c, 0, tn_infer_unknown_of_rank(c, any->rank, status));
    return;
  }
  cut all, one;
  if (!cut_at(c, tn_infer_input(c, last), axis, &all, status)) return;
  for (int i = last - 1; i >= first; --i) {
    if (!cut_at(c, tn_infer_input(c, i), axis, &one, status)) return;
    all.before = tn_infer_merge(c, one.before, all.before, status);
    all.after = tn_infer_merge(c, one.after, all.after, status);
    if (!all.before || !all.after || !tn_infer_add(all.middle, one.middle, &all.middle, status))
      return;
  }
  tn_shape_ref front =
      tn_infer_concatenate(c, all.before, tn_infer_vector(c, all.middle, status), status);
  tn_infer_set_output(c, 0, tn_infer_concatenate(c, front, all.after, status));
}

static void concat_shape(tn_inference* c, tn_status* status) {
  concat(c, 1, (int)c->node->input_count - 1, 0, status);
}

static void concat_v2_shape(tn_inference* c, tn_status* status) {
  int axis = (int)c->node->input_count - 1;
  concat(c, 0, axis - 1, axis, status);
}

static void concat_offset_shape(tn_inference* c, tn_status* status) {
  for (int i = 0; i < (int)c->node->output_count; ++i)
    tn_infer_set_output(c, i, tn_infer_input(c, i + 1));
}

static void set_all(tn_inference* c, tn_shape_ref shape) {
  for (int i = 0; i < (int)c->node->output_count; ++i) tn_infer_set_output(c, i, shape);
}

// The axis that scalar input i names, counted from the end of `shape` when negative: -1 when
// unknown.
static bool split_axis(tn_inference* c, int i, tn_shape_ref shape, int64_t* out_axis,
                       tn_status* status) {
  *out_axis = -1;
  if (!tn_shapes_int(c, i, out_axis, status)) return tn_ok(status);
  if (tn_infer_rank_known(shape)) return tn_shapes_axis(*out_axis, shape->rank, out_axis, status);
  if (*out_axis < 0) *out_axis = -1;
  return true;
}

static void split_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 1);
  int64_t axis, size;
  if (!split_axis(c, 0, input, &axis, status)) return;
  if (axis < 0) {
    set_all(c, tn_infer_unknown_of_rank(c, input->rank, status));
    return;
  }
  input = tn_infer_with_rank_at_least(c, input, tn_shapes_rank_for(axis), status);
  if (!input || !tn_infer_divide(tn_infer_dim(input, axis), (int64_t)c->node->output_count, true,
                                 &size, status))
    return;
  set_all(c, tn_infer_replace_dim(c, input, axis, size, status));
}

static void split_v_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  int64_t axis, count, total = 0, open = -1;
  if (!split_axis(c, 2, input, &axis, status)) return;
  const int64_t* sizes = tn_shapes_ints(c, 1, &count, status);
  if (!tn_ok(status)) return;
  if (input->rank == 0) {
    tn_shapes_fail(status, "a scalar cannot be split");
    return;
  }
  if (!tn_infer_rank_known(input) || (axis < 0 && !sizes)) {
    set_all(c, tn_infer_unknown_of_rank(c, input->rank, status));
    return;
  }
  if (!sizes) {
    set_all(c, tn_infer_replace_dim(c, input, axis, -1, status));
    return;
  }
  if (count != (int64_t)c->node->output_count || tn_infer_value(c, 1)->shape.rank != 1) {
    tn_shapes_fail(status, "input 1 (size_splits) must be a vector of %zu sizes, one per output",
                   c->node->output_count);
    return;
  }
  int64_t size = tn_infer_dim(input, axis);
  for (int64_t i = 0; i < count; ++i) {
    if (sizes[i] == -1 && open < 0) {
      open = i;
    } else if (sizes[i] < 0) {
      tn_shapes_fail(status, "sizes must not be negative, but for one that may be -1");
      return;
    } else if (!tn_infer_add(total, sizes[i], &total, status)) {
      return;
    }
  }
  if (size >= 0 && (open >= 0 ? total > size : total != size)) {
    tn_shapes_fail(status, "dimension %lld of size %lld cannot be split into pieces of %lld in all",
                   (long long)axis, (long long)size, (long long)total);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t piece = i != open ? sizes[i] : size >= 0 ? size - total : -1;
    tn_infer_set_output(c, (int)i, tn_infer_replace_dim(c, input, axis, piece, status));
  }
}

// shape with a dimension of `size` inserted before `axis`.
static tn_shape_ref with_dim(tn_inference* c, tn_shape_ref shape, int64_t axis, int64_t size,
                             tn_status* status) {
  tn_shape_ref front = tn_infer_concatenate(c, tn_infer_subshape(c, shape, 0, axis, status),
                                            tn_infer_vector(c, size, status), status);
  return tn_infer_concatenate(c, front, tn_infer_subshape(c, shape, axis, INT64_MAX, status),
                              status);
}

static void pack_shape(tn_inference* c, tn_status* status) {
  tn_shapes_merged(c, status);
  int64_t axis;
  tn_shape_ref shape = c->outputs[0];
  if (!tn_ok(status) || !tn_infer_rank_known(shape) ||
      !tn_shapes_attr_int(c, "axis", &axis, status) ||
      !tn_shapes_axis(axis, shape->rank + 1, &axis, status))
    return;
  tn_infer_set_output(c, 0, with_dim(c, shape, axis, (int64_t)c->node->input_count, status));
}

static void unpack_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  int64_t axis, unused;
  cut parts;
  if (!tn_infer_rank_known(input)) {
    set_all(c, tn_infer_unknown(c));
    return;
  }
  if (!tn_shapes_attr_int(c, "axis", &axis, status) ||
      !tn_shapes_axis(axis, input->rank, &axis, status) ||
      !cut_at(c, input, axis, &parts, status) ||
      !tn_infer_with_value(parts.middle, (int64_t)c->node->output_count, &unused, status))
    return;
  set_all(c, tn_infer_concatenate(c, parts.before, parts.after, status));
}

static void one_hot_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref indices = tn_infer_input(c, 0);
  int64_t axis, depth;
  if (!tn_shapes_attr_int(c, "axis", &axis, status)) return;
  if (axis < -1) {
    tn_shapes_fail(status, "axis must be -1 or more, but is %lld", (long long)axis);
    return;
  }
  if (!tn_shapes_size(c, 1, &depth, status)) return;
  if (!tn_infer_rank_known(indices)) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  if (tn_shapes_axis(axis, indices->rank + 1, &axis, status))
    tn_infer_set_output(c, 0, with_dim(c, indices, axis, depth, status));
}

static void dynamic_partition_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref partitions = tn_infer_input(c, 1);
  if (!tn_infer_rank_known(partitions)) {
    set_all(c, tn_infer_unknown(c));
    return;
  }
  tn_shape_ref data = tn_infer_merge_prefix(c, tn_infer_input(c, 0), partitions, status);
  tn_shape_ref rest = tn_infer_subshape(c, data, partitions->rank, INT64_MAX, status);
  set_all(c, tn_infer_concatenate(c, tn_infer_vector(c, -1, status), rest, status));
}

static void dynamic_stitch_shape(tn_inference* c, tn_status* status) {
  int count = (int)c->node->input_count / 2;
  tn_shape_ref rest = tn_infer_unknown(c);
  bool known = true;
  int64_t last = -1;
  for (int i = 0; i < count; ++i) {
    tn_shape_ref indices = tn_infer_input(c, i), data = tn_infer_input(c, i + count);
    int64_t length = 0;
    const int64_t* places = tn_shapes_ints(c, i, &length, status);
    if (!tn_ok(status)) return;
    known = known && places;
    for (int64_t k = 0; places && k < length; ++k) last = places[k] > last ? places[k] : last;
    if (!tn_infer_rank_known(indices)) continue;
    data = tn_infer_merge_prefix(c, data, indices, status);
    rest = tn_infer_merge(c, rest, tn_infer_subshape(c, data, indices->rank, INT64_MAX, status),
                          status);
    if (!rest) return;
  }
  tn_shape_ref length = tn_infer_vector(c, known ? last + 1 : -1, status);
  tn_infer_set_output(c, 0, tn_infer_concatenate(c, length, rest, status));
}

const tn_builtin_op tn_join_ops[] = {
    {"Concat", "concat_dim: int32; values: N * T", "output: T", "N: int >= 2; T: type",
     concat_shape},
    {"ConcatV2", "values: N * T; axis: Tidx", "output: T", "N: int >= 2; T: type; Tidx: " INDEX_32,
     concat_v2_shape},
    {"ConcatOffset", "concat_dim: int32; shape: N * shape_type", "offset: N * shape_type",
     "N: int >= 2; shape_type: " INDEX_32, concat_offset_shape},
    {"Split", "split_dim: int32; value: T", "output: num_split * T", "num_split: int; T: type",
     split_shape},
    {"SplitV", "value: T; size_splits: Tlen; split_dim: int32", "output: num_split * T",
     "num_split: int; T: type; Tlen: {int8, int32, int64} = DT_INT64", split_v_shape},
    {"Pack", "values: N * T", "output: T", "N: int; T: type; axis: int = 0", pack_shape},
    {"Unpack", "value: T", "output: num * T", "num: int >= 0; T: type; axis: int = 0",
     unpack_shape},
    {"OneHot", "indices: TI; depth: int32; on_value: T; off_value: T", "output: T",
     "axis: int = -1; T: type; TI: {uint8, int8, int32, int64} = DT_INT64", one_hot_shape},
    {"DynamicStitch", "indices: N * int32; data: N * T", "merged: T", "N: int; T: type",
     dynamic_stitch_shape},
    {"DynamicPartition", "data: T; partitions: int32", "outputs: num_partitions * T",
     "num_partitions: int; T: type", dynamic_partition_shape},
    {0},
};
