// Sum, Mean and the like over axes, ArgMax and ArgMin, L2Loss.

#include "cpu/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "reductions.h"

// Arrays of more dimensions are rare enough to be waited for.
enum { LAUNCHED_RANK = 8 };
typedef struct reduce_job {
  const tn_cpu_parallel* parallel;
  tn_cpu_reduce_op op;
  tn_dtype dtype;
  int rank;
  int64_t dims[LAUNCHED_RANK];
  bool reduced[LAUNCHED_RANK];
  const void* in;
  void *out, *workspace;
} reduce_job;

static void reduce_here(SP_Stream stream, void* args) {
  const reduce_job* job = args;
  tn_cpu_reduce(job->op, job->dtype, job->rank, job->dims, job->reduced, job->in, job->out,
                job->workspace, job->parallel);
}

static __attribute__((noinline)) void launch_reduction(run* run, reduce_job job,
                                                       const int64_t* dims, const bool* reduced,
                                                       int64_t count) {
  memcpy(job.dims, dims, (size_t)job.rank * sizeof dims[0]);
  memcpy(job.reduced, reduced, (size_t)job.rank * sizeof reduced[0]);
  run_launch(run, reduce_here, &job, sizeof job, count / 2);
}

bool reduce_to(run* run, tn_cpu_reduce_op op, const array* input, int rank, const int64_t* dims,
               const bool* reduced, const array* output) {
  size_t bytes = tn_cpu_reduce_workspace(op, input->dtype, rank, dims, reduced);
  void* workspace = bytes ? run_scratch(run, bytes) : NULL;
  if (!run_ok(run)) return false;
  if (run->stream && rank <= LAUNCHED_RANK) {
    const reduce_job job = {run->parallel, op,          input->dtype, rank,     {0},
                            {0},           input->data, output->data, workspace};
    launch_reduction(run, job, dims, reduced, input->count);
    return true;
  }
  if (run->stream) run_wait(run);
  tn_cpu_reduce(op, input->dtype, rank, dims, reduced, input->data, output->data, workspace,
                run->parallel);
  return true;
}

typedef struct reduction {
  const char* op;
  tn_cpu_reduce_op how;
  bool keep_dims;
} reduction;

static void* reduction_create(TF_OpKernelConstruction* construction, const char* op,
                              tn_cpu_reduce_op how) {
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  const reduction state = {op, how, attr_bool(&attrs, "keep_dims")};
  return attrs_end(&attrs, &state, sizeof state);
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

static void reduce(void* state, TF_OpKernelContext* context) {
  const reduction* reduction = state;
  run run;
  array input, indices, output;
  bool reduced[TN_CPU_MAX_RANK];
  run_begin_launching(&run, context, reduction->op);
  run_may_stop(&run);
  if (run_input(&run, 0, &input) && run_input(&run, 1, &indices) &&
      mark_axes(&run, &input, &indices, reduced)) {
    int64_t dims[TN_CPU_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < input.rank; ++i) {
      if (!reduced[i]) {
        dims[rank++] = input.dims[i];
      } else if (reduction->keep_dims) {
        dims[rank++] = 1;
      }
    }
    if (run_output(&run, 0, rank, dims, &output))
      reduce_to(&run, reduction->how, &input, input.rank, input.dims, reduced, &output);
  }
  run_end(&run);
}

// X(op, how, types)
#define EACH_REDUCTION(X)                                 \
  X(Sum, TN_CPU_SUM, TN_CPU_NUMBERS)                      \
  X(Mean, TN_CPU_MEAN, TN_CPU_NUMBERS)                    \
  X(Prod, TN_CPU_PROD, TN_CPU_NUMBERS)                    \
  X(Max, TN_CPU_MAX, TN_CPU_REALS)                        \
  X(Min, TN_CPU_MIN, TN_CPU_REALS)                        \
  X(EuclideanNorm, TN_CPU_EUCLIDEAN_NORM, TN_CPU_NUMBERS) \
  X(All, TN_CPU_MIN, 0)                                   \
  X(Any, TN_CPU_MAX, 0)

#define CREATE(op, how, types)                                      \
  static void* create_##op(TF_OpKernelConstruction* construction) { \
    return reduction_create(construction, #op, how);                \
  }
EACH_REDUCTION(CREATE)

static void l2_loss(void* state, TF_OpKernelContext* context) {
  run run;
  array input, output;
  run_begin_launching(&run, context, "L2Loss");
  run_may_stop(&run);
  if (run_input(&run, 0, &input) && run_output(&run, 0, 0, NULL, &output))
    reduce_to(&run, TN_CPU_HALF_OF_SQUARES, &input, 1, &input.count, (const bool[]){true}, &output);
  run_end(&run);
}

// The dimension comes as 16, 32 or 64 bits.
static int64_t dimension_at(const array* dimension) {
  return dimension->dtype == TN_INT16 ? *(const int16_t*)dimension->data : index_at(dimension, 0);
}

typedef struct arg_job {
  const tn_cpu_parallel* parallel;
  bool least;
  tn_dtype dtype, index_type;
  int64_t outer, depth, inner;
  const void* in;
  void *out, *workspace;
} arg_job;

static void arg_here(SP_Stream stream, void* args) {
  const arg_job* job = args;
  tn_cpu_arg(job->least, job->dtype, job->index_type, job->outer, job->depth, job->inner, job->in,
             job->out, job->workspace, job->parallel);
}

static void arg_extreme(TF_OpKernelContext* context, const char* op, bool least) {
  run run;
  array input, dimension, output;
  run_begin_launching(&run, context, op);
  run_may_stop(&run);
  if (run_input(&run, 0, &input) && run_input(&run, 1, &dimension)) {
    int64_t axis = dimension.count == 1 ? dimension_at(&dimension) : 0;
    if (dimension.rank != 0) {
      run_fail(&run, TF_INVALID_ARGUMENT, "dimension has rank %d, and must be a scalar",
               dimension.rank);
    } else if (axis < -input.rank || axis >= input.rank) {
      run_fail(&run, TF_INVALID_ARGUMENT,
               "dimension is %lld, and must be in [%d, %d) for an input of rank %d",
               (long long)axis, -input.rank, input.rank, input.rank);
    } else {
      if (axis < 0) axis += input.rank;
      if (input.dims[axis] == 0)
        run_fail(&run, TF_INVALID_ARGUMENT, "dimension %lld of the input is empty",
                 (long long)axis);
    }
    int64_t outer = 1, inner = 1, dims[TN_CPU_MAX_RANK];
    int rank = 0;
    for (int i = 0; run_ok(&run) && i < input.rank; ++i) {
      if (i == axis) continue;
      *(i < axis ? &outer : &inner) *= input.dims[i];
      dims[rank++] = input.dims[i];
    }
    if (run_output(&run, 0, rank, dims, &output) && output.count > 0) {
      size_t bytes = tn_cpu_arg_workspace(outer, input.dims[axis], inner);
      void* workspace = bytes ? run_scratch(&run, bytes) : NULL;
      arg_job job = {run.parallel,     least, input.dtype, output.dtype, outer,
                     input.dims[axis], inner, input.data,  output.data,  workspace};
      if (run_ok(&run)) run_launch(&run, arg_here, &job, sizeof job, input.count);
    }
  }
  run_end(&run);
}

static void arg_max(void* state, TF_OpKernelContext* context) {
  arg_extreme(context, "ArgMax", false);
}

static void arg_min(void* state, TF_OpKernelContext* context) {
  arg_extreme(context, "ArgMin", true);
}

void register_reductions(void) {
  const tn_cpu_types indices = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);
  const tn_cpu_types dimensions = indices | TN_CPU_TYPE(TN_INT16);
  const tn_cpu_types ordered = TN_CPU_REALS | TN_CPU_TYPE(TN_BOOL);
  const kernel kernels[] = {
#define KERNEL(name, how, types)                                    \
  {.op = #name,                                                     \
   .create = create_##name,                                         \
   .compute = reduce,                                               \
   .destroy = free,                                                 \
   .constraints = {{types ? "T" : "Tidx", types ? types : indices}, \
                   {types ? "Tidx" : NULL, indices}},               \
   .host_args = {"reduction_indices"}},
      EACH_REDUCTION(KERNEL){
          .op = "L2Loss", .compute = l2_loss, .constraints = {{"T", TN_CPU_FLOATS}}},
      {.op = "ArgMax",
       .compute = arg_max,
       .constraints = {{"T", ordered},
                       {"output_type", dimensions | TN_CPU_TYPE(TN_UINT16)},
                       {"Tidx", dimensions}},
       .host_args = {"dimension"}},
      {.op = "ArgMin",
       .compute = arg_min,
       .constraints = {{"T", ordered}, {"output_type", indices}, {"Tidx", indices}},
       .host_args = {"dimension"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
