// ZerosLike, OnesLike.

#include "cpu/elementwise.h"
#include "moving.h"

static void fill_like(TF_OpKernelContext* context, const char* op, float number) {
  run run;
  array x, y;
  double _Complex value;  // room for any type
  run_begin(&run, context, op);
  run_may_stop(&run);
  if (run_input(&run, 0, &x)) {
    if (x.dtype == TN_STRING) {
      run_output(&run, 0, x.rank, x.dims, &y);  // strings are made empty
    } else if (run_output_or_forward(&run, 1, 0, x.rank, x.dims, &y)) {
      tn_cpu_cast(TN_FLOAT, y.dtype, false, 1, &number, &value, NULL);
      fill_elements(&run, y.dtype, y.count, &value, y.data);
    }
  }
  run_end(&run);
}

static void zeros_like(void* state, TF_OpKernelContext* context) {
  fill_like(context, "ZerosLike", 0);
}
static void ones_like(void* state, TF_OpKernelContext* context) {
  fill_like(context, "OnesLike", 1);
}

void register_likes(void) {
  const tn_cpu_types numbers = TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL);
  const kernel kernels[] = {
      {.op = "ZerosLike",
       .compute = zeros_like,
       .constraints = {{"T", numbers | TN_CPU_TYPE(TN_STRING)}}},
      {.op = "OnesLike", .compute = ones_like, .constraints = {{"T", numbers}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
