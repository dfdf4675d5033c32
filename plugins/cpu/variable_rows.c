// Rows of variables: ResourceGather, ResourceGatherNd, ResourceScatterUpdate, ResourceScatterAdd
// and its kin, ResourceScatterNdUpdate, ResourceScatterNdAdd, ResourceScatterNdSub.

#include <stdlib.h>
#include <string.h>

#include "cpu/arithmetic.h"
#include "indices.h"
#include "variables.h"

// Row by row is how these variables are used: nothing else may copy them as a whole.
static bool hold_variable(run* run, held_variables* held, array* variable, tn_dtype dtype) {
  *held = (held_variables){0};
  if (!find_variable(run) || !hold_variables(run, 1, true, held, variable)) return false;
  if (variable->dtype != dtype) {
    run_fail(run, TF_INVALID_ARGUMENT, "the variable holds another type than the kernel is for");
    return false;
  }
  return true;
}

static void* gather_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "ResourceGather");
  const int64_t batch_dims = attr_int(&attrs, "batch_dims");
  return attrs_end(&attrs, &batch_dims, sizeof batch_dims);
}

static void gather(void* state, TF_OpKernelContext* context) {
  const int64_t batch_dims = *(const int64_t*)state;
  run run;
  array variable, indices;
  held_variables held;
  run_begin(&run, context, "ResourceGather");
  if (hold_variable(&run, &held, &variable, (tn_dtype)TF_ExpectedOutputDataType(context, 0)) &&
      run_input(&run, 1, &indices)) {
    if (variable.rank < 1 || batch_dims < 0 || batch_dims >= variable.rank) {
      run_fail(&run, TF_INVALID_ARGUMENT,
               "a variable of rank %d has no dimension %lld to gather from", variable.rank,
               (long long)batch_dims);
    } else {
      gather_axis(&run, &variable, &indices, (int)batch_dims, batch_dims);
    }
  }
  release_variables(&held);
  run_end(&run);
}

static void gather_nd(void* state, TF_OpKernelContext* context) {
  run run;
  array variable, indices;
  held_variables held;
  run_begin(&run, context, "ResourceGatherNd");
  if (hold_variable(&run, &held, &variable, (tn_dtype)TF_ExpectedOutputDataType(context, 0)) &&
      run_input(&run, 1, &indices))
    gather_tuples(&run, &variable, &indices, false);
  release_variables(&held);
  run_end(&run);
}

static void* scatter_nd_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "ResourceScatterNd");
  const bool ignore = attr_ignores_bad_indices(&attrs);
  return attrs_end(&attrs, &ignore, sizeof ignore);
}

static void scatter_nd(TF_OpKernelContext* context, const char* op, tn_cpu_scatter_op code,
                       bool ignore) {
  run run;
  array variable, indices, updates;
  held_variables held = {0};
  run_begin(&run, context, op);
  if (run_input(&run, 1, &indices) && run_input(&run, 2, &updates) &&
      hold_variable(&run, &held, &variable, updates.dtype))
    scatter_tuples(&run, code, &indices, &updates, &variable, ignore);
  release_variables(&held);
  run_end(&run);
}

// Updates have the dimensions of indices, then those of a row; or they are one number for all.
static bool check_updates(run* run, const array* variable, const array* indices,
                          const array* updates) {
  char text[SHAPE_TEXT], updates_text[SHAPE_TEXT], variable_text[SHAPE_TEXT];
  bool fits = variable->rank >= 1 && updates->rank == indices->rank + variable->rank - 1;
  for (int i = 0; fits && i < updates->rank; ++i)
    fits = updates->dims[i] ==
           (i < indices->rank ? indices->dims[i] : variable->dims[i - indices->rank + 1]);
  if (fits || (updates->rank == 0 && variable->rank >= 1)) return true;
  run_fail(run, TF_INVALID_ARGUMENT,
           "inputs indices %s and updates %s do not fit a variable of shape %s: updates must be a "
           "scalar, or have the dimensions of indices, then those of the variable but the first",
           shape_text(indices->rank, indices->dims, text),
           shape_text(updates->rank, updates->dims, updates_text),
           shape_text(variable->rank, variable->dims, variable_text));
  return false;
}

// Row `row` of the variable changes by `update`, which may be one number for all.
static void change_row(run* run, int op, const array* variable, int64_t row, int64_t count,
                       const array* updates, int64_t i) {
  void* to = element_at(variable->dtype, variable->data, row * count);
  const bool scalar = updates->rank == 0;
  const void* update = element_at(updates->dtype, updates->data, scalar ? 0 : i * count);
  if (op < 0) {
    if (scalar) {
      fill_elements(run, variable->dtype, count, update, to);
    } else {
      move_dense(run, variable->dtype, count, update, to);
    }
    return;
  }
  const int64_t one = 1, step = scalar ? 0 : 1;
  const int64_t* strides[] = {&one, &step};
  tn_cpu_zip(tn_cpu_arithmetic(op, variable->dtype), 1, &count, (const void* const[]){to, update},
             strides, to, NULL);
}

static bool divides_by_zero(int op, const array* updates) {
  return op == TN_CPU_DIV && (TN_CPU_INTEGERS & TN_CPU_TYPE(updates->dtype)) &&
         tn_cpu_has_zero(updates->dtype, updates->count, updates->data);
}

// `op` is one of arithmetic, or -1 to replace rows.
static void scatter(TF_OpKernelContext* context, const char* name, int op) {
  run run;
  array variable, indices, updates;
  held_variables held = {0};
  run_begin(&run, context, name);
  if (run_input(&run, 1, &indices) && run_input(&run, 2, &updates) &&
      hold_variable(&run, &held, &variable, updates.dtype) &&
      check_updates(&run, &variable, &indices, &updates)) {
    const tn_cpu_indices rows = {indices.dtype, 1, variable.dims, indices.data, indices.count};
    const int64_t count = product(variable.dims, 1, variable.rank);
    if (divides_by_zero(op, &updates))
      run_fail(&run, TF_INVALID_ARGUMENT, "updates have a 0 to divide by");
    for (int64_t i = 0; i < indices.count && run_ok(&run); ++i) {
      int64_t row;
      check_no_bad_index(&run, "indices", &rows, tn_cpu_index_rows(&rows, i, 1, &row));
    }
    for (int64_t i = 0; i < indices.count && run_ok(&run); ++i)
      change_row(&run, op, &variable, index_at(&indices, i), count, &updates, i);
  }
  release_variables(&held);
  run_end(&run);
}

#define SCATTER(name, op, code) \
  static void name(void* state, TF_OpKernelContext* context) { scatter(context, op, code); }
SCATTER(scatter_update, "ResourceScatterUpdate", -1)
SCATTER(scatter_add, "ResourceScatterAdd", TN_CPU_ADD)
SCATTER(scatter_sub, "ResourceScatterSub", TN_CPU_SUB)
SCATTER(scatter_mul, "ResourceScatterMul", TN_CPU_MUL)
SCATTER(scatter_div, "ResourceScatterDiv", TN_CPU_DIV)
SCATTER(scatter_min, "ResourceScatterMin", TN_CPU_MINIMUM)
SCATTER(scatter_max, "ResourceScatterMax", TN_CPU_MAXIMUM)
#define SCATTER_ND(name, op, code)                             \
  static void name(void* state, TF_OpKernelContext* context) { \
    scatter_nd(context, op, code, *(const bool*)state);        \
  }
SCATTER_ND(scatter_nd_update, "ResourceScatterNdUpdate", TN_CPU_SCATTER_UPDATE)
SCATTER_ND(scatter_nd_add, "ResourceScatterNdAdd", TN_CPU_SCATTER_ADD)
SCATTER_ND(scatter_nd_sub, "ResourceScatterNdSub", TN_CPU_SCATTER_SUB)

void register_variable_rows(void) {
  if (!has_variables()) return;
  const tn_cpu_types sums = TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL);
  const tn_cpu_types put = TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_STRING);
  const struct {
    const char* op;
    void* (*create)(TF_OpKernelConstruction*);
    void (*compute)(void*, TF_OpKernelContext*);
    const char *type_attr, *resource;
    tn_cpu_types types;
  } rows[] = {
      {"ResourceGather", gather_create, gather, "dtype", "resource", MOVABLE},
      {"ResourceGatherNd", NULL, gather_nd, "dtype", "resource", MOVABLE},
      {"ResourceScatterUpdate", NULL, scatter_update, "dtype", "resource", put},
      {"ResourceScatterAdd", NULL, scatter_add, "dtype", "resource", TN_CPU_NUMBERS},
      {"ResourceScatterSub", NULL, scatter_sub, "dtype", "resource", TN_CPU_NUMBERS},
      {"ResourceScatterMul", NULL, scatter_mul, "dtype", "resource", TN_CPU_NUMBERS},
      {"ResourceScatterDiv", NULL, scatter_div, "dtype", "resource", TN_CPU_NUMBERS},
      {"ResourceScatterMin", NULL, scatter_min, "dtype", "resource", TN_CPU_REALS},
      {"ResourceScatterMax", NULL, scatter_max, "dtype", "resource", TN_CPU_REALS},
      {"ResourceScatterNdUpdate", scatter_nd_create, scatter_nd_update, "T", "ref", put},
      {"ResourceScatterNdAdd", scatter_nd_create, scatter_nd_add, "T", "ref", sums},
      {"ResourceScatterNdSub", scatter_nd_create, scatter_nd_sub, "T", "ref", sums},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    const kernel kernel = {
        .op = rows[i].op,
        .create = rows[i].create,
        .compute = rows[i].compute,
        .destroy = rows[i].create ? free : NULL,
        .constraints = {{rows[i].type_attr, rows[i].types}, {"Tindices", INDICES}},
        .host_args = {rows[i].resource},
        .modest = true};
    register_kernels(&kernel, 1);
  }
}
