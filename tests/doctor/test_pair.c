#include "doctor/pair.h"
#include "harness.h"

#define PLUGIN TENON_BUILD_DIR "/tests/seed/plugin_v5.so"

static bool pair_once(void* arg, tn_status* status) {
  tn_pair_findings findings = {0};
  const bool done = tn_pair_check(arg, &findings, status);
  const bool found = findings.count == 1 && strcmp(findings.items[0].member, "SE_Device.data") == 0;
  tn_pair_findings_deinit(&findings);
  CHECK(!done || found);
  return done;
}

TEST(the_dangerous_member_is_found_by_tables_and_by_debug_information) {
  const tn_pair by_tables = {"seed==v3", PLUGIN, NULL, NULL};
  const tn_pair by_debug_information = {"seed==v3", PLUGIN, "Plugin_CreateDevice:SE_Device", NULL};
  tn_status* status = tn_status_create();
  CHECK(pair_once((void*)&by_tables, status));
  CHECK(pair_once((void*)&by_debug_information, status));
  tn_status_destroy(status);
}

TEST(no_memory_for_a_pair_is_a_status) {
  const tn_pair pair = {"seed==v3", PLUGIN, NULL, NULL};
  CHECK(test_sweep_allocations(pair_once, (void*)&pair) > 5);
}
