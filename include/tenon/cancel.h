// Ending runs early.
#ifndef TENON_CANCEL_H_
#define TENON_CANCEL_H_

#include "tenon/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// A wish to end runs early: made once, given to any number of runs, asked for from anywhere. Stays
// asked. Belongs to whoever made it.
typedef struct tn_cancel tn_cancel;

// Makes one that nobody has asked yet. Owned by the caller until tn_cancel_destroy; NULL and
// RESOURCE_EXHAUSTED without memory.  [any thread]  since 0.1
tn_cancel* tn_cancel_create(tn_status* status);

// Frees one that no run has any more; NULL is fine. The caller's pointer is dead afterwards.
// [one thread per token]  since 0.1
void tn_cancel_destroy(tn_cancel* cancel);

// Asks all runs that have it to end, now and later; does not wait for them. NULL is fine. Borrows
// it. Safe in a signal handler.  [any thread]  since 0.1
void tn_cancel_request(tn_cancel* cancel);

// Whether that was asked; false for NULL. Borrows it.  [any thread]  since 0.1
bool tn_cancel_requested(const tn_cancel* cancel);

#ifdef __cplusplus
}
#endif
#endif  // TENON_CANCEL_H_
