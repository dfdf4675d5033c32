// Steps of optimisers: ResourceApply..., and ResourceSparseApply... for some rows.

#include "cpu/training.h"

#include <stdlib.h>
#include <string.h>

#include "variables.h"

// An op: its inputs in order, of which the first are the variable and its slots. `forms` are the
// optimiser's without and with the op's bool attribute.
typedef struct recipe {
  const char* op;
  int variables;
  const char* inputs[12];
  const char* attr;
  tn_cpu_optimizer forms[2];
  bool sparse;
} recipe;

#define ADAM_INPUTS "beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"
#define MOMENTUM_FORMS \
  { TN_CPU_MOMENTUM, TN_CPU_MOMENTUM_NESTEROV }
#define KERAS_FORMS \
  { TN_CPU_KERAS_MOMENTUM, TN_CPU_KERAS_MOMENTUM_NESTEROV }
#define ADAGRAD_FORMS \
  { TN_CPU_ADAGRAD_KEEP, TN_CPU_ADAGRAD }
#define ADAGRAD_V2_FORMS \
  { TN_CPU_ADAGRAD_V2_KEEP, TN_CPU_ADAGRAD_V2 }

static const recipe recipes[] = {
    {"ResourceApplyGradientDescent",
     1,
     {"var", "alpha", "delta"},
     NULL,
     {TN_CPU_GRADIENT_DESCENT},
     false},
    {"ResourceApplyMomentum",
     2,
     {"var", "accum", "lr", "grad", "momentum"},
     "use_nesterov",
     MOMENTUM_FORMS,
     false},
    {"ResourceApplyKerasMomentum",
     2,
     {"var", "accum", "lr", "grad", "momentum"},
     "use_nesterov",
     KERAS_FORMS,
     false},
    {"ResourceApplyAdam",
     3,
     {"var", "m", "v", ADAM_INPUTS},
     "use_nesterov",
     {TN_CPU_ADAM, TN_CPU_ADAM_NESTEROV},
     false},
    {"ResourceApplyAdamWithAmsgrad",
     4,
     {"var", "m", "v", "vhat", ADAM_INPUTS},
     NULL,
     {TN_CPU_AMSGRAD},
     false},
    {"ResourceApplyAdagrad",
     2,
     {"var", "accum", "lr", "grad"},
     "update_slots",
     ADAGRAD_FORMS,
     false},
    {"ResourceApplyAdagradV2",
     2,
     {"var", "accum", "lr", "epsilon", "grad"},
     "update_slots",
     ADAGRAD_V2_FORMS,
     false},
    {"ResourceApplyRMSProp",
     3,
     {"var", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"},
     NULL,
     {TN_CPU_RMSPROP},
     false},
    {"ResourceApplyCenteredRMSProp",
     4,
     {"var", "mg", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"},
     NULL,
     {TN_CPU_CENTERED_RMSPROP},
     false},
    {"ResourceApplyAdadelta",
     3,
     {"var", "accum", "accum_update", "lr", "rho", "epsilon", "grad"},
     NULL,
     {TN_CPU_ADADELTA},
     false},
    {"ResourceApplyFtrl",
     3,
     {"var", "accum", "linear", "grad", "lr", "l1", "l2", "lr_power"},
     "multiply_linear_by_lr",
     {TN_CPU_FTRL, TN_CPU_FTRL_LR},
     false},
    {"ResourceApplyFtrlV2",
     3,
     {"var", "accum", "linear", "grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"},
     "multiply_linear_by_lr",
     {TN_CPU_FTRL_V2, TN_CPU_FTRL_V2_LR},
     false},
    {"ResourceSparseApplyMomentum",
     2,
     {"var", "accum", "lr", "grad", "indices", "momentum"},
     "use_nesterov",
     MOMENTUM_FORMS,
     true},
    {"ResourceSparseApplyKerasMomentum",
     2,
     {"var", "accum", "lr", "grad", "indices", "momentum"},
     "use_nesterov",
     KERAS_FORMS,
     true},
    {"ResourceSparseApplyAdagrad",
     2,
     {"var", "accum", "lr", "grad", "indices"},
     "update_slots",
     ADAGRAD_FORMS,
     true},
    {"ResourceSparseApplyAdagradV2",
     2,
     {"var", "accum", "lr", "epsilon", "grad", "indices"},
     "update_slots",
     ADAGRAD_V2_FORMS,
     true},
};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

typedef struct training {
  const recipe* recipe;
  tn_cpu_optimizer optimizer;
} training;

static void* create(TF_OpKernelConstruction* construction, const recipe* recipe) {
  attrs attrs;
  attrs_begin(&attrs, construction, recipe->op);
  const bool form = recipe->attr && attr_bool(&attrs, recipe->attr);
  const training state = {recipe, recipe->forms[form]};
  return attrs_end(&attrs, &state, sizeof state);
}

static bool is(const char* name, const char* other) { return strcmp(name, other) == 0; }

static bool check_scalar(run* run, const char* name, const array* scalar) {
  char text[SHAPE_TEXT];
  if (scalar->rank == 0) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "%s must be a scalar, not of shape %s", name,
           shape_text(scalar->rank, scalar->dims, text));
  return false;
}

// All inputs behind the variables.
typedef struct operands {
  array gradient, indices;
  array scalars[TN_CPU_MAX_SCALARS];
  int scalar_count;
} operands;

static bool read_operands(run* run, const recipe* recipe, operands* out) {
  out->scalar_count = 0;
  for (int i = recipe->variables; recipe->inputs[i]; ++i) {
    const char* name = recipe->inputs[i];
    if (is(name, "grad") || is(name, "delta")) {
      if (!run_input(run, i, &out->gradient)) return false;
    } else if (is(name, "indices")) {
      if (!run_input(run, i, &out->indices)) return false;
    } else {
      array* scalar = &out->scalars[out->scalar_count++];
      if (!run_input(run, i, scalar) || !check_scalar(run, name, scalar)) return false;
    }
  }
  return true;
}

static bool same_dims(const array* a, const array* b, int from) {
  return a->rank == b->rank &&
         memcmp(a->dims + from, b->dims + from, (size_t)(a->rank - from) * sizeof a->dims[0]) == 0;
}

static bool check_variables(run* run, const recipe* recipe, const array* variables,
                            const operands* ops) {
  char text[SHAPE_TEXT], other[SHAPE_TEXT];
  for (int i = 0; i < recipe->variables; ++i) {
    if (variables[i].dtype != ops->gradient.dtype) {
      run_fail(run, TF_INVALID_ARGUMENT, "variable %s holds another type than the gradient has",
               recipe->inputs[i]);
      return false;
    }
    if (!same_dims(&variables[i], &variables[0], 0)) {
      run_fail(run, TF_INVALID_ARGUMENT, "%s is of shape %s and var of %s, which must be equal",
               recipe->inputs[i], shape_text(variables[i].rank, variables[i].dims, text),
               shape_text(variables[0].rank, variables[0].dims, other));
      return false;
    }
    for (int j = 0; j < i; ++j) {
      if (variables[i].data != variables[j].data || variables[i].count == 0) continue;
      run_fail(run, TF_INVALID_ARGUMENT, "%s and %s are one variable, and must be two",
               recipe->inputs[j], recipe->inputs[i]);
      return false;
    }
  }
  return true;
}

static tn_cpu_training describe(const training* t, const array* variables, const operands* ops) {
  tn_cpu_training made = {.optimizer = t->optimizer,
                          .dtype = ops->gradient.dtype,
                          .slots = t->recipe->variables - 1,
                          .variable = variables[0].data,
                          .gradient = ops->gradient.data};
  for (int i = 1; i < t->recipe->variables; ++i) made.slot[i - 1] = variables[i].data;
  for (int i = 0; i < ops->scalar_count; ++i) made.scalar[i] = ops->scalars[i].data;
  return made;
}

static void apply(run* run, const training* t, const array* variables, const operands* ops) {
  char text[SHAPE_TEXT], other[SHAPE_TEXT];
  if (!check_variables(run, t->recipe, variables, ops)) return;
  if (!same_dims(&variables[0], &ops->gradient, 0)) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "the gradient is of shape %s and var of %s, which must be equal",
             shape_text(ops->gradient.rank, ops->gradient.dims, text),
             shape_text(variables[0].rank, variables[0].dims, other));
    return;
  }
  const tn_cpu_training made = describe(t, variables, ops);
  tn_cpu_train(&made, variables[0].count, run->parallel);
}

static bool check_rows(run* run, const array* variable, const operands* ops) {
  char text[SHAPE_TEXT], other[SHAPE_TEXT];
  const array* gradient = &ops->gradient;
  if (variable->rank < 1) {
    run_fail(run, TF_INVALID_ARGUMENT, "var is a scalar, and must have rows");
  } else if (ops->indices.rank != 1) {
    run_fail(run, TF_INVALID_ARGUMENT, "indices must be a vector, not of shape %s",
             shape_text(ops->indices.rank, ops->indices.dims, text));
  } else if (!same_dims(variable, gradient, 1)) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "grad is of shape %s and var of %s, which must be equal but for the rows",
             shape_text(gradient->rank, gradient->dims, text),
             shape_text(variable->rank, variable->dims, other));
  } else if (gradient->dims[0] != ops->indices.count) {
    run_fail(run, TF_INVALID_ARGUMENT, "grad has %lld rows and indices %lld, which must be equal",
             (long long)gradient->dims[0], (long long)ops->indices.count);
  }
  return run_ok(run);
}

// Row by row, in the order of the indices: one may be there twice.
static void apply_rows(run* run, const training* t, const array* variables, const operands* ops) {
  const array* gradient = &ops->gradient;
  if (!check_variables(run, t->recipe, variables, ops) || !check_rows(run, &variables[0], ops))
    return;
  const int64_t rows = variables[0].dims[0], count = rows ? variables[0].count / rows : 0;
  const int64_t bytes = count * (int64_t)tn_cpu_size(gradient->dtype);
  if (rows > 0 && count == 0 && t->optimizer >= TN_CPU_ADAGRAD) {
    run_fail(run, TF_INVALID_ARGUMENT, "the rows of var have no elements");
    return;
  }
  for (int64_t i = 0; i < ops->indices.count; ++i) {
    const int64_t row = index_at(&ops->indices, i);
    if (row >= 0 && row < rows) continue;
    run_fail(run, TF_INVALID_ARGUMENT, "indices[%lld] is %lld, and must be in [0, %lld)",
             (long long)i, (long long)row, (long long)rows);
    return;
  }
  for (int64_t i = 0; i < ops->indices.count && count > 0; ++i) {
    const int64_t offset = index_at(&ops->indices, i) * bytes;
    tn_cpu_training made = describe(t, variables, ops);
    made.variable = (char*)made.variable + offset;
    for (int j = 0; j < made.slots; ++j) made.slot[j] = (char*)made.slot[j] + offset;
    made.gradient = (const char*)made.gradient + i * bytes;
    tn_cpu_train(&made, count, run->parallel);
  }
}

static void compute(void* state, TF_OpKernelContext* context) {
  const training* t = state;
  run run;
  array variables[MAX_VARIABLES];
  operands ops;
  held_variables held;
  run_begin(&run, context, t->recipe->op);
  if (hold_variables(&run, t->recipe->variables, t->recipe->sparse, &held, variables) &&
      read_operands(&run, t->recipe, &ops)) {
    if (t->recipe->sparse) {
      apply_rows(&run, t, variables, &ops);
    } else {
      apply(&run, t, variables, &ops);
    }
  }
  release_variables(&held);
  run_end(&run);
}

// A kernel's create function knows its op only by being another function.
#define CREATE(i) \
  static void* create_##i(TF_OpKernelConstruction* c) { return create(c, &recipes[i]); }
#define EACH(X) \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
EACH(CREATE)

void register_training(void) {
  if (!has_variables()) return;
#define ENTRY(i) create_##i,
  static void* (*const creates[RECIPES])(TF_OpKernelConstruction*) = {EACH(ENTRY)};
  const tn_cpu_types indices = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);
  for (int i = 0; i < RECIPES; ++i) {
    const bool complex = recipes[i].forms[0] < TN_CPU_AMSGRAD;
    kernel kernel = {.op = recipes[i].op,
                     .create = creates[i],
                     .compute = compute,
                     .destroy = free,
                     .constraints = {{"T", TN_CPU_FLOATS | (complex ? TN_CPU_COMPLEXES : 0)}},
                     .modest = true};
    if (recipes[i].sparse) {
      kernel.constraints[1].attr = "Tindices";
      kernel.constraints[1].types = indices;
    }
    for (int j = 0; j < recipes[i].variables; ++j) kernel.host_args[j] = recipes[i].inputs[j];
    register_kernels(&kernel, 1);
  }
}
