// Equal, NotEqual, Select, SelectV2, ClipByValue; and what strings have of arithmetic.

#include <stdlib.h>
#include <string.h>

#include "cpu/arithmetic.h"
#include "elementwise.h"
#include "strings.h"

#define TYPE TN_CPU_TYPE
#define QUANTIZED \
  (TYPE(TN_QINT8) | TYPE(TN_QUINT8) | TYPE(TN_QINT16) | TYPE(TN_QUINT16) | TYPE(TN_QINT32))

// Elements of string tensors, wherever the walk over a broadcast shape stands.
typedef struct string_walk {
  const broadcast* plan;
  int inputs;
  int64_t index[TN_CPU_MAX_RANK], at[TN_CPU_MAX_INPUTS];
} string_walk;

static void walk_begin(string_walk* walk, const broadcast* plan, int inputs) {
  walk->plan = plan;
  walk->inputs = inputs;
  for (int i = 0; i < plan->rank; ++i) walk->index[i] = 0;
  for (int k = 0; k < inputs; ++k) walk->at[k] = 0;
}

static void walk_on(string_walk* walk) {
  const broadcast* plan = walk->plan;
  for (int i = plan->rank - 1; i >= 0; --i) {
    for (int k = 0; k < walk->inputs; ++k) walk->at[k] += plan->strides[k][i];
    if (++walk->index[i] < plan->dims[i]) return;
    for (int k = 0; k < walk->inputs; ++k) walk->at[k] -= plan->dims[i] * plan->strides[k][i];
    walk->index[i] = 0;
  }
}

static bool append(run* run, TF_TString* to, const TF_TString* x, const TF_TString* y) {
  const size_t size = TF_TString_GetSize(x);
  char* text = resize_string(run, to, size + TF_TString_GetSize(y));
  if (!text) return false;
  memcpy(text, TF_TString_GetDataPointer(x), size);
  memcpy(text + size, TF_TString_GetDataPointer(y), TF_TString_GetSize(y));
  return true;
}

static bool equal(const TF_TString* x, const TF_TString* y) {
  const size_t size = TF_TString_GetSize(x);
  return size == TF_TString_GetSize(y) &&
         memcmp(TF_TString_GetDataPointer(x), TF_TString_GetDataPointer(y), size) == 0;
}

static void add_strings(void* state, TF_OpKernelContext* context) {
  run run;
  array in[2], out;
  broadcast plan;
  string_walk walk;
  run_begin(&run, context, "Add");
  run_may_stop(&run);
  if (run_input(&run, 0, &in[0]) && run_input(&run, 1, &in[1]) &&
      plan_broadcast(&run, in, 2, &plan) && run_output(&run, 0, plan.rank, plan.dims, &out)) {
    const TF_TString *x = in[0].data, *y = in[1].data;
    TF_TString* to = out.data;
    walk_begin(&walk, &plan, 2);
    for (int64_t i = 0; i < out.count && append(&run, &to[i], &x[walk.at[0]], &y[walk.at[1]]); ++i)
      walk_on(&walk);
  }
  run_end(&run);
}

static void compare_strings(const array* in, const broadcast* plan, bool wanted, array* out) {
  const TF_TString *x = in[0].data, *y = in[1].data;
  bool* to = out->data;
  string_walk walk;
  walk_begin(&walk, plan, 2);
  for (int64_t i = 0; i < out->count; ++i, walk_on(&walk))
    to[i] = equal(&x[walk.at[0]], &y[walk.at[1]]) == wanted;
}

typedef struct equal_state {
  bool strict;  // shapes that do not broadcast are a mistake, not a difference
} equal_state;

static void* equal_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "Equal");
  const equal_state state = {attr_bool(&attrs, "incompatible_shape_error")};
  return attrs_end(&attrs, &state, sizeof state);
}

static bool broadcasts(const array* x, const array* y) {
  for (int back = 1; back <= x->rank && back <= y->rank; ++back) {
    const int64_t a = x->dims[x->rank - back], b = y->dims[y->rank - back];
    if (a != b && a != 1 && b != 1) return false;
  }
  return true;
}

static void compare(const elementwise* op, const equal_state* state, TF_OpKernelContext* context) {
  run run;
  array in[2], out;
  broadcast plan;
  const bool wanted = op->code == TN_CPU_EQUAL;
  run_begin_launching(&run, context, op->op);
  run_may_stop(&run);
  if (!run_input(&run, 0, &in[0]) || !run_input(&run, 1, &in[1])) {
    // Reported at the end.
  } else if (!state->strict && !broadcasts(&in[0], &in[1])) {
    run_wait(&run);
    if (run_output(&run, 0, 0, NULL, &out)) *(bool*)out.data = !wanted;
  } else if (in[0].dtype != TN_STRING) {
    elementwise_apply(&run, op, in, 2, NULL);
  } else if (plan_broadcast(&run, in, 2, &plan) &&
             run_output(&run, 0, plan.rank, plan.dims, &out)) {
    compare_strings(in, &plan, wanted, &out);
  }
  run_end(&run);
}

static void compute_equal(void* state, TF_OpKernelContext* context) {
  static const elementwise op = {"Equal", tn_cpu_arithmetic, TN_CPU_EQUAL, BROADCAST, TF_OK};
  compare(&op, state, context);
}
static void compute_not_equal(void* state, TF_OpKernelContext* context) {
  static const elementwise op = {"NotEqual", tn_cpu_arithmetic, TN_CPU_NOT_EQUAL, BROADCAST, TF_OK};
  compare(&op, state, context);
}

// Inputs are condition, x, y, and a plan for them.
static void choose(run* run, array* in, const broadcast* plan) {
  array out;
  if (in[1].dtype != TN_STRING) {
    const tn_cpu_loop loop = tn_cpu_select(TF_DataTypeSize((TF_DataType)in[1].dtype));
    if (run_output_or_forward(run, 3, 0, plan->rank, plan->dims, &out))
      zip_broadcast(run, loop, in, plan, out.data);
    return;
  }
  if (!run_output(run, 0, plan->rank, plan->dims, &out)) return;
  const bool* condition = in[0].data;
  const TF_TString *x = in[1].data, *y = in[2].data;
  TF_TString* to = out.data;
  string_walk walk;
  walk_begin(&walk, plan, 3);
  for (int64_t i = 0; i < out.count; ++i, walk_on(&walk))
    if (!copy_string(run, &to[i], condition[walk.at[0]] ? &x[walk.at[1]] : &y[walk.at[2]])) return;
}

static void compute_select_v2(void* state, TF_OpKernelContext* context) {
  run run;
  array in[3];
  broadcast plan;
  run_begin_launching(&run, context, "SelectV2");
  run_may_stop(&run);
  if (run_input(&run, 0, &in[0]) && run_input(&run, 1, &in[1]) && run_input(&run, 2, &in[2]) &&
      plan_broadcast(&run, in, 3, &plan))
    choose(&run, in, &plan);
  run_end(&run);
}

// The condition has the others' shape, or is a scalar, or a vector that chooses along their first
// dimension: it is given dimensions of 1 to broadcast so.
static bool check_select(run* run, array* in) {
  char texts[2][SHAPE_TEXT];
  const char* then = shape_text(in[1].rank, in[1].dims, texts[0]);
  if (!same_shape(&in[1], &in[2])) {
    run_fail(run, TF_INVALID_ARGUMENT, "inputs t %s and e %s must have the same shape", then,
             shape_text(in[2].rank, in[2].dims, texts[1]));
    return false;
  }
  array* condition = &in[0];
  if (condition->rank == 0 || same_shape(condition, &in[1])) return true;
  if (condition->rank == 1 && in[1].rank > 0 && condition->dims[0] == in[1].dims[0]) {
    condition->rank = in[1].rank;
    for (int i = 1; i < condition->rank; ++i) condition->dims[i] = 1;
    return true;
  }
  run_fail(run, TF_INVALID_ARGUMENT,
           "input condition %s must have the shape of t %s, or be a scalar, or a vector as long as "
           "t's first dimension",
           shape_text(condition->rank, condition->dims, texts[1]), then);
  return false;
}

static void compute_select(void* state, TF_OpKernelContext* context) {
  run run;
  array in[3];
  broadcast plan;
  run_begin_launching(&run, context, "Select");
  run_may_stop(&run);
  if (run_input(&run, 0, &in[0]) && run_input(&run, 1, &in[1]) && run_input(&run, 2, &in[2]) &&
      check_select(&run, in) && plan_broadcast(&run, in, 3, &plan))
    choose(&run, in, &plan);
  run_end(&run);
}

static void compute_clip(void* state, TF_OpKernelContext* context) {
  run run;
  array in[3], out;
  broadcast plan;
  char texts[2][SHAPE_TEXT];
  static const char* const names[] = {"t", "clip_value_min", "clip_value_max"};
  run_begin_launching(&run, context, "ClipByValue");
  run_may_stop(&run);
  for (int k = 0; k < 3 && run_input(&run, k, &in[k]); ++k)
    if (k && in[k].rank && !same_shape(&in[0], &in[k]))
      run_fail(&run, TF_INVALID_ARGUMENT, "input %s %s must be a scalar or have the shape of t %s",
               names[k], shape_text(in[k].rank, in[k].dims, texts[0]),
               shape_text(in[0].rank, in[0].dims, texts[1]));
  if (run_ok(&run) && plan_broadcast(&run, in, 3, &plan) &&
      run_output_or_forward(&run, 3, 0, plan.rank, plan.dims, &out))
    zip_broadcast(&run, tn_cpu_arithmetic(TN_CPU_CLIP, in[0].dtype), in, &plan, out.data);
  run_end(&run);
}

void register_conditions(void) {
  const tn_cpu_types comparable = TN_CPU_NUMBERS | QUANTIZED | TYPE(TN_BOOL) | TYPE(TN_STRING);
  const tn_cpu_types movable = TN_CPU_NUMBERS | TYPE(TN_BOOL) | TYPE(TN_STRING);
  const kernel kernels[] = {
      {.op = "Add", .compute = add_strings, .constraints = {{"T", TYPE(TN_STRING)}}},
      {.op = "Equal",
       .create = equal_create,
       .compute = compute_equal,
       .destroy = free,
       .constraints = {{"T", comparable}}},
      {.op = "NotEqual",
       .create = equal_create,
       .compute = compute_not_equal,
       .destroy = free,
       .constraints = {{"T", comparable}}},
      {.op = "Select", .compute = compute_select, .constraints = {{"T", movable}}},
      {.op = "SelectV2", .compute = compute_select_v2, .constraints = {{"T", movable}}},
      {.op = "ClipByValue", .compute = compute_clip, .constraints = {{"T", TN_CPU_NUMBERS}}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
