// TensorFlow's plugin C API as each release had it.
#ifndef TENON_ABI_TF_HISTORY_H_
#define TENON_ABI_TF_HISTORY_H_

#include "abi/model.h"
#include "tenon/status.h"

// The releases that the tables know, oldest first: "2.3", "2.4", ...
size_t tn_abi_tf_count(void);
const char* tn_abi_tf_release(size_t index);

// True when a column of releases ("2.5-2.8,2.11-", "-" for none) covers `release`.
bool tn_abi_tf_covers(const char* releases, const char* release);

// The first release whose libraries export the function; NULL for one that none does.
const char* tn_abi_tf_since(const char* function);
// The later of two releases; NULL is before all.
const char* tn_abi_tf_later(const char* a, const char* b);

// Fills `out` (zero bytes) with the structs and constants of the release's headers and with the C
// functions that its libraries export. False with NOT_FOUND for a release that the tables lack.
bool tn_abi_tf_model(const char* release, tn_abi_model* out, tn_status* status);

#endif  // TENON_ABI_TF_HISTORY_H_
