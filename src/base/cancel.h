// A wish to end a run early: one flag, which whoever works looks at now and then.
#ifndef TENON_BASE_CANCEL_H_
#define TENON_BASE_CANCEL_H_

#include <stdatomic.h>
#include <stdbool.h>

#include "tenon/cancel.h"

struct tn_cancel {
  atomic_bool requested;
};

// False for NULL. One load, for loops: relaxed, since nothing is handed over with the wish.
// [any thread]
static inline bool tn_cancel_asked(const tn_cancel* cancel) {
  return cancel && atomic_load_explicit(&cancel->requested, memory_order_relaxed);
}

#endif  // TENON_BASE_CANCEL_H_
