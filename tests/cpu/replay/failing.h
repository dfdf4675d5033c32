// Memory that runs out on demand: for what libtenon, libtenon_tf and the plugin ask for while a
// case runs. Not in sanitized builds, which have an allocator of their own.
#ifndef TENON_TESTS_CPU_REPLAY_FAILING_H_
#define TENON_TESTS_CPU_REPLAY_FAILING_H_

#include <stdbool.h>

// Finds out which addresses are theirs; after the plugin has been loaded. False: not in this build.
bool failing_prepare(void);
// The n-th allocation from now (0 is the next) fails, once; negative: none.
void failing_at(long nth);
// True when it has come to that.
bool failing_happened(void);
// Blocks of the whole process that are alive.
long failing_alive(void);

#endif  // TENON_TESTS_CPU_REPLAY_FAILING_H_
