// A host and a plugin that will crash together, found before they meet.
#ifndef TENON_DOCTOR_PAIR_H_
#define TENON_DOCTOR_PAIR_H_

#include "abi/contract.h"

// A member that the plugin leaves null and the host trusts or checks; one that the plugin's
// struct_size cuts in two and the host uses; or a struct whose layout is another on either side.
typedef struct tn_pair_finding {
  char member[128];  // "SP_PlatformFns.get_device_count"
  tn_member_use use;
  bool cut;
  char moved[256];  // "": its layout is the same
} tn_pair_finding;

// Zero bytes are none.
typedef struct tn_pair_findings {
  tn_pair_finding* items;
  size_t count, capacity, dangerous;  // dangerous: trusted ones
  bool failed;
  char looked_at[512];  // the structs that the plugin fills and the host reads; "": there are none
} tn_pair_findings;

// Who is to meet.
typedef struct tn_pair {
  const char* host;    // as abi/contract.h has it
  const char* plugin;  // its file
  // For an interface of one's own: "FUNCTION:STRUCT", a function of the plugin that takes nothing
  // and gives a pointer to a versioned struct, and a layout file with that struct, unless the
  // plugin's debug information tells. With neither, the entry points and structs of TensorFlow and
  // PJRT; for a host of the versioning example, those of that.
  const char *create, *layout;
} tn_pair;

// Loads the plugin in a child process and holds what it leaves null, of what its struct_size
// covers, against the host's contract. False when either cannot be read.  [any thread]
bool tn_pair_check(const tn_pair* pair, tn_pair_findings* out, tn_status* status);
void tn_pair_findings_deinit(tn_pair_findings* findings);

#endif  // TENON_DOCTOR_PAIR_H_
