// Cast.

#include <stdlib.h>

#include "cpu/elementwise.h"
#include "kernel.h"

typedef struct cast_state {
  bool same;  // nothing to do
  bool truncate;
} cast_state;

static void* cast_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "Cast");
  const tn_dtype from = attr_type(&attrs, "SrcT"), to = attr_type(&attrs, "DstT");
  const cast_state state = {from == to, attr_bool(&attrs, "Truncate")};
  if (!state.same && !tn_cpu_can_cast(from, to))
    attrs_fail(&attrs, TF_UNIMPLEMENTED,
               "numbers of SrcT (type number %d) cannot be converted to DstT (type number %d)",
               (int)from, (int)to);
  return attrs_end(&attrs, &state, sizeof state);
}

typedef struct cast_job {
  const tn_cpu_parallel* parallel;
  tn_dtype from, to;
  bool truncate;
  int64_t count;
  const void* in;
  void* out;
} cast_job;

static void cast_here(SP_Stream stream, void* args) {
  const cast_job* job = args;
  tn_cpu_cast(job->from, job->to, job->truncate, job->count, job->in, job->out, job->parallel);
}

static void cast(void* state, TF_OpKernelContext* context) {
  const cast_state* how = state;
  run run;
  array x, y;
  run_begin_launching(&run, context, "Cast");
  run_may_stop(&run);
  if (run_input(&run, 0, &x)) {
    if (how->same) {
      run_share_output(&run, 0, x.tensor);
    } else if (run_output(&run, 0, x.rank, x.dims, &y)) {
      cast_job job = {run.parallel, x.dtype, y.dtype, how->truncate, x.count, x.data, y.data};
      run_launch(&run, cast_here, &job, sizeof job, x.count / 2);
    }
  }
  run_end(&run);
}

void register_cast(void) {
  const kernel kernels[] = {
      {.op = "Cast", .create = cast_create, .compute = cast, .destroy = free}};
  register_kernels(kernels, 1);
}
