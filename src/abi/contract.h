// What a host does with the members that a plugin fills in: seed 000's dangerous pair is a host
// that follows a pointer without a look, and a plugin that leaves it null.
#ifndef TENON_ABI_CONTRACT_H_
#define TENON_ABI_CONTRACT_H_

#include "base/text.h"
#include "tenon/status.h"

typedef enum tn_member_use {
  TN_USE_IGNORED,   // never looked at, or not known
  TN_USE_OPTIONAL,  // does without
  TN_USE_CHECKED,   // refused when null
  TN_USE_TRUSTED,   // followed without a look: null is a crash
} tn_member_use;
const char* tn_member_use_name(tn_member_use use);

// A host's habits. Zero bytes are one that ignores everything.
typedef struct tn_abi_contract {
  char host[64];
  tn_text text;  // rows of "struct<tab>member<tab>use"
} tn_abi_contract;

// "tensorflow==2.21", "seed==v4", or a file of such rows (# begins a comment). A host of the seed
// may be followed by "+validate" (looks at a pointer before it follows it) and "+deprecated" (still
// uses members that its version deprecates).
bool tn_abi_contract_get(const char* name, tn_abi_contract* out, tn_status* status);
void tn_abi_contract_deinit(tn_abi_contract* contract);

tn_member_use tn_abi_contract_use(const tn_abi_contract* contract, const char* owner,
                                  const char* member);

// Whether the host is said to do anything with a struct of that name.
bool tn_abi_contract_reads(const tn_abi_contract* contract, const char* owner);

#endif  // TENON_ABI_CONTRACT_H_
