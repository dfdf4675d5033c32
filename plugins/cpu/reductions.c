// Sum.

#include <stdlib.h>

#include "cpu/reduce.h"
#include "kernel.h"

static void* sum_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "Sum");
  const bool state[] = {attr_bool(&attrs, "keep_dims")};
  return attrs_end(&attrs, state, sizeof state);
}

// Marks the axes that `indices` names; a scalar or a matrix of them is as good as a vector.
static bool mark_axes(run* run, const array* input, const array* indices, bool* reduced) {
  for (int i = 0; i < input->rank; ++i) reduced[i] = false;
  for (int64_t i = 0; i < indices->count; ++i) {
    int64_t axis = index_at(indices, i);
    if (axis < -input->rank || axis >= input->rank) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "reduction_indices[%lld] is %lld, and must be in [%d, %d) for an input of rank %d",
               (long long)i, (long long)axis, -input->rank, input->rank, input->rank);
      return false;
    }
    if (axis < 0) axis += input->rank;
    if (reduced[axis]) {
      run_fail(run, TF_INVALID_ARGUMENT, "reduction_indices names dimension %lld twice",
               (long long)axis);
      return false;
    }
    reduced[axis] = true;
  }
  return true;
}

static void sum(void* state, TF_OpKernelContext* context) {
  run run;
  array input, indices, output;
  bool reduced[TN_CPU_MAX_RANK];
  run_begin(&run, context, "Sum");
  if (run_input(&run, 0, &input) && run_input(&run, 1, &indices) &&
      mark_axes(&run, &input, &indices, reduced)) {
    int64_t dims[TN_CPU_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < input.rank; ++i) {
      if (!reduced[i]) {
        dims[rank++] = input.dims[i];
      } else if (*(bool*)state) {
        dims[rank++] = 1;
      }
    }
    if (run_output(&run, 0, rank, dims, &output))
      tn_cpu_sum(input.dtype, input.rank, input.dims, reduced, input.data, output.data,
                 run.parallel);
  }
  run_end(&run);
}

void register_reductions(void) {
  const tn_cpu_types indices = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);
  const kernel kernels[] = {{.op = "Sum",
                             .create = sum_create,
                             .compute = sum,
                             .destroy = free,
                             .constraints = {{"T", TN_CPU_NUMBERS}, {"Tidx", indices}},
                             .host_args = {"reduction_indices"}}};
  register_kernels(kernels, 1);
}
