// What a plugin leaves behind in the process while it is loaded or set up: signal handlers, which
// are put back, and threads, which are counted.
#ifndef TENON_PLUGIN_GUARD_H_
#define TENON_PLUGIN_GUARD_H_

#include "base/text.h"

typedef struct tn_guard {
  int threads;
} tn_guard;

// Remembers the handlers of all signals. Guards may overlap, within a thread and across threads:
// handlers are put back when the last one ends.  [any thread]
void tn_guard_begin(tn_guard* guard);

// Puts back the handlers that have changed, and appends to `notes`, one fact a line, that `during`
// ("PJRT_Client_Create") changed them and how many threads it started.  [any thread]
void tn_guard_end(const tn_guard* guard, const char* during, tn_text* notes);

#endif  // TENON_PLUGIN_GUARD_H_
