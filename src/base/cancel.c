#include "base/cancel.h"

#include "base/memory.h"
#include "base/status.h"

tn_cancel* tn_cancel_create(tn_status* status) {
  tn_cancel* cancel = tn_alloc_zeroed(1, sizeof *cancel);
  if (!cancel) tn_status_set_no_memory(status, "making a token to cancel runs with");
  return cancel;
}

void tn_cancel_destroy(tn_cancel* cancel) { tn_free(cancel); }

void tn_cancel_request(tn_cancel* cancel) {
  if (cancel) atomic_store_explicit(&cancel->requested, true, memory_order_relaxed);
}

bool tn_cancel_requested(const tn_cancel* cancel) { return tn_cancel_asked(cancel); }
