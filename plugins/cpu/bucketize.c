// Bucketize.

#include <stdlib.h>

#include "moving.h"

typedef struct bucketize_state {
  int count;
  float boundaries[];
} bucketize_state;

static void* bucketize_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  int32_t count = 0, bytes = 0;
  attrs_begin(&attrs, construction, "Bucketize");
  if (attrs_ok(&attrs))
    TF_OpKernelConstruction_GetAttrSize(construction, "boundaries", &count, &bytes, attrs.status);
  if (count < 0) count = 0;
  const size_t size = sizeof(bucketize_state) + (size_t)count * sizeof(float);
  bucketize_state* state = malloc(size);
  if (!state) {
    attrs_fail(&attrs, TF_RESOURCE_EXHAUSTED, "no memory");
    return attrs_end(&attrs, NULL, 0);
  }
  state->count = count;
  if (attrs_ok(&attrs) && count > 0)
    TF_OpKernelConstruction_GetAttrFloatList(construction, "boundaries", state->boundaries, count,
                                             attrs.status);
  for (int i = 1; i < count && attrs_ok(&attrs); ++i)
    if (state->boundaries[i] < state->boundaries[i - 1])
      attrs_fail(&attrs, TF_INVALID_ARGUMENT, "boundaries[%d] is below the one before it", i);
  void* kept = attrs_end(&attrs, state, size);
  free(state);
  return kept;
}

typedef struct bucketize_job {
  const bucketize_state* state;
  const array *input, *output;
} bucketize_job;

// The first boundary that is above the value; values and boundaries meet in the wider of their
// types, as C has it.
#define BUCKETS(type)                                      \
  for (int64_t i = begin; i < end; ++i) {                  \
    const type value = ((const type*)job->input->data)[i]; \
    int low = 0, high = job->state->count;                 \
    while (low < high) {                                   \
      const int middle = low + (high - low) / 2;           \
      if (value < job->state->boundaries[middle]) {        \
        high = middle;                                     \
      } else {                                             \
        low = middle + 1;                                  \
      }                                                    \
    }                                                      \
    out[i] = low;                                          \
  }

static void put_buckets(void* arg, int64_t begin, int64_t end) {
  const bucketize_job* job = arg;
  int32_t* out = job->output->data;
  switch (job->input->dtype) {
    case TN_FLOAT: BUCKETS(float) break;
    case TN_DOUBLE: BUCKETS(double) break;
    case TN_INT32: BUCKETS(int32_t) break;
    default: BUCKETS(int64_t) break;
  }
}

static void bucketize(void* state, TF_OpKernelContext* context) {
  run run;
  array input, output;
  run_begin(&run, context, "Bucketize");
  if (run_input(&run, 0, &input) && run_output(&run, 0, input.rank, input.dims, &output)) {
    bucketize_job job = {state, &input, &output};
    run.parallel->run(run.parallel->pool, input.count, 10, put_buckets, &job);
  }
  run_end(&run);
}

void register_bucketize(void) {
  const kernel kernels[] = {
      {.op = "Bucketize",
       .create = bucketize_create,
       .compute = bucketize,
       .destroy = free,
       .constraints = {{"T", INDICES | TN_CPU_TYPE(TN_FLOAT) | TN_CPU_TYPE(TN_DOUBLE)}}}};
  register_kernels(kernels, 1);
}
