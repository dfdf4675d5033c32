// Telling of differences: to people, to programs, to a code review.
#ifndef TENON_TOOLS_TENON_ABI_REPORT_H_
#define TENON_TOOLS_TENON_ABI_REPORT_H_

#include "abi/policy.h"

typedef struct report {
  const char *before, *after, *changelog;  // as they were given; `changelog` may be NULL
  const tn_abi_policy* policy;
  const tn_abi_differences* differences;
  const tn_abi_verdict* verdict;
  const char* unjudged;  // a C++ class whose functions nobody looked at, or NULL
} report;

void report_to_people(const report* report);
void report_as_json(const report* report);
// Workflow commands, which GitHub shows on the line they speak of.
void report_to_github(const report* report);

#endif  // TENON_TOOLS_TENON_ABI_REPORT_H_
