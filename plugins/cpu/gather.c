// GatherV2, Gather, GatherNd.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "indices.h"
#include "strings.h"

bool attr_ignores_bad_indices(attrs* attrs) {
  static const char* const choices[] = {"", "DEFAULT", "ERROR", "IGNORE", NULL};
  TF_Status* status = TF_NewStatus();
  // Older hosts do not have it.
  const bool there =
      TF_OpKernelConstruction_HasAttr(attrs->construction, "bad_indices_policy", status);
  TF_DeleteStatus(status);
  return there && attr_choice(attrs, "bad_indices_policy", choices) == 3;
}

void check_no_bad_index(run* run, const char* name, const tn_cpu_indices* indices, int64_t bad) {
  if (bad < 0) return;
  char tuple[SHAPE_TEXT], dims[SHAPE_TEXT];
  int64_t numbers[TN_CPU_MAX_RANK];
  const array all = {.dtype = indices->dtype, .data = (void*)indices->data};
  for (int i = 0; i < indices->depth; ++i) numbers[i] = index_at(&all, bad * indices->depth + i);
  run_fail(run, TF_INVALID_ARGUMENT, "%s[%lld] is %s, which does not point into dimensions %s",
           name, (long long)bad, shape_text(indices->depth, numbers, tuple),
           shape_text(indices->depth, indices->dims, dims));
}

// tn_cpu_gather on strings; `row` counts elements.
static int64_t gather_strings(run* run, const tn_cpu_indices* indices, int64_t batches,
                              int64_t outer, int64_t row, const TF_TString* in, TF_TString* out) {
  const int64_t count = indices->count / batches;
  int64_t block = row, first_bad = -1;
  for (int d = 0; d < indices->depth; ++d) block *= indices->dims[d];
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t o = 0; o < outer; ++o, in += block)
      for (int64_t i = 0; i < count; ++i, out += row) {
        int64_t at;
        const int64_t bad = tn_cpu_index_rows(indices, b * count + i, 1, &at);
        if (first_bad < 0) first_bad = bad;
        if (at >= 0 && !move_dense(run, TN_STRING, row, in + at * row, out)) return first_bad;
      }
  return first_bad;
}

static void gather_rows(run* run, const tn_cpu_indices* indices, int64_t batches, int64_t outer,
                        int64_t row, const array* params, const array* output, bool ignore) {
  if (output->count == 0) return;
  const int64_t bad =
      params->dtype == TN_STRING
          ? gather_strings(run, indices, batches, outer, row, params->data, output->data)
          : tn_cpu_gather(indices, batches, outer, row * (int64_t)element_size(params->dtype),
                          params->data, output->data, run->parallel);
  if (!ignore) check_no_bad_index(run, "indices", indices, bad);
}

// Dimension `axis` of params gives way to those of indices from batch_dims on.
static bool gathered_dims(run* run, const array* params, const array* indices, int axis,
                          int batch_dims, int* out_rank, int64_t* dims) {
  const int rank = params->rank - 1 + indices->rank - batch_dims;
  if (!check_output_rank(run, rank)) return false;
  int n = 0;
  for (int i = 0; i < axis; ++i) dims[n++] = params->dims[i];
  for (int i = batch_dims; i < indices->rank; ++i) dims[n++] = indices->dims[i];
  for (int i = axis + 1; i < params->rank; ++i) dims[n++] = params->dims[i];
  *out_rank = n;
  return check_output_dims(run, n, dims);
}

static bool check_batch_dims(run* run, const array* params, const array* indices, int axis,
                             int64_t given, int* out) {
  const int64_t batch_dims = given < 0 ? given + indices->rank : given;
  if (batch_dims < 0 || batch_dims > indices->rank || batch_dims > axis) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "batch_dims is %lld, and must be in [%d, %d] and not above axis, which is %d",
             (long long)given, -indices->rank, indices->rank, axis);
    return false;
  }
  for (int i = 0; i < batch_dims; ++i) {
    if (params->dims[i] == indices->dims[i]) continue;
    run_fail(run, TF_INVALID_ARGUMENT,
             "batch dimension %d has size %lld in params and %lld in indices", i,
             (long long)params->dims[i], (long long)indices->dims[i]);
    return false;
  }
  *out = (int)batch_dims;
  return true;
}

void gather_axis(run* run, const array* params, const array* indices, int axis,
                 int64_t batch_dims_given) {
  array output;
  int batch_dims, rank;
  int64_t dims[TN_CPU_MAX_RANK];
  if (check_batch_dims(run, params, indices, axis, batch_dims_given, &batch_dims) &&
      gathered_dims(run, params, indices, axis, batch_dims, &rank, dims) &&
      run_output(run, 0, rank, dims, &output)) {
    const tn_cpu_indices rows = {indices->dtype, 1, &params->dims[axis], indices->data,
                                 indices->count};
    gather_rows(run, &rows, product(params->dims, 0, batch_dims),
                product(params->dims, batch_dims, axis),
                product(params->dims, axis + 1, params->rank), params, &output, false);
  }
}

static void* gather_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "GatherV2");
  const int64_t batch_dims = attr_int(&attrs, "batch_dims");
  return attrs_end(&attrs, &batch_dims, sizeof batch_dims);
}

static void gather_v2(void* state, TF_OpKernelContext* context) {
  run run;
  array params, indices, axis_input;
  int axis;
  run_begin(&run, context, "GatherV2");
  run_may_stop(&run);
  if (run_input(&run, 0, &params) && run_input(&run, 1, &indices) &&
      run_input(&run, 2, &axis_input)) {
    if (axis_input.rank != 0) {
      char text[SHAPE_TEXT];
      run_fail(&run, TF_INVALID_ARGUMENT, "input axis must be a scalar, not of shape %s",
               shape_text(axis_input.rank, axis_input.dims, text));
    } else if (read_axis(&run, "axis", &axis_input, params.rank, &axis)) {
      gather_axis(&run, &params, &indices, axis, *(int64_t*)state);
    }
  }
  run_end(&run);
}

static void gather(void* state, TF_OpKernelContext* context) {
  run run;
  array params, indices;
  run_begin(&run, context, "Gather");
  run_may_stop(&run);
  if (run_input(&run, 0, &params) && run_input(&run, 1, &indices)) {
    if (params.rank < 1) {
      run_fail(&run, TF_INVALID_ARGUMENT, "input params is a scalar, and must have a dimension");
    } else {
      gather_axis(&run, &params, &indices, 0, 0);
    }
  }
  run_end(&run);
}

static void* gather_nd_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "GatherNd");
  const bool ignore = attr_ignores_bad_indices(&attrs);
  return attrs_end(&attrs, &ignore, sizeof ignore);
}

// The last dimension of indices is a tuple that points into the first ones of params.
static bool plan_gather_nd(run* run, const array* params, const array* indices, int* out_rank,
                           int64_t* dims, tn_cpu_indices* tuples) {
  char text[SHAPE_TEXT], indices_text[SHAPE_TEXT];
  const int64_t depth = indices->rank ? indices->dims[indices->rank - 1] : 0;
  if (params->rank < 1 || indices->rank < 1 || depth > params->rank) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "inputs params %s and indices %s must have a dimension each, and the last one of "
             "indices must not be larger than the number of those of params",
             shape_text(params->rank, params->dims, text),
             shape_text(indices->rank, indices->dims, indices_text));
    return false;
  }
  const int64_t count = product(indices->dims, 0, indices->rank - 1);
  if (count > 0 && params->count == 0) {
    run_fail(run, TF_INVALID_ARGUMENT, "input params is empty, and indices ask for %lld rows of it",
             (long long)count);
    return false;
  }
  const int rank = indices->rank - 1 + params->rank - (int)depth;
  if (!check_output_rank(run, rank)) return false;
  *out_rank = rank;
  for (int i = 0; i < rank; ++i)
    dims[i] =
        i < indices->rank - 1 ? indices->dims[i] : params->dims[depth + i - (indices->rank - 1)];
  *tuples = (tn_cpu_indices){indices->dtype, (int)depth, params->dims, indices->data, count};
  return check_output_dims(run, rank, dims);
}

void gather_tuples(run* run, const array* params, const array* indices, bool ignore) {
  array output;
  tn_cpu_indices tuples;
  int rank;
  int64_t dims[TN_CPU_MAX_RANK];
  if (plan_gather_nd(run, params, indices, &rank, dims, &tuples) &&
      run_output(run, 0, rank, dims, &output))
    gather_rows(run, &tuples, 1, 1, product(params->dims, tuples.depth, params->rank), params,
                &output, ignore);
}

static void gather_nd(void* state, TF_OpKernelContext* context) {
  run run;
  array params, indices;
  run_begin(&run, context, "GatherNd");
  run_may_stop(&run);
  if (run_input(&run, 0, &params) && run_input(&run, 1, &indices))
    gather_tuples(&run, &params, &indices, *(bool*)state);
  run_end(&run);
}

void register_gather(void) {
  const tn_cpu_types numbers = INDICES | TN_CPU_TYPE(TN_INT16);
  const kernel kernels[] = {
      {.op = "GatherV2",
       .create = gather_create,
       .compute = gather_v2,
       .destroy = free,
       .constraints = {{"Tparams", MOVABLE}, {"Tindices", numbers}, {"Taxis", INDICES}},
       .host_args = {"axis"}},
      {.op = "Gather",
       .compute = gather,
       .constraints = {{"Tparams", MOVABLE}, {"Tindices", INDICES}}},
      {.op = "GatherNd",
       .create = gather_nd_create,
       .compute = gather_nd,
       .destroy = free,
       .constraints = {{"Tparams", MOVABLE}, {"Tindices", numbers}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
