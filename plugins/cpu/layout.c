// Transpose, ConjugateTranspose, InvertPermutation.

#include "moving.h"

static bool read_perm(run* run, const array* x, const array* perm, int* out) {
  char text[SHAPE_TEXT];
  if (perm->rank != 1 || perm->count != x->rank) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "input perm must be a vector of %d dimensions, not of shape %s", x->rank,
             shape_text(perm->rank, perm->dims, text));
    return false;
  }
  bool seen[TN_CPU_MAX_RANK] = {false};
  for (int i = 0; i < x->rank; ++i) {
    int64_t d = index_at(perm, i);
    if (d < -x->rank || d >= x->rank) {
      run_fail(run, TF_INVALID_ARGUMENT, "perm[%d] is %lld, and must be in [%d, %d)", i,
               (long long)d, -x->rank, x->rank);
      return false;
    }
    if (d < 0) d += x->rank;
    if (seen[d]) {
      run_fail(run, TF_INVALID_ARGUMENT, "perm names dimension %lld twice", (long long)d);
      return false;
    }
    seen[d] = true;
    out[i] = (int)d;
  }
  return true;
}

static void transpose_elements(run* run, const array* x, const int* perm, const array* y) {
  int64_t strides[TN_CPU_MAX_RANK], from[TN_CPU_MAX_RANK], to[TN_CPU_MAX_RANK];
  tn_cpu_dense_strides(x->rank, x->dims, strides);
  for (int i = 0; i < x->rank; ++i) from[i] = strides[perm[i]];
  tn_cpu_dense_strides(y->rank, y->dims, to);
  move_elements(run, x->dtype, x->rank, y->dims, (place){x->data, from}, (place){y->data, to});
}

static void negate_imaginary_parts(const array* y) {
  for (int64_t i = 0; i < y->count; ++i) {
    if (y->dtype == TN_COMPLEX64) {
      ((float*)y->data)[2 * i + 1] *= -1;
    } else {
      ((double*)y->data)[2 * i + 1] *= -1;
    }
  }
}

static void transpose_array(TF_OpKernelContext* context, const char* op, bool conjugate) {
  run run;
  array x, perm_input, y;
  int perm[TN_CPU_MAX_RANK];
  int64_t dims[TN_CPU_MAX_RANK];
  run_begin(&run, context, op);
  run_may_stop(&run);
  if (run_input(&run, 0, &x) && run_input(&run, 1, &perm_input) &&
      read_perm(&run, &x, &perm_input, perm)) {
    bool same_order = true;
    for (int i = 0; i < x.rank; ++i) {
      dims[i] = x.dims[perm[i]];
      same_order = same_order && perm[i] == i;
    }
    conjugate = conjugate && (TN_CPU_TYPE(x.dtype) & TN_CPU_COMPLEXES);
    if (same_order && !conjugate) {
      run_share_output(&run, 0, x.tensor);
    } else if (run_output(&run, 0, x.rank, dims, &y)) {
      transpose_elements(&run, &x, perm, &y);
      if (conjugate) negate_imaginary_parts(&y);
    }
  }
  run_end(&run);
}

static void transpose(void* state, TF_OpKernelContext* context) {
  transpose_array(context, "Transpose", false);
}

static void conjugate_transpose(void* state, TF_OpKernelContext* context) {
  transpose_array(context, "ConjugateTranspose", true);
}

static void invert_permutation(void* state, TF_OpKernelContext* context) {
  run run;
  array x, y;
  run_begin(&run, context, "InvertPermutation");
  run_may_stop(&run);
  if (run_input(&run, 0, &x) && check_vector(&run, "x", &x) && run_output(&run, 0, 1, x.dims, &y)) {
    for (int64_t i = 0; i < x.count; ++i) put_index(&y, i, -1);
    for (int64_t i = 0; i < x.count; ++i) {
      const int64_t to = index_at(&x, i);
      if (to < 0 || to >= x.count) {
        run_fail(&run, TF_INVALID_ARGUMENT, "x[%lld] is %lld, and must be in [0, %lld)",
                 (long long)i, (long long)to, (long long)x.count);
        break;
      }
      if (index_at(&y, to) != -1) {
        run_fail(&run, TF_INVALID_ARGUMENT, "x names %lld twice", (long long)to);
        break;
      }
      put_index(&y, to, i);
    }
  }
  run_end(&run);
}

void register_layout(void) {
  const kernel kernels[] = {
      {.op = "Transpose",
       .compute = transpose,
       .constraints = {{"T", MOVABLE}, {"Tperm", INDICES}},
       .host_args = {"perm"}},
      {.op = "ConjugateTranspose",
       .compute = conjugate_transpose,
       .constraints = {{"T", MOVABLE}, {"Tperm", INDICES}},
       .host_args = {"perm"}},
      {.op = "InvertPermutation",
       .compute = invert_permutation,
       .constraints = {{"T", INDICES}},
       .host_args = {"x", "y"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
