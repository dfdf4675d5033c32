// AddV2, Sub, Mul, Relu, Cast.

#include <stdlib.h>

#include "cpu/elementwise.h"
#include "kernel.h"

// The shape that x and y broadcast to, and the strides to walk each of them in it: dimensions are
// aligned at the end, and one of size 1 repeats.
typedef struct broadcast {
  int rank;
  int64_t dims[TN_CPU_MAX_RANK], x_strides[TN_CPU_MAX_RANK], y_strides[TN_CPU_MAX_RANK];
} broadcast;

static bool plan_broadcast(run* run, const array* x, const array* y, broadcast* plan) {
  plan->rank = x->rank > y->rank ? x->rank : y->rank;
  int64_t x_stride = 1, y_stride = 1;
  for (int back = 1; back <= plan->rank; ++back) {
    int64_t x_dim = back <= x->rank ? x->dims[x->rank - back] : 1;
    int64_t y_dim = back <= y->rank ? y->dims[y->rank - back] : 1;
    int i = plan->rank - back;
    if (x_dim != y_dim && x_dim != 1 && y_dim != 1) {
      char x_text[SHAPE_TEXT], y_text[SHAPE_TEXT];
      run_fail(run, TF_INVALID_ARGUMENT,
               "inputs x %s and y %s do not broadcast: dimension %d from the end is %lld and %lld, "
               "and must be equal or 1",
               shape_text(x->rank, x->dims, x_text), shape_text(y->rank, y->dims, y_text), back,
               (long long)x_dim, (long long)y_dim);
      return false;
    }
    plan->dims[i] = x_dim == 1 ? y_dim : x_dim;
    plan->x_strides[i] = x_dim == 1 ? 0 : x_stride;
    plan->y_strides[i] = y_dim == 1 ? 0 : y_stride;
    x_stride *= x_dim;
    y_stride *= y_dim;
  }
  int64_t count;
  if (count_elements(plan->rank, plan->dims, &count)) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "the broadcast shape has too many elements");
  return false;
}

static void binary(TF_OpKernelContext* context, const char* op, tn_cpu_binary_op code) {
  run run;
  array x, y, z;
  broadcast plan;
  run_begin(&run, context, op);
  if (run_input(&run, 0, &x) && run_input(&run, 1, &y) && plan_broadcast(&run, &x, &y, &plan) &&
      run_output_or_forward(&run, 2, 0, plan.rank, plan.dims, &z))
    tn_cpu_binary(code, x.dtype, plan.rank, plan.dims, x.data, plan.x_strides, y.data,
                  plan.y_strides, z.data, run.parallel);
  run_end(&run);
}

static void add(void* state, TF_OpKernelContext* context) { binary(context, "AddV2", TN_CPU_ADD); }
static void sub(void* state, TF_OpKernelContext* context) { binary(context, "Sub", TN_CPU_SUB); }
static void mul(void* state, TF_OpKernelContext* context) { binary(context, "Mul", TN_CPU_MUL); }

static void relu(void* state, TF_OpKernelContext* context) {
  run run;
  array features, activations;
  run_begin(&run, context, "Relu");
  if (run_input(&run, 0, &features) &&
      run_output_or_forward(&run, 1, 0, features.rank, features.dims, &activations))
    tn_cpu_relu(features.dtype, features.count, features.data, activations.data, run.parallel);
  run_end(&run);
}

static void* cast_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "Cast");
  const bool state[] = {attr_bool(&attrs, "Truncate")};
  return attrs_end(&attrs, state, sizeof state);
}

static void cast(void* state, TF_OpKernelContext* context) {
  run run;
  array x, y;
  run_begin(&run, context, "Cast");
  if (run_input(&run, 0, &x)) {
    if (x.dtype == (tn_dtype)TF_ExpectedOutputDataType(context, 0)) {
      run_share_output(&run, 0, x.tensor);
    } else if (run_output(&run, 0, x.rank, x.dims, &y)) {
      tn_cpu_cast(x.dtype, y.dtype, *(bool*)state, x.count, x.data, y.data, run.parallel);
    }
  }
  run_end(&run);
}

void register_elementwise(void) {
  const tn_cpu_types castable = TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL);
  const kernel kernels[] = {
      {.op = "AddV2", .compute = add, .constraints = {{"T", TN_CPU_NUMBERS}}},
      {.op = "Sub", .compute = sub, .constraints = {{"T", TN_CPU_NUMBERS}}},
      {.op = "Mul", .compute = mul, .constraints = {{"T", TN_CPU_NUMBERS}}},
      {.op = "Relu", .compute = relu, .constraints = {{"T", TN_CPU_REALS}}},
      {.op = "Cast",
       .create = cast_create,
       .compute = cast,
       .destroy = free,
       .constraints = {{"SrcT", castable}, {"DstT", castable}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
