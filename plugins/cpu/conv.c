// Conv2D and its gradients.

#include "cpu/conv.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

enum { SAME, VALID, EXPLICIT };
enum { HEIGHT = 1, WIDTH = 2, DEPTH = 3 };  // of NHWC

typedef struct conv_state {
  const char* op;
  int padding;
  bool channels_first;
  int64_t strides[4], dilations[4], paddings[8];  // as NHWC
} conv_state;

// Four numbers, of which those of batch and depth are 1.
static void read_steps(attrs* attrs, const char* name, bool channels_first, int64_t out[4]) {
  int64_t given[4] = {1, 1, 1, 1};
  const int count = attr_ints(attrs, name, given, 4);
  if (count != 4)
    attrs_fail(attrs, TF_INVALID_ARGUMENT, "attribute %s has %d numbers, and must have 4", name,
               count);
  const int to[] = {0, channels_first ? DEPTH : 1, channels_first ? 1 : 2, channels_first ? 2 : 3};
  for (int i = 0; i < 4; ++i) out[to[i]] = given[i];
  if (out[0] != 1 || out[DEPTH] != 1)
    attrs_fail(attrs, TF_INVALID_ARGUMENT,
               "attribute %s is %lld for the batch and %lld for the depth, and both must be 1",
               name, (long long)out[0], (long long)out[DEPTH]);
  for (int i = HEIGHT; i <= WIDTH; ++i)
    if (out[i] < 1 || out[i] > INT_MAX)
      attrs_fail(attrs, TF_INVALID_ARGUMENT, "attribute %s has %lld, and must be positive", name,
                 (long long)out[i]);
}

static void read_paddings(attrs* attrs, conv_state* state) {
  int64_t given[8] = {0};
  const int count = attr_ints(attrs, "explicit_paddings", given, 8);
  if (count != (state->padding == EXPLICIT ? 8 : 0))
    attrs_fail(attrs, TF_INVALID_ARGUMENT,
               "attribute explicit_paddings has %d numbers, and must have 8 with padding EXPLICIT "
               "and none without",
               count);
  const int first = state->channels_first ? 2 : HEIGHT;
  for (int i = 0; i < 8; ++i) {
    if (given[i] < 0 || given[i] > INT_MAX)
      attrs_fail(attrs, TF_INVALID_ARGUMENT,
                 "explicit_paddings[%d] is %lld, and must not be negative", i, (long long)given[i]);
    if (given[i] != 0 && (i / 2 < first || i / 2 > first + 1))
      attrs_fail(attrs, TF_INVALID_ARGUMENT,
                 "explicit_paddings[%d] is %lld, and must be 0 for batch and depth", i,
                 (long long)given[i]);
  }
  memcpy(state->paddings + 2 * HEIGHT, given + 2 * first, 4 * sizeof given[0]);
}

static void* create(TF_OpKernelConstruction* construction, const char* op) {
  static const char* const formats[] = {"NHWC", "NCHW", NULL};
  static const char* const kinds[] = {"SAME", "VALID", "EXPLICIT", NULL};
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  conv_state state = {.op = op};
  state.channels_first = attr_choice(&attrs, "data_format", formats) == 1;
  read_steps(&attrs, "strides", state.channels_first, state.strides);
  read_steps(&attrs, "dilations", state.channels_first, state.dilations);
  state.padding = attr_choice(&attrs, "padding", kinds);
  read_paddings(&attrs, &state);
  return attrs_end(&attrs, &state, sizeof state);
}

static void* create_forward(TF_OpKernelConstruction* construction) {
  return create(construction, "Conv2D");
}
static void* create_input_gradient(TF_OpKernelConstruction* construction) {
  return create(construction, "Conv2DBackpropInput");
}
static void* create_filter_gradient(TF_OpKernelConstruction* construction) {
  return create(construction, "Conv2DBackpropFilter");
}

// A shape with its name, for messages.
typedef struct shape {
  const char* name;
  int rank;
  const int64_t* dims;
} shape;

static shape shape_of(const char* name, const array* array) {
  return (shape){name, array->rank, array->dims};
}

static bool check_shape(run* run, shape shape) {
  char text[SHAPE_TEXT];
  if (shape.rank != 4) {
    run_fail(run, TF_INVALID_ARGUMENT, "%s must have 4 dimensions, not the shape %s", shape.name,
             shape_text(shape.rank, shape.dims, text));
    return false;
  }
  for (int i = 0; i < 4; ++i) {
    if (shape.dims[i] >= 0 && shape.dims[i] <= INT_MAX) continue;
    run_fail(run, TF_INVALID_ARGUMENT, "%s has the shape %s, and %lld is too much or too little",
             shape.name, shape_text(4, shape.dims, text), (long long)shape.dims[i]);
    return false;
  }
  return true;
}

// One axis: the size of the output, and how many zeros stand before the input.
static bool measure_axis(run* run, const conv_state* state, int axis, int64_t in, int64_t filter,
                         int64_t* out, int64_t* pad) {
  const int64_t stride = state->strides[axis];
  const int64_t reach = (filter - 1) * state->dilations[axis] + 1;
  *pad = 0;
  if (state->padding == SAME) {
    *out = (in + stride - 1) / stride;
    const int64_t needed = (*out - 1) * stride + reach - in;
    *pad = needed > 0 ? needed / 2 : 0;
    return true;
  }
  int64_t padded = in;
  if (state->padding == EXPLICIT) {
    *pad = state->paddings[2 * axis];
    padded += *pad + state->paddings[2 * axis + 1];
  }
  *out = (padded - reach + stride) / stride;
  if (*out >= 0) return true;
  run_fail(
      run, TF_INVALID_ARGUMENT,
      "the %s of the output would be negative: the input has %lld, the filter reaches over %lld",
      axis == HEIGHT ? "height" : "width", (long long)padded, (long long)reach);
  return false;
}

// All that shapes tell. `out_dims` are those of the output.
static bool measure(run* run, const conv_state* state, shape input, shape filter,
                    tn_cpu_conv2d* conv, int64_t out_dims[4]) {
  if (!check_shape(run, input) || !check_shape(run, filter)) return false;
  const int64_t *in = input.dims, *taps = filter.dims;
  const int64_t turned[] = {in[0], in[2], in[3], in[1]};
  if (state->channels_first) in = turned;
  char a_text[SHAPE_TEXT], b_text[SHAPE_TEXT];
  const char* rule = NULL;
  if (taps[0] == 0 || taps[1] == 0 || taps[2] == 0) {
    rule = "the filter's height, width and depth must not be 0";
  } else if (in[DEPTH] % taps[2] != 0) {
    rule = "the input's depth must be a multiple of the filter's";
  } else if (in[DEPTH] > 0 && taps[3] % (in[DEPTH] / taps[2]) != 0) {
    rule = "the filter's last dimension must be a multiple of the number of groups";
  }
  if (rule) {
    run_fail(run, TF_INVALID_ARGUMENT, "%s is %s and %s is %s, but %s", input.name,
             shape_text(4, in, a_text), filter.name, shape_text(4, taps, b_text), rule);
    return false;
  }
  *conv = (tn_cpu_conv2d){.batch = in[0],
                          .groups = in[DEPTH] ? in[DEPTH] / taps[2] : 1,
                          .in_height = in[HEIGHT],
                          .in_width = in[WIDTH],
                          .in_depth = in[DEPTH],
                          .out_depth = taps[3],
                          .filter_height = taps[0],
                          .filter_width = taps[1],
                          .stride_height = state->strides[HEIGHT],
                          .stride_width = state->strides[WIDTH],
                          .dilation_height = state->dilations[HEIGHT],
                          .dilation_width = state->dilations[WIDTH]};
  if (!measure_axis(run, state, HEIGHT, in[HEIGHT], taps[0], &conv->out_height, &conv->pad_top) ||
      !measure_axis(run, state, WIDTH, in[WIDTH], taps[1], &conv->out_width, &conv->pad_left))
    return false;
  if (state->channels_first) {
    run_fail(run, TF_UNIMPLEMENTED,
             "data_format NCHW is not there on the CPU: transpose to NHWC, which is faster too");
    return false;
  }
  memcpy(out_dims, (int64_t[]){in[0], conv->out_height, conv->out_width, taps[3]},
         4 * sizeof out_dims[0]);
  // The numbers of products and of elements stay within 64 bits.
  int64_t count, patches;
  const int64_t matrix[] = {in[0], conv->out_height, conv->out_width, taps[0], taps[1]};
  if (count_elements(4, out_dims, &count) && count_elements(4, in, &count) &&
      count_elements(4, taps, &count) && count_elements(5, matrix, &patches))
    return true;
  run_fail(run, TF_INVALID_ARGUMENT, "%s %s and %s %s are too large", input.name,
           shape_text(4, in, a_text), filter.name, shape_text(4, taps, b_text));
  return false;
}

typedef void (*conv_routine)(tn_dtype, const tn_cpu_conv2d*, const void*, const void*, void*, void*,
                             const tn_cpu_parallel*);
typedef struct conv_job {
  const tn_cpu_parallel* parallel;
  conv_routine routine;
  tn_dtype dtype;
  tn_cpu_conv2d conv;
  const void *a, *b;
  void *out, *workspace;
} conv_job;

static void convolve_here(SP_Stream stream, void* args) {
  const conv_job* job = args;
  job->routine(job->dtype, &job->conv, job->a, job->b, job->out, job->workspace, job->parallel);
}

static void convolve(run* run, conv_routine routine, const tn_cpu_conv2d* conv, const array* a,
                     const array* b, const array* out) {
  void* workspace = run_scratch(run, tn_cpu_conv2d_workspace(out->dtype, conv));
  if (!workspace) return;
  conv_job job = {run->parallel, routine, out->dtype, *conv,
                  a->data,       b->data, out->data,  workspace};
  const double products = (double)conv->batch * (double)conv->out_height * (double)conv->out_width *
                          (double)conv->out_depth * (double)conv->filter_height *
                          (double)conv->filter_width * (double)conv->in_depth /
                          (double)conv->groups;
  run_launch(run, convolve_here, &job, sizeof job, products < 1e15 ? (int64_t)products / 32 : 1e15);
}

static void forward(void* kernel_state, TF_OpKernelContext* context) {
  const conv_state* state = kernel_state;
  run run;
  array input, filter, output;
  tn_cpu_conv2d conv;
  int64_t dims[4];
  run_begin_launching(&run, context, state->op);
  run_may_stop(&run);
  if (run_input(&run, 0, &input) && run_input(&run, 1, &filter) &&
      measure(&run, state, shape_of("input", &input), shape_of("filter", &filter), &conv, dims) &&
      run_output(&run, 0, 4, dims, &output) && output.count > 0)
    convolve(&run, tn_cpu_conv2d_run, &conv, &input, &filter, &output);
  run_end(&run);
}

// A shape that comes as an input: 4 numbers, or 2 for the height and width of images.
static bool read_sizes(run* run, int index, const char* name, const array* filter,
                       const array* gradient, int64_t dims[4]) {
  array sizes;
  if (!run_input(run, index, &sizes)) return false;
  char text[SHAPE_TEXT];
  if (sizes.rank != 1 || (sizes.count != 4 && !(filter && sizes.count == 2))) {
    run_fail(run, TF_INVALID_ARGUMENT, "input %s must be a vector of 4 numbers, not of shape %s",
             name, shape_text(sizes.rank, sizes.dims, text));
    return false;
  }
  if (sizes.count == 4) {
    for (int i = 0; i < 4; ++i) dims[i] = index_at(&sizes, i);
    return true;
  }
  if (!check_shape(run, shape_of("filter", filter)) ||
      !check_shape(run, shape_of("out_backprop", gradient)))
    return false;
  dims[0] = gradient->dims[0];
  dims[HEIGHT] = index_at(&sizes, 0);
  dims[WIDTH] = index_at(&sizes, 1);
  dims[DEPTH] = filter->dims[2];
  return true;
}

static bool check_gradient(run* run, const array* gradient, const int64_t expected[4]) {
  char a_text[SHAPE_TEXT], b_text[SHAPE_TEXT];
  if (gradient->rank == 4 && memcmp(gradient->dims, expected, 4 * sizeof expected[0]) == 0)
    return true;
  run_fail(run, TF_INVALID_ARGUMENT,
           "out_backprop has the shape %s, and must have the output's, %s",
           shape_text(gradient->rank, gradient->dims, a_text), shape_text(4, expected, b_text));
  return false;
}

static void input_gradient(void* kernel_state, TF_OpKernelContext* context) {
  const conv_state* state = kernel_state;
  run run;
  array filter, gradient, output;
  tn_cpu_conv2d conv;
  int64_t dims[4], out_dims[4];
  run_begin_launching(&run, context, state->op);
  run_may_stop(&run);
  if (run_input(&run, 1, &filter) && run_input(&run, 2, &gradient) &&
      read_sizes(&run, 0, "input_sizes", &filter, &gradient, dims) &&
      measure(&run, state, (shape){"input_sizes", 4, dims}, shape_of("filter", &filter), &conv,
              out_dims) &&
      check_gradient(&run, &gradient, out_dims) && run_output(&run, 0, 4, dims, &output) &&
      output.count > 0)
    convolve(&run, tn_cpu_conv2d_input_gradient, &conv, &filter, &gradient, &output);
  run_end(&run);
}

static void filter_gradient(void* kernel_state, TF_OpKernelContext* context) {
  const conv_state* state = kernel_state;
  run run;
  array input, gradient, output;
  tn_cpu_conv2d conv;
  int64_t dims[4], out_dims[4];
  run_begin_launching(&run, context, state->op);
  run_may_stop(&run);
  if (run_input(&run, 0, &input) && run_input(&run, 2, &gradient) &&
      read_sizes(&run, 1, "filter_sizes", NULL, &gradient, dims) &&
      measure(&run, state, shape_of("input", &input), (shape){"filter_sizes", 4, dims}, &conv,
              out_dims) &&
      check_gradient(&run, &gradient, out_dims) && run_output(&run, 0, 4, dims, &output) &&
      output.count > 0)
    convolve(&run, tn_cpu_conv2d_filter_gradient, &conv, &input, &gradient, &output);
  run_end(&run);
}

#define CONV_TYPES (TN_CPU_FLOATS | TN_CPU_TYPE(TN_INT32))

void register_conv(void) {
  const kernel kernels[] = {{.op = "Conv2D",
                             .create = create_forward,
                             .compute = forward,
                             .destroy = free,
                             .constraints = {{"T", CONV_TYPES}}},
                            {.op = "Conv2DBackpropInput",
                             .create = create_input_gradient,
                             .compute = input_gradient,
                             .destroy = free,
                             .constraints = {{"T", CONV_TYPES}},
                             .host_args = {"input_sizes"}},
                            {.op = "Conv2DBackpropFilter",
                             .create = create_filter_gradient,
                             .compute = filter_gradient,
                             .destroy = free,
                             .constraints = {{"T", TN_CPU_FLOATS}},
                             .host_args = {"filter_sizes"}}};
  register_kernels(kernels, 3);
}
