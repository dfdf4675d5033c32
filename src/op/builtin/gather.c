// Picking and placing by index: gather, scatter, top-k, unique, where, sorted search.
#include "op/builtin/family.h"

// indices + params[1:].
static void gather_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref params = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  tn_infer_set_output(
      c, 0,
      tn_infer_concatenate(c, tn_infer_input(c, 1),
                           tn_infer_subshape(c, params, 1, INT64_MAX, status), status));
}

// params[:axis] + indices[batch_dims:] + params[axis + 1:].
static void gather_v2_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref params = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  tn_shape_ref indices = tn_infer_input(c, 1);
  int64_t axis, batch;
  if (!params || !tn_shapes_input_rank(c, 2, 0, status)) return;
  bool axis_known = tn_shapes_int(c, 2, &axis, status);
  if (!tn_ok(status)) return;
  if (!axis_known && (!tn_infer_rank_known(params) || !tn_infer_rank_known(indices))) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  if (!tn_shapes_attr_int(c, "batch_dims", &batch, status)) return;
  int64_t depth = batch < 0 ? -batch : batch;
  if (batch < 0 && tn_infer_rank_known(indices)) batch += indices->rank;
  if (!axis_known) {
    int64_t rank = params->rank + indices->rank - 1 - batch;
    tn_infer_set_output(c, 0, tn_infer_unknown_of_rank(c, rank, status));
    return;
  }
  indices = tn_infer_with_rank_at_least(c, indices, depth, status);
  params = tn_infer_with_rank_at_least(c, params, tn_shapes_rank_for(axis), status);
  params = tn_infer_with_rank_at_least(c, params, batch + 1, status);
  if (!indices || !params) return;
  tn_shape_ref out =
      tn_infer_concatenate(c, tn_infer_subshape(c, params, 0, axis, status),
                           tn_infer_subshape(c, indices, batch, INT64_MAX, status), status);
  if (axis != -1)
    out = tn_infer_concatenate(c, out, tn_infer_subshape(c, params, axis + 1, INT64_MAX, status),
                               status);
  tn_infer_set_output(c, 0, out);
}

// indices[:-1] + params[indices[-1]:].
static void gather_nd(tn_inference* c, tn_shape_ref params, tn_status* status) {
  tn_shape_ref indices = tn_infer_with_rank_at_least(c, tn_infer_input(c, 1), 1, status);
  if (!indices || !params) return;
  int64_t depth = tn_infer_dim(indices, -1);
  if (!tn_infer_rank_known(params) || depth < 0) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  if (depth > params->rank) {
    tn_shapes_fail(status, "indices of %lld numbers are too deep for params of rank %d",
                   (long long)depth, params->rank);
    return;
  }
  tn_infer_set_output(
      c, 0,
      tn_infer_concatenate(c, tn_infer_subshape(c, indices, 0, -1, status),
                           tn_infer_subshape(c, params, depth, INT64_MAX, status), status));
}

static void gather_nd_shape(tn_inference* c, tn_status* status) {
  gather_nd(c, tn_infer_input(c, 0), status);
}

static void resource_gather_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref params = tn_infer_with_rank_at_least(c, tn_shapes_variable(c, status), 1, status);
  tn_shape_ref indices = tn_infer_input(c, 1);
  int64_t batch;
  if (!params || !tn_shapes_attr_int(c, "batch_dims", &batch, status)) return;
  if (batch < 0) {
    tn_shapes_fail(status, "batch_dims must not be negative, but is %lld", (long long)batch);
    return;
  }
  indices = tn_infer_subshape(c, tn_infer_with_rank_at_least(c, indices, batch, status), batch,
                              INT64_MAX, status);
  params = tn_infer_with_rank_at_least(c, params, batch + 1, status);
  tn_shape_ref out =
      tn_infer_concatenate(c, tn_infer_subshape(c, params, 0, batch, status), indices, status);
  tn_infer_set_output(
      c, 0,
      tn_infer_concatenate(c, out, tn_infer_subshape(c, params, batch + 1, INT64_MAX, status),
                           status));
}

static void resource_gather_nd_shape(tn_inference* c, tn_status* status) {
  gather_nd(c, tn_shapes_variable(c, status), status);
}

// Do indices and updates fit what they are scattered into?
static bool check_scatter(tn_inference* c, tn_shape_ref target, tn_shape_ref indices,
                          tn_shape_ref updates, tn_status* status) {
  if (!target || !indices || !updates) return false;
  if (tn_shapes_elements(target) == 0 &&
      (tn_shapes_elements(indices) > 0 || tn_shapes_elements(updates) > 0))
    return tn_shapes_fail(status, "indices and updates are not empty, but what they go into is");
  int64_t depth = tn_infer_dim(indices, -1);
  if (!tn_infer_rank_known(indices) || !tn_infer_rank_known(updates) || updates->rank == 0 ||
      depth < 0)
    return true;
  int64_t outer = indices->rank - 1;
  return tn_infer_merge(c, tn_infer_subshape(c, indices, 0, outer, status),
                        tn_infer_subshape(c, updates, 0, outer, status), status) &&
         (!tn_infer_rank_known(target) ||
          tn_infer_merge(c, tn_infer_subshape(c, target, depth, INT64_MAX, status),
                         tn_infer_subshape(c, updates, outer, INT64_MAX, status), status));
}

static void scatter_nd_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref indices = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  tn_shape_ref updates = tn_infer_with_rank_at_least(c, tn_infer_input(c, 1), 1, status);
  tn_shape_ref target = tn_infer_value_as_shape(c, 2, status);
  if (check_scatter(c, target, indices, updates, status)) tn_infer_set_output(c, 0, target);
}

static void tensor_scatter_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref target = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  tn_shape_ref indices = tn_infer_with_rank_at_least(c, tn_infer_input(c, 1), 1, status);
  if (check_scatter(c, target, indices, tn_infer_input(c, 2), status))
    tn_infer_set_output(c, 0, target);
}

static void resource_scatter_nd_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref indices = tn_infer_with_rank_at_least(c, tn_infer_input(c, 1), 1, status);
  tn_shape_ref updates = tn_infer_with_rank_at_least(c, tn_infer_input(c, 2), 1, status);
  check_scatter(c, tn_shapes_resource(c, 0), indices, updates, status);
}

// updates, unless one scalar, have the shape indices + target[1:].
static void scatter_rows(tn_inference* c, tn_shape_ref target, tn_status* status) {
  tn_shape_ref updates = tn_infer_input(c, 2);
  tn_shape_ref rows = tn_infer_concatenate(
      c, tn_infer_input(c, 1), tn_infer_subshape(c, target, 1, INT64_MAX, status), status);
  if (rows && updates->rank != 0) tn_infer_merge(c, updates, rows, status);
}

static void resource_scatter_shape(tn_inference* c, tn_status* status) {
  scatter_rows(c, tn_shapes_variable(c, status), status);
}

static void ref_scatter_shape(tn_inference* c, tn_status* status) {
  tn_infer_set_output(c, 0, tn_infer_input(c, 0));
  scatter_rows(c, tn_infer_input(c, 0), status);
}

// The k largest of the last dimension, and where they were.
static void set_top(tn_inference* c, int64_t k, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  if (!input) return;
  int64_t last = tn_infer_dim(input, -1);
  if (k >= 0 && last >= 0 && last < k) {
    tn_shapes_fail(status, "there are no %lld largest of %lld elements", (long long)k,
                   (long long)last);
    return;
  }
  tn_shape_ref out = tn_infer_concatenate(c, tn_infer_subshape(c, input, 0, -1, status),
                                          tn_infer_vector(c, k, status), status);
  for (int i = 0; i < 2; ++i) tn_infer_set_output(c, i, out);
}

static void top_k_shape(tn_inference* c, tn_status* status) {
  int64_t k;
  if (tn_shapes_attr_int(c, "k", &k, status)) set_top(c, k, status);
}

static void top_k_v2_shape(tn_inference* c, tn_status* status) {
  int64_t k;
  if (tn_shapes_size(c, 1, &k, status)) set_top(c, k, status);
}

static void nth_element_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  int64_t n;
  if (!input || !tn_shapes_size(c, 1, &n, status)) return;
  const int64_t last = tn_infer_dim(input, -1);
  if (n >= 0 && last >= 0 && last <= n)
    tn_shapes_fail(status, "there is no element %lld of %lld elements", (long long)n,
                   (long long)last);
  else
    tn_infer_set_output(c, 0, tn_infer_subshape(c, input, 0, -1, status));
}

static void in_top_k_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref predictions = tn_infer_with_rank(c, tn_infer_input(c, 0), 2, status);
  tn_shape_ref targets = tn_infer_with_rank(c, tn_infer_input(c, 1), 1, status);
  int64_t batch;
  if (predictions && targets &&
      tn_infer_merge_dim(tn_infer_dim(predictions, 0), tn_infer_dim(targets, 0), &batch, status))
    tn_infer_set_output(c, 0, tn_infer_vector(c, batch, status));
}

static void unique_shape(tn_inference* c, tn_status* status) {
  if (!tn_shapes_input_rank(c, 0, 1, status)) return;
  tn_infer_set_output(c, 0, tn_infer_vector(c, -1, status));
  tn_infer_set_output(c, 1, tn_infer_input(c, 0));
}

static void unique_with_counts_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref values = tn_infer_vector(c, -1, status);
  tn_infer_set_output(c, 0, values);
  tn_infer_set_output(c, 1, tn_infer_input(c, 0));
  tn_infer_set_output(c, 2, values);
}

// Values, the place of each among them, and for some ops how often each came.
static void unique_v2_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  int64_t count, axis = 0, places = -1;
  const int64_t* axes = tn_shapes_ints(c, 1, &count, status);
  if (!tn_ok(status)) return;
  if (axes && tn_infer_rank_known(input)) {
    if (tn_infer_value(c, 1)->shape.rank != 1 || count > 1 || (count == 0 && input->rank != 1)) {
      tn_shapes_fail(status, "axis must be a vector of one number, or empty for a vector input");
      return;
    }
    if (count == 1 && !tn_shapes_axis(axes[0], input->rank, &axis, status)) return;
    places = tn_infer_dim(input, axis);
  }
  tn_infer_set_output(c, 0, tn_infer_unknown_of_rank(c, input->rank, status));
  tn_infer_set_output(c, 1, tn_infer_vector(c, places, status));
  if (c->node->output_count > 2) tn_infer_set_output(c, 2, tn_infer_vector(c, -1, status));
}

static void list_diff_shape(tn_inference* c, tn_status* status) {
  if (!tn_shapes_input_rank(c, 0, 1, status) || !tn_shapes_input_rank(c, 1, 1, status)) return;
  for (int i = 0; i < 2; ++i) tn_infer_set_output(c, i, tn_infer_vector(c, -1, status));
}

static void where_shape(tn_inference* c, tn_status* status) {
  int64_t dims[] = {-1, tn_infer_input(c, 0)->rank};
  tn_infer_set_output(c, 0, tn_infer_make(c, dims, 2, status));
}

static void search_sorted_shape(tn_inference* c, tn_status* status) {
  if (tn_shapes_input_rank(c, 0, 2, status) && tn_shapes_input_rank(c, 1, 2, status))
    tn_infer_set_output(c, 0, tn_infer_input(c, 1));
}

#define POLICY "; bad_indices_policy: string = ''"

const tn_builtin_op tn_gather_ops[] = {
    {"Gather", "params: Tparams; indices: Tindices", "output: Tparams",
     "validate_indices: bool = true; Tparams: type; Tindices: " INDEX, gather_shape},
    {"GatherV2", "params: Tparams; indices: Tindices; axis: Taxis", "output: Tparams",
     "batch_dims: int = 0; Tparams: type; Tindices: " INDEX_16 "; Taxis: " INDEX, gather_v2_shape},
    {"GatherNd", "params: Tparams; indices: Tindices", "output: Tparams",
     "Tparams: type; Tindices: " INDEX_16 POLICY, gather_nd_shape},
    {"ResourceGather", "resource: resource; indices: Tindices", "output: dtype",
     "batch_dims: int = 0; validate_indices: bool = true; dtype: type; Tindices: " INDEX,
     resource_gather_shape},
    {"ResourceGatherNd", "resource: resource; indices: Tindices", "output: dtype",
     "dtype: type; Tindices: " INDEX, resource_gather_nd_shape},
    {"ScatterNd", "indices: Tindices; updates: T; shape: Tindices", "output: T",
     "T: type; Tindices: " INDEX_16 POLICY, scatter_nd_shape},
    {"TensorScatterUpdate", "tensor: T; indices: Tindices; updates: T", "output: T",
     "T: type; Tindices: {int16, int32, int64, uint16}" POLICY, tensor_scatter_shape},
    {"TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin",
     "tensor: T; indices: Tindices; updates: T", "output: T", "T: type; Tindices: " INDEX POLICY,
     tensor_scatter_shape},
    {"ResourceScatterNdUpdate ResourceScatterNdAdd ResourceScatterNdSub",
     "ref: resource; indices: Tindices; updates: T", "",
     "T: type; Tindices: " INDEX "; use_locking: bool = true" POLICY, resource_scatter_nd_shape},
    {"ResourceScatterAdd ResourceScatterSub ResourceScatterMul ResourceScatterDiv "
     "ResourceScatterMin ResourceScatterMax",
     "resource: resource; indices: Tindices; updates: dtype", "",
     "dtype: numbertype; Tindices: " INDEX, resource_scatter_shape},
    {"ResourceScatterUpdate", "resource: resource; indices: Tindices; updates: dtype", "",
     "dtype: type; Tindices: " INDEX, resource_scatter_shape},
    {"ScatterAdd", "ref: Ref(T); indices: Tindices; updates: T", "output_ref: Ref(T)",
     "T: numbertype; Tindices: " INDEX "; use_locking: bool = false", ref_scatter_shape},
    {"ScatterUpdate", "ref: Ref(T); indices: Tindices; updates: T", "output_ref: Ref(T)",
     "T: type; Tindices: " INDEX "; use_locking: bool = true", ref_scatter_shape},
    {"TopK", "input: T", "values: T; indices: int32",
     "k: int >= 0; sorted: bool = true; T: realnumbertype", top_k_shape, 0, 7,
     "Use TopKV2 instead"},
    {"TopKV2", "input: T; k: Tk", "values: T; indices: index_type",
     "sorted: bool = true; T: realnumbertype; Tk: " INDEX_16 " = DT_INT32; index_type: " INDEX_16
     " = DT_INT32",
     top_k_v2_shape},
    {"InTopK", "predictions: float; targets: T", "precision: bool", "k: int; T: " INDEX_32,
     in_top_k_shape},
    {"InTopKV2", "predictions: float; targets: T; k: T", "precision: bool", "T: " INDEX_32,
     in_top_k_shape},
    {"NthElement", "input: T; n: int32", "values: T", "reverse: bool = false; T: realnumbertype",
     nth_element_shape},
    {"Unique", "x: T", "y: T; idx: out_idx", "T: type; out_idx: " INDEX_32, unique_shape},
    {"UniqueWithCounts", "x: T", "y: T; idx: out_idx; count: out_idx",
     "T: type; out_idx: " INDEX_32, unique_with_counts_shape},
    {"UniqueV2", "x: T; axis: Taxis", "y: T; idx: out_idx",
     "T: type; Taxis: " INDEX_64 "; out_idx: " INDEX_32, unique_v2_shape},
    {"UniqueWithCountsV2", "x: T; axis: Taxis", "y: T; idx: out_idx; count: out_idx",
     "T: type; Taxis: " INDEX_64 "; out_idx: " INDEX_32, unique_v2_shape},
    {"ListDiff", "x: T; y: T", "out: T; idx: out_idx", "T: type; out_idx: " INDEX_32,
     list_diff_shape},
    {"Where", "input: T", "index: int64", "T: {numbertype, bool} = DT_BOOL", where_shape},
    {"LowerBound UpperBound", "sorted_inputs: T; values: T", "output: out_type",
     "T: type; out_type: " INDEX_32, search_sorted_shape},
    {0},
};
