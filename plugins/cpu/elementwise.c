#include "elementwise.h"

static bool same_shape(const array* x, const array* y) {
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
      strides[k] *= dim;
    }
  }
  int64_t elements;
  if (count_elements(plan->rank, plan->dims, &elements)) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "the broadcast shape has too many elements");
  return false;
}

void zip_broadcast(run* run, tn_cpu_loop loop, const array* inputs, const broadcast* plan,
                   void* out) {
  const void* in[TN_CPU_MAX_INPUTS] = {0};
  const int64_t* strides[TN_CPU_MAX_INPUTS];
  for (int k = 0; k < loop.inputs; ++k) {
    in[k] = inputs[k].data;
    strides[k] = plan->strides[k];
  }
  tn_cpu_zip(loop, plan->rank, plan->dims, in, strides, out, run->parallel);
}

// Several inputs of one shape are walked as one dimension.
static void zip_dense(run* run, tn_cpu_loop loop, const array* inputs, void* out) {
  static const int64_t one = 1;
  const void* in[] = {inputs[0].data, inputs[1].data, loop.inputs > 2 ? inputs[2].data : NULL};
  const int64_t* strides[] = {&one, &one, &one};
  tn_cpu_zip(loop, 1, &inputs[0].count, in, strides, out, run->parallel);
}

void elementwise_run(const elementwise* op, TF_OpKernelContext* context) {
  run run;
  array in[TN_CPU_MAX_INPUTS], out;
  broadcast plan;
  run_begin(&run, context, op->op);
  if (run_input(&run, 0, &in[0])) {
    const tn_cpu_loop loop = op->find(op->code, in[0].dtype);
    bool same = true;
    for (int k = 1; k < loop.inputs && run_input(&run, k, &in[k]); ++k)
      same = same && same_shape(&in[0], &in[k]);
    if (!run_ok(&run)) {
      // Reported at the end.
    } else if (same) {
      if (run_output_or_forward(&run, loop.inputs, 0, in[0].rank, in[0].dims, &out)) {
        if (loop.inputs == 1) {
          tn_cpu_map(loop, in[0].count, in[0].data, out.data, run.parallel);
        } else {
          zip_dense(&run, loop, in, out.data);
        }
      }
    } else if (plan_broadcast(&run, in, loop.inputs, &plan) &&
               run_output_or_forward(&run, loop.inputs, 0, plan.rank, plan.dims, &out)) {
      zip_broadcast(&run, loop, in, &plan, out.data);
    }
  }
  run_end(&run);
}
