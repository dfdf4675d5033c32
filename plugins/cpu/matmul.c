// MatMul.

#include <stdlib.h>

#include "cpu/matmul.h"
#include "kernel.h"

static void* matmul_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "MatMul");
  const bool state[] = {attr_bool(&attrs, "transpose_a"), attr_bool(&attrs, "transpose_b")};
  return attrs_end(&attrs, state, sizeof state);
}

static bool check_matrix(run* run, const char* name, const array* matrix) {
  char text[SHAPE_TEXT];
  if (matrix->rank == 2) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "input %s must be a matrix (rank 2), not of shape %s", name,
           shape_text(matrix->rank, matrix->dims, text));
  return false;
}

static void matmul(void* state, TF_OpKernelContext* context) {
  const bool transpose_a = ((bool*)state)[0], transpose_b = ((bool*)state)[1];
  run run;
  array a, b, product;
  run_begin(&run, context, "MatMul");
  if (run_input(&run, 0, &a) && run_input(&run, 1, &b) && check_matrix(&run, "a", &a) &&
      check_matrix(&run, "b", &b)) {
    const int64_t m = a.dims[transpose_a ? 1 : 0], k = a.dims[transpose_a ? 0 : 1];
    const int64_t n = b.dims[transpose_b ? 0 : 1], b_k = b.dims[transpose_b ? 1 : 0];
    const int64_t dims[] = {m, n};
    int64_t count;
    char a_text[SHAPE_TEXT], b_text[SHAPE_TEXT];
    if (k != b_k) {
      run_fail(&run, TF_INVALID_ARGUMENT,
               "inner dimensions differ: a is %s%s and b is %s%s, so %lld and %lld must be equal",
               shape_text(2, a.dims, a_text), transpose_a ? " (transposed)" : "",
               shape_text(2, b.dims, b_text), transpose_b ? " (transposed)" : "", (long long)k,
               (long long)b_k);
    } else if (!count_elements(2, dims, &count)) {
      run_fail(&run, TF_INVALID_ARGUMENT, "the product has too many elements: %lld times %lld",
               (long long)m, (long long)n);
    }
    const tn_cpu_matrix a_matrix = {a.data, transpose_a ? 1 : k, transpose_a ? m : 1};
    const tn_cpu_matrix b_matrix = {b.data, transpose_b ? 1 : n, transpose_b ? k : 1};
    if (run_output(&run, 0, 2, dims, &product)) {
      void* workspace = run_scratch(&run, tn_cpu_matmul_workspace(a.dtype, m, n, k));
      if (workspace)
        tn_cpu_matmul(a.dtype, m, n, k, a_matrix, b_matrix, product.data, workspace, run.parallel);
    }
  }
  run_end(&run);
}

void register_matmul(void) {
  const kernel kernels[] = {{.op = "MatMul",
                             .create = matmul_create,
                             .compute = matmul,
                             .destroy = free,
                             .constraints = {{"T", TN_CPU_NUMBERS}}}};
  register_kernels(kernels, 1);
}
