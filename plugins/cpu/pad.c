// Arrays that grow: Pad, PadV2, MirrorPad and its gradient, Tile, BroadcastTo.

#include <stdlib.h>

#include "cpu/gather.h"
#include "moving.h"

typedef struct padding {
  int64_t before[TN_CPU_MAX_RANK], after[TN_CPU_MAX_RANK], dims[TN_CPU_MAX_RANK];  // dims: padded
} padding;

static bool read_paddings(run* run, const array* input, const array* paddings, padding* out) {
  char text[SHAPE_TEXT];
  if (paddings->rank != 2 || paddings->dims[0] != input->rank || paddings->dims[1] != 2) {
    run_fail(run, TF_INVALID_ARGUMENT, "input paddings must be of shape [%d,2], not %s",
             input->rank, shape_text(paddings->rank, paddings->dims, text));
    return false;
  }
  for (int i = 0; i < input->rank; ++i) {
    out->before[i] = index_at(paddings, 2 * i);
    out->after[i] = index_at(paddings, 2 * i + 1);
    if (out->before[i] < 0 || out->after[i] < 0) {
      run_fail(run, TF_INVALID_ARGUMENT, "paddings[%d] are %lld and %lld; none may be negative", i,
               (long long)out->before[i], (long long)out->after[i]);
      return false;
    }
    if (__builtin_add_overflow(input->dims[i], out->before[i], &out->dims[i]) ||
        __builtin_add_overflow(out->dims[i], out->after[i], &out->dims[i])) {
      run_fail(run, TF_INVALID_ARGUMENT, "paddings[%d] are too large", i);
      return false;
    }
  }
  return check_output_dims(run, input->rank, out->dims);
}

// The part of a padded array that the input fills, in dimensions from `d` on; all of the others.
static place inside(const array* output, const padding* padding, int d, const int64_t* strides) {
  int64_t first = 0;
  for (int i = d; i < output->rank; ++i) first += padding->before[i] * strides[i];
  return (place){element_at(output->dtype, output->data, first), strides};
}

static void pad_with(run* run, const array* input, const padding* padding, const void* value) {
  array output;
  int64_t from[TN_CPU_MAX_RANK], to[TN_CPU_MAX_RANK];
  if (!run_output(run, 0, input->rank, padding->dims, &output)) return;
  if (input->dtype != TN_STRING) {
    tn_cpu_pad(element_size(input->dtype), input->rank, input->dims, padding->before,
               padding->after, input->data, value, output.data, run->parallel);
    return;
  }
  if (value) fill_elements(run, TN_STRING, output.count, value, output.data);
  tn_cpu_dense_strides(input->rank, input->dims, from);
  tn_cpu_dense_strides(output.rank, output.dims, to);
  move_elements(run, TN_STRING, input->rank, input->dims, (place){input->data, from},
                inside(&output, padding, 0, to));
}

static void pad(void* state, TF_OpKernelContext* context) {
  static const char zeros[16];
  run run;
  array input, paddings;
  padding padding;
  run_begin(&run, context, "Pad");
  if (run_input(&run, 0, &input) && run_input(&run, 1, &paddings) &&
      read_paddings(&run, &input, &paddings, &padding))
    pad_with(&run, &input, &padding, input.dtype == TN_STRING ? NULL : zeros);
  run_end(&run);
}

static void pad_v2(void* state, TF_OpKernelContext* context) {
  run run;
  array input, paddings, value;
  padding padding;
  run_begin(&run, context, "PadV2");
  if (run_input(&run, 0, &input) && run_input(&run, 1, &paddings) && run_input(&run, 2, &value) &&
      read_paddings(&run, &input, &paddings, &padding)) {
    if (value.rank != 0) {
      char text[SHAPE_TEXT];
      run_fail(&run, TF_INVALID_ARGUMENT, "input constant_values must be a scalar, not of shape %s",
               shape_text(value.rank, value.dims, text));
    }
    pad_with(&run, &input, &padding, value.data);
  }
  run_end(&run);
}

// The state of MirrorPad: 1 when the border itself is not repeated (REFLECT), 0 when it is.
static void* mirror_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "MirrorPad");
  const int skip = attr_choice(&attrs, "mode", (const char* const[]){"SYMMETRIC", "REFLECT", NULL});
  return attrs_end(&attrs, &skip, sizeof skip);
}

static bool check_mirrored(run* run, const array* input, const padding* padding, int skip) {
  for (int i = 0; i < input->rank; ++i) {
    const int64_t most = input->dims[i] - skip;
    if (padding->before[i] <= most && padding->after[i] <= most) continue;
    run_fail(run, TF_INVALID_ARGUMENT,
             "paddings[%d] are %lld and %lld, and in this mode at most %lld of a dimension of %lld "
             "can be mirrored",
             i, (long long)padding->before[i], (long long)padding->after[i], (long long)most,
             (long long)input->dims[i]);
    return false;
  }
  return true;
}

// Dimension by dimension, what lies inside is mirrored outwards: before `d` whole dimensions, after
// it what has been filled so far.
static void mirror_dimension(run* run, const array* input, const array* output,
                             const padding* padding, int d, int skip, const int64_t* strides) {
  int64_t counts[TN_CPU_MAX_RANK], from[TN_CPU_MAX_RANK];
  for (int i = 0; i < input->rank; ++i) {
    counts[i] = i < d ? output->dims[i] : input->dims[i];
    from[i] = i == d ? -strides[i] : strides[i];
  }
  const int64_t before = padding->before[d], after = padding->after[d], dim = input->dims[d];
  const place edge = inside(output, padding, d, strides);
  const int64_t moves[2][3] = {{before, before - 1 + skip, -before}, {after, dim - 1 - skip, dim}};
  for (int side = 0; side < 2; ++side) {
    counts[d] = moves[side][0];
    move_elements(
        run, output->dtype, output->rank, counts,
        (place){element_at(output->dtype, edge.data, moves[side][1] * strides[d]), from},
        (place){element_at(output->dtype, edge.data, moves[side][2] * strides[d]), strides});
  }
}

static void mirror_pad(void* state, TF_OpKernelContext* context) {
  const int skip = *(int*)state;
  run run;
  array input, paddings, output;
  padding padding;
  int64_t from[TN_CPU_MAX_RANK], to[TN_CPU_MAX_RANK];
  run_begin(&run, context, "MirrorPad");
  if (run_input(&run, 0, &input) && run_input(&run, 1, &paddings) &&
      read_paddings(&run, &input, &paddings, &padding) &&
      check_mirrored(&run, &input, &padding, skip) &&
      run_output(&run, 0, input.rank, padding.dims, &output) && output.count > 0) {
    tn_cpu_dense_strides(input.rank, input.dims, from);
    tn_cpu_dense_strides(output.rank, output.dims, to);
    move_elements(&run, input.dtype, input.rank, input.dims, (place){input.data, from},
                  inside(&output, &padding, 0, to));
    for (int d = 0; d < input.rank && run_ok(&run); ++d)
      mirror_dimension(&run, &input, &output, &padding, d, skip, to);
  }
  run_end(&run);
}

// What was mirrored out of dimension `d` is added where it came from; `data` has dims `dims`.
static void fold_dimension(run* run, tn_dtype dtype, int rank, const int64_t* dims,
                           const padding* padding, int d, int skip, void* data) {
  const int64_t before = padding->before[d], after = padding->after[d], dim = dims[d];
  const int64_t outer = product(dims, 0, d), inner = product(dims, d + 1, rank);
  int64_t* targets = run_scratch(run, (size_t)(before + after) * sizeof *targets);
  if (!targets) return;
  for (int64_t i = 0; i < before; ++i) targets[i] = 2 * before - 1 + skip - i;
  for (int64_t i = 0; i < after; ++i) targets[before + i] = dim - after - 1 - skip - i;
  for (int64_t o = 0; o < outer; ++o) {
    void* block = element_at(dtype, data, o * dim * inner);
    const tn_cpu_indices left = {TN_INT64, 1, &dims[d], targets, before};
    const tn_cpu_indices right = {TN_INT64, 1, &dims[d], targets + before, after};
    tn_cpu_scatter(TN_CPU_SCATTER_ADD, dtype, &left, inner, block, block, run->parallel);
    tn_cpu_scatter(TN_CPU_SCATTER_ADD, dtype, &right, inner,
                   element_at(dtype, block, (dim - after) * inner), block, run->parallel);
  }
}

static bool read_mirrored(run* run, const array* input, const array* paddings, int skip,
                          padding* out) {
  if (!read_paddings(run, input, paddings, out)) return false;
  array inside = {.rank = input->rank};
  for (int i = 0; i < input->rank; ++i) {
    inside.dims[i] = input->dims[i] - out->before[i] - out->after[i];
    out->dims[i] = inside.dims[i];
  }
  return check_mirrored(run, &inside, out, skip);
}

static void mirror_pad_grad(void* state, TF_OpKernelContext* context) {
  const int skip = *(int*)state;
  run run;
  array input, paddings, output;
  padding padding;
  int64_t from[TN_CPU_MAX_RANK], to[TN_CPU_MAX_RANK];
  run_begin(&run, context, "MirrorPadGrad");
  if (run_input(&run, 0, &input) && run_input(&run, 1, &paddings) &&
      read_mirrored(&run, &input, &paddings, skip, &padding) &&
      run_output(&run, 0, input.rank, padding.dims, &output) && output.count > 0) {
    void* sums = run_scratch(&run, (size_t)input.count * element_size(input.dtype));
    if (sums) {
      move_dense(&run, input.dtype, input.count, input.data, sums);
      for (int d = 0; d < input.rank && run_ok(&run); ++d)
        fold_dimension(&run, input.dtype, input.rank, input.dims, &padding, d, skip, sums);
      int64_t first = 0;
      tn_cpu_dense_strides(input.rank, input.dims, from);
      tn_cpu_dense_strides(output.rank, output.dims, to);
      for (int i = 0; i < input.rank; ++i) first += padding.before[i] * from[i];
      move_elements(&run, input.dtype, input.rank, output.dims,
                    (place){element_at(input.dtype, sums, first), from}, (place){output.data, to});
    }
  }
  run_end(&run);
}

// Tiles [multiple, size] of every dimension, the first of the two repeating.
static void tile(void* state, TF_OpKernelContext* context) {
  run run;
  array input, multiples, output;
  int64_t dims[TN_CPU_MAX_RANK], strides[TN_CPU_MAX_RANK];
  int64_t counts[2 * TN_CPU_MAX_RANK], from[2 * TN_CPU_MAX_RANK], to[2 * TN_CPU_MAX_RANK];
  run_begin(&run, context, "Tile");
  if (run_input(&run, 0, &input) && run_input(&run, 1, &multiples) &&
      check_vector(&run, "multiples", &multiples)) {
    bool same = true, fits = true;
    if (multiples.count != input.rank)
      run_fail(&run, TF_INVALID_ARGUMENT, "input multiples must have %d numbers, not %lld",
               input.rank, (long long)multiples.count);
    for (int i = 0; i < input.rank && run_ok(&run); ++i) {
      const int64_t multiple = index_at(&multiples, i);
      if (multiple < 0)
        run_fail(&run, TF_INVALID_ARGUMENT, "multiples[%d] is %lld, and must not be negative", i,
                 (long long)multiple);
      fits = fits && !__builtin_mul_overflow(input.dims[i], multiple, &dims[i]);
      counts[2 * i] = multiple;
      counts[2 * i + 1] = input.dims[i];
      same = same && multiple == 1;
    }
    if (!fits) run_fail(&run, TF_INVALID_ARGUMENT, "multiples are too large");
    if (same && run_ok(&run)) {
      run_share_output(&run, 0, input.tensor);
    } else if (run_ok(&run) && check_output_dims(&run, input.rank, dims) &&
               run_output(&run, 0, input.rank, dims, &output)) {
      tn_cpu_dense_strides(input.rank, input.dims, strides);
      tn_cpu_dense_strides(2 * input.rank, counts, to);
      for (int i = 0; i < input.rank; ++i) {
        from[2 * i] = 0;
        from[2 * i + 1] = strides[i];
      }
      move_elements(&run, input.dtype, 2 * input.rank, counts, (place){input.data, from},
                    (place){output.data, to});
    }
  }
  run_end(&run);
}

static bool read_broadcast(run* run, const array* input, const array* shape, int64_t* dims) {
  char text[SHAPE_TEXT], input_text[SHAPE_TEXT];
  if (!read_vector(run, "shape", shape, dims)) return false;
  const int rank = (int)shape->count, added = rank - input->rank;
  bool fits = added >= 0;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] < 0) {
      run_fail(run, TF_INVALID_ARGUMENT, "shape[%d] is %lld, and must not be negative", i,
               (long long)dims[i]);
      return false;
    }
    if (fits && i >= added) fits = input->dims[i - added] == 1 || input->dims[i - added] == dims[i];
  }
  if (fits) return check_output_dims(run, rank, dims);
  run_fail(run, TF_INVALID_ARGUMENT, "input input of shape %s does not broadcast to %s",
           shape_text(input->rank, input->dims, input_text), shape_text(rank, dims, text));
  return false;
}

static void broadcast_to(void* state, TF_OpKernelContext* context) {
  run run;
  array input, shape, output;
  int64_t dims[TN_CPU_MAX_RANK], from[TN_CPU_MAX_RANK], to[TN_CPU_MAX_RANK];
  run_begin(&run, context, "BroadcastTo");
  if (run_input(&run, 0, &input) && run_input(&run, 1, &shape) &&
      read_broadcast(&run, &input, &shape, dims)) {
    const int rank = (int)shape.count, added = rank - input.rank;
    if (run_output(&run, 0, rank, dims, &output)) {
      tn_cpu_dense_strides(input.rank, input.dims, from + added);
      tn_cpu_dense_strides(rank, dims, to);
      for (int i = 0; i < rank; ++i)
        if (i < added || input.dims[i - added] == 1) from[i] = 0;
      move_elements(&run, input.dtype, rank, dims, (place){input.data, from},
                    (place){output.data, to});
    }
  }
  run_end(&run);
}

void register_pad(void) {
  const kernel kernels[] = {
      {.op = "Pad",
       .compute = pad,
       .constraints = {{"T", MOVABLE}, {"Tpaddings", INDICES}},
       .host_args = {"paddings"}},
      {.op = "PadV2",
       .compute = pad_v2,
       .constraints = {{"T", MOVABLE}, {"Tpaddings", INDICES}},
       .host_args = {"paddings", "constant_values"}},
      {.op = "MirrorPad",
       .create = mirror_create,
       .compute = mirror_pad,
       .destroy = free,
       .constraints = {{"T", MOVABLE}, {"Tpaddings", INDICES}},
       .host_args = {"paddings"}},
      {.op = "MirrorPadGrad",
       .create = mirror_create,
       .compute = mirror_pad_grad,
       .destroy = free,
       .constraints = {{"T", TN_CPU_NUMBERS}, {"Tpaddings", INDICES}},
       .host_args = {"paddings"}},
      {.op = "Tile",
       .compute = tile,
       .constraints = {{"T", MOVABLE}, {"Tmultiples", INDICES}},
       .host_args = {"multiples"}},
      {.op = "BroadcastTo",
       .compute = broadcast_to,
       .constraints = {{"T", MOVABLE}, {"Tidx", INDICES}},
       .host_args = {"shape"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
