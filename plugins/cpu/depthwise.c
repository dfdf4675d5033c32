// DepthwiseConv2dNative and its gradients.

#include <stdlib.h>
#include <string.h>

#include "cpu/depthwise.h"
#include "sliding.h"

typedef struct depthwise {
  int64_t strides[4], dilations[4];
  padding padding;
} depthwise;

static void* create(TF_OpKernelConstruction* construction, const char* op) {
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  depthwise state = {.padding = attr_padding(&attrs, true)};
  const int strides = attr_ints(&attrs, "strides", state.strides, 4);
  const int dilations = attr_ints(&attrs, "dilations", state.dilations, 4);
  attr_choice(&attrs, "data_format", (const char* const[]){"NHWC", NULL});
  const int64_t *s = state.strides, *d = state.dilations;
  if (strides != 4 || dilations != 4) {
    attrs_fail(&attrs, TF_INVALID_ARGUMENT, "strides and dilations must have 4 numbers each");
  } else if (s[0] != 1 || s[3] != 1 || s[1] != s[2]) {
    attrs_fail(&attrs, TF_INVALID_ARGUMENT,
               "strides are [%lld,%lld,%lld,%lld], and must be 1 for batch and channels and the "
               "same for rows and columns",
               (long long)s[0], (long long)s[1], (long long)s[2], (long long)s[3]);
  } else if (d[0] != 1 || d[3] != 1) {
    attrs_fail(&attrs, TF_UNIMPLEMENTED, "dilations of batch and channels must be 1");
  }
  return attrs_end(&attrs, &state, sizeof state);
}

// The window for an input and a filter of these dimensions; `out` are the output's.
static bool make_window(run* run, const depthwise* state, const int64_t* input,
                        const int64_t* filter, tn_cpu_window* w, int64_t* out) {
  int64_t sizes[2], before[2];
  if (input[3] != filter[2]) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "the input has %lld channels and the filter is for %lld, which must be equal",
             (long long)input[3], (long long)filter[2]);
    return false;
  }
  for (int i = 0; i < 2; ++i) {
    const sliding s = {input[1 + i], filter[i], state->strides[1 + i], state->dilations[1 + i]};
    if (!slide(run, &state->padding, 1 + i, s, &sizes[i], &before[i])) return false;
  }
  int64_t channels, count;
  if (__builtin_mul_overflow(filter[2], filter[3], &channels)) channels = INT64_MAX;
  memcpy(out, (const int64_t[]){input[0], sizes[0], sizes[1], channels}, 4 * sizeof *out);
  if (!count_elements(4, out, &count)) {
    run_fail(run, TF_INVALID_ARGUMENT, "the output would have too many elements");
    return false;
  }
  *w = (tn_cpu_window){.images = input[0],
                       .rows = input[1],
                       .columns = input[2],
                       .channels = input[3],
                       .out_rows = sizes[0],
                       .out_columns = sizes[1],
                       .window_rows = filter[0],
                       .window_columns = filter[1],
                       .row_stride = state->strides[1],
                       .column_stride = state->strides[2],
                       .row_dilation = state->dilations[1],
                       .column_dilation = state->dilations[2],
                       .top = before[0],
                       .left = before[1]};
  return true;
}

// A vector of 4 sizes, none negative.
static bool read_sizes(run* run, const char* name, const array* sizes, int64_t* out) {
  int64_t count;
  if (!check_dims(run, name, sizes, 1, (const int64_t[]){4})) return false;
  for (int i = 0; i < 4; ++i) {
    out[i] = index_at(sizes, i);
    if (out[i] < 0) {
      run_fail(run, TF_INVALID_ARGUMENT, "%s[%d] is negative: %lld", name, i, (long long)out[i]);
      return false;
    }
  }
  if (count_elements(4, out, &count)) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "%s has too many elements", name);
  return false;
}

// The workspace, or NULL when there is nothing to compute: then the output is cleared. An operand
// without elements gives only zeros.
static void* prepare(run* run, const tn_cpu_window* w, const array* one, const array* other,
                     int64_t multiplier, array* output) {
  if (output->count == 0) return NULL;
  if (one->count == 0 || other->count == 0) {
    memset(output->data, 0, (size_t)output->count * tn_cpu_size(output->dtype));
    return NULL;
  }
  return run_scratch(run, tn_cpu_depthwise_workspace(output->dtype, w, multiplier));
}

static void forward(void* state, TF_OpKernelContext* context) {
  run run;
  array input, filter, output;
  tn_cpu_window w;
  int64_t dims[4];
  run_begin(&run, context, "DepthwiseConv2dNative");
  run_may_stop(&run);
  if (run_input(&run, 0, &input) && run_input(&run, 1, &filter) &&
      check_rank(&run, "input", &input, 4) && check_rank(&run, "filter", &filter, 4) &&
      make_window(&run, state, input.dims, filter.dims, &w, dims) &&
      run_output(&run, 0, 4, dims, &output)) {
    void* workspace = prepare(&run, &w, &input, &filter, filter.dims[3], &output);
    if (workspace)
      tn_cpu_depthwise(input.dtype, &w, filter.dims[3], input.data, filter.data, output.data,
                       workspace, run.parallel);
  }
  run_end(&run);
}

static void grad_input(void* state, TF_OpKernelContext* context) {
  run run;
  array sizes, filter, grad, output;
  tn_cpu_window w;
  int64_t input[4], dims[4];
  run_begin(&run, context, "DepthwiseConv2dNativeBackpropInput");
  run_may_stop(&run);
  if (run_input(&run, 0, &sizes) && run_input(&run, 1, &filter) && run_input(&run, 2, &grad) &&
      read_sizes(&run, "input_sizes", &sizes, input) && check_rank(&run, "filter", &filter, 4) &&
      make_window(&run, state, input, filter.dims, &w, dims) &&
      check_dims(&run, "out_backprop", &grad, 4, dims) && run_output(&run, 0, 4, input, &output)) {
    void* workspace = prepare(&run, &w, &filter, &grad, filter.dims[3], &output);
    if (workspace)
      tn_cpu_depthwise_grad_input(grad.dtype, &w, filter.dims[3], filter.data, grad.data,
                                  output.data, workspace, run.parallel);
  }
  run_end(&run);
}

static void grad_filter(void* state, TF_OpKernelContext* context) {
  run run;
  array input, sizes, grad, output;
  tn_cpu_window w;
  int64_t filter[4], dims[4];
  run_begin(&run, context, "DepthwiseConv2dNativeBackpropFilter");
  run_may_stop(&run);
  if (run_input(&run, 0, &input) && run_input(&run, 1, &sizes) && run_input(&run, 2, &grad) &&
      check_rank(&run, "input", &input, 4) && read_sizes(&run, "filter_sizes", &sizes, filter) &&
      make_window(&run, state, input.dims, filter, &w, dims) &&
      check_dims(&run, "out_backprop", &grad, 4, dims) && run_output(&run, 0, 4, filter, &output)) {
    void* workspace = prepare(&run, &w, &input, &grad, filter[3], &output);
    if (workspace)
      tn_cpu_depthwise_grad_filter(input.dtype, &w, filter[3], input.data, grad.data, output.data,
                                   workspace, run.parallel);
  }
  run_end(&run);
}

static void* create_forward(TF_OpKernelConstruction* construction) {
  return create(construction, "DepthwiseConv2dNative");
}
static void* create_grad_input(TF_OpKernelConstruction* construction) {
  return create(construction, "DepthwiseConv2dNativeBackpropInput");
}
static void* create_grad_filter(TF_OpKernelConstruction* construction) {
  return create(construction, "DepthwiseConv2dNativeBackpropFilter");
}

void register_depthwise(void) {
  const kernel kernels[] = {
      {.op = "DepthwiseConv2dNative",
       .create = create_forward,
       .compute = forward,
       .destroy = free,
       .constraints = {{"T", TN_CPU_FLOATS}}},
      {.op = "DepthwiseConv2dNativeBackpropInput",
       .create = create_grad_input,
       .compute = grad_input,
       .destroy = free,
       .constraints = {{"T", TN_CPU_FLOATS}},
       .host_args = {"input_sizes"}},
      {.op = "DepthwiseConv2dNativeBackpropFilter",
       .create = create_grad_filter,
       .compute = grad_filter,
       .destroy = free,
       .constraints = {{"T", TN_CPU_FLOATS}},
       .host_args = {"filter_sizes"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
