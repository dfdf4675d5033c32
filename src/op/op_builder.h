// Collects the specs of an op and turns them into a definition. Grammar: docs/op-specs.md.
#ifndef TENON_OP_OP_BUILDER_H_
#define TENON_OP_OP_BUILDER_H_

#include "op/op_def.h"

typedef struct TF_OpDefinitionBuilder tn_op_builder;

// NULL when out of memory. A later failed allocation is remembered and reported by finish.
tn_op_builder* tn_op_builder_create(const char* op_name);
void tn_op_builder_destroy(tn_op_builder* builder);

void tn_op_builder_attr(tn_op_builder* builder, const char* spec);
void tn_op_builder_input(tn_op_builder* builder, const char* spec);
void tn_op_builder_output(tn_op_builder* builder, const char* spec);
void tn_op_builder_commutative(tn_op_builder* builder, bool value);
void tn_op_builder_aggregate(tn_op_builder* builder, bool value);
void tn_op_builder_stateful(tn_op_builder* builder, bool value);
void tn_op_builder_allows_uninitialized_input(tn_op_builder* builder, bool value);
void tn_op_builder_distributed_communication(tn_op_builder* builder, bool value);
void tn_op_builder_deprecated(tn_op_builder* builder, int version, const char* explanation);
void tn_op_builder_shape_function(tn_op_builder* builder, tn_shape_function function);

// Parses all specs (attrs first, then inputs, then outputs) and validates the whole. Owned by the
// caller until tn_op_def_destroy or until a registry takes it. All parse errors are reported in one
// INVALID_ARGUMENT, each with the spec, the position and the op (texts: tf_c_api 2.6).
tn_op_def* tn_op_builder_finish(tn_op_builder* builder, tn_status* status);

#endif  // TENON_OP_OP_BUILDER_H_
