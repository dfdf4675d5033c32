// Registered kernels: who computes which op on which device, for which types.
#ifndef TENON_KERNEL_KERNEL_H_
#define TENON_KERNEL_KERNEL_H_

#include <stdatomic.h>

#include "base/origin.h"
#include "base/pool.h"
#include "op/node.h"

struct TF_OpKernelContext;
struct TF_OpKernelConstruction;
struct TF_AsyncOpKernelDoneCallback;
typedef struct TF_OpKernelContext tn_run_context;
typedef struct TF_OpKernelConstruction tn_construction;
typedef struct TF_AsyncOpKernelDoneCallback tn_done_callback;
typedef struct TF_KernelBuilder tn_kernel_builder;

// What a kernel accepts (KernelDef).
typedef struct tn_constraint {
  char* attr;
  tn_attr_value allowed;  // a list, as a rule of types
} tn_constraint;

typedef struct tn_kernel_def {
  char* op;
  char* device_type;
  char* label;  // "" by default
  int32_t priority;
  tn_constraint* constraints;
  size_t constraint_count, constraint_capacity;
  char** host_memory_args;
  size_t host_memory_count, host_memory_capacity;
} tn_kernel_def;

void tn_kernel_def_deinit(tn_kernel_def* def);
bool tn_kernel_def_copy(tn_kernel_def* target, const tn_kernel_def* source, tn_status* status);
// Pieces of one, copied; false when out of memory. A new constraint allows nothing yet.
bool tn_kernel_def_set(char** field, tn_view text);
tn_constraint* tn_kernel_def_add_constraint(tn_kernel_def* def, tn_view attr);
bool tn_kernel_def_add_host_memory(tn_kernel_def* def, tn_view arg);

void tn_kernel_def_encode(const tn_kernel_def* def, tn_text* out);
bool tn_kernel_def_decode(tn_kernel_def* def, tn_view bytes, tn_status* status);
// "device='CPU'; label='x'; T in [DT_FLOAT]"
void tn_kernel_def_print(const tn_kernel_def* def, tn_text* out);

// A built-in kernel on plain tensors: outputs are allocated before the call, with the shapes that
// the op's shape function gives. No contexts, no handles to make and delete.
typedef struct tn_lean_call {
  const tn_tensor* const* inputs;
  tn_tensor* const* outputs;
  void* state;
  tn_pool* pool;
  tn_status* status;
} tn_lean_call;
typedef void (*tn_lean_compute)(const tn_lean_call* call);

typedef struct tn_kernel_functions {
  void* (*create)(tn_construction* construction);  // may be NULL
  void (*compute)(void* state, tn_run_context* context);
  void (*compute_async)(void* state, tn_run_context* context, tn_done_callback* done);
  void (*destroy)(void* state);  // may be NULL
  tn_lean_compute lean;          // built-in kernels: instead of compute
} tn_kernel_functions;

// A registered kernel. Never changed, never freed while the process lives.
typedef struct tn_kernel {
  char* name;  // what its author called it
  tn_kernel_def def;
  tn_kernel_functions functions;
  const tn_origin* origin;
  // The registry's own.
  atomic_bool removed;              // rolled back with its origin
  _Atomic(struct tn_kernel*) next;  // in order of registration
  _Atomic(struct tn_kernel*) next_of_op;
} tn_kernel;

// The file a kernel came from, "tenon" for a built-in one.
static inline const char* tn_kernel_file(const tn_kernel* kernel) {
  return kernel->origin ? kernel->origin->path : "tenon";
}

// The builder behind TF_KernelBuilder. A failed allocation is remembered and reported at
// registration.
struct TF_KernelBuilder {
  tn_kernel_def def;
  tn_kernel_functions functions;
  bool failed;
  bool taken;  // registered or refused: what is left is an empty shell that nobody frees
  int labels;  // times a label was set
  struct TF_KernelBuilder* next_taken;
};
tn_kernel_builder* tn_kernel_builder_create(const char* op, const char* device_type,
                                            const tn_kernel_functions* functions);
void tn_kernel_builder_destroy(tn_kernel_builder* builder);
// UNIMPLEMENTED for types that TensorFlow's function refuses (tf_c_api 3.1).
bool tn_kernel_builder_constrain(tn_kernel_builder* builder, const char* attr, tn_dtype type,
                                 tn_status* status);
void tn_kernel_builder_host_memory(tn_kernel_builder* builder, const char* arg);
void tn_kernel_builder_priority(tn_kernel_builder* builder, int32_t priority);
// A second label is remembered and refused at registration, where there is a status.
void tn_kernel_builder_label(tn_kernel_builder* builder, const char* label);

// The process's one registry. Lookups take no lock.
// Takes `builder` in every case; after it a tn_kernel_builder_destroy of the same pointer by a
// plugin must stay harmless (TensorFlow's own tests do that): see kernel_registry.c.
bool tn_kernel_registry_add(tn_kernel_builder* builder, const char* name, tn_status* status);
// The same with a serialized KernelDef in place of what the builder says; bytes that are none are
// INVALID_ARGUMENT.
bool tn_kernel_registry_add_with_def(tn_kernel_builder* builder, const char* name, tn_view def,
                                     tn_status* status);
// Counts registrations and roll-backs: as long as it stands still, what was selected still holds.
extern _Atomic uint64_t tn_kernel_generation;
static inline uint64_t tn_kernel_registry_generation(void) {
  return atomic_load_explicit(&tn_kernel_generation, memory_order_acquire);
}
// The kernels of `op`, first registered first, rolled-back ones left out; NULL at the end.
const tn_kernel* tn_kernel_registry_first(const char* op);
const tn_kernel* tn_kernel_registry_next(const tn_kernel* kernel);
void tn_kernel_registry_each(bool (*visit)(const tn_kernel* kernel, void* arg), void* arg);
// KernelList of one op's kernels, or of all (op NULL).
bool tn_kernel_registry_encode(const char* op, tn_text* out, tn_status* status);
size_t tn_kernel_registry_count_origin(const tn_origin* origin);
void tn_kernel_registry_remove_origin(const tn_origin* origin);

// The kernel for `node` on `device_type`. Every constraint must hold; the highest priority wins; a
// tie is INVALID_ARGUMENT and names both; nothing is NOT_FOUND and lists every near miss with what
// kept it out. Kernels for device type "DEFAULT" are tried last.
const tn_kernel* tn_kernel_select(const tn_node* node, const char* device_type, tn_status* status);

#endif  // TENON_KERNEL_KERNEL_H_
