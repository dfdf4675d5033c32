// Variables, as resources and as references.
#include "op/builtin/family.h"

static void var_handle_shape(tn_inference* c, tn_status* status) {
  tn_dtype dtype;
  tn_shapes_from_attr(c, status);
  if (!tn_ok(status) || !tn_infer_attr_type(c, "dtype", &dtype, status)) return;
  tn_infer_set_handle(c, 0, dtype, c->outputs[0]);
  tn_infer_set_output(c, 0, tn_infer_scalar(c));
}

static void read_variable_shape(tn_inference* c, tn_status* status) {
  tn_infer_set_output(c, 0, tn_shapes_variable(c, status));
}

static void assign_variable_shape(tn_inference* c, tn_status* status) {
  tn_infer_merge(c, tn_shapes_variable(c, status), tn_infer_input(c, 1), status);
}

static void variable_shape_shape(tn_inference* c, tn_status* status) {
  tn_infer_set_output(c, 0, tn_infer_vector(c, tn_shapes_resource(c, 0)->rank, status));
}

static void assign_shape(tn_inference* c, tn_status* status) {
  bool validate;
  if (!tn_infer_attr_bool(c, "validate_shape", &validate, status)) return;
  if (validate)
    tn_shapes_merged(c, status);
  else
    tn_infer_set_output(c, 0, tn_infer_input(c, 1));
}

const tn_builtin_op tn_state_ops[] = {
    {"VarHandleOp", "", "resource: resource",
     "container: string = ''; shared_name: string = ''; debug_name: string = ''; dtype: type; "
     "shape: shape; allowed_devices: list(string) = []",
     var_handle_shape},
    {"ReadVariableOp", "resource: resource", "value: dtype", "dtype: type", read_variable_shape},
    {"AssignVariableOp", "resource: resource; value: dtype", "",
     "dtype: type; validate_shape: bool = false", assign_variable_shape},
    {"AssignAddVariableOp AssignSubVariableOp", "resource: resource; value: dtype", "",
     "dtype: type", assign_variable_shape},
    {"VarIsInitializedOp", "resource: resource", "is_initialized: bool", "", tn_shapes_scalar},
    {"VariableShape", "input: resource", "output: out_type", "out_type: " INDEX_32,
     variable_shape_shape},
    {"DestroyResourceOp", "resource: resource", "", "ignore_lookup_error: bool = true", NULL},
    {"VariableV2", "", "ref: Ref(dtype)",
     "shape: shape; dtype: type; container: string = ''; shared_name: string = ''",
     tn_shapes_from_attr, TN_OP_STATEFUL},
    {"Assign", "ref: Ref(T); value: T", "output_ref: Ref(T)",
     "T: type; validate_shape: bool = true; use_locking: bool = true", assign_shape,
     TN_OP_UNINITIALIZED_INPUT},
    {"AssignAdd AssignSub", "ref: Ref(T); value: T", "output_ref: Ref(T)",
     "T: numbertype; use_locking: bool = false", tn_shapes_merged},
    {"IsVariableInitialized", "ref: Ref(dtype)", "is_initialized: bool", "dtype: type",
     tn_shapes_scalar, TN_OP_UNINITIALIZED_INPUT},
    {0},
};
