// Parses the one-line specs that op builders take: attrs ("T: {float, int32} = DT_FLOAT") and
// arguments ("values: N * T"). Grammar: docs/op-specs.md.
#ifndef TENON_OP_SPEC_PARSER_H_
#define TENON_OP_SPEC_PARSER_H_

#include "op/op_def.h"

// Fills the zeroed `attr` or `arg` of `op`, whose arena owns the texts; an argument may refer to
// the attrs of `op` and gives those that are its length a minimum of 1. What is wrong with the spec
// is appended to `errors` as one line; `errors` has failed when memory was short.
void tn_spec_parse_attr(tn_op_def* op, tn_attr_def* attr, tn_view spec, tn_text* errors);
void tn_spec_parse_arg(tn_op_def* op, tn_arg_def* arg, bool is_output, tn_view spec,
                       tn_text* errors);

// The type that specs call `name`; TN_INVALID when there is none.
tn_dtype tn_spec_dtype(tn_view name);

#endif  // TENON_OP_SPEC_PARSER_H_
