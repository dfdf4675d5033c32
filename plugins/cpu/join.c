// Joining and parting: ConcatV2, Concat, Pack, Split, SplitV, Unpack.

#include <stdlib.h>
#include <string.h>

#include "moving.h"

// `rows` rows of `output`, each made of a row of every part; row_bytes counts a string as its
// TF_TString.
static void join_parts(run* run, int64_t rows, const tn_cpu_part* parts, int count,
                       const array* output) {
  if (output->count == 0) return;  // rows without elements may be 2^40 of them
  if (output->dtype != TN_STRING) {
    tn_cpu_concat(rows, parts, (size_t)count, output->data, run->parallel);
    return;
  }
  const int64_t whole = output->count / rows;
  int64_t at = 0;
  for (int i = 0; i < count; ++i) {
    const int64_t n = parts[i].row_bytes / (int64_t)element_size(TN_STRING);
    const int64_t dims[] = {rows, n}, from[] = {n, 1}, to[] = {whole, 1};
    if (!move_elements(run, TN_STRING, 2, dims, (place){(void*)parts[i].data, from},
                       (place){element_at(TN_STRING, output->data, at), to}))
      return;
    at += n;
  }
}

// The dims of the result; `axis` has been made non-negative.
static bool joined_dims(run* run, const array* first, int axis, int i, const array* value,
                        int64_t* dims) {
  char first_text[SHAPE_TEXT], text[SHAPE_TEXT];
  bool fits = value->rank == first->rank;
  for (int d = 0; fits && d < value->rank; ++d)
    fits = d == axis || value->dims[d] == first->dims[d];
  if (fits && !__builtin_add_overflow(dims[axis], value->dims[axis], &dims[axis])) return true;
  run_fail(
      run, TF_INVALID_ARGUMENT,
      "values[%d] of shape %s does not join values[0] of shape %s: all dimensions but %d must be "
      "equal",
      i, shape_text(value->rank, value->dims, text),
      shape_text(first->rank, first->dims, first_text), axis);
  return false;
}

// The values are inputs [begin, begin + count), the axis is input `axis_index`.
static void concat_values(TF_OpKernelContext* context, const char* op, const char* axis_name,
                          int begin, int axis_index, int count) {
  run run;
  array first, value, axis_input, output;
  int axis = 0;
  int64_t dims[TN_CPU_MAX_RANK];
  run_begin(&run, context, op);
  run_may_stop(&run);
  tn_cpu_part* parts = run_scratch(&run, (size_t)count * sizeof *parts);
  if (parts && run_input(&run, axis_index, &axis_input) && run_input(&run, begin, &first)) {
    if (first.rank == 0 && axis_input.count == 1)
      run_fail(&run, TF_INVALID_ARGUMENT,
               "values[0] is a scalar, and scalars have no dimension to join");
    if (read_axis(&run, axis_name, &axis_input, first.rank, &axis)) {
      memcpy(dims, first.dims, (size_t)first.rank * sizeof dims[0]);
      const int64_t rows = product(dims, 0, axis);
      const int64_t row_bytes =
          product(dims, axis + 1, first.rank) * (int64_t)element_size(first.dtype);
      parts[0] = (tn_cpu_part){first.data, row_bytes * first.dims[axis]};
      for (int i = 1; i < count && run_input(&run, begin + i, &value) &&
                      joined_dims(&run, &first, axis, i, &value, dims);
           ++i)
        parts[i] = (tn_cpu_part){value.data, row_bytes * value.dims[axis]};
      if (run_ok(&run) && check_output_dims(&run, first.rank, dims) &&
          run_output(&run, 0, first.rank, dims, &output))
        join_parts(&run, rows, parts, count, &output);
    }
  }
  run_end(&run);
}

static void concat_v2(void* state, TF_OpKernelContext* context) {
  const int count = TF_NumInputs(context) - 1;
  concat_values(context, "ConcatV2", "axis", 0, count, count);
}

static void concat(void* state, TF_OpKernelContext* context) {
  concat_values(context, "Concat", "concat_dim", 1, 0, TF_NumInputs(context) - 1);
}

static void* axis_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "Pack or Unpack");
  const int64_t axis = attr_int(&attrs, "axis");
  return attrs_end(&attrs, &axis, sizeof axis);
}

static bool same_shape(const array* a, const array* b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof a->dims[0]) == 0;
}

static void pack(void* state, TF_OpKernelContext* context) {
  run run;
  array first, value, output;
  int axis = 0;
  int64_t dims[TN_CPU_MAX_RANK + 1];
  char text[SHAPE_TEXT], first_text[SHAPE_TEXT];
  run_begin(&run, context, "Pack");
  run_may_stop(&run);
  const int count = TF_NumInputs(context);
  tn_cpu_part* parts = run_scratch(&run, (size_t)count * sizeof *parts);
  if (parts && run_input(&run, 0, &first) && check_output_rank(&run, first.rank + 1) &&
      check_axis(&run, "axis", *(int64_t*)state, first.rank + 1, &axis)) {
    const int64_t row = product(first.dims, axis, first.rank);
    const int64_t bytes = row * (int64_t)element_size(first.dtype);
    parts[0] = (tn_cpu_part){first.data, bytes};
    for (int i = 1; i < count && run_input(&run, i, &value); ++i) {
      if (!same_shape(&first, &value))
        run_fail(&run, TF_INVALID_ARGUMENT,
                 "values[%d] of shape %s does not have the shape of values[0], %s", i,
                 shape_text(value.rank, value.dims, text),
                 shape_text(first.rank, first.dims, first_text));
      parts[i] = (tn_cpu_part){value.data, bytes};
    }
    for (int i = 0; i <= first.rank; ++i)
      dims[i] = i == axis ? count : first.dims[i < axis ? i : i - 1];
    if (run_ok(&run) && check_output_dims(&run, first.rank + 1, dims) &&
        run_output(&run, 0, first.rank + 1, dims, &output))
      join_parts(&run, product(first.dims, 0, axis), parts, count, &output);
  }
  run_end(&run);
}

// Output `index` takes sizes [begin, begin + size) of dimension `axis`, and has `rank` dims.
static bool put_part(run* run, int index, const array* value, int axis, int64_t begin, int64_t size,
                     int rank, const int64_t* dims) {
  array output;
  if (!run_output(run, index, rank, dims, &output)) return false;
  const int64_t inner = product(value->dims, axis + 1, value->rank);
  const int64_t part[] = {product(value->dims, 0, axis), size * inner};
  const int64_t from[] = {value->dims[axis] * inner, 1}, to[] = {size * inner, 1};
  return move_elements(run, value->dtype, 2, part,
                       (place){element_at(value->dtype, value->data, begin * inner), from},
                       (place){output.data, to});
}

static void unpack(void* state, TF_OpKernelContext* context) {
  run run;
  array value;
  int axis = 0;
  int64_t dims[TN_CPU_MAX_RANK];
  run_begin(&run, context, "Unpack");
  run_may_stop(&run);
  const int count = TF_NumOutputs(context);
  if (run_input(&run, 0, &value) && check_axis(&run, "axis", *(int64_t*)state, value.rank, &axis)) {
    if (value.dims[axis] != count)
      run_fail(&run, TF_INVALID_ARGUMENT,
               "input value has size %lld in dimension %d, and num asks for %d",
               (long long)value.dims[axis], axis, count);
    for (int i = 0, n = 0; i < value.rank; ++i)
      if (i != axis) dims[n++] = value.dims[i];
    for (int i = 0; i < count && run_ok(&run); ++i)
      put_part(&run, i, &value, axis, i, 1, value.rank - 1, dims);
  }
  run_end(&run);
}

// Parts of sizes[i] along `axis`; a single part is the input itself.
static void put_parts(run* run, const array* value, int axis, int count, const int64_t* sizes,
                      int64_t same_size) {
  int64_t dims[TN_CPU_MAX_RANK], begin = 0;
  if (count == 1) {
    run_share_output(run, 0, value->tensor);
    return;
  }
  memcpy(dims, value->dims, (size_t)value->rank * sizeof dims[0]);
  for (int i = 0; i < count; ++i) {
    dims[axis] = sizes ? sizes[i] : same_size;
    if (!put_part(run, i, value, axis, begin, dims[axis], value->rank, dims)) return;
    begin += dims[axis];
  }
}

static void split(void* state, TF_OpKernelContext* context) {
  run run;
  array value, axis_input;
  int axis = 0;
  run_begin(&run, context, "Split");
  run_may_stop(&run);
  const int count = TF_NumOutputs(context);
  if (run_input(&run, 0, &axis_input) && run_input(&run, 1, &value) &&
      read_axis(&run, "split_dim", &axis_input, value.rank, &axis)) {
    if (value.dims[axis] % count != 0)
      run_fail(&run, TF_INVALID_ARGUMENT,
               "input value has size %lld in dimension %d, which does not divide into %d parts",
               (long long)value.dims[axis], axis, count);
    if (run_ok(&run)) put_parts(&run, &value, axis, count, NULL, value.dims[axis] / count);
  }
  run_end(&run);
}

// Makes `sizes` whole: one may be -1 and takes what the others leave of `total`.
static bool complete_sizes(run* run, int64_t total, int64_t* sizes, int count) {
  int unknown = -1;
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    if (sizes[i] == -1 && unknown < 0) {
      unknown = i;
    } else if (sizes[i] < 0) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "size_splits[%d] is %lld; sizes are not negative, but for one -1", i,
               (long long)sizes[i]);
      return false;
    } else if (__builtin_add_overflow(sum, sizes[i], &sum)) {
      sum = INT64_MAX;
    }
  }
  if (unknown >= 0 ? sum <= total : sum == total) {
    if (unknown >= 0) sizes[unknown] = total - sum;
    return true;
  }
  run_fail(run, TF_INVALID_ARGUMENT,
           "size_splits add up to %lld, and the dimension that is split has size %lld",
           (long long)sum, (long long)total);
  return false;
}

static void split_v(void* state, TF_OpKernelContext* context) {
  run run;
  array value, sizes_input, axis_input;
  int axis = 0;
  run_begin(&run, context, "SplitV");
  run_may_stop(&run);
  const int count = TF_NumOutputs(context);
  int64_t* sizes = run_scratch(&run, (size_t)count * sizeof *sizes);
  if (sizes && run_input(&run, 0, &value) && run_input(&run, 1, &sizes_input) &&
      run_input(&run, 2, &axis_input)) {
    if (sizes_input.rank != 1 || sizes_input.count != count) {
      char text[SHAPE_TEXT];
      run_fail(&run, TF_INVALID_ARGUMENT,
               "input size_splits must be a vector of %d sizes, one per output, not of shape %s",
               count, shape_text(sizes_input.rank, sizes_input.dims, text));
    }
    if (run_ok(&run) && read_axis(&run, "split_dim", &axis_input, value.rank, &axis)) {
      for (int i = 0; i < count; ++i) sizes[i] = index_at(&sizes_input, i);
      if (complete_sizes(&run, value.dims[axis], sizes, count))
        put_parts(&run, &value, axis, count, sizes, 0);
    }
  }
  run_end(&run);
}

void register_join(void) {
  const kernel kernels[] = {
      {.op = "ConcatV2",
       .compute = concat_v2,
       .constraints = {{"T", MOVABLE}, {"Tidx", INDICES}},
       .host_args = {"axis"}},
      {.op = "Concat",
       .compute = concat,
       .constraints = {{"T", MOVABLE}},
       .host_args = {"concat_dim"}},
      {.op = "Pack",
       .create = axis_create,
       .compute = pack,
       .destroy = free,
       .constraints = {{"T", MOVABLE}}},
      {.op = "Unpack",
       .create = axis_create,
       .compute = unpack,
       .destroy = free,
       .constraints = {{"T", MOVABLE}}},
      {.op = "Split",
       .compute = split,
       .constraints = {{"T", MOVABLE}},
       .host_args = {"split_dim"}},
      {.op = "SplitV",
       .compute = split_v,
       .constraints = {{"T", MOVABLE}, {"Tlen", INDICES | TN_CPU_TYPE(TN_INT8)}},
       .host_args = {"size_splits", "split_dim"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
