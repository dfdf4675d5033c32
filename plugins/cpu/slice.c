// Slice, StridedSlice, StridedSliceGrad.

#include <stdlib.h>
#include <string.h>

#include "moving.h"

// Reads begin and size, which has -1 for "to the end".
static bool read_slice(run* run, const array* input, const array* begin_input,
                       const array* size_input, int64_t* begin, int64_t* size) {
  const array* both[] = {begin_input, size_input};
  static const char* const names[] = {"begin", "size"};
  for (int i = 0; i < 2; ++i)
    if (both[i]->rank != 1 || both[i]->count != input->rank) {
      char text[SHAPE_TEXT];
      run_fail(run, TF_INVALID_ARGUMENT, "input %s must be a vector of %d numbers, not of shape %s",
               names[i], input->rank, shape_text(both[i]->rank, both[i]->dims, text));
      return false;
    }
  for (int i = 0; i < input->rank; ++i) {
    const int64_t dim = input->dims[i];
    begin[i] = index_at(begin_input, i);
    size[i] = index_at(size_input, i);
    if (size[i] == -1 && begin[i] >= 0) size[i] = dim - begin[i];
    if (begin[i] >= 0 && begin[i] <= dim && size[i] >= 0 && size[i] <= dim - begin[i]) continue;
    run_fail(run, TF_INVALID_ARGUMENT,
             "begin[%d] is %lld and size[%d] is %lld, which do not fit into a dimension of %lld", i,
             (long long)begin[i], i, (long long)index_at(size_input, i), (long long)dim);
    return false;
  }
  return true;
}

static void slice(void* state, TF_OpKernelContext* context) {
  run run;
  array input, begin_input, size_input, output;
  int64_t begin[TN_CPU_MAX_RANK], size[TN_CPU_MAX_RANK];
  int64_t from[TN_CPU_MAX_RANK], to[TN_CPU_MAX_RANK];
  run_begin(&run, context, "Slice");
  if (run_input(&run, 0, &input) && run_input(&run, 1, &begin_input) &&
      run_input(&run, 2, &size_input) &&
      read_slice(&run, &input, &begin_input, &size_input, begin, size)) {
    if (memcmp(size, input.dims, (size_t)input.rank * sizeof size[0]) == 0) {
      run_share_output(&run, 0, input.tensor);
    } else if (run_output(&run, 0, input.rank, size, &output)) {
      int64_t first = 0;
      tn_cpu_dense_strides(input.rank, input.dims, from);
      tn_cpu_dense_strides(input.rank, size, to);
      for (int i = 0; i < input.rank; ++i) first += begin[i] * from[i];
      move_elements(&run, input.dtype, input.rank, size,
                    (place){element_at(input.dtype, input.data, first), from},
                    (place){output.data, to});
    }
  }
  run_end(&run);
}

enum { BEGIN, END, ELLIPSIS, NEW_AXIS, SHRINK, MASKS, MAX_ITEMS = 32 };

typedef struct mask_state {
  int64_t masks[MASKS];
} mask_state;

static void* masks_create(TF_OpKernelConstruction* construction, const char* op) {
  static const char* const names[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                      "shrink_axis_mask"};
  attrs attrs;
  mask_state state;
  attrs_begin(&attrs, construction, op);
  for (int i = 0; i < MASKS; ++i) state.masks[i] = attr_int32(&attrs, names[i]);
  const int64_t ellipses = state.masks[ELLIPSIS];
  if (ellipses & (ellipses - 1))
    attrs_fail(&attrs, TF_INVALID_ARGUMENT, "ellipsis_mask names more than one dimension");
  return attrs_end(&attrs, &state, sizeof state);
}

static void* slice_create(TF_OpKernelConstruction* construction) {
  return masks_create(construction, "StridedSlice");
}

static void* grad_create(TF_OpKernelConstruction* construction) {
  return masks_create(construction, "StridedSliceGrad");
}

// A slice of an array: in dimension i, counts[i] elements from first[i] on, in steps. `dims` is the
// shape that the slice has in the end, without shrunk and with new dimensions.
typedef struct strided {
  int64_t first[TN_CPU_MAX_RANK], steps[TN_CPU_MAX_RANK], counts[TN_CPU_MAX_RANK];
  int rank;
  int64_t dims[TN_CPU_MAX_RANK + MAX_ITEMS];
} strided;

typedef struct strided_items {
  int count;
  int64_t begin[MAX_ITEMS], end[MAX_ITEMS], steps[MAX_ITEMS];
} strided_items;

static bool read_items(run* run, int index, strided_items* items) {
  static const char* const names[] = {"begin", "end", "strides"};
  int64_t* lists[] = {items->begin, items->end, items->steps};
  array inputs[3];
  for (int i = 0; i < 3; ++i)
    if (!run_input(run, index + i, &inputs[i])) return false;
  for (int i = 0; i < 3; ++i) {
    if (inputs[i].rank != 1 || inputs[i].count != inputs[0].count || inputs[i].count >= MAX_ITEMS) {
      char text[SHAPE_TEXT];
      run_fail(run, TF_INVALID_ARGUMENT,
               "inputs begin, end and strides must be vectors of the same length, below %d, and %s "
               "has shape %s",
               MAX_ITEMS, names[i], shape_text(inputs[i].rank, inputs[i].dims, text));
      return false;
    }
    for (int64_t j = 0; j < inputs[i].count; ++j) lists[i][j] = index_at(&inputs[i], j);
  }
  items->count = (int)inputs[0].count;
  return true;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

// Item `i` of the slice, on dimension `d` of size `dim`.
static bool cut_dimension(run* run, const int64_t* masks, const strided_items* items, int i, int d,
                          int64_t dim, bool shrink, strided* out) {
  const int64_t step = items->steps[i];
  const int64_t begin = items->begin[i] < 0 ? items->begin[i] + dim : items->begin[i];
  const int64_t end = items->end[i] < 0 ? items->end[i] + dim : items->end[i];
  if (step == 0) {
    run_fail(run, TF_INVALID_ARGUMENT, "strides[%d] is 0", i);
    return false;
  }
  if (shrink) {
    if (step < 0) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "strides[%d] is %lld, and must be positive where shrink_axis_mask takes one element",
               i, (long long)step);
      return false;
    }
    if (begin < 0 || begin >= dim) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "slice index %lld of dimension %d is out of bounds: the size is %lld",
               (long long)items->begin[i], d, (long long)dim);
      return false;
    }
    out->first[d] = begin;
    out->counts[d] = out->steps[d] = 1;
    return true;
  }
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? dim : dim - 1;
  const int64_t first = masks[BEGIN] >> i & 1 ? (step > 0 ? low : high) : clamp(begin, low, high);
  const int64_t last = masks[END] >> i & 1 ? (step > 0 ? high : low) : clamp(end, low, high);
  const int64_t length = last - first;
  out->first[d] = first;
  out->steps[d] = step;
  out->counts[d] =
      length == 0 || (length < 0) != (step < 0) ? 0 : length / step + (length % step != 0);
  return true;
}

static void take_whole(int d, int64_t dim, strided* out) {
  out->first[d] = 0;
  out->steps[d] = 1;
  out->counts[d] = out->dims[out->rank++] = dim;
}

// The items as they go over the dimensions: an ellipsis takes as many as the items after it leave.
static bool plan_slice(run* run, const int64_t* masks, const strided_items* items, int rank,
                       const int64_t* dims, strided* out) {
  int after = 0;  // dimensions that the items after an ellipsis take
  bool seen = false;
  for (int i = 0; i < items->count; ++i) {
    if (masks[ELLIPSIS] >> i & 1) {
      seen = true;
    } else if (seen && !(masks[NEW_AXIS] >> i & 1)) {
      ++after;
    }
  }
  int d = 0;
  out->rank = 0;
  for (int i = 0; i < items->count; ++i) {
    if (masks[ELLIPSIS] >> i & 1) {
      for (; d < rank - after; ++d) take_whole(d, dims[d], out);
    } else if (masks[NEW_AXIS] >> i & 1) {
      out->dims[out->rank++] = 1;
    } else if (d == rank) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "begin, end and strides name more dimensions than the %d there are", rank);
      return false;
    } else {
      const bool shrink = masks[SHRINK] >> i & 1;
      if (!cut_dimension(run, masks, items, i, d, dims[d], shrink, out)) return false;
      if (!shrink) out->dims[out->rank++] = out->counts[d];
      ++d;
    }
  }
  for (; d < rank; ++d) take_whole(d, dims[d], out);
  return check_output_rank(run, out->rank);
}

// The slice of dense `data` as a place; `strides` is where its strides go.
static place slice_place(tn_dtype dtype, void* data, int rank, const int64_t* dims,
                         const strided* slice, int64_t* strides) {
  int64_t first = 0;
  tn_cpu_dense_strides(rank, dims, strides);
  for (int i = 0; i < rank; ++i) {
    if (slice->counts[i] == 0) return (place){data, strides};
    first += slice->first[i] * strides[i];
    // With one element there is no next; the step may be anything.
    strides[i] = slice->counts[i] == 1 ? 0 : strides[i] * slice->steps[i];
  }
  return (place){element_at(dtype, data, first), strides};
}

static bool takes_all(const array* input, const strided* slice) {
  for (int i = 0; i < input->rank; ++i)
    if (slice->counts[i] != input->dims[i] || (slice->counts[i] > 1 && slice->steps[i] != 1))
      return false;
  return true;
}

static void strided_slice(void* state, TF_OpKernelContext* context) {
  run run;
  array input, output;
  strided_items items;
  strided slice;
  int64_t from[TN_CPU_MAX_RANK], to[TN_CPU_MAX_RANK];
  run_begin(&run, context, "StridedSlice");
  if (run_input(&run, 0, &input) && read_items(&run, 1, &items) &&
      plan_slice(&run, ((mask_state*)state)->masks, &items, input.rank, input.dims, &slice)) {
    if (takes_all(&input, &slice)) {
      TF_SetShape(input.tensor, slice.dims, slice.rank);  // the handle is ours alone
      run_share_output(&run, 0, input.tensor);
    } else if (run_output(&run, 0, slice.rank, slice.dims, &output)) {
      tn_cpu_dense_strides(input.rank, slice.counts, to);
      move_elements(&run, input.dtype, input.rank, slice.counts,
                    slice_place(input.dtype, input.data, input.rank, input.dims, &slice, from),
                    (place){output.data, to});
    }
  }
  run_end(&run);
}

static void strided_slice_grad(void* state, TF_OpKernelContext* context) {
  static const char zeros[16];
  run run;
  array shape, dy, output;
  strided_items items;
  strided slice;
  int64_t dims[TN_CPU_MAX_RANK], from[TN_CPU_MAX_RANK], to[TN_CPU_MAX_RANK];
  run_begin(&run, context, "StridedSliceGrad");
  if (run_input(&run, 0, &shape) && run_input(&run, 4, &dy) &&
      check_vector(&run, "shape", &shape) && read_vector(&run, "shape", &shape, dims) &&
      read_items(&run, 1, &items)) {
    const int rank = (int)shape.count;
    if (check_output_dims(&run, rank, dims) &&
        plan_slice(&run, ((mask_state*)state)->masks, &items, rank, dims, &slice)) {
      if (slice.rank != dy.rank ||
          memcmp(slice.dims, dy.dims, (size_t)dy.rank * sizeof dy.dims[0]) != 0) {
        char text[SHAPE_TEXT], dy_text[SHAPE_TEXT];
        run_fail(&run, TF_INVALID_ARGUMENT, "input dy has shape %s, and the slice has %s",
                 shape_text(dy.rank, dy.dims, dy_text), shape_text(slice.rank, slice.dims, text));
      }
      if (run_output(&run, 0, rank, dims, &output)) {
        if (dy.dtype != TN_STRING)  // strings begin empty
          fill_elements(&run, dy.dtype, output.count, zeros, output.data);
        tn_cpu_dense_strides(rank, slice.counts, from);
        move_elements(&run, dy.dtype, rank, slice.counts, (place){dy.data, from},
                      slice_place(dy.dtype, output.data, rank, dims, &slice, to));
      }
    }
  }
  run_end(&run);
}

void register_slice(void) {
  const kernel kernels[] = {
      {.op = "Slice",
       .compute = slice,
       .constraints = {{"T", MOVABLE}, {"Index", INDICES}},
       .host_args = {"begin", "size"}},
      {.op = "StridedSlice",
       .create = slice_create,
       .compute = strided_slice,
       .destroy = free,
       .constraints = {{"T", MOVABLE}, {"Index", INDICES | TN_CPU_TYPE(TN_INT16)}},
       .host_args = {"begin", "end", "strides"}},
      {.op = "StridedSliceGrad",
       .create = grad_create,
       .compute = strided_slice_grad,
       .destroy = free,
       .constraints = {{"T", MOVABLE}, {"Index", INDICES}},
       .host_args = {"shape", "begin", "end", "strides"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
