// Definitions back to the specs that people write: the inverse of the spec parser.
#ifndef TENON_OP_SPEC_PRINTER_H_
#define TENON_OP_SPEC_PRINTER_H_

#include "op/op_def.h"

// "values: N * T", "ref: Ref(T)".
void tn_arg_def_print(const tn_arg_def* arg, tn_text* out);
// "T: {float, int32} = DT_FLOAT", "N: int >= 2". Defaults print as tn_attr_value_print does.
void tn_attr_def_print(const tn_attr_def* attr, tn_text* out);

#endif  // TENON_OP_SPEC_PRINTER_H_
