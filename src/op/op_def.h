// What an op is: its arguments, attributes and flags. Made by an op builder, never changed after.
#ifndef TENON_OP_OP_DEF_H_
#define TENON_OP_OP_DEF_H_

#include "base/arena.h"
#include "base/origin.h"
#include "op/attr_value.h"

struct TF_ShapeInferenceContext;
typedef void (*tn_shape_function)(struct TF_ShapeInferenceContext* context, tn_status* status);

// Exactly one of type (fixed), type_attr, type_list_attr says the type; number_attr, when set,
// makes it a list of that many of the same type.
typedef struct tn_arg_def {
  char* name;
  tn_dtype type;
  char* type_attr;
  char* number_attr;
  char* type_list_attr;
  bool is_ref;
} tn_arg_def;

typedef struct tn_attr_def {
  char* name;
  tn_attr_kind kind;
  bool is_list;
  bool has_minimum;
  int64_t minimum;
  tn_attr_value default_value;  // kind TN_ATTR_NONE and not a list: no default
  tn_attr_value allowed;        // a list of types or strings; count 0: anything
} tn_attr_def;

typedef struct tn_op_def {
  char* name;
  tn_arg_def* inputs;
  size_t input_count;
  tn_arg_def* outputs;
  size_t output_count;
  tn_attr_def* attrs;
  size_t attr_count;
  bool is_commutative, is_aggregate, is_stateful, allows_uninitialized_input;
  bool is_distributed_communication;
  int deprecation_version;
  char* deprecation_explanation;     // NULL: not deprecated
  tn_shape_function shape_function;  // NULL: shapes are unknown
  const tn_origin* origin;           // who registered it; NULL: the host itself
  tn_arena arena;                    // owns the names and arrays
  struct tn_op_def* next_removed;    // the registry's own
} tn_op_def;

void tn_op_def_destroy(tn_op_def* op);
const tn_attr_def* tn_op_def_find_attr(const tn_op_def* op, const char* name);
bool tn_attr_def_has_default(const tn_attr_def* attr);
// Same definition (the shape function and origin aside).
bool tn_op_def_equal(const tn_op_def* a, const tn_op_def* b);
// Writes the first thing that differs, as "input 1 is 'y: T' in one and 'y: float' in the other";
// nothing when they are equal.
void tn_op_def_difference(const tn_op_def* a, const tn_op_def* b, tn_text* out);
// OpDef.
bool tn_op_def_encode(const tn_op_def* op, tn_text* out, tn_status* status);
// "Name(x: T, y: N * float) -> (z: T)" and attrs, for messages: "Op<name=...; signature=...>".
void tn_op_def_print(const tn_op_def* op, tn_text* out);

#endif  // TENON_OP_OP_DEF_H_
