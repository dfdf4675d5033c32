// Where.

#include "cpu/where.h"

#include "moving.h"

static void where(void* state, TF_OpKernelContext* context) {
  run run;
  array input, index;
  run_begin(&run, context, "Where");
  if (run_input(&run, 0, &input) && input.rank == 0)
    run_fail(&run, TF_INVALID_ARGUMENT, "input input is a scalar, which has no coordinates");
  if (run_ok(&run)) {
    const int64_t blocks = (input.count + TN_CPU_WHERE_BLOCK - 1) / TN_CPU_WHERE_BLOCK;
    int64_t* ends = run_scratch(&run, (size_t)blocks * sizeof *ends);
    if (ends) {
      tn_cpu_where_count(input.dtype, input.count, input.data, ends, run.parallel);
      const int64_t dims[] = {blocks ? ends[blocks - 1] : 0, input.rank};
      if (run_output(&run, 0, 2, dims, &index))
        tn_cpu_where(input.dtype, input.rank, input.dims, input.data, ends, index.data,
                     run.parallel);
    }
  }
  run_end(&run);
}

void register_where(void) {
  const kernel kernels[] = {{.op = "Where",
                             .compute = where,
                             .constraints = {{"T", TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL)}}}};
  register_kernels(kernels, 1);
}
