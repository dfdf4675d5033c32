// PJRT's C API as each number had it.
#ifndef TENON_ABI_PJRT_HISTORY_H_
#define TENON_ABI_PJRT_HISTORY_H_

#include "abi/model.h"
#include "tenon/status.h"

// The newest number whose layout is known in full.
int tn_abi_pjrt_newest(void);

// Fills `out` (zero bytes) with the last header of 0.`minor`; minor 0 is the last one without a
// number. False with OUT_OF_RANGE when the tables know no such number.
bool tn_abi_pjrt_model(int minor, tn_abi_model* out, tn_status* status);

// The same for one state of the header: a number that was withdrawn and came again has several
// issues, a header that changed under its number several states. Both count from 1.
bool tn_abi_pjrt_state_model(int minor, int issue, int state, tn_abi_model* out, tn_status* status);

// The number of issues of 0.`minor` and of states within one; 0 when there is none.
int tn_abi_pjrt_issues(int minor);
int tn_abi_pjrt_states(int minor, int issue);

#endif  // TENON_ABI_PJRT_HISTORY_H_
