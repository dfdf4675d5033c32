// MatMul, BatchMatMul and its later versions.

#include <stdlib.h>

#include "cpu/elementwise.h"
#include "cpu/matmul.h"
#include "kernel.h"

typedef struct matmul_state {
  const char* op;
  const char* names[2];  // of the inputs
  bool transpose[2];
  bool adjoint;             // transposed complex matrices are conjugated too
  bool batches, broadcast;  // matrices may be many; their number may differ
} matmul_state;

static void* create(TF_OpKernelConstruction* construction, matmul_state state, const char* attr_a,
                    const char* attr_b) {
  attrs attrs;
  attrs_begin(&attrs, construction, state.op);
  state.transpose[0] = attr_bool(&attrs, attr_a);
  state.transpose[1] = attr_bool(&attrs, attr_b);
  return attrs_end(&attrs, &state, sizeof state);
}

static void* create_matmul(TF_OpKernelConstruction* construction) {
  return create(construction, (matmul_state){.op = "MatMul", .names = {"a", "b"}}, "transpose_a",
                "transpose_b");
}

static void* create_batch(TF_OpKernelConstruction* construction, const char* op, bool broadcast) {
  const matmul_state state = {
      .op = op, .names = {"x", "y"}, .adjoint = true, .batches = true, .broadcast = broadcast};
  return create(construction, state, "adj_x", "adj_y");
}

static void* create_batch_v1(TF_OpKernelConstruction* construction) {
  return create_batch(construction, "BatchMatMul", false);
}
static void* create_batch_v2(TF_OpKernelConstruction* construction) {
  return create_batch(construction, "BatchMatMulV2", true);
}
static void* create_batch_v3(TF_OpKernelConstruction* construction) {
  return create_batch(construction, "BatchMatMulV3", true);
}

// What is multiplied: matrices of m x k and k x n in a batch.
typedef struct plan {
  int64_t m, n, k;
  int batch_rank;
  int64_t dims[TN_CPU_MAX_RANK];  // of the result
  int64_t strides[2][TN_CPU_MAX_RANK];
} plan;

static bool check_ranks(run* run, const matmul_state* state, const array inputs[2]) {
  char text[SHAPE_TEXT];
  for (int i = 0; i < 2; ++i) {
    const array* input = &inputs[i];
    if (state->batches ? input->rank >= 2 : input->rank == 2) continue;
    run_fail(run, TF_INVALID_ARGUMENT, "input %s must be %s, not of shape %s", state->names[i],
             state->batches ? "matrices (rank 2 or more)" : "a matrix (rank 2)",
             shape_text(input->rank, input->dims, text));
    return false;
  }
  return true;
}

static int64_t batch_dim(const array* input, int rank, int i) {
  const int at = i - (rank - input->rank);
  return at < 0 ? 1 : input->dims[at];
}

// The batch dimensions of the result, and how far the inputs' matrices are apart.
static bool join_batches(run* run, const matmul_state* state, const array inputs[2], plan* plan) {
  const int rank = inputs[0].rank > inputs[1].rank ? inputs[0].rank : inputs[1].rank;
  plan->batch_rank = rank - 2;
  bool fits = state->broadcast || inputs[0].rank == inputs[1].rank;
  int64_t steps[2];
  for (int i = 0; i < 2; ++i)
    steps[i] = inputs[i].dims[inputs[i].rank - 2] * inputs[i].dims[inputs[i].rank - 1];
  for (int i = rank - 3; i >= 0; --i) {
    const int64_t x = batch_dim(&inputs[0], rank, i), y = batch_dim(&inputs[1], rank, i);
    fits = fits && (x == y || (state->broadcast && (x == 1 || y == 1)));
    plan->dims[i] = x == 1 ? y : x;
    plan->strides[0][i] = x == 1 ? 0 : steps[0];
    plan->strides[1][i] = y == 1 ? 0 : steps[1];
    steps[0] *= x;
    steps[1] *= y;
  }
  if (fits) return true;
  char a_text[SHAPE_TEXT], b_text[SHAPE_TEXT];
  run_fail(run, TF_INVALID_ARGUMENT, "inputs %s %s and %s %s must have %s before their matrices",
           state->names[0], shape_text(inputs[0].rank, inputs[0].dims, a_text), state->names[1],
           shape_text(inputs[1].rank, inputs[1].dims, b_text),
           state->broadcast ? "dimensions that broadcast" : "the same dimensions");
  return false;
}

static bool make_plan(run* run, const matmul_state* state, const array inputs[2], plan* plan) {
  if (!check_ranks(run, state, inputs) || !join_batches(run, state, inputs, plan)) return false;
  const int64_t *a = inputs[0].dims + inputs[0].rank - 2, *b = inputs[1].dims + inputs[1].rank - 2;
  const bool* transpose = state->transpose;
  plan->m = a[transpose[0]];
  plan->k = a[!transpose[0]];
  plan->n = b[!transpose[1]];
  const int64_t b_k = b[transpose[1]];
  char a_text[SHAPE_TEXT], b_text[SHAPE_TEXT];
  if (plan->k != b_k) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "inner dimensions differ: %s is %s%s and %s is %s%s, so %lld and %lld must be equal",
             state->names[0], shape_text(inputs[0].rank, inputs[0].dims, a_text),
             transpose[0] ? " (transposed)" : "", state->names[1],
             shape_text(inputs[1].rank, inputs[1].dims, b_text),
             transpose[1] ? " (transposed)" : "", (long long)plan->k, (long long)b_k);
    return false;
  }
  plan->dims[plan->batch_rank] = plan->m;
  plan->dims[plan->batch_rank + 1] = plan->n;
  int64_t count;
  if (count_elements(plan->batch_rank + 2, plan->dims, &count)) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "the product has too many elements: its shape would be %s",
           shape_text(plan->batch_rank + 2, plan->dims, a_text));
  return false;
}

// The input's matrix; in scratch memory when it has to become `dtype` first.
static tn_cpu_matrix matrix_of(run* run, const array* input, bool transpose, bool adjoint,
                               tn_dtype dtype) {
  const int64_t columns = input->dims[input->rank - 1];
  tn_cpu_matrix matrix = {input->data, transpose ? 1 : columns, transpose ? columns : 1,
                          transpose && adjoint};
  if (input->dtype != dtype) {
    run_wait(run);
    void* converted = run_scratch(run, (size_t)input->count * tn_cpu_size(dtype));
    if (converted)
      tn_cpu_cast(input->dtype, dtype, false, input->count, input->data, converted, run->parallel);
    matrix.data = converted;
  }
  return matrix;
}

typedef struct product_job {
  const tn_cpu_parallel* parallel;
  tn_dtype dtype;
  tn_cpu_matrix a, b;
  void *out, *workspace;
  plan plan;
} product_job;

static tn_cpu_batch batch_of(const plan* plan) {
  return (tn_cpu_batch){plan->batch_rank, plan->dims, plan->strides[0], plan->strides[1]};
}

static void multiply(SP_Stream stream, void* args) {
  const product_job* job = args;
  const plan* plan = &job->plan;
  const tn_cpu_batch batch = batch_of(plan);
  tn_cpu_batch_matmul(job->dtype, &batch, plan->m, plan->n, plan->k, job->a, job->b, job->out,
                      job->workspace, job->parallel);
}

static void matmul(void* kernel_state, TF_OpKernelContext* context) {
  const matmul_state* state = kernel_state;
  run run;
  array inputs[2], product;
  product_job job;
  plan* plan = &job.plan;
  run_begin_launching(&run, context, state->op);
  run_may_stop(&run);
  if (run_input(&run, 0, &inputs[0]) && run_input(&run, 1, &inputs[1]) &&
      make_plan(&run, state, inputs, plan) &&
      run_output(&run, 0, plan->batch_rank + 2, plan->dims, &product) && product.count > 0) {
    const tn_cpu_batch batch = batch_of(plan);
    job.parallel = run.parallel;
    job.dtype = product.dtype;
    job.out = product.data;
    job.a = matrix_of(&run, &inputs[0], state->transpose[0], state->adjoint, product.dtype);
    job.b = matrix_of(&run, &inputs[1], state->transpose[1], state->adjoint, product.dtype);
    const size_t bytes =
        tn_cpu_batch_matmul_workspace(product.dtype, &batch, plan->m, plan->n, plan->k);
    job.workspace = bytes ? run_scratch(&run, bytes) : NULL;
    if (run_ok(&run))
      run_launch(&run, multiply, &job, sizeof job, (product.count / 16 + 1) * (plan->k / 4 + 1));
  }
  run_end(&run);
}

#define BYTES (TN_CPU_TYPE(TN_INT8) | TN_CPU_TYPE(TN_UINT8))

static kernel batch_v3(tn_cpu_types x, tn_cpu_types y, tn_cpu_types out) {
  return (kernel){.op = "BatchMatMulV3",
                  .create = create_batch_v3,
                  .compute = matmul,
                  .destroy = free,
                  .constraints = {{"Ta", x}, {"Tb", y}, {"Tout", out}}};
}

void register_matmul(void) {
  static const struct {
    const char* op;
    void* (*create)(TF_OpKernelConstruction*);
  } ops[] = {{"MatMul", create_matmul},
             {"BatchMatMul", create_batch_v1},
             {"BatchMatMulV2", create_batch_v2}};
  for (int i = 0; i < 3; ++i)
    register_kernels(&(kernel){.op = ops[i].op,
                               .create = ops[i].create,
                               .compute = matmul,
                               .destroy = free,
                               .constraints = {{"T", TN_CPU_NUMBERS}}},
                     1);
  static const tn_dtype alike[] = {TN_FLOAT, TN_DOUBLE, TN_HALF,      TN_BFLOAT16,  TN_INT16,
                                   TN_INT32, TN_INT64,  TN_COMPLEX64, TN_COMPLEX128};
  for (size_t i = 0; i < sizeof alike / sizeof alike[0]; ++i) {
    const tn_cpu_types type = TN_CPU_TYPE(alike[i]);
    const kernel one = batch_v3(type, type, type);
    register_kernels(&one, 1);
  }
  const tn_cpu_types bfloat16 = TN_CPU_TYPE(TN_BFLOAT16);
  const kernel mixed[] = {batch_v3(BYTES, BYTES, TN_CPU_TYPE(TN_INT32)),
                          batch_v3(BYTES, bfloat16, bfloat16), batch_v3(bfloat16, BYTES, bfloat16)};
  register_kernels(mixed, 3);
}
