// What every TF_* entry point shares. Entry points check arguments and make one call down; they
// hold no state.
#ifndef TENON_TF_ENTRY_H_
#define TENON_TF_ENTRY_H_

#include "base/status.h"
#include "base/text.h"
#include "tensorflow/c/tf_buffer.h"

// TensorFlow's functions leave an OK status behind when they succeed, ours touch it only on
// failure: an entry point that may succeed clears it first.
static inline void tf_begin(tn_status* status) {
  if (!tn_ok(status)) tn_status_clear(status);
}

// INVALID_ARGUMENT "TF_X: <what> is NULL" when it is. For arguments that TensorFlow would
// dereference.
static inline bool tf_given(const void* argument, const char* function, const char* what,
                            tn_status* status) {
  if (argument) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "%s: %s is NULL", function, what);
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return false;
}
#define TF_GIVEN(argument, status) tf_given(argument, __func__, #argument, status)

// The bytes written to `text` as a new TF_Buffer, when `written` is true. Empties `text` in every
// case.
TF_Buffer* tf_buffer_of(tn_text* text, bool written, tn_status* status);
// Moves `bytes` (from tn_text_take) into a new TF_Buffer; NULL and RESOURCE_EXHAUSTED without
// memory, also when `bytes` is NULL. Takes `bytes` in every case.
TF_Buffer* tf_buffer_take(char* bytes, size_t size, tn_status* status);
// The same into an empty buffer of the caller's.
bool tf_buffer_fill(TF_Buffer* buffer, char* bytes, size_t size, tn_status* status);

#endif  // TENON_TF_ENTRY_H_
