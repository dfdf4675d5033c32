// Cumsum, Cumprod, CumulativeLogsumexp.

#include "cpu/scan.h"

#include <stdlib.h>

#include "kernel.h"

typedef struct scan {
  const char* op;
  tn_cpu_scan_op how;
  bool exclusive, reverse;
} scan;

static void* scan_create(TF_OpKernelConstruction* construction, const char* op,
                         tn_cpu_scan_op how) {
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  const scan state = {op, how, attr_bool(&attrs, "exclusive"), attr_bool(&attrs, "reverse")};
  return attrs_end(&attrs, &state, sizeof state);
}

static void scan_compute(void* state, TF_OpKernelContext* context) {
  const scan* scan = state;
  run run;
  array input, axes, output;
  run_begin(&run, context, scan->op);
  run_may_stop(&run);
  if (run_input(&run, 0, &input) && run_input(&run, 1, &axes)) {
    int64_t axis = axes.count == 1 ? index_at(&axes, 0) : 0;
    if (axes.rank != 0)
      run_fail(&run, TF_INVALID_ARGUMENT, "axis has rank %d, and must be a scalar", axes.rank);
    else if (axis < -input.rank || axis >= input.rank)
      run_fail(&run, TF_INVALID_ARGUMENT,
               "axis is %lld, and must be in [%d, %d) for an input of rank %d", (long long)axis,
               -input.rank, input.rank, input.rank);
    if (axis < 0) axis += input.rank;
    if (run_output(&run, 0, input.rank, input.dims, &output) && output.count > 0) {
      int64_t outer = 1, inner = 1;
      for (int i = 0; i < input.rank; ++i)
        if (i != axis) *(i < axis ? &outer : &inner) *= input.dims[i];
      const int64_t depth = input.dims[axis];
      size_t bytes = tn_cpu_scan_workspace(outer, depth, inner);
      void* workspace = bytes ? run_scratch(&run, bytes) : NULL;
      if (run_ok(&run))
        tn_cpu_scan(scan->how, input.dtype, scan->exclusive, scan->reverse, outer, depth, inner,
                    input.data, output.data, workspace, run.parallel);
    }
  }
  run_end(&run);
}

// X(op, how, types)
#define EACH_SCAN(X)                         \
  X(Cumsum, TN_CPU_CUMSUM, TN_CPU_NUMBERS)   \
  X(Cumprod, TN_CPU_CUMPROD, TN_CPU_NUMBERS) \
  X(CumulativeLogsumexp, TN_CPU_CUMLOGSUMEXP, TN_CPU_FLOATS)

#define CREATE(op, how, types)                                      \
  static void* create_##op(TF_OpKernelConstruction* construction) { \
    return scan_create(construction, #op, how);                     \
  }
EACH_SCAN(CREATE)

void register_scans(void) {
  const tn_cpu_types indices = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);
  const kernel kernels[] = {
#define KERNEL(name, how, types)                     \
  {.op = #name,                                      \
   .create = create_##name,                          \
   .compute = scan_compute,                          \
   .destroy = free,                                  \
   .constraints = {{"T", types}, {"Tidx", indices}}, \
   .host_args = {"axis"}},
      EACH_SCAN(KERNEL)};
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
