// Any bytes as a contract file: a status, or a use for whatever is asked.
#include <string.h>

#include "abi/contract.h"
#include "base/status.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_status status = {0};
  tn_abi_contract contract = {.host = ""};
  if (tn_abi_contract_get(memory_file(data, size), &contract, &status) != tn_ok(&status)) abort();
  // What the first row speaks of, and what none does.
  char owner[64] = "", member[64] = "";
  if (contract.text.data) sscanf(contract.text.data, "%63s %63s", owner, member);
  const tn_member_use uses[] = {tn_abi_contract_use(&contract, owner, member),
                                tn_abi_contract_use(&contract, "SP_Platform", "no_such_member")};
  for (int i = 0; i < 2; ++i)
    if (uses[i] > TN_USE_TRUSTED || strlen(tn_member_use_name(uses[i])) == 0) abort();
  tn_abi_contract_deinit(&contract);
  tn_status_deinit(&status);
  return 0;
}
