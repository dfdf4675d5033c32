// A kernel chosen and made for one use of an op. Kernels that are registered or rolled back later
// may change the choice: it is looked at again when the registry has changed, and only then.
#ifndef TENON_EXEC_PREPARED_H_
#define TENON_EXEC_PREPARED_H_

#include "kernel/run_context.h"

typedef struct tn_prepared {
  _Atomic(tn_kernel_instance*) instance;
  _Atomic uint64_t generation;  // of the registry, when the choice was made
  tn_device* device;            // the one asked for
  bool falls_back;              // to the CPU's kernels, where the device has none
} tn_prepared;

// Chooses and makes the kernel of `op` with `attrs` for inputs of these types.
bool tn_prepare(tn_prepared* prepared, const tn_op_def* op, tn_device* device, bool falls_back,
                const tn_attrs* attrs, const tn_dtype* types, size_t type_count, tn_status* status);
void tn_prepared_deinit(tn_prepared* prepared);

// The instance, or NULL when the choice has to be looked at again.  [any thread]
static inline const tn_kernel_instance* tn_prepared_instance(tn_prepared* prepared) {
  if (atomic_load_explicit(&prepared->generation, memory_order_acquire) !=
      tn_kernel_registry_generation())
    return NULL;
  return atomic_load_explicit(&prepared->instance, memory_order_acquire);
}
// Chooses again, with the same attrs and types; of several threads that find a better kernel one
// puts it in place. NULL and a status when nothing fits any more.  [any thread]
const tn_kernel_instance* tn_prepared_renew(tn_prepared* prepared, tn_status* status);

// Types of inputs, as ops see them; false and INVALID_ARGUMENT for a NULL among them.
bool tn_types_of(tn_tensor* const* inputs, size_t count, tn_dtype* out_types, tn_status* status);
// Whether the inputs have these types.
static inline bool tn_types_match(const tn_dtype* types, tn_tensor* const* inputs, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!inputs[i] || inputs[i]->dtype != types[i]) return false;
  return true;
}

#endif  // TENON_EXEC_PREPARED_H_
