#include "base/origin.h"

#include "base/status.h"

static _Thread_local const tn_origin* current_origin;

const tn_origin* tn_origin_current(void) { return current_origin; }

const tn_origin* tn_origin_enter(const tn_origin* origin) {
  const tn_origin* before = current_origin;
  current_origin = origin;
  return before;
}

void tn_origin_note_failure(const tn_status* failure) {
  if (current_origin) tn_status_update(current_origin->failure, failure);
}

void tn_origin_note_no_memory(const char* doing) {
  tn_status status = {0};
  tn_status_set_no_memory(&status, doing);
  tn_origin_note_failure(&status);
  tn_status_deinit(&status);
}
