// Which plugins a caller wants.
#ifndef TENON_PJRT_HOST_POLICY_H_
#define TENON_PJRT_HOST_POLICY_H_

#include "tenon/pjrt.h"

// Copies the fields that `given` has and fills in defaults; NULL is all defaults. False when they
// ask for what there is not.
bool tn_pjrt_options_read(const tn_pjrt_open_options* given, tn_pjrt_open_options* out,
                          tn_status* status);

// False when the options do not want a plugin of 0.`minor`; the status says until when they would
// have.
bool tn_pjrt_policy_check(const tn_pjrt_open_options* options, const char* path, int minor,
                          tn_status* status);

#endif  // TENON_PJRT_HOST_POLICY_H_
