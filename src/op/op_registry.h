// The process's one registry of ops. Finding takes no lock; definitions found stay valid for ever.
#ifndef TENON_OP_OP_REGISTRY_H_
#define TENON_OP_OP_REGISTRY_H_

#include "op/op_builder.h"

// Takes `op` in every case and notes tn_origin_current() in it. An identical op again is fine (the
// first stays); a different one of that name is ALREADY_EXISTS and says what differs.
bool tn_op_registry_add(tn_op_def* op, tn_status* status);
// Finishes `builder`, adds what it made and destroys the builder in every case.
bool tn_op_register(tn_op_builder* builder, tn_status* status);

// NULL when there is none. The host's own ops are registered at the first call of any function
// here.
const tn_op_def* tn_op_registry_find(const char* name);
// Like find, with NOT_FOUND and the nearest names in the message.
const tn_op_def* tn_op_registry_get(const char* name, tn_status* status);
// In order of registration; `visit` returns false to stop.
void tn_op_registry_each(bool (*visit)(const tn_op_def* op, void* arg), void* arg);
// OpList of all ops.
bool tn_op_registry_encode(tn_text* out, tn_status* status);

// Ops that this origin asked to register, also those that were there already and identical.
size_t tn_op_registry_count_origin(const tn_origin* origin);
// Takes back what this origin asked for. An op goes when nobody else asked for the same one; what
// was found before stays valid.
void tn_op_registry_remove_origin(const tn_origin* origin);

#endif  // TENON_OP_OP_REGISTRY_H_
