// PJRT's C API as each number had it.
#ifndef TENON_ABI_PJRT_HISTORY_H_
#define TENON_ABI_PJRT_HISTORY_H_

#include "abi/compare.h"
#include "tenon/status.h"

// The newest number whose layout is known in full. Not all before it need to be: a header that was
// imported may be several numbers newer than the one before.
int tn_abi_pjrt_newest(void);
bool tn_abi_pjrt_knows(int minor);

// Fills `out` (zero bytes) with the last header of 0.`minor`; minor 0 is the last one without a
// number. False with OUT_OF_RANGE when the tables know no such number.
bool tn_abi_pjrt_model(int minor, tn_abi_model* out, tn_status* status);

// The same for one state of the header: a number that was withdrawn and came again has several
// issues, a header that changed under its number several states. Both count from 1.
bool tn_abi_pjrt_state_model(int minor, int issue, int state, tn_abi_model* out, tn_status* status);

// The number of issues of 0.`minor` and of states within one; 0 when there is none.
int tn_abi_pjrt_issues(int minor);
int tn_abi_pjrt_states(int minor, int issue);

// Appends what only the history tells of the numbers after `before`'s up to `after`'s: numbers that
// were withdrawn and came again, handles whose first word was given a meaning. Nothing when a side
// is no PJRT header with a number that the tables know.
void tn_abi_pjrt_carried(const tn_abi_model* before, const tn_abi_model* after,
                         tn_abi_differences* out);

#endif  // TENON_ABI_PJRT_HISTORY_H_
