// BiasAdd, BiasAddV1, BiasAddGrad: the channels are the last dimension (NHWC) or the second (NCHW).

#include <stdlib.h>

#include "cpu/arithmetic.h"
#include "elementwise.h"
#include "reductions.h"

typedef struct bias {
  const char* op;
  bool second;  // channels are dimension 1
} bias;

static void* bias_create(TF_OpKernelConstruction* construction, const char* op) {
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  const char* const formats[] = {"NHWC", "NCHW", NULL};
  const bias state = {op, attr_choice(&attrs, "data_format", formats) == 1};
  return attrs_end(&attrs, &state, sizeof state);
}

static void* add_create(TF_OpKernelConstruction* construction) {
  return bias_create(construction, "BiasAdd");
}

static void* grad_create(TF_OpKernelConstruction* construction) {
  return bias_create(construction, "BiasAddGrad");
}

// The array as [before, channels, after].
static bool split(run* run, const char* name, const array* array, bool second, int64_t dims[3]) {
  if (array->rank < 2) {
    run_fail(run, TF_INVALID_ARGUMENT, "%s has rank %d, and must have at least 2", name,
             array->rank);
    return false;
  }
  const int channels = second ? 1 : array->rank - 1;
  dims[0] = dims[2] = 1;
  dims[1] = array->dims[channels];
  for (int i = 0; i < channels; ++i) dims[0] *= array->dims[i];
  for (int i = channels + 1; i < array->rank; ++i) dims[2] *= array->dims[i];
  return true;
}

static void add_bias(const char* op, bool second, TF_OpKernelContext* context) {
  run run;
  array value, bias, output;
  int64_t dims[3];
  run_begin_launching(&run, context, op);
  run_may_stop(&run);
  if (run_input(&run, 0, &value) && run_input(&run, 1, &bias) &&
      split(&run, "value", &value, second, dims)) {
    if (bias.rank != 1)
      run_fail(&run, TF_INVALID_ARGUMENT, "bias has rank %d, and must be a vector", bias.rank);
    else if (bias.count != dims[1])
      run_fail(&run, TF_INVALID_ARGUMENT,
               "bias has %lld elements, and must have one for each of the %lld channels",
               (long long)bias.count, (long long)dims[1]);
    const void* in[] = {value.data, bias.data};
    const int64_t value_strides[] = {dims[1] * dims[2], dims[2], 1}, bias_strides[] = {0, 1, 0};
    const int64_t* strides[] = {value_strides, bias_strides};
    if (run_output_or_forward(&run, 1, 0, value.rank, value.dims, &output))
      run_zip(&run, tn_cpu_arithmetic(TN_CPU_ADD, value.dtype), 3, dims, in, strides, output.data);
  }
  run_end(&run);
}

static void add(void* state, TF_OpKernelContext* context) {
  const bias* bias = state;
  add_bias(bias->op, bias->second, context);
}

static void add_v1(void* state, TF_OpKernelContext* context) {
  add_bias("BiasAddV1", false, context);
}

static void grad(void* state, TF_OpKernelContext* context) {
  const bias* bias = state;
  run run;
  array backprop, output;
  int64_t dims[3];
  run_begin_launching(&run, context, bias->op);
  run_may_stop(&run);
  if (run_input(&run, 0, &backprop) && split(&run, "out_backprop", &backprop, bias->second, dims) &&
      run_output(&run, 0, 1, &dims[1], &output))
    reduce_to(&run, TN_CPU_SUM, &backprop, 3, dims, (const bool[]){true, false, true}, &output);
  run_end(&run);
}

void register_bias(void) {
  static const kernel kernels[] = {
      {.op = "BiasAdd",
       .create = add_create,
       .compute = add,
       .destroy = free,
       .constraints = {{"T", TN_CPU_NUMBERS}}},
      {.op = "BiasAddV1", .compute = add_v1, .constraints = {{"T", TN_CPU_NUMBERS}}},
      {.op = "BiasAddGrad",
       .create = grad_create,
       .compute = grad,
       .destroy = free,
       .constraints = {{"T", TN_CPU_NUMBERS}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
