// Optimiser steps. They differ in their slots and rates; the rules for shapes are the same.
#include "op/builtin/family.h"

// Variables and slots have one shape, indices are a vector, everything else is a scalar. The
// gradient is like its variable; as in TensorFlow, only the kernel looks whether that of a resource
// is.
static void apply_shape(tn_inference* c, tn_status* status) {
  const tn_op_def* op = c->node->op;
  tn_shape_ref shape = tn_infer_unknown(c);
  for (int i = 0; i < (int)op->input_count && shape; ++i) {
    const tn_arg_def* arg = &op->inputs[i];
    bool is_gradient = strcmp(arg->name, "grad") == 0;
    if (i == 8 && strcmp(op->name, "ResourceApplyFtrlV2") == 0) continue;  // as in TensorFlow
    if (arg->type == TN_RESOURCE)
      shape = tn_infer_merge(c, shape, tn_shapes_resource(c, i), status);
    else if (arg->is_ref || strcmp(arg->name, "delta") == 0 ||
             (is_gradient && op->inputs[0].is_ref))
      shape = tn_infer_merge(c, shape, tn_infer_input(c, i), status);
    else if (!is_gradient && !tn_shapes_input_rank(c, i, strcmp(arg->name, "indices") == 0, status))
      return;
  }
  if (c->node->output_count) tn_infer_set_output(c, 0, shape);
}

#define LOCKING "T: numbertype; use_locking: bool = false"
#define SPARSE "T: numbertype; Tindices: " INDEX "; use_locking: bool = false"
#define NESTEROV "; use_nesterov: bool = false"
#define UPDATE_SLOTS "; update_slots: bool = true"
#define ADAM "beta1_power: T; beta2_power: T; lr: T; beta1: T; beta2: T; epsilon: T; grad: T"

const tn_builtin_op tn_training_ops[] = {
    {"ApplyGradientDescent", "var: Ref(T); alpha: T; delta: T", "out: Ref(T)", LOCKING,
     apply_shape},
    {"ApplyAdam", "var: Ref(T); m: Ref(T); v: Ref(T); " ADAM, "out: Ref(T)", LOCKING NESTEROV,
     apply_shape},
    {"ResourceApplyGradientDescent", "var: resource; alpha: T; delta: T", "", LOCKING, apply_shape},
    {"ResourceApplyAdam", "var: resource; m: resource; v: resource; " ADAM, "", LOCKING NESTEROV,
     apply_shape},
    {"ResourceApplyAdamWithAmsgrad",
     "var: resource; m: resource; v: resource; vhat: resource; " ADAM, "", LOCKING, apply_shape},
    {"ResourceApplyMomentum ResourceApplyKerasMomentum",
     "var: resource; accum: resource; lr: T; grad: T; momentum: T", "", LOCKING NESTEROV,
     apply_shape},
    {"ResourceApplyAdagrad", "var: resource; accum: resource; lr: T; grad: T", "",
     LOCKING UPDATE_SLOTS, apply_shape},
    {"ResourceApplyAdagradV2", "var: resource; accum: resource; lr: T; epsilon: T; grad: T", "",
     LOCKING UPDATE_SLOTS, apply_shape},
    {"ResourceApplyAdadelta",
     "var: resource; accum: resource; accum_update: resource; lr: T; rho: T; epsilon: T; grad: T",
     "", LOCKING, apply_shape},
    {"ResourceApplyRMSProp",
     "var: resource; ms: resource; mom: resource; lr: T; rho: T; momentum: T; epsilon: T; grad: T",
     "", LOCKING, apply_shape},
    {"ResourceApplyCenteredRMSProp",
     "var: resource; mg: resource; ms: resource; mom: resource; lr: T; rho: T; momentum: T; "
     "epsilon: T; grad: T",
     "", LOCKING, apply_shape},
    {"ResourceApplyFtrl",
     "var: resource; accum: resource; linear: resource; grad: T; lr: T; l1: T; l2: T; lr_power: T",
     "", LOCKING "; multiply_linear_by_lr: bool = false", apply_shape},
    {"ResourceApplyFtrlV2",
     "var: resource; accum: resource; linear: resource; grad: T; lr: T; l1: T; l2: T; "
     "l2_shrinkage: T; lr_power: T",
     "", LOCKING "; multiply_linear_by_lr: bool = false", apply_shape},
    {"ResourceSparseApplyMomentum ResourceSparseApplyKerasMomentum",
     "var: resource; accum: resource; lr: T; grad: T; indices: Tindices; momentum: T", "",
     SPARSE NESTEROV, apply_shape},
    {"ResourceSparseApplyAdagradV2",
     "var: resource; accum: resource; lr: T; epsilon: T; grad: T; indices: Tindices", "",
     SPARSE UPDATE_SLOTS, apply_shape},
    {"ResourceSparseApplyAdagrad",
     "var: resource; accum: resource; lr: T; grad: T; indices: Tindices", "", SPARSE UPDATE_SLOTS,
     apply_shape},
    {0},
};
