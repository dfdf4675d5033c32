#include "doctor/pair.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "doctor/inspect.h"

typedef struct meeting {
  const tn_abi_contract* contract;
  tn_pair_findings* out;
} meeting;

static void take_fact(const char* key, const char* value, void* arg) {
  const meeting* meeting = arg;
  tn_pair_findings* out = meeting->out;
  const char* dot = strchr(value, '.');
  if (strcmp(key, "null_member") != 0 || !dot) return;
  char owner[128];
  snprintf(owner, sizeof owner, "%.*s", (int)(dot - value), value);
  const tn_member_use use = tn_abi_contract_use(meeting->contract, owner, dot + 1);
  if (use != TN_USE_CHECKED && use != TN_USE_TRUSTED) return;
  if (!tn_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items)) {
    out->failed = true;
    return;
  }
  tn_pair_finding* finding = &out->items[out->count++];
  snprintf(finding->member, sizeof finding->member, "%s", value);
  finding->use = use;
  out->dangerous += use == TN_USE_TRUSTED;
}

bool tn_pair_check(const char* host, const char* path, tn_pair_findings* out, tn_status* status) {
  enum { LIMIT_MS = 60000 };
  tn_abi_contract contract = {.host = ""};
  const meeting meeting = {&contract, out};
  bool done = tn_abi_contract_get(host, &contract, status) &&
              tn_inspect_loaded(path, LIMIT_MS, take_fact, (void*)&meeting, status);
  if (done && out->failed) {
    tn_status_set_no_memory(status, "pairing a host and a plugin");
    done = false;
  }
  tn_abi_contract_deinit(&contract);
  return done;
}

void tn_pair_findings_deinit(tn_pair_findings* findings) {
  tn_free(findings->items);
  *findings = (tn_pair_findings){0};
}
