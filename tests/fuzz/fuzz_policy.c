// Any bytes as a policy file: a status, or a class for every kind of difference.
#include <string.h>

#include "abi/policy.h"
#include "base/status.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_status status = {0};
  tn_abi_policy policy;
  if (tn_abi_policy_get(memory_file(data, size), &policy, &status) != tn_ok(&status)) abort();
  for (int kind = 0; kind < TN_ABI_DIFFERENCE_KINDS; ++kind)
    if (policy.classes[kind] > TN_ABI_ILLEGAL ||
        strlen(tn_abi_advice(&policy, (tn_abi_difference_kind)kind)) == 0)
      abort();
  if (strlen(policy.prefix) >= sizeof policy.prefix) abort();
  tn_status_deinit(&status);
  return 0;
}
