// TopKV2, TopK, InTopK, InTopKV2, NthElement, LowerBound, UpperBound.

#include <math.h>
#include <stdlib.h>

#include "cpu/sort.h"
#include "kernel.h"

// A scalar of 16, 32 or 64 bits.
static int64_t scalar_at(const array* scalar) {
  return scalar->dtype == TN_INT16 ? *(const int16_t*)scalar->data : index_at(scalar, 0);
}

static bool read_scalar(run* run, int index, const char* name, int64_t* out) {
  array scalar;
  if (!run_input(run, index, &scalar)) return false;
  if (scalar.rank != 0) {
    run_fail(run, TF_INVALID_ARGUMENT, "%s has rank %d, and must be a scalar", name, scalar.rank);
    return false;
  }
  *out = scalar_at(&scalar);
  return true;
}

// The input as rows of its last dimension, which the C API cannot address beyond 2^32 here.
static bool check_rows(run* run, const array* input) {
  if (input->rank < 1)
    run_fail(run, TF_INVALID_ARGUMENT, "input is a scalar, and must have at least rank 1");
  else if (input->dims[input->rank - 1] > UINT32_MAX)
    run_fail(run, TF_UNIMPLEMENTED, "rows of %lld elements are too long to be ordered",
             (long long)input->dims[input->rank - 1]);
  return run_ok(run);
}

static void top_k(run* run, const array* input, int64_t k) {
  if (!check_rows(run, input)) return;
  array values, indices;
  int64_t dims[TN_CPU_MAX_RANK], rows = 1;
  for (int i = 0; i < input->rank - 1; ++i) rows *= dims[i] = input->dims[i];
  const int64_t columns = input->dims[input->rank - 1];
  if (k < 0 || k > columns) {
    run_fail(run, TF_INVALID_ARGUMENT, "k is %lld, and must be in [0, %lld] for rows of %lld",
             (long long)k, (long long)columns, (long long)columns);
    return;
  }
  const TF_DataType places = TF_ExpectedOutputDataType(run->context, 1);
  if (columns > (places == TF_INT16 ? INT16_MAX : places == TF_INT32 ? INT32_MAX : UINT32_MAX)) {
    run_fail(run, TF_INVALID_ARGUMENT, "rows of %lld elements are too long for the type of indices",
             (long long)columns);
    return;
  }
  dims[input->rank - 1] = k;
  if (!run_output(run, 0, input->rank, dims, &values) ||
      !run_output(run, 1, input->rank, dims, &indices) || values.count == 0)
    return;
  void* workspace = run_scratch(run, tn_cpu_top_k_workspace(input->dtype, rows, columns, k));
  if (workspace)
    tn_cpu_top_k(input->dtype, indices.dtype, rows, columns, k, input->data, values.data,
                 indices.data, workspace, run->parallel);
}

static void top_k_v2(void* state, TF_OpKernelContext* context) {
  run run;
  array input;
  int64_t k;
  run_begin(&run, context, "TopKV2");
  if (run_input(&run, 0, &input) && read_scalar(&run, 1, "k", &k)) top_k(&run, &input, k);
  run_end(&run);
}

static void* k_create(TF_OpKernelConstruction* construction, const char* op, int64_t least) {
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  const int64_t k = attr_int(&attrs, "k");
  if (k < least)
    attrs_fail(&attrs, TF_INVALID_ARGUMENT, "k is %lld, and must not be negative", (long long)k);
  return attrs_end(&attrs, &k, sizeof k);
}

static void* top_k_create(TF_OpKernelConstruction* construction) {
  return k_create(construction, "TopK", 0);
}

static void top_k_v1(void* state, TF_OpKernelContext* context) {
  run run;
  array input;
  run_begin(&run, context, "TopK");
  if (run_input(&run, 0, &input)) top_k(&run, &input, *(int64_t*)state);
  run_end(&run);
}

// Whether fewer than k predictions of a row are greater than the target's. Rows with a number that
// is not finite, up to where the answer is clear, say no.
static bool in_top(const float* row, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !isfinite(row[target])) return false;
  int64_t greater = 0;
  for (int64_t i = 0; i < classes && greater <= k; ++i) {
    if (!isfinite(row[i])) return false;
    greater += row[i] > row[target];
  }
  return greater < k;
}

static void in_top_k(run* run, int64_t k) {
  array predictions, targets, output;
  if (!run_input(run, 0, &predictions) || !run_input(run, 1, &targets)) return;
  if (predictions.rank != 2)
    run_fail(run, TF_INVALID_ARGUMENT, "predictions have rank %d, and must be a matrix",
             predictions.rank);
  else if (targets.rank != 1)
    run_fail(run, TF_INVALID_ARGUMENT, "targets have rank %d, and must be a vector", targets.rank);
  else if (predictions.dims[0] != targets.dims[0])
    run_fail(run, TF_INVALID_ARGUMENT, "there are %lld targets for %lld rows of predictions",
             (long long)targets.dims[0], (long long)predictions.dims[0]);
  if (!run_output(run, 0, 1, targets.dims, &output)) return;
  const int64_t classes = predictions.dims[1];
  for (int64_t i = 0; i < targets.count; ++i)
    ((TF_Bool*)output.data)[i] =
        in_top((const float*)predictions.data + i * classes, classes, index_at(&targets, i), k);
}

static void* in_top_k_create(TF_OpKernelConstruction* construction) {
  return k_create(construction, "InTopK", INT64_MIN);
}

static void in_top_k_v1(void* state, TF_OpKernelContext* context) {
  run run;
  run_begin(&run, context, "InTopK");
  in_top_k(&run, *(int64_t*)state);
  run_end(&run);
}

static void in_top_k_v2(void* state, TF_OpKernelContext* context) {
  run run;
  int64_t k;
  run_begin(&run, context, "InTopKV2");
  if (read_scalar(&run, 2, "k", &k)) in_top_k(&run, k);
  run_end(&run);
}

static void* nth_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "NthElement");
  const bool reverse = attr_bool(&attrs, "reverse");
  return attrs_end(&attrs, &reverse, sizeof reverse);
}

static void nth_element(void* state, TF_OpKernelContext* context) {
  run run;
  array input, output;
  int64_t n;
  run_begin(&run, context, "NthElement");
  if (run_input(&run, 0, &input) && read_scalar(&run, 1, "n", &n) && check_rows(&run, &input)) {
    const int64_t columns = input.dims[input.rank - 1];
    if (n < 0 || n >= columns)
      run_fail(&run, TF_INVALID_ARGUMENT, "n is %lld, and must be in [0, %lld)", (long long)n,
               (long long)columns);
    if (run_output(&run, 0, input.rank - 1, input.dims, &output) && output.count > 0) {
      void* workspace =
          run_scratch(&run, tn_cpu_top_k_workspace(input.dtype, output.count, columns, columns));
      if (workspace)
        tn_cpu_nth_greatest(input.dtype, output.count, columns, *(bool*)state ? n : columns - 1 - n,
                            input.data, output.data, workspace, run.parallel);
    }
  }
  run_end(&run);
}

static void bound(TF_OpKernelContext* context, const char* op, bool upper) {
  run run;
  array sorted, values, output;
  run_begin(&run, context, op);
  if (run_input(&run, 0, &sorted) && run_input(&run, 1, &values)) {
    if (sorted.rank != 2 || values.rank != 2)
      run_fail(&run, TF_INVALID_ARGUMENT,
               "sorted_inputs has rank %d and values has rank %d, and both must be matrices",
               sorted.rank, values.rank);
    else if (sorted.dims[0] != values.dims[0])
      run_fail(
          &run, TF_INVALID_ARGUMENT,
          "sorted_inputs has %lld rows and values has %lld, and they must have the same number",
          (long long)sorted.dims[0], (long long)values.dims[0]);
    if (run_output(&run, 0, values.rank, values.dims, &output)) {
      if (output.dtype == TN_INT32 && sorted.dims[1] >= INT32_MAX)
        run_fail(&run, TF_INVALID_ARGUMENT, "rows of %lld elements need an out_type of int64",
                 (long long)sorted.dims[1]);
      else
        tn_cpu_search_sorted(sorted.dtype, output.dtype, upper, values.dims[0], sorted.dims[1],
                             sorted.data, values.dims[1], values.data, output.data, run.parallel);
    }
  }
  run_end(&run);
}

static void lower_bound(void* state, TF_OpKernelContext* context) {
  bound(context, "LowerBound", false);
}

static void upper_bound(void* state, TF_OpKernelContext* context) {
  bound(context, "UpperBound", true);
}

void register_topk(void) {
  const tn_cpu_types indices = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);
  const tn_cpu_types places = indices | TN_CPU_TYPE(TN_INT16);
  const kernel kernels[] = {
      {.op = "TopKV2",
       .compute = top_k_v2,
       .constraints = {{"T", TN_CPU_REALS}, {"Tk", places}, {"index_type", places}},
       .host_args = {"k"}},
      {.op = "TopK",
       .create = top_k_create,
       .compute = top_k_v1,
       .destroy = free,
       .constraints = {{"T", TN_CPU_REALS}}},
      {.op = "InTopK",
       .create = in_top_k_create,
       .compute = in_top_k_v1,
       .destroy = free,
       .constraints = {{"T", indices}}},
      {.op = "InTopKV2",
       .compute = in_top_k_v2,
       .constraints = {{"T", indices}},
       .host_args = {"k"}},
      {.op = "NthElement",
       .create = nth_create,
       .compute = nth_element,
       .destroy = free,
       .constraints = {{"T", TN_CPU_REALS}},
       .host_args = {"n"}},
      {.op = "LowerBound",
       .compute = lower_bound,
       .constraints = {{"T", TN_CPU_REALS}, {"out_type", indices}}},
      {.op = "UpperBound",
       .compute = upper_bound,
       .constraints = {{"T", TN_CPU_REALS}, {"out_type", indices}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
