// Shapes as values: Shape, ShapeN, Size, Rank, BroadcastArgs, BroadcastGradientArgs, ConcatOffset.

#include "moving.h"

static void put_shape(run* run, int index, const array* input) {
  array output;
  const int64_t dims[] = {input->rank};
  if (!run_output(run, index, 1, dims, &output)) return;
  for (int i = 0; i < input->rank; ++i) {
    if (output.dtype == TN_INT32 && input->dims[i] > INT32_MAX) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "dimension %d has size %lld, which out_type int32 cannot hold; int64 can", i,
               (long long)input->dims[i]);
      return;
    }
    put_index(&output, i, input->dims[i]);
  }
}

static void shapes_of(TF_OpKernelContext* context, const char* op) {
  run run;
  array input;
  run_begin_launching(&run, context, op);
  const int count = TF_NumInputs(context);
  for (int i = 0; i < count && run_input(&run, i, &input); ++i) put_shape(&run, i, &input);
  run_end(&run);
}

static void shape(void* state, TF_OpKernelContext* context) { shapes_of(context, "Shape"); }
static void shape_n(void* state, TF_OpKernelContext* context) { shapes_of(context, "ShapeN"); }

static void put_number(TF_OpKernelContext* context, const char* op, bool size) {
  run run;
  array input, output;
  run_begin_launching(&run, context, op);
  if (run_input(&run, 0, &input) && run_output(&run, 0, 0, NULL, &output)) {
    const int64_t number = size ? input.count : input.rank;
    if (output.dtype == TN_INT32 && number > INT32_MAX) {
      run_fail(&run, TF_INVALID_ARGUMENT,
               "the input has %lld elements, a number that out_type int32 cannot hold; int64 can",
               (long long)number);
    } else {
      put_index(&output, 0, number);
    }
  }
  run_end(&run);
}

static void size(void* state, TF_OpKernelContext* context) { put_number(context, "Size", true); }
static void rank(void* state, TF_OpKernelContext* context) { put_number(context, "Rank", false); }

// Two shapes that are given as vectors, aligned at the end: sizes[s][i] counts from the first
// dimension of the longer one, and is 1 where a shape has no such dimension.
typedef struct shape_pair {
  int rank;
  bool same;  // they are equal, and as long
  int64_t sizes[2][TN_CPU_MAX_RANK];
} shape_pair;

static bool read_pair(run* run, shape_pair* pair) {
  array inputs[2];
  static const char* const names[] = {"s0", "s1"};
  for (int s = 0; s < 2; ++s)
    if (!run_input(run, s, &inputs[s]) || !check_vector(run, names[s], &inputs[s]) ||
        !read_vector(run, names[s], &inputs[s], pair->sizes[s]))
      return false;
  const int64_t longer = inputs[inputs[1].count > inputs[0].count].count;
  for (int s = 0; s < 2; ++s) {
    const int64_t absent = longer - inputs[s].count;
    for (int64_t i = longer; i-- > 0;)
      pair->sizes[s][i] = i < absent ? 1 : pair->sizes[s][i - absent];
  }
  pair->rank = (int)longer;
  pair->same = inputs[0].count == inputs[1].count;
  for (int i = 0; i < pair->rank; ++i) {
    const int64_t a = pair->sizes[0][i], b = pair->sizes[1][i];
    pair->same = pair->same && a == b;
    if (a == b || a == 1 || b == 1) continue;
    run_fail(run, TF_INVALID_ARGUMENT,
             "shapes s0 and s1 do not broadcast: dimension %d from the end is %lld and %lld, and "
             "must be equal or 1",
             pair->rank - i, (long long)a, (long long)b);
    return false;
  }
  return true;
}

static void broadcast_args(void* state, TF_OpKernelContext* context) {
  run run;
  array output;
  shape_pair pair;
  run_begin(&run, context, "BroadcastArgs");
  if (read_pair(&run, &pair) && run_output(&run, 0, 1, (const int64_t[]){pair.rank}, &output))
    for (int i = 0; i < pair.rank; ++i)
      put_index(&output, i, pair.sizes[0][i] == 1 ? pair.sizes[1][i] : pair.sizes[0][i]);
  run_end(&run);
}

// Which dimensions to sum a gradient over, for each of the two: those it was repeated along. Where
// both have size 1, both are named (a sum over one element changes nothing), unless the shapes are
// the same, when there is nothing to sum at all.
static void broadcast_gradient_args(void* state, TF_OpKernelContext* context) {
  run run;
  shape_pair pair;
  run_begin(&run, context, "BroadcastGradientArgs");
  const bool read = read_pair(&run, &pair);
  for (int s = 0; s < 2 && read; ++s) {
    array output;
    int64_t count = 0, axes[TN_CPU_MAX_RANK];
    for (int i = 0; i < pair.rank && !pair.same; ++i)
      if (pair.sizes[s][i] == 1) axes[count++] = i;
    if (run_output(&run, s, 1, &count, &output))
      for (int64_t i = 0; i < count; ++i) put_index(&output, i, axes[i]);
  }
  run_end(&run);
}

// Output i says where input i begins in the concatenation: zeros, but for the joined dimension.
static void concat_offset(void* state, TF_OpKernelContext* context) {
  run run;
  array axis_input, first, shape, output;
  int axis;
  int64_t offset = 0;
  run_begin(&run, context, "ConcatOffset");
  const int count = TF_NumInputs(context) - 1;
  if (run_input(&run, 0, &axis_input) && run_input(&run, 1, &first) &&
      check_vector(&run, "shape[0]", &first) &&
      read_axis(&run, "concat_dim", &axis_input, (int)first.count, &axis)) {
    for (int i = 0; i < count && run_input(&run, i + 1, &shape); ++i) {
      if (shape.rank != 1 || shape.count != first.count) {
        char text[SHAPE_TEXT];
        run_fail(&run, TF_INVALID_ARGUMENT,
                 "input shape[%d] must be a vector of %lld sizes, like shape[0], not of shape %s",
                 i, (long long)first.count, shape_text(shape.rank, shape.dims, text));
      }
      if (!run_ok(&run) || !run_output(&run, i, 1, first.dims, &output)) break;
      for (int64_t d = 0; d < first.count; ++d) {
        put_index(&output, d, d == axis ? offset : 0);
        if (d == axis || index_at(&shape, d) == index_at(&first, d)) continue;
        run_fail(&run, TF_INVALID_ARGUMENT,
                 "shape[%d] has size %lld in dimension %lld and shape[0] has %lld: all dimensions "
                 "but %d must be equal",
                 i, (long long)index_at(&shape, d), (long long)d, (long long)index_at(&first, d),
                 axis);
      }
      offset += index_at(&shape, axis);
    }
  }
  run_end(&run);
}

void register_shapes(void) {
  const kernel kernels[] = {
      {.op = "Shape",
       .compute = shape,
       .constraints = {{"T", SHAREABLE}, {"out_type", INDICES}},
       .host_args = {"output"}},
      {.op = "ShapeN",
       .compute = shape_n,
       .constraints = {{"T", SHAREABLE}, {"out_type", INDICES}},
       .host_args = {"output"}},
      {.op = "Size",
       .compute = size,
       .constraints = {{"T", SHAREABLE}, {"out_type", INDICES}},
       .host_args = {"output"}},
      {.op = "Rank", .compute = rank, .constraints = {{"T", SHAREABLE}}, .host_args = {"output"}},
      {.op = "BroadcastArgs",
       .compute = broadcast_args,
       .constraints = {{"T", INDICES}},
       .host_args = {"s0", "s1", "r0"}},
      {.op = "BroadcastGradientArgs",
       .compute = broadcast_gradient_args,
       .constraints = {{"T", INDICES}},
       .host_args = {"s0", "s1", "r0", "r1"}},
      {.op = "ConcatOffset",
       .compute = concat_offset,
       .constraints = {{"shape_type", INDICES}},
       .host_args = {"concat_dim", "shape", "offset"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
