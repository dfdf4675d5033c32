// Calls that foreign code is to make once. What it gets is a number, not an address: a second call
// with it, however late, or a call with one that never was, is seen and ignored.
#ifndef TENON_BASE_ONE_CALL_H_
#define TENON_BASE_ONE_CALL_H_

#include <stdbool.h>

// NULL without memory. `function` may be NULL for a call that is taken.  [any thread]
void* tn_one_call_create(void (*function)(void* arg), void* arg);
// The call comes in: its `arg`, to which it then belongs; false, with nothing done, for one that
// was made or taken back.  [any thread]
bool tn_one_call_take(void* call, void** arg);
// Takes the call back; false when it was made already.  [any thread]
bool tn_one_call_cancel(void* call);
// Makes the call; false as with tn_one_call_take.  [any thread]
bool tn_one_call_run(void* call);

#endif  // TENON_BASE_ONE_CALL_H_
