// Slices: plain, strided, and what their gradients and updates give.
#include "op/builtin/family.h"

static void slice_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  tn_shape_ref begin_shape = tn_infer_with_rank(c, tn_infer_input(c, 1), 1, status);
  tn_shape_ref size_shape = tn_infer_with_rank(c, tn_infer_input(c, 2), 1, status);
  tn_shape_ref spec = tn_infer_merge(c, begin_shape, size_shape, status);
  if (!spec) return;
  int64_t rank = tn_infer_dim(spec, 0);
  if (rank >= 0) input = tn_infer_with_rank(c, input, rank, status);
  // Read as shapes because single entries of them may be known. -1 then is "unknown" in both; a
  // size of -1 that was really given means "to the end".
  tn_shape_ref begin = tn_infer_value_as_shape(c, 1, status);
  tn_shape_ref sizes = tn_infer_value_as_shape(c, 2, status);
  int64_t count;
  const int64_t* given = tn_shapes_ints(c, 2, &count, status);
  if (!input || !begin || !sizes || !tn_ok(status)) return;
  if (rank < 0) rank = tn_infer_rank_known(sizes) ? sizes->rank : input->rank;
  if (rank < 0 || !tn_infer_rank_known(sizes)) {
    tn_infer_set_output(c, 0, tn_infer_unknown_of_rank(c, rank, status));
    return;
  }
  int64_t* dims = tn_shapes_numbers(c, rank, status);
  for (int64_t i = 0; dims && i < rank; ++i) {
    dims[i] = tn_infer_dim(sizes, i);
    if (given && given[i] == -1 &&
        !tn_infer_subtract(tn_infer_dim(input, i), tn_infer_dim(begin, i), &dims[i], status))
      return;
  }
  if (dims) tn_infer_set_output(c, 0, tn_infer_make(c, dims, rank, status));
}

// What the five masks and the three vectors of a strided slice say, entry by entry.
typedef struct slice_spec {
  const int64_t *begin, *end, *strides;  // the first two NULL when unknown
  int64_t count;
  int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_mask;
} slice_spec;

static bool has(int64_t mask, int64_t i) { return i < 64 && (mask >> i & 1); }

// The size that entry i leaves of a dimension; -1 when that is unknown.
static bool slice_dim(const slice_spec* spec, int64_t i, int64_t dim, int64_t* out_size,
                      tn_status* status) {
  int64_t stride = spec->strides[i];
  bool shrink = has(spec->shrink_mask, i), known = spec->begin && spec->end;
  bool from_edge = has(spec->begin_mask, i), to_edge = has(spec->end_mask, i);
  if (stride == 0) return tn_shapes_fail(status, "stride %lld must not be 0", (long long)i);
  *out_size = shrink ? 1 : -1;
  if (dim < 0) return true;
  if (shrink && stride < 0)
    return tn_shapes_fail(status, "entry %lld picks one element and cannot go backwards",
                          (long long)i);
  if (shrink) {
    int64_t at = known ? spec->begin[i] : 0;
    if (known && (at < -dim || at >= dim))
      return tn_shapes_fail(status, "index %lld is outside a dimension of %lld", (long long)at,
                            (long long)dim);
    return true;
  }
  if (!known && !(from_edge && to_edge)) return true;
  int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? dim : dim - 1;
  int64_t begin = stride > 0 ? low : high, end = stride > 0 ? high : low;
  for (int k = 0; k < 2; ++k) {
    if (k ? to_edge : from_edge) continue;
    int64_t at = k ? spec->end[i] : spec->begin[i];
    if (at < 0) at += dim;
    *(k ? &end : &begin) = at < low ? low : at > high ? high : at;
  }
  int64_t span = stride > 0 ? end - begin : begin - end;
  // Without a sign: the smallest stride has no positive counterpart.
  uint64_t step = stride > 0 ? (uint64_t)stride : 0 - (uint64_t)stride;
  *out_size = span <= 0 ? 0 : (int64_t)(((uint64_t)span - 1) / step + 1);
  return true;
}

static bool read_masks(tn_inference* c, slice_spec* spec, tn_status* status) {
  return tn_shapes_attr_int(c, "begin_mask", &spec->begin_mask, status) &&
         tn_shapes_attr_int(c, "end_mask", &spec->end_mask, status) &&
         tn_shapes_attr_int(c, "ellipsis_mask", &spec->ellipsis_mask, status) &&
         tn_shapes_attr_int(c, "new_axis_mask", &spec->new_axis_mask, status) &&
         tn_shapes_attr_int(c, "shrink_axis_mask", &spec->shrink_mask, status);
}

static void strided_slice_shape(tn_inference* c, tn_status* status) {
  slice_spec spec = {0};
  tn_shape_ref input = tn_infer_input(c, 0);
  tn_shape_ref entries = tn_infer_with_rank(c, tn_infer_input(c, 1), 1, status);
  for (int i = 2; i <= 3; ++i)
    entries =
        tn_infer_merge(c, entries, tn_infer_with_rank(c, tn_infer_input(c, i), 1, status), status);
  if (!entries) return;
  spec.begin = tn_shapes_ints(c, 1, &spec.count, status);
  spec.end = tn_shapes_ints(c, 2, &spec.count, status);
  spec.strides = tn_shapes_ints(c, 3, &spec.count, status);
  if (!tn_ok(status)) return;
  if (!tn_infer_rank_known(input) || !spec.strides) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  if (!read_masks(c, &spec, status)) return;
  if (spec.ellipsis_mask & (spec.ellipsis_mask - 1)) {
    tn_shapes_fail(status, "more than one entry is an ellipsis");
    return;
  }
  // Entries that take a dimension of the input; the ellipsis takes those that are left.
  int64_t ellipsis = spec.count, taken = 0;
  for (int64_t i = 0; i < spec.count; ++i) {
    if (has(spec.ellipsis_mask, i))
      ellipsis = i;
    else
      taken += !has(spec.new_axis_mask, i);
  }
  if (taken > input->rank) {
    tn_shapes_fail(status, "%lld entries index an input of only %d dimensions", (long long)taken,
                   input->rank);
    return;
  }
  int64_t* dims = tn_shapes_numbers(c, input->rank + spec.count, status);
  int64_t rank = 0, at = 0, size = -1;
  for (int64_t i = 0; dims && i <= spec.count; ++i) {
    if (i == ellipsis) {
      for (int64_t k = input->rank - taken; k > 0; --k) dims[rank++] = tn_infer_dim(input, at++);
    } else if (i == spec.count) {
      break;
    } else if (has(spec.new_axis_mask, i)) {
      dims[rank++] = 1;
    } else {
      if (!slice_dim(&spec, i, tn_infer_dim(input, at++), &size, status)) return;
      if (!has(spec.shrink_mask, i)) dims[rank++] = size;
    }
  }
  if (dims) tn_infer_set_output(c, 0, tn_infer_make(c, dims, rank, status));
}

#define MASKS                                                          \
  "; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; " \
  "new_axis_mask: int = 0; shrink_axis_mask: int = 0"

const tn_builtin_op tn_slice_ops[] = {
    {"Slice", "input: T; begin: Index; size: Index", "output: T", "T: type; Index: " INDEX,
     slice_shape},
    {"StridedSlice", "input: T; begin: Index; end: Index; strides: Index", "output: T",
     "T: type; Index: " INDEX_16 MASKS, strided_slice_shape},
    {"StridedSliceGrad", "shape: Index; begin: Index; end: Index; strides: Index; dy: T",
     "output: T", "T: type; Index: " INDEX MASKS, tn_shapes_from_input},
    {"TensorStridedSliceUpdate", "input: T; begin: Index; end: Index; strides: Index; value: T",
     "output: T", "T: type; Index: " INDEX MASKS, tn_shapes_like_input},
    {"ResourceStridedSliceAssign",
     "ref: resource; begin: Index; end: Index; strides: Index; value: T", "",
     "T: type; Index: " INDEX MASKS, NULL},
    {0},
};
