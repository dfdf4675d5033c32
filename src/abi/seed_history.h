// The example of seed 000, a device struct in five versions, as an interface with a history.
#ifndef TENON_ABI_SEED_HISTORY_H_
#define TENON_ABI_SEED_HISTORY_H_

#include "abi/model.h"
#include "tenon/status.h"

#define TN_ABI_SEED_NEWEST "v5"

// What a plugin of the example exports: a function without parameters that gives such a struct.
#define TN_ABI_SEED_CREATE "Plugin_CreateDevice:SE_Device"

// Fills `out` (zero bytes) with version "v1" to "v5", whose
// numbers are 0.1 to 0.5. False with NOT_FOUND for any other.
bool tn_abi_seed_model(const char* version, tn_abi_model* out, tn_status* status);

#endif  // TENON_ABI_SEED_HISTORY_H_
