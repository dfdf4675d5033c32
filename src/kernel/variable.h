// Variables: a tensor that kernels assign to, behind a lock. A resource variable is reached through
// a resource handle (resource.h); a reference variable (TensorFlow 1) through the variable itself,
// which then stands as the one element of a RESOURCE tensor wherever a node takes or gives a
// reference.
#ifndef TENON_KERNEL_VARIABLE_H_
#define TENON_KERNEL_VARIABLE_H_

#include <stdatomic.h>

#include "base/status.h"
#include "tensor/tensor.h"

// A reader's lock that outlasts the call that took it.
typedef struct tn_variable_hold {
  struct tn_variable_hold* next;
  const void* thread;
} tn_variable_hold;

typedef struct tn_variable {
  tn_object object;
  // Guards `value`: the number of readers, or -1 for a writer. Unlike a lock of pthreads it may be
  // given back by another thread than the one that took it, as asynchronous kernels do.
  atomic_int lock;
  atomic_int waiting;
  _Atomic(const void*) writer;  // names its thread
  atomic_flag listing;          // guards `holds`
  tn_variable_hold* holds;
  tn_dtype dtype;
  tn_tensor* value;  // NULL: not initialised
  // Once true, readers get copies, so that sparse updates may write to `value` under a shared lock.
  atomic_bool copy_on_read;
} tn_variable;

extern const tn_object_type tn_variable_type;

// Without a value; one reference, the caller's.
tn_variable* tn_variable_create(tn_dtype dtype, tn_status* status);
static inline void tn_variable_unref(tn_variable* variable) {
  if (variable) tn_object_unref(&variable->object);
}

// False and FAILED_PRECONDITION when this thread would wait for itself: it is the writer already,
// or wants to be and holds a reader's lock.
bool tn_variable_lock(tn_variable* variable, bool shared, tn_status* status);
void tn_variable_unlock(tn_variable* variable);
// Notes that the reader's lock that this thread has just taken is kept, and, before it is given
// back, that it no longer is.
void tn_variable_hold_begin(tn_variable* variable, tn_variable_hold* hold);
void tn_variable_hold_end(tn_variable* variable, tn_variable_hold* hold);

// A handle on the value or, with copy_on_read, on a copy of it. FAILED_PRECONDITION when there is
// none.
tn_tensor* tn_variable_read(tn_variable* variable, tn_status* status);
// The value becomes `value`, whose handle is taken. The lock is held.
void tn_variable_set(tn_variable* variable, tn_tensor* value);

// The variable that a tensor refers to, borrowed; NULL when the tensor is not a reference.
tn_variable* tn_variable_referred(const tn_tensor* tensor);
// A scalar RESOURCE tensor that refers to `variable`; owned by the caller.
tn_tensor* tn_variable_reference(tn_variable* variable, tn_status* status);
// The type an op sees: the tensor's own or, for a reference, its variable's as a reference type.
tn_dtype tn_value_dtype(const tn_tensor* tensor);

#endif  // TENON_KERNEL_VARIABLE_H_
