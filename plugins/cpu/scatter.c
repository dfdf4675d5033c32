// ScatterNd, TensorScatterUpdate, TensorScatterAdd, TensorScatterSub, TensorScatterMin,
// TensorScatterMax.

#include <stdlib.h>
#include <string.h>

#include "indices.h"
#include "strings.h"

static void* scatter_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "ScatterNd");
  const bool ignore = attr_ignores_bad_indices(&attrs);
  return attrs_end(&attrs, &ignore, sizeof ignore);
}

// The last dimension of indices is a tuple that points into the first ones of the output; a vector
// of indices has tuples of one. Updates have a row for each.
static bool plan_scatter(run* run, const array* indices, const array* updates, int rank,
                         const int64_t* dims, tn_cpu_indices* tuples) {
  char text[SHAPE_TEXT], updates_text[SHAPE_TEXT], dims_text[SHAPE_TEXT];
  const int outer = indices->rank > 1 ? indices->rank - 1 : 1;
  const int64_t depth = indices->rank > 1 ? indices->dims[outer] : 1;
  bool fits = rank >= 1 && indices->rank >= 1 && updates->rank >= outer && depth <= rank &&
              updates->rank - outer == rank - depth;
  for (int i = 0; fits && i < updates->rank; ++i)
    fits = updates->dims[i] == (i < outer ? indices->dims[i] : dims[depth + i - outer]);
  if (!fits) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "inputs indices %s and updates %s do not fit an output of shape %s: updates must have "
             "the dimensions of indices but the last, then those of the output that indices leave",
             shape_text(indices->rank, indices->dims, text),
             shape_text(updates->rank, updates->dims, updates_text),
             shape_text(rank, dims, dims_text));
    return false;
  }
  if (product(dims, 0, rank) == 0 && (indices->count > 0 || updates->count > 0)) {
    run_fail(run, TF_INVALID_ARGUMENT, "the output of shape %s is empty, and indices are not",
             shape_text(rank, dims, dims_text));
    return false;
  }
  const int64_t count = product(indices->dims, 0, outer);
  *tuples = (tn_cpu_indices){indices->dtype, (int)depth, dims, indices->data, count};
  return true;
}

// A string is added to another by appending it.
static bool put_string(run* run, tn_cpu_scatter_op op, TF_TString* to, const TF_TString* from) {
  if (op == TN_CPU_SCATTER_UPDATE) return copy_string(run, to, from);
  const size_t size = TF_TString_GetSize(to), more = TF_TString_GetSize(from);
  char* kept = malloc(size + more + 1);
  if (!kept) {
    run_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a string of %zu bytes", size + more);
    return false;
  }
  memcpy(kept, TF_TString_GetDataPointer(to), size);
  memcpy(kept + size, TF_TString_GetDataPointer(from), more);
  char* text = resize_string(run, to, size + more);
  if (text) memcpy(text, kept, size + more);
  free(kept);
  return text != NULL;
}

static int64_t scatter_strings(run* run, tn_cpu_scatter_op op, const tn_cpu_indices* tuples,
                               int64_t row, const TF_TString* updates, TF_TString* out) {
  int64_t first_bad = -1;
  for (int64_t i = 0; i < tuples->count; ++i) {
    int64_t at;
    const int64_t bad = tn_cpu_index_rows(tuples, i, 1, &at);
    if (first_bad < 0) first_bad = bad;
    for (int64_t j = 0; at >= 0 && j < row; ++j)
      if (!put_string(run, op, &out[at * row + j], &updates[i * row + j])) return first_bad;
  }
  return first_bad;
}

static void scatter_rows(run* run, tn_cpu_scatter_op op, const tn_cpu_indices* tuples,
                         const array* updates, const array* output, bool ignore) {
  const int64_t row = product(output->dims, tuples->depth, output->rank);
  const int64_t bad = output->dtype == TN_STRING
                          ? scatter_strings(run, op, tuples, row, updates->data, output->data)
                          : tn_cpu_scatter(op, output->dtype, tuples, row, updates->data,
                                           output->data, run->parallel);
  if (!ignore) check_no_bad_index(run, "indices", tuples, bad);
}

void scatter_tuples(run* run, tn_cpu_scatter_op op, const array* indices, const array* updates,
                    const array* target, bool ignore) {
  tn_cpu_indices tuples;
  if (plan_scatter(run, indices, updates, target->rank, target->dims, &tuples))
    scatter_rows(run, op, &tuples, updates, target, ignore);
}

static void scatter_nd(void* state, TF_OpKernelContext* context) {
  static const char zeros[16];
  run run;
  array indices, updates, shape, output;
  tn_cpu_indices tuples;
  int64_t dims[TN_CPU_MAX_RANK];
  run_begin(&run, context, "ScatterNd");
  if (run_input(&run, 0, &indices) && run_input(&run, 1, &updates) && run_input(&run, 2, &shape) &&
      check_vector(&run, "shape", &shape) && read_vector(&run, "shape", &shape, dims)) {
    const int rank = (int)shape.count;
    for (int i = 0; i < rank; ++i)
      if (dims[i] < 0)
        run_fail(&run, TF_INVALID_ARGUMENT, "shape[%d] is %lld, and must not be negative", i,
                 (long long)dims[i]);
    if (run_ok(&run) && check_output_dims(&run, rank, dims) &&
        plan_scatter(&run, &indices, &updates, rank, dims, &tuples) &&
        run_output(&run, 0, rank, dims, &output)) {
      if (output.dtype != TN_STRING)  // strings begin empty
        fill_elements(&run, output.dtype, output.count, zeros, output.data);
      scatter_rows(&run, TN_CPU_SCATTER_ADD, &tuples, &updates, &output, *(bool*)state);
    }
  }
  run_end(&run);
}

static void tensor_scatter(TF_OpKernelContext* context, const char* op, tn_cpu_scatter_op code,
                           bool ignore) {
  run run;
  array tensor, indices, updates, output;
  tn_cpu_indices tuples;
  run_begin(&run, context, op);
  if (run_input(&run, 0, &tensor) && run_input(&run, 1, &indices) && run_input(&run, 2, &updates) &&
      plan_scatter(&run, &indices, &updates, tensor.rank, tensor.dims, &tuples) &&
      run_output_or_forward(&run, 1, 0, tensor.rank, tensor.dims, &output)) {
    if (output.data != tensor.data)
      move_dense(&run, tensor.dtype, tensor.count, tensor.data, output.data);
    scatter_rows(&run, code, &tuples, &updates, &output, ignore);
  }
  run_end(&run);
}

#define TENSOR_SCATTER(name, op, code)                         \
  static void name(void* state, TF_OpKernelContext* context) { \
    tensor_scatter(context, op, code, *(bool*)state);          \
  }
TENSOR_SCATTER(scatter_update, "TensorScatterUpdate", TN_CPU_SCATTER_UPDATE)
TENSOR_SCATTER(scatter_add, "TensorScatterAdd", TN_CPU_SCATTER_ADD)
TENSOR_SCATTER(scatter_sub, "TensorScatterSub", TN_CPU_SCATTER_SUB)
TENSOR_SCATTER(scatter_min, "TensorScatterMin", TN_CPU_SCATTER_MIN)
TENSOR_SCATTER(scatter_max, "TensorScatterMax", TN_CPU_SCATTER_MAX)

void register_scatter(void) {
  const tn_cpu_types all = TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_STRING);
  const struct {
    const char* op;
    void (*compute)(void*, TF_OpKernelContext*);
    tn_cpu_types types;
    const char* host_arg;
  } rows[] = {
      {"ScatterNd", scatter_nd, all, "shape"},
      {"TensorScatterUpdate", scatter_update, all, NULL},
      {"TensorScatterAdd", scatter_add, TN_CPU_NUMBERS, NULL},
      {"TensorScatterSub", scatter_sub, TN_CPU_NUMBERS, NULL},
      {"TensorScatterMin", scatter_min, TN_CPU_REALS, NULL},
      {"TensorScatterMax", scatter_max, TN_CPU_REALS, NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    const kernel kernel = {.op = rows[i].op,
                           .create = scatter_create,
                           .compute = rows[i].compute,
                           .destroy = free,
                           .constraints = {{"T", rows[i].types}, {"Tindices", INDICES}},
                           .host_args = {rows[i].host_arg}};
    register_kernels(&kernel, 1);
  }
}
