// Folding dimensions away: reductions, arg-reductions, running sums, segments, counting.
#include "op/builtin/family.h"

void tn_shapes_reduce(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  bool keep;
  if (!tn_infer_with_rank_at_most(c, tn_infer_input(c, 1), 1, status) ||
      !tn_infer_attr_bool(c, "keep_dims", &keep, status))
    return;
  int64_t count;
  const int64_t* axes = tn_shapes_ints(c, 1, &count, status);
  if (!tn_ok(status)) return;
  if (!axes || !tn_infer_rank_known(input)) {
    tn_infer_set_output(c, 0,
                        keep && tn_infer_rank_known(input)
                            ? tn_infer_unknown_of_rank(c, input->rank, status)
                            : tn_infer_unknown(c));
    return;
  }
  bool reduced[TN_MAX_RANK] = {false};
  for (int64_t i = 0, axis; i < count; ++i) {
    if (!tn_shapes_axis(axes[i], input->rank, &axis, status)) return;
    reduced[axis] = true;
  }
  int64_t dims[TN_MAX_RANK], rank = 0;
  for (int i = 0; i < input->rank; ++i) {
    if (!reduced[i])
      dims[rank++] = tn_infer_dim(input, i);
    else if (keep)
      dims[rank++] = 1;
  }
  tn_infer_set_output(c, 0, tn_infer_make(c, dims, rank, status));
}

static void arg_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  if (!tn_shapes_input_rank(c, 1, 0, status)) return;
  if (input->rank <= 1) {  // a scalar or vector gives a scalar whatever the axis
    tn_infer_set_output(c, 0, input->rank < 0 ? tn_infer_unknown(c) : tn_infer_scalar(c));
    return;
  }
  int64_t axis;
  if (!tn_shapes_axis_input(c, 1, input->rank, &axis, status)) return;
  tn_infer_set_output(
      c, 0,
      axis < 0 ? tn_infer_unknown_of_rank(c, input->rank - 1, status)
               : tn_infer_concatenate(c, tn_infer_subshape(c, input, 0, axis, status),
                                      tn_infer_subshape(c, input, axis + 1, input->rank, status),
                                      status));
}

// [size] + shape[skipped...].
static void set_rows(tn_inference* c, int64_t size, tn_shape_ref shape, int64_t skipped,
                     tn_status* status) {
  tn_infer_set_output(
      c, 0,
      tn_infer_concatenate(c, tn_infer_vector(c, size, status),
                           tn_infer_subshape(c, shape, skipped, INT64_MAX, status), status));
}

static void segment_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref data = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  if (data && tn_shapes_input_rank(c, 1, 1, status)) set_rows(c, -1, data, 1, status);
}

static void sparse_segment_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref data = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  tn_shape_ref indices = tn_infer_with_rank(c, tn_infer_input(c, 1), 1, status);
  tn_shape_ref ids = tn_infer_with_rank(c, tn_infer_input(c, 2), 1, status);
  if (data && tn_infer_merge(c, indices, ids, status)) set_rows(c, -1, data, 1, status);
}

static void unsorted_segment_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref data = tn_infer_input(c, 0), ids = tn_infer_input(c, 1);
  int64_t size;
  if (!tn_shapes_input_rank(c, 2, 0, status)) return;
  if (!tn_infer_rank_known(ids)) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  data = tn_infer_merge_prefix(c, data, ids, status);
  if (data && tn_shapes_size(c, 2, &size, status)) set_rows(c, size, data, ids->rank, status);
}

static void bincount_shape(tn_inference* c, tn_status* status) {
  int64_t size;
  if (tn_shapes_input_rank(c, 1, 0, status) && tn_shapes_size(c, 1, &size, status))
    tn_infer_set_output(c, 0, tn_infer_vector(c, size, status));
}

static void dense_bincount_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_most(c, tn_infer_input(c, 0), 2, status);
  int64_t size;
  if (!input || !tn_shapes_input_rank(c, 1, 0, status) || !tn_shapes_size(c, 1, &size, status))
    return;
  // As in TensorFlow, the rows of a matrix are known only when the size is.
  int64_t dims[] = {size < 0 ? -1 : tn_infer_dim(input, 0), size};
  tn_infer_set_output(c, 0,
                      input->rank < 0    ? tn_infer_unknown(c)
                      : input->rank == 2 ? tn_infer_make(c, dims, 2, status)
                                         : tn_infer_vector(c, size, status));
}

#define UNSORTED_INPUTS "data: T; segment_ids: Tindices; num_segments: Tnumsegments"
#define SPARSE_ATTRS \
  "; Tidx: " INDEX_32 "; Tsegmentids: " INDEX_32 "; sparse_gradient: bool = false"

const tn_builtin_op tn_reduction_ops[] = {
    {"Sum Mean Prod EuclideanNorm", "input: T; reduction_indices: Tidx", "output: T",
     "keep_dims: bool = false; T: numbertype; Tidx: " INDEX_32, tn_shapes_reduce},
    {"Max Min", "input: T; reduction_indices: Tidx", "output: T",
     "keep_dims: bool = false; T: {realnumbertype, quantizedtype}; Tidx: " INDEX_32,
     tn_shapes_reduce},
    {"All Any", "input: bool; reduction_indices: Tidx", "output: bool",
     "keep_dims: bool = false; Tidx: " INDEX_32, tn_shapes_reduce},
    {"ArgMax", "input: T; dimension: Tidx", "output: output_type",
     "T: {realnumbertype, quantizedtype, bool}; Tidx: " INDEX_16 " = DT_INT32; "
     "output_type: {int16, uint16, int32, int64} = DT_INT64",
     arg_shape},
    {"ArgMin", "input: T; dimension: Tidx", "output: output_type",
     "T: {realnumbertype, quantizedtype, bool}; Tidx: " INDEX_32 "; output_type: " INDEX_64,
     arg_shape},
    {"Cumsum Cumprod", "x: T; axis: Tidx", "out: T",
     "exclusive: bool = false; reverse: bool = false; T: numbertype; Tidx: " INDEX_32,
     tn_shapes_like_input},
    {"CumulativeLogsumexp", "x: T; axis: Tidx", "out: T",
     "exclusive: bool = false; reverse: bool = false; T: " FLOATS_B "; Tidx: " INDEX_32,
     tn_shapes_like_input},
    {"SegmentSum SegmentMean SegmentProd", "data: T; segment_ids: Tindices", "output: T",
     "T: numbertype; Tindices: " INDEX, segment_shape},
    {"SegmentMax SegmentMin", "data: T; segment_ids: Tindices", "output: T",
     "T: realnumbertype; Tindices: " INDEX, segment_shape},
    {"UnsortedSegmentSum", UNSORTED_INPUTS, "output: T",
     "T: numbertype; Tindices: " INDEX_16 "; Tnumsegments: " INDEX_32, unsorted_segment_shape},
    {"UnsortedSegmentProd", UNSORTED_INPUTS, "output: T",
     "T: numbertype; Tindices: " INDEX "; Tnumsegments: " INDEX_32, unsorted_segment_shape},
    {"UnsortedSegmentJoin", "inputs: string; segment_ids: Tindices; num_segments: Tnumsegments",
     "output: string", "separator: string = ''; Tindices: " INDEX "; Tnumsegments: " INDEX_32,
     unsorted_segment_shape},
    {"UnsortedSegmentMax UnsortedSegmentMin", UNSORTED_INPUTS, "output: T",
     "T: realnumbertype; Tindices: " INDEX "; Tnumsegments: " INDEX_32, unsorted_segment_shape},
    {"SparseSegmentSum", "data: T; indices: Tidx; segment_ids: Tsegmentids", "output: T",
     "T: realnumbertype" SPARSE_ATTRS, sparse_segment_shape},
    {"SparseSegmentMean SparseSegmentSqrtN", "data: T; indices: Tidx; segment_ids: Tsegmentids",
     "output: T", "T: " FLOATS_B SPARSE_ATTRS, sparse_segment_shape},
    {"L2Loss", "t: T", "output: T", "T: " FLOATS, tn_shapes_scalar},
    {"Bincount", "arr: int32; size: int32; weights: T", "bins: T",
     "T: {int32, int64, float, double}", bincount_shape},
    {"DenseBincount", "input: Tidx; size: Tidx; weights: T", "output: T",
     "Tidx: " INDEX "; T: {int32, int64, float, double}; binary_output: bool = false",
     dense_bincount_shape},
    {0},
};
