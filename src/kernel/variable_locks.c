// Holding the locks of several variables. All kernels take them in the order of the variables'
// addresses, so no two can wait for each other.
#include "base/memory.h"
#include "kernel/run_variable.h"

typedef struct entry {
  tn_variable* variable;  // a reference is held
  tn_variable_hold hold;  // for readers
} entry;

struct TF_VariableInputLockHolder {
  size_t count, locked;
  bool shared;
  entry entries[];  // ascending, each variable once
};

static void insert(tn_variable_locks* locks, tn_variable* variable) {
  size_t at = 0;
  entry* entries = locks->entries;
  while (at < locks->count && (uintptr_t)entries[at].variable < (uintptr_t)variable) ++at;
  if (at < locks->count && entries[at].variable == variable) {
    tn_variable_unref(variable);
    return;
  }
  memmove(&entries[at + 1], &entries[at], (locks->count - at) * sizeof *entries);
  entries[at].variable = variable;
  ++locks->count;
}

static bool needs_locks(tn_run_context* context, const int* inputs, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (context->instance->node->input_types[inputs[i]] == TN_RESOURCE) return true;
  return false;
}

static bool collect(tn_run_context* context, tn_variable_locks* locks, bool sparse, int input,
                    tn_copy_function copy, tn_status* status) {
  tn_variable* variable = tn_run_variable(context, input, NULL);
  if (!variable) {
    tn_status_set(status, TN_INTERNAL, "Invalid variable reference. (input %d of node '%s')", input,
                  context->instance->node->name);
    return false;
  }
  bool is_resource = !tn_variable_referred(context->inputs[input]);
  bool ready = !sparse || !is_resource ||
               tn_variable_allow_sparse(context, variable, false, false, copy, status);
  if (ready)
    insert(locks, variable);
  else
    tn_variable_unref(variable);
  return ready;
}

static bool lock_all(tn_variable_locks* locks, tn_status* status) {
  for (; locks->locked < locks->count; ++locks->locked) {
    entry* entry = &locks->entries[locks->locked];
    if (!tn_variable_lock(entry->variable, locks->shared, status)) return false;
    if (locks->shared) tn_variable_hold_begin(entry->variable, &entry->hold);
  }
  return true;
}

tn_variable_locks* tn_run_lock_variables(tn_run_context* context, bool do_lock, bool sparse,
                                         const int* inputs, size_t count, tn_copy_function copy,
                                         tn_status* status) {
  tn_status why = {0};
  bool done = context && (inputs || count == 0);
  if (!done) tn_status_set(&why, TN_INVALID_ARGUMENT, "locking needs a context and input indices");
  for (size_t i = 0; done && i < count; ++i) done = tn_run_has_input(context, inputs[i], &why);
  tn_variable_locks* locks =
      done ? tn_alloc_zeroed(1, sizeof *locks + count * sizeof *locks->entries) : NULL;
  if (done && !locks) {
    tn_status_set_no_memory(&why, "locking variables");
    done = false;
  }
  if (done && (do_lock || needs_locks(context, inputs, count))) {
    for (size_t i = 0; done && i < count; ++i)
      done = collect(context, locks, sparse, inputs[i], copy, &why);
    locks->shared = !do_lock;
    done = done && lock_all(locks, &why);
  }
  if (tn_run_conclude(context, done, &why, status)) return locks;
  tn_variable_locks_release(locks);
  return NULL;
}

void tn_variable_locks_release(tn_variable_locks* locks) {
  if (!locks) return;
  for (size_t i = 0; i < locks->count; ++i) {
    entry* entry = &locks->entries[i];
    if (i < locks->locked) {
      if (locks->shared) tn_variable_hold_end(entry->variable, &entry->hold);
      tn_variable_unlock(entry->variable);
    }
    tn_variable_unref(entry->variable);
  }
  tn_free(locks);
}
