#include "kernel/variable.h"

#include "base/futex.h"
#include "base/memory.h"
#include "device/transfer.h"

static void destroy_variable(tn_object* object) {
  tn_variable* variable = (tn_variable*)object;
  tn_tensor_destroy(variable->value);
  tn_free(variable);
}

const tn_object_type tn_variable_type = {"tensorflow::Var", destroy_variable};

tn_variable* tn_variable_create(tn_dtype dtype, tn_status* status) {
  tn_variable* variable = tn_alloc_zeroed(1, sizeof *variable);
  if (!variable) {
    tn_status_set_no_memory(status, "making a variable");
    return NULL;
  }
  variable->object = (tn_object){.references = 1, .type = &tn_variable_type};
  atomic_flag_clear(&variable->listing);
  variable->dtype = dtype;
  return variable;
}

static _Thread_local char self;  // its address is this thread's name

static void lock_list(tn_variable* variable) {
  while (atomic_flag_test_and_set_explicit(&variable->listing, memory_order_acquire)) {
  }
}

static void unlock_list(tn_variable* variable) {
  atomic_flag_clear_explicit(&variable->listing, memory_order_release);
}

void tn_variable_hold_begin(tn_variable* variable, tn_variable_hold* hold) {
  lock_list(variable);
  *hold = (tn_variable_hold){variable->holds, &self};
  variable->holds = hold;
  unlock_list(variable);
}

void tn_variable_hold_end(tn_variable* variable, tn_variable_hold* hold) {
  lock_list(variable);
  tn_variable_hold** at = &variable->holds;
  while (*at != hold) at = &(*at)->next;
  *at = hold->next;
  unlock_list(variable);
}

// Whether this thread waits for ever when it waits for a lock that was seen as `seen`.
static bool waits_for_itself(tn_variable* variable, int seen) {
  if (seen < 0) return atomic_load_explicit(&variable->writer, memory_order_relaxed) == &self;
  lock_list(variable);
  tn_variable_hold* hold = variable->holds;
  while (hold && hold->thread != &self) hold = hold->next;
  unlock_list(variable);
  return hold != NULL;
}

bool tn_variable_lock(tn_variable* variable, bool shared, tn_status* status) {
  for (int seen = atomic_load(&variable->lock);;) {
    if (seen == 0 || (shared && seen > 0)) {
      if (!atomic_compare_exchange_weak(&variable->lock, &seen, shared ? seen + 1 : -1)) continue;
      if (!shared) atomic_store_explicit(&variable->writer, &self, memory_order_relaxed);
      return true;
    }
    if (waits_for_itself(variable, seen)) {
      tn_status_set(status, TN_FAILED_PRECONDITION,
                    "this thread holds the variable's lock already and would wait for itself");
      return false;
    }
    atomic_fetch_add(&variable->waiting, 1);
    tn_futex_wait(&variable->lock, seen);
    atomic_fetch_sub(&variable->waiting, 1);
    seen = atomic_load(&variable->lock);
  }
}

void tn_variable_unlock(tn_variable* variable) {
  int left = 0;
  if (atomic_load_explicit(&variable->lock, memory_order_relaxed) < 0) {
    atomic_store_explicit(&variable->writer, NULL, memory_order_relaxed);
    atomic_store(&variable->lock, 0);
  } else {
    left = atomic_fetch_sub(&variable->lock, 1) - 1;
  }
  if (left == 0 && atomic_load(&variable->waiting)) tn_futex_wake(&variable->lock, INT_MAX);
}

tn_tensor* tn_variable_read(tn_variable* variable, tn_status* status) {
  if (!tn_variable_lock(variable, true, status)) return NULL;
  tn_tensor* value = NULL;
  if (!variable->value)
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "the variable has no value yet; assign one before it is read");
  else if (atomic_load(&variable->copy_on_read))
    value = tn_tensor_duplicate(variable->value, NULL, status);
  else
    value = tn_tensor_share(variable->value, status);
  tn_variable_unlock(variable);
  return value;
}

void tn_variable_set(tn_variable* variable, tn_tensor* value) {
  tn_tensor_destroy(variable->value);
  variable->value = value;
}

tn_variable* tn_variable_referred(const tn_tensor* tensor) {
  if (!tensor || tensor->dtype != TN_RESOURCE) return NULL;
  tn_object* object = tn_tensor_object(tensor);
  return object && object->type == &tn_variable_type ? (tn_variable*)object : NULL;
}

tn_tensor* tn_variable_reference(tn_variable* variable, tn_status* status) {
  return tn_tensor_of_object(TN_RESOURCE, tn_object_ref(&variable->object), status);
}

tn_dtype tn_value_dtype(const tn_tensor* tensor) {
  const tn_variable* variable = tn_variable_referred(tensor);
  return variable ? (tn_dtype)(variable->dtype + TN_REF_OFFSET) : tn_tensor_dtype(tensor);
}
