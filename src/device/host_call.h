// Calls that a plugin is to make once. What it gets is a number, not an address: a second call with
// it, or a call with one that never was, is seen and ignored.
#ifndef TENON_DEVICE_HOST_CALL_H_
#define TENON_DEVICE_HOST_CALL_H_

#include <stdbool.h>

// NULL without memory.  [any thread]
void* tn_host_call_create(void (*function)(void* arg), void* arg);
// Takes the call back; false when it was made already.  [any thread]
bool tn_host_call_cancel(void* call);
// Makes the call; false, with nothing done, for one that was made or taken back.  [any thread]
bool tn_host_call_run(void* call);

#endif  // TENON_DEVICE_HOST_CALL_H_
