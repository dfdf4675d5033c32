#include "elementwise.h"

#include <string.h>

#include "cpu/arithmetic.h"

bool same_shape(const array* x, const array* y) {
  if (x->rank != y->rank) return false;
  for (int i = 0; i < x->rank; ++i)
    if (x->dims[i] != y->dims[i]) return false;
  return true;
}

// Dimension `back` from the end.
static int64_t dim_from_end(const array* x, int back) {
  return back <= x->rank ? x->dims[x->rank - back] : 1;
}

static void fail_broadcast(run* run, const array* inputs, int first, int second, int back) {
  static const char* const names[] = {"x", "y", "z"};
  char texts[2][SHAPE_TEXT];
  run_fail(
      run, TF_INVALID_ARGUMENT,
      "inputs %s %s and %s %s do not broadcast: dimension %d from the end is %lld and %lld, and "
      "must be equal or 1",
      names[first], shape_text(inputs[first].rank, inputs[first].dims, texts[0]), names[second],
      shape_text(inputs[second].rank, inputs[second].dims, texts[1]), back,
      (long long)dim_from_end(&inputs[first], back),
      (long long)dim_from_end(&inputs[second], back));
}

bool plan_broadcast(run* run, const array* inputs, int count, broadcast* plan) {
  plan->rank = 0;
  for (int k = 0; k < count; ++k)
    if (inputs[k].rank > plan->rank) plan->rank = inputs[k].rank;
  int64_t strides[TN_CPU_MAX_INPUTS] = {1, 1, 1};
  for (int back = 1; back <= plan->rank; ++back) {
    const int i = plan->rank - back;
    plan->dims[i] = 1;
    int decides = 0;
    for (int k = 0; k < count; ++k) {
      const int64_t dim = dim_from_end(&inputs[k], back);
      if (dim != 1 && plan->dims[i] != 1 && dim != plan->dims[i]) {
        fail_broadcast(run, inputs, decides, k, back);
        return false;
      }
      if (dim != 1) {
        plan->dims[i] = dim;
        decides = k;
      }
      plan->strides[k][i] = dim == 1 ? 0 : strides[k];
      strides[k] = (int64_t)((uint64_t)strides[k] * (uint64_t)dim);  // an empty one's may overflow
    }
  }
  int64_t elements;
  if (count_elements(plan->rank, plan->dims, &elements)) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "the broadcast shape has too many elements");
  return false;
}

// Arrays of more dimensions are rare enough to be waited for.
enum { ZIP_RANK = 8 };
typedef struct zip {
  const tn_cpu_parallel* parallel;
  tn_cpu_loop loop;
  int rank;
  int64_t dims[ZIP_RANK], strides[TN_CPU_MAX_INPUTS][ZIP_RANK];
  const void* in[TN_CPU_MAX_INPUTS];
  void* out;
} zip;

static void zip_here(SP_Stream stream, void* args) {
  const zip* zip = args;
  const int64_t* strides[] = {zip->strides[0], zip->strides[1], zip->strides[2]};
  tn_cpu_zip(zip->loop, zip->rank, zip->dims, zip->in, strides, zip->out, zip->parallel);
}

static __attribute__((noinline)) void launch_zip(run* run, tn_cpu_loop loop, int rank,
                                                 const int64_t* dims, const void* const* in,
                                                 const int64_t* const* strides, void* out) {
  zip job = {.parallel = run->parallel, .loop = loop, .rank = rank, .out = out};
  const size_t bytes = (size_t)rank * sizeof dims[0];
  int64_t count = 1;
  for (int i = 0; i < rank; ++i) count *= dims[i];
  memcpy(job.dims, dims, bytes);
  for (int k = 0; k < loop.inputs; ++k) {
    job.in[k] = in[k];
    memcpy(job.strides[k], strides[k], bytes);
  }
  run_launch(run, zip_here, &job, sizeof job, count / 1024 * loop.cost);
}

void run_zip(run* run, tn_cpu_loop loop, int rank, const int64_t* dims, const void* const* in,
             const int64_t* const* strides, void* out) {
  if (run->stream && rank <= ZIP_RANK) {
    launch_zip(run, loop, rank, dims, in, strides, out);
    return;
  }
  if (run->stream) run_wait(run);
  tn_cpu_zip(loop, rank, dims, in, strides, out, run->parallel);
}

void zip_broadcast(run* run, tn_cpu_loop loop, const array* inputs, const broadcast* plan,
                   void* out) {
  const void* in[TN_CPU_MAX_INPUTS] = {0};
  const int64_t* strides[TN_CPU_MAX_INPUTS];
  for (int k = 0; k < loop.inputs; ++k) {
    in[k] = inputs[k].data;
    strides[k] = plan->strides[k];
  }
  run_zip(run, loop, plan->rank, plan->dims, in, strides, out);
}

// Inputs of as many elements each are walked as one dimension; one more may repeat a scalar.
static void zip_dense(run* run, tn_cpu_loop loop, const array* inputs, int count,
                      const array* extra, void* out) {
  if (!extra && !run->stream && tn_cpu_is_little(loop, inputs[0].count)) {
    loop.body(inputs[0].data, count > 1 ? inputs[1].data : NULL, count > 2 ? inputs[2].data : NULL,
              out, inputs[0].count);
    return;
  }
  static const int64_t zero = 0, one = 1;
  const void* in[TN_CPU_MAX_INPUTS] = {0};
  const int64_t* strides[TN_CPU_MAX_INPUTS];
  for (int k = 0; k < loop.inputs; ++k) {
    in[k] = k < count ? inputs[k].data : extra->data;
    strides[k] = k < count ? &one : &zero;
  }
  run_zip(run, loop, 1, &inputs[0].count, in, strides, out);
}

static bool check_rule(run* run, const elementwise* op, const array* x, const array* y) {
  char texts[2][SHAPE_TEXT];
  if (op->rule == BROADCAST || (op->rule == SAME_COUNT ? x->count == y->count : same_shape(x, y)))
    return true;
  run_fail(run, TF_INVALID_ARGUMENT, "inputs of shapes %s and %s must have the same %s",
           shape_text(x->rank, x->dims, texts[0]), shape_text(y->rank, y->dims, texts[1]),
           op->rule == SAME_COUNT ? "number of elements" : "shape");
  return false;
}

static bool check_divisor(run* run, const elementwise* op, const array* x, const array* y) {
  if (!op->division || !(TN_CPU_TYPE(x->dtype) & TN_CPU_INTEGERS) || !x->count) return true;
  run_wait(run);
  if (!tn_cpu_has_zero(y->dtype, y->count, y->data)) return true;
  run_fail(run, op->division, "integer division by zero in input y");
  return false;
}

void elementwise_apply(run* run, const elementwise* op, array* in, int count, const array* extra) {
  const tn_cpu_loop loop = op->find(op->code, in[0].dtype);
  array out;
  broadcast plan;
  bool dense = true;
  for (int k = 1; k < count; ++k) {
    if (!check_rule(run, op, &in[0], &in[k])) return;
    dense = dense && (op->rule != BROADCAST || same_shape(&in[0], &in[k]));
  }
  if (!dense && !plan_broadcast(run, in, count, &plan)) return;
  if (count > 1 && !check_divisor(run, op, &in[0], &in[1])) return;
  const int rank = dense ? in[0].rank : plan.rank;
  const int64_t* dims = dense ? in[0].dims : plan.dims;
  if (!run_output_or_forward(run, count, 0, rank, dims, &out)) return;
  if (dense) {
    zip_dense(run, loop, in, count, extra, out.data);
  } else {
    zip_broadcast(run, loop, in, &plan, out.data);
  }
}

void elementwise_run(const elementwise* op, TF_OpKernelContext* context) {
  run run;
  array in[TN_CPU_MAX_INPUTS];
  const int count = TF_NumInputs(context);
  run_begin_launching(&run, context, op->op);
  int given = 0;
  while (given < count && run_input(&run, given, &in[given])) ++given;
  if (given == count) elementwise_apply(&run, op, in, count, NULL);
  run_end(&run);
}
