// A host and a plugin that will crash together, found before they meet.
#ifndef TENON_DOCTOR_PAIR_H_
#define TENON_DOCTOR_PAIR_H_

#include "abi/contract.h"

// A member that the plugin leaves null and the host trusts or checks.
typedef struct tn_pair_finding {
  char member[128];  // "SP_PlatformFns.get_device_count"
  tn_member_use use;
} tn_pair_finding;

// Zero bytes are none.
typedef struct tn_pair_findings {
  tn_pair_finding* items;
  size_t count, capacity, dangerous;  // dangerous: trusted ones
  bool failed;
} tn_pair_findings;

// Loads the plugin at `path` in a child process and holds what it leaves null against the host's
// contract (abi/contract.h). False when either cannot be read.  [any thread]
bool tn_pair_check(const char* host, const char* path, tn_pair_findings* out, tn_status* status);
void tn_pair_findings_deinit(tn_pair_findings* findings);

#endif  // TENON_DOCTOR_PAIR_H_
