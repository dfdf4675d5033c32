// What a plugin leaves behind in the process while it is loaded or set up: signal handlers, the
// working directory and the mode of floating point numbers, which are put back, and threads, which
// are counted.
#ifndef TENON_PLUGIN_GUARD_H_
#define TENON_PLUGIN_GUARD_H_

#include <fenv.h>
#include <stdint.h>

#include "base/text.h"

typedef struct tn_guard {
  int threads;
  fenv_t floats;
  uint64_t float_mode;  // what of it a plugin may not change
} tn_guard;

// What was found when a guard ended.
typedef struct tn_guard_found {
  int threads;        // more than before
  int signals;        // whose handlers had changed
  char numbers[128];  // theirs: "11 15"
  char stay[64];      // of these, the ones that keep the plugin's handler: "27"
  bool directory;     // it was another
  bool floats;        // were rounded or cut otherwise, in this thread
} tn_guard_found;

// Remembers the handlers of all signals and the working directory. Guards may overlap, within a
// thread and across threads: what the process has is put back when the last one ends. A handler
// stays where there was none and the signal is one that a plugin sends itself, such as a
// profiler's: the next of these would end the process. [any thread]
void tn_guard_begin(tn_guard* guard);

// Ends a guard and tells what was found.  [the thread that began it]
tn_guard_found tn_guard_stop(const tn_guard* guard);

// The same in words: appends to `notes`, one fact a line, that `during` ("PJRT_Client_Create")
// changed handlers and started threads.  [the thread that began it]
void tn_guard_end(const tn_guard* guard, const char* during, tn_text* notes);

#endif  // TENON_PLUGIN_GUARD_H_
