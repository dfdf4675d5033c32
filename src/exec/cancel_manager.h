// A token that also runs callbacks when it is asked: what the TFE_* functions call a cancellation
// manager.
#ifndef TENON_EXEC_CANCEL_MANAGER_H_
#define TENON_EXEC_CANCEL_MANAGER_H_

#include <stdint.h>

#include "base/cancel.h"

typedef struct TFE_CancellationManager tn_cancel_manager;

// NULL when out of memory. Owned by the caller.  [any thread, here and below]
tn_cancel_manager* tn_cancel_manager_create(void);
// Callbacks that are left run first, as in TensorFlow: who registered them waits for that. NULL is
// fine.
void tn_cancel_manager_destroy(tn_cancel_manager* manager);

// The token, for runs; lives as long as the manager.
const tn_cancel* tn_cancel_manager_token(const tn_cancel_manager* manager);
// Asks the token, then runs the callbacks on this thread; returns at once when that was done before
// or is being done.
void tn_cancel_manager_start(tn_cancel_manager* manager);
bool tn_cancel_manager_is_cancelling(tn_cancel_manager* manager);
bool tn_cancel_manager_is_cancelled(tn_cancel_manager* manager);

// Numbers to register callbacks by; each is given once.
int64_t tn_cancel_manager_next(tn_cancel_manager* manager);
// False when a cancel has started, or without memory. Takes the place of a callback of that number.
bool tn_cancel_manager_register(tn_cancel_manager* manager, int64_t number, void (*run)(void* arg),
                                void* arg);
// True when the callback of that number will not run. False once a cancel has started; with `wait`
// not before all callbacks have run, unless one of them asks.
bool tn_cancel_manager_deregister(tn_cancel_manager* manager, int64_t number, bool wait);

#endif  // TENON_EXEC_CANCEL_MANAGER_H_
