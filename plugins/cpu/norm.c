// FusedBatchNorm and FusedBatchNormGrad, all versions.

#include "cpu/norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

typedef struct norm {
  const char* op;
  float epsilon, average;  // how much a batch counts in the running mean and variance
  bool second;             // channels are dimension 1
  bool training;
  bool reserve;  // a last output that is reserved for others
} norm;

static void* norm_create(TF_OpKernelConstruction* construction, const char* op, bool gradient,
                         int version) {
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  const char* const formats[] = {"NHWC", "NDHWC", "NCHW", "NCDHW", NULL};
  const norm state = {op,
                      attr_float(&attrs, "epsilon"),
                      gradient ? 1 : attr_float(&attrs, "exponential_avg_factor"),
                      attr_choice(&attrs, "data_format", formats) >= 2,
                      attr_bool(&attrs, "is_training"),
                      version == 3};
  return attrs_end(&attrs, &state, sizeof state);
}

// The image or volume as [outer, channels, inner].
static bool split(run* run, const char* name, const array* x, bool second,
                  tn_cpu_channels* out_shape) {
  if (x->rank != 4 && x->rank != 5) {
    run_fail(run, TF_INVALID_ARGUMENT, "%s has rank %d, and must have 4 or 5", name, x->rank);
    return false;
  }
  const int channels = second ? 1 : x->rank - 1;
  *out_shape = (tn_cpu_channels){x->dtype, 1, x->dims[channels], 1};
  for (int i = 0; i < x->rank; ++i)
    if (i != channels) *(i < channels ? &out_shape->outer : &out_shape->inner) *= x->dims[i];
  return true;
}

static bool check_vector(run* run, const char* name, const array* vector, int64_t channels) {
  if (vector->rank != 1)
    run_fail(run, TF_INVALID_ARGUMENT, "%s has rank %d, and must be a vector", name, vector->rank);
  else if (channels >= 0 && vector->count != channels)
    run_fail(run, TF_INVALID_ARGUMENT,
             "%s has %lld elements, and must have one for each of the %lld channels", name,
             (long long)vector->count, (long long)channels);
  return run_ok(run);
}

enum { X, SCALE, OFFSET, MEAN, VARIANCE, INPUTS };
enum { Y, BATCH_MEAN, BATCH_VARIANCE, SAVED_MEAN, SAVED_VARIANCE, RESERVED, OUTPUTS };

static bool norm_inputs(run* run, const norm* norm, array* in, tn_cpu_channels* shape) {
  static const char* const names[] = {"x", "scale", "offset", "mean", "variance"};
  for (int i = 0; i < INPUTS; ++i)
    if (!run_input(run, i, &in[i])) return false;
  if (!split(run, names[X], &in[X], norm->second, shape)) return false;
  // Training from scratch does not look at the mean and variance so far.
  const bool fresh = norm->training && norm->average == 1;
  for (int i = SCALE; i < INPUTS; ++i)
    if (!check_vector(run, names[i], &in[i], fresh && i >= MEAN ? -1 : shape->channels))
      return false;
  return true;
}

static bool norm_outputs(run* run, const norm* norm, const array* in, int64_t channels,
                         array* out) {
  if (!run_output(run, Y, in[X].rank, in[X].dims, &out[Y])) return false;
  for (int i = BATCH_MEAN; i <= SAVED_VARIANCE; ++i)
    if (!run_output(run, i, 1, &channels, &out[i])) return false;
  if (!norm->reserve) return true;
  if (!run_output(run, RESERVED, 0, NULL, &out[RESERVED])) return false;
  *(float*)out[RESERVED].data = 0;
  return true;
}

static float blend(float so_far, double batch, float share) {
  return share == 1 ? (float)batch : (1 - share) * so_far + share * (float)batch;
}

// Moments of the batch into the outputs for them.
static bool train(run* run, const norm* norm, const tn_cpu_channels* shape, const array* in,
                  array* out) {
  double* moments = run_scratch(run, (size_t)shape->channels * 2 * sizeof *moments);
  void* workspace = run_scratch(run, tn_cpu_channels_workspace(shape));
  if (!workspace) return false;
  double* variances = moments + shape->channels;
  tn_cpu_channels_moments(shape, in[X].data, moments, variances, workspace, run->parallel);
  const double count = (double)(shape->outer * shape->inner);
  const float *mean = in[MEAN].data, *variance = in[VARIANCE].data, share = norm->average;
  for (int64_t c = 0; c < shape->channels; ++c) {
    // A sample's variance, when it stands for that of everything, is divided by one less.
    const double unbiased = variances[c] * count / (count > 1 ? count - 1 : 1);
    const bool fresh = share == 1;
    ((float*)out[BATCH_MEAN].data)[c] = blend(fresh ? 0 : mean[c], moments[c], share);
    ((float*)out[BATCH_VARIANCE].data)[c] = blend(fresh ? 0 : variance[c], unbiased, share);
    ((float*)out[SAVED_MEAN].data)[c] = (float)moments[c];
    ((float*)out[SAVED_VARIANCE].data)[c] = (float)variances[c];
  }
  return true;
}

static void normalize(run* run, const norm* norm, const tn_cpu_channels* shape, const array* in,
                      array* out) {
  float* scales = run_scratch(run, (size_t)shape->channels * sizeof *scales);
  if (!scales) return;
  const float* mean = norm->training ? out[SAVED_MEAN].data : in[MEAN].data;
  const float* variance = norm->training ? out[SAVED_VARIANCE].data : in[VARIANCE].data;
  for (int64_t c = 0; c < shape->channels; ++c)
    scales[c] = (float)(((const float*)in[SCALE].data)[c] /
                        sqrt((double)variance[c] + (double)norm->epsilon));
  tn_cpu_channels_scale(shape, in[X].data, mean, scales, in[OFFSET].data, out[Y].data,
                        run->parallel);
}

static void norm_compute(void* state, TF_OpKernelContext* context) {
  const norm* norm = state;
  run run;
  array in[INPUTS], out[OUTPUTS];
  tn_cpu_channels shape;
  run_begin(&run, context, norm->op);
  run_may_stop(&run);
  if (norm_inputs(&run, norm, in, &shape) && norm_outputs(&run, norm, in, shape.channels, out)) {
    const size_t bytes = (size_t)shape.channels * sizeof(float);
    if (in[X].count == 0) {
      for (int64_t c = 0; c < shape.channels; ++c)
        ((float*)out[BATCH_MEAN].data)[c] = ((float*)out[BATCH_VARIANCE].data)[c] = NAN;
    } else if (!norm->training) {
      memcpy(out[BATCH_MEAN].data, in[MEAN].data, bytes);
      memcpy(out[BATCH_VARIANCE].data, in[VARIANCE].data, bytes);
    }
    if (bytes > 0 && (in[X].count == 0 || !norm->training)) {
      memset(out[SAVED_MEAN].data, 0, bytes);
      memset(out[SAVED_VARIANCE].data, 0, bytes);
    }
    if (in[X].count > 0 && (!norm->training || train(&run, norm, &shape, in, out)))
      normalize(&run, norm, &shape, in, out);
  }
  run_end(&run);
}

enum { DY, DX_OF, SCALE_OF, MEAN_OF, VARIANCE_OF, GRAD_INPUTS };

static bool grad_inputs(run* run, const norm* norm, array* in, tn_cpu_channels* shape) {
  static const char* const names[] = {"y_backprop", "x", "scale", "reserve_space_1",
                                      "reserve_space_2"};
  for (int i = 0; i < GRAD_INPUTS; ++i)
    if (!run_input(run, i, &in[i])) return false;
  if (!split(run, names[DY], &in[DY], norm->second, shape) ||
      !split(run, names[DX_OF], &in[DX_OF], norm->second, shape))
    return false;
  if (in[DY].rank != in[DX_OF].rank ||
      memcmp(in[DY].dims, in[DX_OF].dims, (size_t)in[DY].rank * sizeof in[DY].dims[0]) != 0) {
    char shapes[2][SHAPE_TEXT];
    run_fail(run, TF_INVALID_ARGUMENT,
             "y_backprop has shape %s and x has shape %s, and they must be equal",
             shape_text(in[DY].rank, in[DY].dims, shapes[0]),
             shape_text(in[DX_OF].rank, in[DX_OF].dims, shapes[1]));
    return false;
  }
  for (int i = SCALE_OF; i < GRAD_INPUTS; ++i)
    if (!check_vector(run, names[i], &in[i], shape->channels)) return false;
  return true;
}

// With s = scale / sqrt(variance + epsilon), and means over each channel:
// dx = s (dy - mean(dy) - (x - m) mean(dy (x - m)) / (variance + epsilon)), or s dy where mean and
// variance did not come from x.
static void backpropagate(run* run, const norm* norm, const tn_cpu_channels* shape, const array* in,
                          array* out) {
  const int64_t channels = shape->channels;
  double* sums = run_scratch(run, (size_t)channels * 2 * sizeof *sums);
  float* by = run_scratch(run, (size_t)channels * 3 * sizeof *by);
  void* workspace = run_scratch(run, tn_cpu_channels_workspace(shape));
  if (!workspace) return;
  double* products = sums + channels;
  float *slope = by + channels, *offset = slope + channels;
  const float *mean = in[MEAN_OF].data, *variance = in[VARIANCE_OF].data;
  tn_cpu_channels_sums(shape, in[DY].data, in[DX_OF].data, mean, sums, products, workspace,
                       run->parallel);
  const double count = (double)(shape->outer * shape->inner);
  for (int64_t c = 0; c < channels; ++c) {
    const double spread = (double)variance[c] + (double)norm->epsilon;
    const double scale = ((const float*)in[SCALE_OF].data)[c] / sqrt(spread);
    ((float*)out[1].data)[c] = (float)(products[c] / sqrt(spread));
    ((float*)out[2].data)[c] = (float)sums[c];
    by[c] = (float)scale;
    slope[c] = norm->training ? (float)(-scale * products[c] / count / spread) : 0;
    offset[c] = norm->training ? (float)(-scale * sums[c] / count) : 0;
  }
  tn_cpu_channels_combine(shape, in[DY].data, in[DX_OF].data, mean, by, slope, offset, out[0].data,
                          run->parallel);
}

static void grad_compute(void* state, TF_OpKernelContext* context) {
  const norm* norm = state;
  run run;
  array in[GRAD_INPUTS], out[5];
  tn_cpu_channels shape;
  run_begin(&run, context, norm->op);
  run_may_stop(&run);
  if (grad_inputs(&run, norm, in, &shape)) {
    const int64_t none = 0, *sizes[] = {&shape.channels, &shape.channels, &none, &none};
    bool ok = run_output(&run, 0, in[DX_OF].rank, in[DX_OF].dims, &out[0]);
    for (int i = 1; i < 5 && ok; ++i) ok = run_output(&run, i, 1, sizes[i - 1], &out[i]);
    if (ok && in[DX_OF].count > 0) {
      backpropagate(&run, norm, &shape, in, out);
    } else if (ok && shape.channels > 0) {
      for (int i = 1; i < 3; ++i) memset(out[i].data, 0, (size_t)shape.channels * sizeof(float));
    }
  }
  run_end(&run);
}

// X(op, is a gradient, version, compute)
#define EACH_NORM(X)                             \
  X(FusedBatchNorm, false, 1, norm_compute)      \
  X(FusedBatchNormV2, false, 2, norm_compute)    \
  X(FusedBatchNormV3, false, 3, norm_compute)    \
  X(FusedBatchNormGrad, true, 1, grad_compute)   \
  X(FusedBatchNormGradV2, true, 2, grad_compute) \
  X(FusedBatchNormGradV3, true, 3, grad_compute)

#define CREATE(op, gradient, version, run)                          \
  static void* create_##op(TF_OpKernelConstruction* construction) { \
    return norm_create(construction, #op, gradient, version);       \
  }
EACH_NORM(CREATE)

void register_norms(void) {
  const tn_cpu_types one = TN_CPU_TYPE(TN_FLOAT);
  const tn_cpu_types three = one | TN_CPU_TYPE(TN_HALF) | TN_CPU_TYPE(TN_BFLOAT16);
  const kernel kernels[] = {
#define KERNEL(name, gradient, version, run) \
  {.op = #name,                              \
   .create = create_##name,                  \
   .compute = run,                           \
   .destroy = free,                          \
   .constraints = {{"T", version == 1 ? one : three}, {version == 1 ? NULL : "U", one}}},
      EACH_NORM(KERNEL)};
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
