// Cast.

#include <stdlib.h>

#include "cpu/elementwise.h"
#include "kernel.h"

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

void register_cast(void) {
  const tn_cpu_types castable = TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL);
  const kernel kernels[] = {{.op = "Cast",
                             .create = cast_create,
                             .compute = cast,
                             .destroy = free,
                             .constraints = {{"SrcT", castable}, {"DstT", castable}}}};
  register_kernels(kernels, 1);
}
