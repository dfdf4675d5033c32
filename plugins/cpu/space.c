// Blocks of space as depth or as batches: SpaceToDepth, DepthToSpace, SpaceToBatchND,
// BatchToSpaceND.

#include <stdlib.h>
#include <string.h>

#include "moving.h"

typedef struct depth_state {
  int64_t block;
  bool channels_first;
} depth_state;

static void* depth_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  depth_state state;
  attrs_begin(&attrs, construction, "SpaceToDepth or DepthToSpace");
  state.block = attr_int32(&attrs, "block_size");
  state.channels_first =
      attr_choice(&attrs, "data_format", (const char* const[]){"NHWC", "NCHW", NULL}) == 1;
  if (state.block < 2)
    attrs_fail(&attrs, TF_INVALID_ARGUMENT, "block_size is %lld, and must be over 1",
               (long long)state.block);
  return attrs_end(&attrs, &state, sizeof state);
}

// Both images as [n, h, block, w, block, c], with strides of the one that is large in space and the
// one that is deep.
static void move_depth(TF_OpKernelContext* context, const char* op, const depth_state* state,
                       bool to_depth) {
  enum { N, H, BLOCK_H, W, BLOCK_W, C };
  run run;
  array input, output;
  const int64_t block = state->block;
  const int h = state->channels_first ? 2 : 1, w = h + 1, c = state->channels_first ? 1 : 3;
  run_begin(&run, context, op);
  if (run_input(&run, 0, &input)) {
    char text[SHAPE_TEXT];
    int64_t dims[4], wide[4], deep[4];
    const bool fits =
        input.rank == 4 && (to_depth ? input.dims[h] % block == 0 && input.dims[w] % block == 0
                                     : input.dims[c] % (block * block) == 0);
    if (!fits)
      run_fail(&run, TF_INVALID_ARGUMENT,
               "input input of shape %s must have rank 4, and %s that divide by block_size %lld%s",
               shape_text(input.rank, input.dims, text),
               to_depth ? "a height and a width" : "channels", (long long)block,
               to_depth ? "" : " twice");
    if (run_ok(&run)) {
      memcpy(dims, input.dims, sizeof dims);
      const int grown[] = {to_depth ? c : h, to_depth ? c : w};
      bool counts = true;
      for (int i = 0; i < 2; ++i)
        counts = counts && !__builtin_mul_overflow(dims[grown[i]], block, &dims[grown[i]]);
      dims[h] = to_depth ? dims[h] / block : dims[h];
      dims[w] = to_depth ? dims[w] / block : dims[w];
      dims[c] = to_depth ? dims[c] : dims[c] / (block * block);
      if (!counts)
        run_fail(&run, TF_INVALID_ARGUMENT,
                 "the output would have a dimension that no 64 bits can count");
    }
    if (run_ok(&run) && check_output_dims(&run, 4, dims) && run_output(&run, 0, 4, dims, &output) &&
        output.count > 0) {
      const int64_t* wide_dims = to_depth ? input.dims : dims;
      const int64_t* deep_dims = to_depth ? dims : input.dims;
      tn_cpu_dense_strides(4, wide_dims, wide);
      tn_cpu_dense_strides(4, deep_dims, deep);
      const int64_t channels = wide_dims[c];
      const int64_t counts[] = {dims[0], deep_dims[h], block, deep_dims[w], block, channels};
      const int64_t wide_strides[] = {wide[0],         block * wide[h], wide[h],
                                      block * wide[w], wide[w],         wide[c]};
      const int64_t deep_strides[] = {
          deep[0], deep[h], block * channels * deep[c], deep[w], channels * deep[c], deep[c]};
      move_elements(&run, input.dtype, 6, counts,
                    (place){input.data, to_depth ? wide_strides : deep_strides},
                    (place){output.data, to_depth ? deep_strides : wide_strides});
    }
  }
  run_end(&run);
}

static void space_to_depth(void* state, TF_OpKernelContext* context) {
  move_depth(context, "SpaceToDepth", state, true);
}

static void depth_to_space(void* state, TF_OpKernelContext* context) {
  move_depth(context, "DepthToSpace", state, false);
}

// Block sizes of dimensions 1 to `count`, and how much is added to (or cut from) both their ends.
typedef struct blocks {
  int count;
  int64_t sizes[TN_CPU_MAX_RANK], before[TN_CPU_MAX_RANK], after[TN_CPU_MAX_RANK];
  int64_t product;
} blocks;

static bool read_blocks(run* run, const char* ends_name, blocks* out, array* input) {
  array sizes, ends;
  char text[SHAPE_TEXT];
  if (!run_input(run, 0, input) || !run_input(run, 1, &sizes) || !run_input(run, 2, &ends) ||
      !check_vector(run, "block_shape", &sizes))
    return false;
  if (sizes.count >= input->rank) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "input input of shape %s must have more dimensions than the %lld of block_shape",
             shape_text(input->rank, input->dims, text), (long long)sizes.count);
    return false;
  }
  if (ends.rank != 2 || ends.dims[0] != sizes.count || ends.dims[1] != 2) {
    run_fail(run, TF_INVALID_ARGUMENT, "input %s must be of shape [%lld,2], not %s", ends_name,
             (long long)sizes.count, shape_text(ends.rank, ends.dims, text));
    return false;
  }
  out->count = (int)sizes.count;
  out->product = 1;
  for (int i = 0; i < out->count; ++i) {
    out->sizes[i] = index_at(&sizes, i);
    out->before[i] = index_at(&ends, 2 * i);
    out->after[i] = index_at(&ends, 2 * i + 1);
    if (out->sizes[i] < 1 || out->before[i] < 0 || out->after[i] < 0 ||
        __builtin_mul_overflow(out->product, out->sizes[i], &out->product)) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "block_shape[%d] is %lld and %s[%d] are %lld and %lld: a block has at least one "
               "element, and none of the others is negative",
               i, (long long)out->sizes[i], ends_name, i, (long long)out->before[i],
               (long long)out->after[i]);
      return false;
    }
  }
  return true;
}

// The dimensions of both arrays as counts: [block..., n, space..., rest], which lie in this order
// in the batches; `space` gets the strides in the array whose dims are `dims`.
static int block_axes(const blocks* blocks, int rank, const int64_t* dims, int64_t* counts,
                      int64_t* space) {
  int64_t strides[TN_CPU_MAX_RANK];
  tn_cpu_dense_strides(rank, dims, strides);
  const int m = blocks->count;
  for (int i = 0; i < m; ++i) {
    counts[i] = blocks->sizes[i];
    space[i] = strides[i + 1];
  }
  for (int i = 0; i < rank; ++i) {
    const bool blocked = i > 0 && i <= m;
    counts[m + i] = blocked ? dims[i] / blocks->sizes[i - 1] : dims[i];
    space[m + i] = blocked ? strides[i] * blocks->sizes[i - 1] : strides[i];
  }
  return m + rank;
}

static void space_to_batch(void* state, TF_OpKernelContext* context) {
  static const char zeros[16];
  run run;
  array input, output;
  blocks blocks;
  int64_t padded[TN_CPU_MAX_RANK], before[TN_CPU_MAX_RANK] = {0}, after[TN_CPU_MAX_RANK] = {0};
  int64_t dims[TN_CPU_MAX_RANK];
  int64_t counts[2 * TN_CPU_MAX_RANK], from[2 * TN_CPU_MAX_RANK], to[2 * TN_CPU_MAX_RANK];
  run_begin(&run, context, "SpaceToBatchND");
  if (read_blocks(&run, "paddings", &blocks, &input)) {
    bool fits = true;
    memcpy(padded, input.dims, (size_t)input.rank * sizeof dims[0]);
    for (int i = 0; i < blocks.count; ++i) {
      before[i + 1] = blocks.before[i];
      after[i + 1] = blocks.after[i];
      fits = fits && !__builtin_add_overflow(padded[i + 1], before[i + 1], &padded[i + 1]) &&
             !__builtin_add_overflow(padded[i + 1], after[i + 1], &padded[i + 1]) &&
             padded[i + 1] % blocks.sizes[i] == 0;
      dims[i + 1] = padded[i + 1] / blocks.sizes[i];
    }
    fits = fits && !__builtin_mul_overflow(padded[0], blocks.product, &dims[0]);
    for (int i = blocks.count + 1; i < input.rank; ++i) dims[i] = padded[i];
    if (!fits)
      run_fail(&run, TF_INVALID_ARGUMENT,
               "the padded dimensions must divide by those of block_shape, and be no larger than a "
               "tensor can be");
    if (run_ok(&run) && check_output_dims(&run, input.rank, dims) &&
        run_output(&run, 0, input.rank, dims, &output) && output.count > 0) {
      const size_t size = element_size(input.dtype);
      void* space = run_scratch(&run, (size_t)output.count * size);
      if (space) {
        tn_cpu_pad(size, input.rank, input.dims, before, after, input.data, zeros, space,
                   run.parallel);
        const int rank = block_axes(&blocks, input.rank, padded, counts, from);
        tn_cpu_dense_strides(rank, counts, to);
        move_elements(&run, input.dtype, rank, counts, (place){space, from},
                      (place){output.data, to});
      }
    }
  }
  run_end(&run);
}

static void batch_to_space(void* state, TF_OpKernelContext* context) {
  run run;
  array input, output;
  blocks blocks;
  int64_t whole[TN_CPU_MAX_RANK], dims[TN_CPU_MAX_RANK];
  int64_t counts[2 * TN_CPU_MAX_RANK], from[2 * TN_CPU_MAX_RANK], to[2 * TN_CPU_MAX_RANK];
  run_begin(&run, context, "BatchToSpaceND");
  if (read_blocks(&run, "crops", &blocks, &input)) {
    bool fits = input.dims[0] % blocks.product == 0;
    for (int i = 0; i < input.rank; ++i) {
      const int b = i - 1;
      dims[i] = whole[i] = i == 0 ? input.dims[0] / blocks.product : input.dims[i];
      if (b < 0 || b >= blocks.count) continue;
      fits = fits && !__builtin_mul_overflow(input.dims[i], blocks.sizes[b], &whole[i]) &&
             blocks.before[b] <= whole[i] && blocks.after[b] <= whole[i] - blocks.before[b];
      dims[i] = whole[i] - blocks.before[b] - blocks.after[b];
    }
    if (!fits)
      run_fail(&run, TF_INVALID_ARGUMENT,
               "the first dimension, %lld, must divide by the block's %lld elements, and crops "
               "leave something of the others",
               (long long)input.dims[0], (long long)blocks.product);
    if (run_ok(&run) && check_output_dims(&run, input.rank, dims) &&
        run_output(&run, 0, input.rank, dims, &output) && output.count > 0) {
      const size_t size = element_size(input.dtype);
      char* space = run_scratch(&run, (size_t)input.count * size);
      if (space) {
        const int rank = block_axes(&blocks, input.rank, whole, counts, to);
        tn_cpu_dense_strides(rank, counts, from);
        move_elements(&run, input.dtype, rank, counts, (place){input.data, from},
                      (place){space, to});
        int64_t first = 0;
        tn_cpu_dense_strides(input.rank, whole, from);
        tn_cpu_dense_strides(input.rank, dims, to);
        for (int i = 0; i < blocks.count; ++i) first += blocks.before[i] * from[i + 1];
        move_elements(&run, input.dtype, input.rank, dims,
                      (place){element_at(input.dtype, space, first), from},
                      (place){output.data, to});
      }
    }
  }
  run_end(&run);
}

void register_space(void) {
  const tn_cpu_types plain = MOVABLE & ~TN_CPU_TYPE(TN_STRING);
  const kernel kernels[] = {
      {.op = "SpaceToDepth",
       .create = depth_create,
       .compute = space_to_depth,
       .destroy = free,
       .constraints = {{"T", MOVABLE}}},
      {.op = "DepthToSpace",
       .create = depth_create,
       .compute = depth_to_space,
       .destroy = free,
       .constraints = {{"T", MOVABLE}}},
      {.op = "SpaceToBatchND",
       .compute = space_to_batch,
       .constraints = {{"T", plain}, {"Tblock_shape", INDICES}, {"Tpaddings", INDICES}},
       .host_args = {"block_shape", "paddings"}},
      {.op = "BatchToSpaceND",
       .compute = batch_to_space,
       .constraints = {{"T", plain}, {"Tblock_shape", INDICES}, {"Tcrops", INDICES}},
       .host_args = {"block_shape", "crops"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
