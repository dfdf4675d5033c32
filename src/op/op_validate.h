// Rules that a definition, and a value for one of its attrs, must keep.
#ifndef TENON_OP_OP_VALIDATE_H_
#define TENON_OP_OP_VALIDATE_H_

#include "op/op_def.h"

// The first rule that `op` breaks, as INVALID_ARGUMENT.
bool tn_op_def_validate(const tn_op_def* op, tn_status* status);
// Type, minimum and allowed values.
bool tn_attr_validate(const tn_attr_def* attr, const tn_attr_value* value, tn_status* status);
// The type alone; an empty list passes as a list of anything.
bool tn_attr_value_has_type(const tn_attr_value* value, tn_attr_kind kind, bool is_list,
                            tn_status* status);

#endif  // TENON_OP_OP_VALIDATE_H_
