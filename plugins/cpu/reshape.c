// Other shapes over the same memory: Reshape, ExpandDims, Squeeze, Identity.

#include <stdlib.h>

#include "moving.h"

// The dims that `shape` asks for; one of them may be -1, which takes what is left.
static bool wanted_dims(run* run, const array* tensor, const array* shape, int64_t* dims) {
  char text[SHAPE_TEXT];
  if (!read_vector(run, "shape", shape, dims)) return false;
  int64_t known = 1;
  int unknown = -1;
  const int rank = (int)shape->count;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] == -1 && unknown >= 0) {
      run_fail(run, TF_INVALID_ARGUMENT, "shape[%d] and shape[%d] are both -1; only one may be",
               unknown, i);
      return false;
    }
    if (dims[i] < -1) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "shape[%d] is %lld; sizes are not negative, but for one -1", i, (long long)dims[i]);
      return false;
    }
    if (dims[i] == -1) {
      unknown = i;
    } else if (__builtin_mul_overflow(known, dims[i], &known)) {
      run_fail(run, TF_INVALID_ARGUMENT, "shape %s has too many elements",
               shape_text(i + 1, dims, text));
      return false;
    }
  }
  int64_t elements = tensor->count;
  if (unknown >= 0 && elements == 0) {
    // Any size would do for the -1; the sizes that are not zero decide, as far as they can.
    bool has_zero = known == 0;
    elements = known = 1;
    for (int i = 0; i < rank; ++i)
      if (dims[i] > 0) known *= dims[i];
    for (int i = 0; i < tensor->rank; ++i)
      if (tensor->dims[i] > 0 || !has_zero) elements *= tensor->dims[i];
    dims[unknown] = elements / known;
    return true;
  }
  if (unknown >= 0 && known > 0 && elements % known == 0) {
    dims[unknown] = elements / known;
    return true;
  }
  if (unknown < 0 && known == elements) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "input tensor %s has %lld elements, and shape asks for %s%lld",
           shape_text(tensor->rank, tensor->dims, text), (long long)elements,
           unknown >= 0 ? "a multiple of " : "", (long long)known);
  return false;
}

// Output 0 is the memory of `tensor` under another shape. The handle is ours alone.
static void share(run* run, const array* tensor, int rank, const int64_t* dims) {
  run_share_output_as(run, 0, tensor->tensor, rank, dims);
}

static void reshape(void* state, TF_OpKernelContext* context) {
  run run;
  array tensor, shape;
  int64_t dims[TN_CPU_MAX_RANK];
  run_begin_launching(&run, context, "Reshape");
  if (run_input(&run, 0, &tensor) && run_input(&run, 1, &shape) &&
      wanted_dims(&run, &tensor, &shape, dims))
    share(&run, &tensor, (int)shape.count, dims);
  run_end(&run);
}

static void expand_dims(void* state, TF_OpKernelContext* context) {
  run run;
  array input, dim;
  int64_t dims[TN_CPU_MAX_RANK + 1];
  int at;
  run_begin_launching(&run, context, "ExpandDims");
  if (run_input(&run, 0, &input) && run_input(&run, 1, &dim) &&
      check_output_rank(&run, input.rank + 1) &&
      read_axis(&run, "dim", &dim, input.rank + 1, &at)) {
    for (int i = 0; i <= input.rank; ++i) dims[i] = i == at ? 1 : input.dims[i < at ? i : i - 1];
    share(&run, &input, input.rank + 1, dims);
  }
  run_end(&run);
}

typedef struct squeeze_state {
  int count;
  int64_t dims[TN_CPU_MAX_RANK];
} squeeze_state;

static void* squeeze_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  squeeze_state state;
  attrs_begin(&attrs, construction, "Squeeze");
  state.count = attr_ints(&attrs, "squeeze_dims", state.dims, TN_CPU_MAX_RANK);
  return attrs_end(&attrs, &state, sizeof state);
}

// Which dimensions go: those named, or all of size 1.
static bool choose_squeezed(run* run, const squeeze_state* state, const array* input, bool* gone) {
  for (int i = 0; i < input->rank; ++i) gone[i] = state->count == 0 && input->dims[i] == 1;
  for (int i = 0; i < state->count; ++i) {
    int axis;
    if (!check_axis(run, "a number of squeeze_dims", state->dims[i], input->rank, &axis))
      return false;
    if (input->dims[axis] != 1) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "squeeze_dims names dimension %d, whose size is %lld and must be 1", axis,
               (long long)input->dims[axis]);
      return false;
    }
    gone[axis] = true;
  }
  return true;
}

static void squeeze(void* state, TF_OpKernelContext* context) {
  run run;
  array input;
  bool gone[TN_CPU_MAX_RANK];
  run_begin_launching(&run, context, "Squeeze");
  if (run_input(&run, 0, &input) && choose_squeezed(&run, state, &input, gone)) {
    int64_t dims[TN_CPU_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < input.rank; ++i)
      if (!gone[i]) dims[rank++] = input.dims[i];
    share(&run, &input, rank, dims);
  }
  run_end(&run);
}

// Every input is an output.
static void identity(void* state, TF_OpKernelContext* context) {
  run run;
  array input;
  run_begin_launching(&run, context, "Identity");
  const int count = TF_NumInputs(context);
  for (int i = 0; i < count && run_input(&run, i, &input); ++i)
    run_share_output(&run, i, input.tensor);
  run_end(&run);
}

void register_reshape(void) {
  const kernel kernels[] = {
      {.op = "Reshape",
       .compute = reshape,
       .constraints = {{"T", SHAREABLE}, {"Tshape", INDICES}},
       .host_args = {"shape"}},
      {.op = "ExpandDims",
       .compute = expand_dims,
       .constraints = {{"T", MOVABLE}, {"Tdim", INDICES}},
       .host_args = {"dim"}},
      {.op = "Squeeze",
       .create = squeeze_create,
       .compute = squeeze,
       .destroy = free,
       .constraints = {{"T", SHAREABLE}}},
      {.op = "Identity", .compute = identity, .constraints = {{"T", SHAREABLE}}},
      {.op = "IdentityN", .compute = identity},
      {.op = "Snapshot", .compute = identity, .constraints = {{"T", SHAREABLE}}},
      {.op = "StopGradient", .compute = identity, .constraints = {{"T", SHAREABLE}}},
      {.op = "PreventGradient", .compute = identity, .constraints = {{"T", SHAREABLE}}},
      {.op = "PlaceholderWithDefault", .compute = identity, .constraints = {{"dtype", SHAREABLE}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
