// Softmax, LogSoftmax, SoftmaxCrossEntropyWithLogits, SparseSoftmaxCrossEntropyWithLogits.

#include "cpu/softmax.h"

#include <string.h>

#include "elementwise.h"
#include "kernel.h"

typedef struct softmax_job {
  const tn_cpu_parallel* parallel;
  bool logarithm;
  tn_dtype dtype;
  int64_t rows, depth;
  const void* in;
  void* out;
} softmax_job;

static void softmax_here(SP_Stream stream, void* args) {
  const softmax_job* job = args;
  tn_cpu_softmax(job->logarithm, job->dtype, job->rows, job->depth, job->in, job->out,
                 job->parallel);
}

static void softmax_of(TF_OpKernelContext* context, const char* op, bool logarithm) {
  run run;
  array logits, output;
  run_begin_launching(&run, context, op);
  run_may_stop(&run);
  if (run_input(&run, 0, &logits)) {
    if (logits.rank < 1)
      run_fail(&run, TF_INVALID_ARGUMENT, "logits are a scalar, and must have at least rank 1");
    if (run_output_or_forward(&run, 1, 0, logits.rank, logits.dims, &output) && output.count > 0) {
      const int64_t depth = logits.dims[logits.rank - 1];
      softmax_job job = {run.parallel, logarithm,   logits.dtype, logits.count / depth,
                         depth,        logits.data, output.data};
      run_launch(&run, softmax_here, &job, sizeof job, logits.count);
    }
  }
  run_end(&run);
}

static void softmax(void* state, TF_OpKernelContext* context) {
  softmax_of(context, "Softmax", false);
}

static void log_softmax(void* state, TF_OpKernelContext* context) {
  softmax_of(context, "LogSoftmax", true);
}

// One number per row, as a row of `depth` of them each.
static void spread_column(const array* column, int64_t depth, char* out) {
  const size_t size = tn_cpu_size(column->dtype);
  for (int64_t i = 0; i < column->count; ++i)
    for (int64_t j = 0; j < depth; ++j)
      memcpy(out + (size_t)(i * depth + j) * size, (const char*)column->data + (size_t)i * size,
             size);
}

// An input as rows of `depth` elements, and the stride between them.
static const void* as_rows(run* run, const array* input, const int64_t* strides, int64_t depth,
                           int64_t* out_stride) {
  *out_stride = strides[0] ? depth : 0;
  if (strides[1] || depth == 1) return input->data;
  run_wait(run);
  char* spread = run_scratch(run, (size_t)(input->count * depth) * tn_cpu_size(input->dtype));
  if (spread) spread_column(input, depth, spread);
  return spread;
}

typedef struct entropy_job {
  const tn_cpu_parallel* parallel;
  tn_dtype dtype;
  int64_t rows, depth, strides[2];
  const void *logits, *labels;
  void *loss, *gradient;
} entropy_job;

static void cross_entropy_here(SP_Stream stream, void* args) {
  const entropy_job* job = args;
  if (job->depth == 0) {
    if (job->rows > 0) memset(job->loss, 0, (size_t)job->rows * tn_cpu_size(job->dtype));
    return;
  }
  tn_cpu_cross_entropy(job->dtype, job->rows, job->depth, job->logits, job->strides[0], job->labels,
                       job->strides[1], job->loss, job->gradient, job->parallel);
}

static void cross_entropy(void* state, TF_OpKernelContext* context) {
  run run;
  array inputs[2], loss, gradient;
  broadcast plan;
  run_begin_launching(&run, context, "SoftmaxCrossEntropyWithLogits");
  run_may_stop(&run);
  if (run_input(&run, 0, &inputs[0]) && run_input(&run, 1, &inputs[1]) &&
      plan_broadcast(&run, inputs, 2, &plan)) {
    char shapes[2][SHAPE_TEXT];
    if (plan.rank != 2)
      run_fail(&run, TF_INVALID_ARGUMENT,
               "logits %s and labels %s must be matrices, or broadcast to one",
               shape_text(inputs[0].rank, inputs[0].dims, shapes[0]),
               shape_text(inputs[1].rank, inputs[1].dims, shapes[1]));
    const int64_t rows = plan.dims[0], depth = plan.dims[1];
    if (run_output(&run, 0, 1, &rows, &loss) && run_output(&run, 1, 2, plan.dims, &gradient)) {
      entropy_job job = {run.parallel, loss.dtype, rows,      depth,        {0},
                         NULL,         NULL,       loss.data, gradient.data};
      job.logits = as_rows(&run, &inputs[0], plan.strides[0], depth, &job.strides[0]);
      job.labels = as_rows(&run, &inputs[1], plan.strides[1], depth, &job.strides[1]);
      if (run_ok(&run)) run_launch(&run, cross_entropy_here, &job, sizeof job, 2 * gradient.count);
    }
  }
  run_end(&run);
}

static bool check_labels(run* run, const array* logits, const array* labels) {
  char shapes[2][SHAPE_TEXT];
  shape_text(logits->rank, logits->dims, shapes[0]);
  shape_text(labels->rank, labels->dims, shapes[1]);
  if (logits->rank != 2)
    run_fail(run, TF_INVALID_ARGUMENT, "logits have shape %s, and must be a matrix", shapes[0]);
  else if (labels->rank != 1)
    run_fail(run, TF_INVALID_ARGUMENT, "labels have shape %s, and must be a vector", shapes[1]);
  else if (logits->dims[0] != labels->dims[0])
    run_fail(run, TF_INVALID_ARGUMENT, "logits %s and labels %s must have the same first dimension",
             shapes[0], shapes[1]);
  else if (logits->dims[1] == 0)
    run_fail(run, TF_INVALID_ARGUMENT, "logits %s must have at least one class", shapes[0]);
  for (int64_t i = 0; run_ok(run) && i < labels->count; ++i) {
    const int64_t label = index_at(labels, i);
    if (label < 0 || label >= logits->dims[1])
      run_fail(run, TF_INVALID_ARGUMENT, "labels[%lld] is %lld, and must be in [0, %lld)",
               (long long)i, (long long)label, (long long)logits->dims[1]);
  }
  return run_ok(run);
}

static void sparse_cross_entropy(void* state, TF_OpKernelContext* context) {
  run run;
  array logits, labels, loss, gradient;
  run_begin(&run, context, "SparseSoftmaxCrossEntropyWithLogits");
  run_may_stop(&run);
  if (run_input(&run, 0, &logits) && run_input(&run, 1, &labels) &&
      check_labels(&run, &logits, &labels) && run_output(&run, 0, 1, labels.dims, &loss) &&
      run_output(&run, 1, 2, logits.dims, &gradient)) {
    const int64_t* indices = labels.data;
    if (labels.dtype == TN_INT32) {
      int64_t* wide = run_scratch(&run, (size_t)labels.count * sizeof *wide);
      for (int64_t i = 0; wide && i < labels.count; ++i) wide[i] = index_at(&labels, i);
      indices = wide;
    }
    if (run_ok(&run))
      tn_cpu_sparse_cross_entropy(logits.dtype, logits.dims[0], logits.dims[1], logits.data,
                                  indices, loss.data, gradient.data, run.parallel);
  }
  run_end(&run);
}

void register_softmax(void) {
  const tn_cpu_types indices = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);
  const kernel kernels[] = {
      {.op = "Softmax", .compute = softmax, .constraints = {{"T", TN_CPU_FLOATS}}},
      {.op = "LogSoftmax", .compute = log_softmax, .constraints = {{"T", TN_CPU_FLOATS}}},
      {.op = "SoftmaxCrossEntropyWithLogits",
       .compute = cross_entropy,
       .constraints = {{"T", TN_CPU_FLOATS}}},
      {.op = "SparseSoftmaxCrossEntropyWithLogits",
       .compute = sparse_cross_entropy,
       .constraints = {{"T", TN_CPU_FLOATS}, {"Tlabels", indices}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
