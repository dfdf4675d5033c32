// MaxPool, MaxPoolV2, MaxPoolWithArgmax, AvgPool and their gradients.

#include <stdlib.h>
#include <string.h>

#include "cpu/pool2d.h"
#include "sliding.h"

typedef struct pooling {
  const char* op;
  int64_t sizes[4], strides[4];
  int size_count, stride_count;
  padding padding;
  bool across_images;
} pooling;

enum {
  WINDOW_ATTRS = 1,  // ksize and strides are attributes
  EXPLICIT = 2,      // may have explicit_paddings
  FORMAT = 4,        // has data_format
  ARGMAX = 8,        // has include_batch_in_index
};

static void* create(TF_OpKernelConstruction* construction, const char* op, int has) {
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  pooling state = {.op = op};
  if (has & WINDOW_ATTRS) {
    state.size_count = attr_ints(&attrs, "ksize", state.sizes, 4);
    state.stride_count = attr_ints(&attrs, "strides", state.strides, 4);
  }
  if (has & FORMAT) attr_choice(&attrs, "data_format", (const char* const[]){"NHWC", NULL});
  state.padding = attr_padding(&attrs, has & EXPLICIT);
  if (has & ARGMAX) state.across_images = attr_bool(&attrs, "include_batch_in_index");
  return attrs_end(&attrs, &state, sizeof state);
}

// Inputs of the V2 ops: window sizes and strides.
static bool read_window(run* run, int index, pooling* p) {
  array sizes, strides;
  if (!run_input(run, index, &sizes) || !run_input(run, index + 1, &strides)) return false;
  p->size_count = sizes.count == 4 ? 4 : 0;
  p->stride_count = strides.count == 4 ? 4 : 0;
  for (int i = 0; i < p->size_count; ++i) p->sizes[i] = index_at(&sizes, i);
  for (int i = 0; i < p->stride_count; ++i) p->strides[i] = index_at(&strides, i);
  return true;
}

static bool check_window(run* run, const pooling* p) {
  if (p->size_count != 4 || p->stride_count != 4) {
    run_fail(run, TF_INVALID_ARGUMENT, "ksize and strides must have 4 numbers each");
    return false;
  }
  for (int i = 0; i < 4; ++i) {
    if (p->sizes[i] > 0 && p->sizes[i] <= INT32_MAX) continue;
    run_fail(run, TF_INVALID_ARGUMENT, "ksize[%d] is %lld, and must be in [1, 2^31)", i,
             (long long)p->sizes[i]);
    return false;
  }
  if (p->sizes[0] == 1 && p->strides[0] == 1) return true;
  run_fail(run, TF_UNIMPLEMENTED, "ksize[0] and strides[0] must be 1: batches are not pooled over");
  return false;
}

// The window over an input of these dimensions; `pooled` are the output's. Not over channels.
static bool make_window(run* run, const pooling* p, const int64_t* dims, tn_cpu_window* w,
                        int64_t* pooled) {
  if (p->sizes[3] != 1) {
    run_fail(run, TF_UNIMPLEMENTED, "ksize[3] is %lld, and must be 1: channels are not pooled over",
             (long long)p->sizes[3]);
    return false;
  }
  int64_t sizes[2], before[2];
  for (int i = 0; i < 2; ++i) {
    const sliding s = {dims[1 + i], p->sizes[1 + i], p->strides[1 + i], 1};
    const int64_t* edges = &p->padding.edges[2 * (1 + i)];
    if (p->padding.kind == PADDING_EXPLICIT && (edges[0] >= s.window || edges[1] >= s.window)) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "explicit_paddings of dimension %d are %lld and %lld, and must be below ksize, %lld",
               1 + i, (long long)edges[0], (long long)edges[1], (long long)s.window);
      return false;
    }
    if (!slide(run, &p->padding, 1 + i, s, &sizes[i], &before[i])) return false;
  }
  *w = (tn_cpu_window){dims[0],  dims[1],     dims[2],     dims[3],       sizes[0],
                       sizes[1], p->sizes[1], p->sizes[2], p->strides[1], p->strides[2],
                       1,        1,           before[0],   before[1]};
  memcpy(pooled, (const int64_t[]){dims[0], sizes[0], sizes[1], dims[3]}, 4 * sizeof *pooled);
  return true;
}

// Groups of neighbouring channels are rows of an image of one column.
static void pool_channels(run* run, const pooling* p, const array* input) {
  const int64_t size = p->sizes[3], channels = input->dims[3];
  array output;
  if (p->sizes[1] != 1 || p->sizes[2] != 1) {
    run_fail(run, TF_UNIMPLEMENTED,
             "ksize pools over channels and over rows or columns, which is one too many");
  } else if (channels % size != 0 || p->strides[3] != size) {
    run_fail(run, TF_UNIMPLEMENTED,
             "ksize[3] is %lld: it must divide the %lld channels and equal strides[3], %lld",
             (long long)size, (long long)channels, (long long)p->strides[3]);
  } else if (p->padding.kind == PADDING_EXPLICIT) {
    run_fail(run, TF_UNIMPLEMENTED, "explicit padding is not for pools over channels");
  }
  const int64_t dims[] = {input->dims[0], input->dims[1], input->dims[2], channels / size};
  if (!run_output(run, 0, 4, dims, &output) || output.count == 0) return;
  const tn_cpu_window w = {output.count, 1, size, 1, 1, 1, 1, size, 1, size, 1, 1, 0, 0};
  tn_cpu_max_pool_where(input->dtype, &w, input->data, output.data, TN_INT64, false, NULL,
                        run->parallel);
}

typedef struct pool_job {
  const tn_cpu_parallel* parallel;
  enum { MAXIMUM, MAXIMUM_GRADIENT, MAXIMUM_GRADIENT_GRADIENT, AVERAGE, AVERAGE_GRADIENT } what;
  tn_dtype dtype;
  tn_cpu_window window;
  const void *in, *pooled, *grad;
  void* out;
} pool_job;

static void pool_here(SP_Stream stream, void* args) {
  const pool_job* job = args;
  const tn_cpu_window* w = &job->window;
  switch (job->what) {
    case MAXIMUM: tn_cpu_max_pool(job->dtype, w, job->in, job->out, job->parallel); break;
    case MAXIMUM_GRADIENT:
      tn_cpu_max_pool_grad(job->dtype, w, job->in, job->grad, job->out, job->parallel);
      break;
    case MAXIMUM_GRADIENT_GRADIENT:
      tn_cpu_max_pool_grad_grad(job->dtype, w, job->in, job->pooled, job->grad, job->out,
                                job->parallel);
      break;
    case AVERAGE: tn_cpu_average_pool(job->dtype, w, job->in, job->out, job->parallel); break;
    case AVERAGE_GRADIENT:
      tn_cpu_average_pool_grad(job->dtype, w, job->grad, job->out, job->parallel);
      break;
  }
}

static void launch_pool(run* run, pool_job job, const array* out) {
  job.parallel = run->parallel;
  job.dtype = out->dtype;
  job.out = out->data;
  run_launch(run, pool_here, &job, sizeof job, 2 * out->count);
}

static void max_pool_with(run* run, const pooling* p) {
  array input, output;
  tn_cpu_window w;
  int64_t dims[4];
  if (!run_input(run, 0, &input) || !check_window(run, p) || !check_rank(run, "input", &input, 4))
    return;
  if (p->sizes[3] > 1) {
    run_wait(run);
    pool_channels(run, p, &input);
  } else if (make_window(run, p, input.dims, &w, dims) && run_output(run, 0, 4, dims, &output)) {
    launch_pool(run, (pool_job){.what = MAXIMUM, .window = w, .in = input.data}, &output);
  }
}

static void max_pool(void* state, TF_OpKernelContext* context) {
  run run;
  run_begin_launching(&run, context, "MaxPool");
  run_may_stop(&run);
  max_pool_with(&run, state);
  run_end(&run);
}

static void max_pool_v2(void* state, TF_OpKernelContext* context) {
  run run;
  pooling p = *(const pooling*)state;
  run_begin_launching(&run, context, "MaxPoolV2");
  run_may_stop(&run);
  if (read_window(&run, 1, &p)) max_pool_with(&run, &p);
  run_end(&run);
}

// The gradient (or its gradient, where `grad` is like the input and the output like the pool's).
static void max_pool_grad_with(run* run, const pooling* p, bool of_gradient) {
  array input, pooled, grad, output;
  tn_cpu_window w;
  int64_t dims[4];
  if (!run_input(run, 0, &input) || !run_input(run, 1, &pooled) || !run_input(run, 2, &grad) ||
      !check_window(run, p) || !check_rank(run, "orig_input", &input, 4))
    return;
  if (p->strides[3] != 1) {
    run_fail(run, TF_UNIMPLEMENTED, "strides[3] must be 1: channels are not pooled over");
    return;
  }
  if (!make_window(run, p, input.dims, &w, dims) ||
      !check_dims(run, "orig_output", &pooled, 4, dims) ||
      !check_dims(run, "grad", &grad, 4, of_gradient ? input.dims : dims) ||
      !run_output(run, 0, 4, of_gradient ? dims : input.dims, &output) || output.count == 0)
    return;
  launch_pool(run,
              (pool_job){.what = of_gradient ? MAXIMUM_GRADIENT_GRADIENT : MAXIMUM_GRADIENT,
                         .window = w,
                         .in = input.data,
                         .pooled = pooled.data,
                         .grad = grad.data},
              &output);
}

static void max_pool_grad(void* state, TF_OpKernelContext* context) {
  run run;
  run_begin_launching(&run, context, ((const pooling*)state)->op);
  run_may_stop(&run);
  max_pool_grad_with(&run, state, false);
  run_end(&run);
}

static void max_pool_grad_grad(void* state, TF_OpKernelContext* context) {
  run run;
  run_begin_launching(&run, context, ((const pooling*)state)->op);
  run_may_stop(&run);
  max_pool_grad_with(&run, state, true);
  run_end(&run);
}

static void max_pool_grad_v2(void* state, TF_OpKernelContext* context) {
  run run;
  pooling p = *(const pooling*)state;
  run_begin_launching(&run, context, p.op);
  run_may_stop(&run);
  if (read_window(&run, 3, &p)) max_pool_grad_with(&run, &p, false);
  run_end(&run);
}

static void max_pool_grad_grad_v2(void* state, TF_OpKernelContext* context) {
  run run;
  pooling p = *(const pooling*)state;
  run_begin_launching(&run, context, p.op);
  run_may_stop(&run);
  if (read_window(&run, 3, &p)) max_pool_grad_with(&run, &p, true);
  run_end(&run);
}

static void max_pool_with_argmax(void* state, TF_OpKernelContext* context) {
  const pooling* p = state;
  run run;
  array input, output, argmax;
  tn_cpu_window w;
  int64_t dims[4];
  run_begin(&run, context, p->op);
  run_may_stop(&run);
  if (run_input(&run, 0, &input) && check_window(&run, p) && check_rank(&run, "input", &input, 4)) {
    if (input.count == 0) run_fail(&run, TF_INVALID_ARGUMENT, "the input has no elements");
    if (make_window(&run, p, input.dims, &w, dims) && run_output(&run, 0, 4, dims, &output) &&
        run_output(&run, 1, 4, dims, &argmax))
      tn_cpu_max_pool_where(input.dtype, &w, input.data, output.data, argmax.dtype,
                            p->across_images, argmax.data, run.parallel);
  }
  run_end(&run);
}

static void max_pool_grad_with_argmax(void* state, TF_OpKernelContext* context) {
  const pooling* p = state;
  run run;
  array input, grad, argmax, output;
  tn_cpu_window w;
  int64_t dims[4];
  run_begin(&run, context, p->op);
  run_may_stop(&run);
  if (run_input(&run, 0, &input) && run_input(&run, 1, &grad) && run_input(&run, 2, &argmax) &&
      check_window(&run, p) && check_rank(&run, "input", &input, 4) &&
      make_window(&run, p, input.dims, &w, dims) && check_dims(&run, "grad", &grad, 4, dims) &&
      check_dims(&run, "argmax", &argmax, 4, dims) && run_output(&run, 0, 4, input.dims, &output)) {
    const int64_t bad =
        tn_cpu_max_pool_grad_at(grad.dtype, &w, grad.data, argmax.dtype, p->across_images,
                                argmax.data, output.data, run.parallel);
    if (bad >= 0)
      run_fail(&run, TF_INVALID_ARGUMENT, "argmax[%lld] is %lld, which is not in its image",
               (long long)bad, (long long)index_at(&argmax, bad));
  }
  run_end(&run);
}

static void average_pool(void* state, TF_OpKernelContext* context) {
  const pooling* p = state;
  run run;
  array input, output;
  tn_cpu_window w;
  int64_t dims[4];
  run_begin_launching(&run, context, p->op);
  run_may_stop(&run);
  if (run_input(&run, 0, &input) && check_window(&run, p) && check_rank(&run, "value", &input, 4) &&
      make_window(&run, p, input.dims, &w, dims) && run_output(&run, 0, 4, dims, &output))
    launch_pool(&run, (pool_job){.what = AVERAGE, .window = w, .in = input.data}, &output);
  run_end(&run);
}

static void average_pool_grad(void* state, TF_OpKernelContext* context) {
  const pooling* p = state;
  run run;
  array shape, grad, output;
  tn_cpu_window w;
  int64_t dims[4], pooled[4], count;
  run_begin_launching(&run, context, p->op);
  run_may_stop(&run);
  if (run_input(&run, 0, &shape) && run_input(&run, 1, &grad) && check_window(&run, p) &&
      check_dims(&run, "orig_input_shape", &shape, 1, (const int64_t[]){4}) &&
      check_rank(&run, "grad", &grad, 4)) {
    for (int i = 0; i < 4; ++i) {
      dims[i] = index_at(&shape, i);
      if (dims[i] < 0)
        run_fail(&run, TF_INVALID_ARGUMENT, "orig_input_shape[%d] is negative: %lld", i,
                 (long long)dims[i]);
    }
    if (run_ok(&run) && !count_elements(4, dims, &count))
      run_fail(&run, TF_INVALID_ARGUMENT, "orig_input_shape has too many elements");
    if (run_ok(&run) && make_window(&run, p, dims, &w, pooled) &&
        check_dims(&run, "grad", &grad, 4, pooled) && run_output(&run, 0, 4, dims, &output))
      launch_pool(&run, (pool_job){.what = AVERAGE_GRADIENT, .window = w, .grad = grad.data},
                  &output);
  }
  run_end(&run);
}

#define CREATE(op, has) \
  static void* create_##op(TF_OpKernelConstruction* c) { return create(c, #op, has); }
CREATE(MaxPool, WINDOW_ATTRS | EXPLICIT | FORMAT)
CREATE(MaxPoolV2, FORMAT)
CREATE(MaxPoolGrad, WINDOW_ATTRS | EXPLICIT | FORMAT)
CREATE(MaxPoolGradV2, FORMAT)
CREATE(MaxPoolGradGrad, WINDOW_ATTRS | FORMAT)
CREATE(MaxPoolGradGradV2, FORMAT)
CREATE(MaxPoolWithArgmax, WINDOW_ATTRS | ARGMAX)
CREATE(MaxPoolGradWithArgmax, WINDOW_ATTRS | ARGMAX)
CREATE(AvgPool, WINDOW_ATTRS | FORMAT)
CREATE(AvgPoolGrad, WINDOW_ATTRS | FORMAT)

void register_pooling(void) {
  const tn_cpu_types where = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);
#define KERNEL(name, run, types, ...)                                      \
  {                                                                        \
    .op = #name, .create = create_##name, .compute = run, .destroy = free, \
    .constraints = {{"T", types}}, __VA_ARGS__                             \
  }
  const kernel kernels[] = {
      KERNEL(MaxPool, max_pool, TN_CPU_REALS),
      KERNEL(MaxPoolV2, max_pool_v2, TN_CPU_REALS, .host_args = {"ksize", "strides"}),
      KERNEL(MaxPoolGrad, max_pool_grad, TN_CPU_REALS),
      KERNEL(MaxPoolGradV2, max_pool_grad_v2, TN_CPU_REALS, .host_args = {"ksize", "strides"}),
      KERNEL(MaxPoolGradGrad, max_pool_grad_grad, TN_CPU_REALS),
      KERNEL(MaxPoolGradGradV2, max_pool_grad_grad_v2, TN_CPU_REALS,
             .host_args = {"ksize", "strides"}),
      KERNEL(AvgPool, average_pool, TN_CPU_FLOATS),
      KERNEL(AvgPoolGrad, average_pool_grad, TN_CPU_FLOATS, .host_args = {"orig_input_shape"}),
      {.op = "MaxPoolWithArgmax",
       .create = create_MaxPoolWithArgmax,
       .compute = max_pool_with_argmax,
       .destroy = free,
       .constraints = {{"T", TN_CPU_REALS}, {"Targmax", where}}},
      {.op = "MaxPoolGradWithArgmax",
       .create = create_MaxPoolGradWithArgmax,
       .compute = max_pool_grad_with_argmax,
       .destroy = free,
       .constraints = {{"T", TN_CPU_REALS}, {"Targmax", where}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
