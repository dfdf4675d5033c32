#include "base/status.h"
#include "harness.h"
#include "pjrt/host/plugin.h"

#define PLUGIN TENON_BUILD_DIR "/tests/plugins/bare_pjrt.so"

static tn_pjrt_open_options options_of(uint32_t policy) {
  tn_pjrt_open_options options = TN_INIT(tn_pjrt_open_options);
  options.policy = policy;
  return options;
}

// Opens a plugin of 0.90 (of 2026-01-16).
static bool opens(const tn_pjrt_open_options* options, tn_status* status) {
  setenv("BARE_PLUGIN", "minor=90 size=1064", 1);
  tn_pjrt* plugin = tn_pjrt_open(PLUGIN, options, status);
  tn_pjrt_close(plugin);
  return plugin != NULL;
}

TEST(test_any_number_is_taken_unless_said_otherwise) {
  tn_status* status = tn_status_create();
  const tn_pjrt_open_options any = options_of(TN_PJRT_ANY);
  CHECK(opens(NULL, status) && opens(&any, status));
  CHECK_OK(status);
  tn_status_destroy(status);
}

TEST(test_a_window_refuses_what_it_no_longer_covers) {
  tn_status* status = tn_status_create();
  tn_pjrt_open_options window = options_of(TN_PJRT_WINDOW);
  window.as_of = "2026-11-15";
  CHECK(!opens(&window, status));
  CHECK_CONTAINS(tn_status_message(status), PLUGIN ": it has PJRT 0.90");
  CHECK_CONTAINS(tn_status_message(status), "a window of 12 weeks");
  CHECK_CONTAINS(tn_status_message(status), "days too late");
  CHECK_INT(tn_status_fault(status), TN_FAULT_PLUGIN);
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  window.window_weeks = 520;
  CHECK(opens(&window, status));
  window.window_weeks = 6;
  CHECK(!opens(&window, status));
  CHECK_CONTAINS(tn_status_message(status), "a window of 6 weeks");
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  // On the day itself, and before it began, when the plugin is the newer side.
  window.as_of = "2026-01-20";
  CHECK(opens(&window, status));
  window.as_of = "2024-01-01";
  CHECK(opens(&window, status));
  CHECK_OK(status);
  tn_status_destroy(status);
}

TEST(test_equality_names_both_numbers_and_the_older_side) {
  tn_status* status = tn_status_create();
  tn_pjrt_open_options equal = options_of(TN_PJRT_EQUAL);
  CHECK(!opens(&equal, status));
  CHECK_CONTAINS(
      tn_status_message(status),
      "it has PJRT 0.90, this host has 0.117, and the policy asks for equal numbers; the "
      "plugin is the older side");
  CHECK_INT(tn_status_fault(status), TN_FAULT_PLUGIN);
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  equal.as_host = 89;
  CHECK(!opens(&equal, status));
  CHECK_CONTAINS(tn_status_message(status), "this host acts as 0.89");
  CHECK_INT(tn_status_fault(status), TN_FAULT_HOST);
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  equal.as_host = 90;
  CHECK(opens(&equal, status));
  CHECK_OK(status);
  tn_status_destroy(status);
}

TEST(test_options_of_opening_that_ask_for_nothing_known_are_refused) {
  tn_status* status = tn_status_create();
  tn_pjrt_open_options wrong[9];
  for (int i = 0; i < 9; ++i) wrong[i] = options_of(TN_PJRT_ANY);
  wrong[0].policy = 3;
  wrong[1].as_of = "yesterday";
  wrong[2].as_host = 27;
  wrong[3].as_host = 118;
  wrong[4].as_host = 56;
  wrong[5].as_host = -1;
  wrong[6].window_weeks = 100000;
  wrong[7].ext = wrong;
  wrong[8].struct_size = 8;
  for (int i = 0; i < 9; ++i) {
    CHECK(!opens(&wrong[i], status));
    CHECK_CONTAINS(tn_status_message(status), "tn_pjrt_open_options");
    CHECK_INT(tn_status_fault(status), TN_FAULT_CALLER);
    CHECK_CODE(status, TN_INVALID_ARGUMENT);
  }
  // What a shorter struct does not have is as if it were zero.
  tn_pjrt_open_options shorter = options_of(TN_PJRT_ANY);
  shorter.struct_size = 24;
  shorter.as_host = 12;
  CHECK(opens(&shorter, status));
  CHECK_OK(status);
  tn_status_destroy(status);
}

TEST(test_a_host_of_another_number_uses_nothing_newer) {
  tn_status* status = tn_status_create();
  tn_pjrt_open_options options = options_of(TN_PJRT_ANY);
  options.as_host = 60;
  setenv("BARE_PLUGIN", "minor=90 size=1064", 1);
  tn_pjrt* plugin = tn_pjrt_open(PLUGIN, &options, status);
  CHECK_OK(status);
  CHECK(tn_pjrt_has(plugin, "PJRT_Client_CreateBuffersForAsyncHostToDevice"));       // 0.60
  CHECK(!tn_pjrt_has(plugin, "PJRT_AsyncHostToDeviceTransferManager_BufferCount"));  // 0.62
  TN_PJRT_ARGS(plugin, PJRT_Event_Create_Args, args, );
  CHECK_INT(args->struct_size, 0);
  CHECK(!TN_PJRT_CALL(plugin, PJRT_Event_Create, args, status));
  CHECK_TEXT(tn_status_message(status),
             "PJRT_Event_Create requires PJRT 0.89; this host acts as 0.60 (as_host, the older "
             "side)");
  CHECK_INT(tn_status_fault(status), TN_FAULT_HOST);
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  // It sends 24 where plugins since 0.71 want 32: attributes are not to be had, and that is told.
  CHECK_INT(tn_pjrt_values_count(tn_pjrt_attributes(plugin)), 0);
  CHECK_CONTAINS(tn_pjrt_notes(plugin),
                 "PJRT_Plugin_Attributes: INVALID_ARGUMENT: Unexpected PJRT_Plugin_Attributes_Args "
                 "size: expected 32, got 24");
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}

TEST(test_a_plugin_newer_than_the_host_is_taken_with_a_note) {
  tn_status* status = tn_status_create();
  setenv("BARE_PLUGIN", "minor=130 size=1192", 1);
  tn_pjrt* plugin = tn_pjrt_open(PLUGIN, NULL, status);
  CHECK_OK(status);
  CHECK_CONTAINS(tn_pjrt_notes(plugin),
                 "it has PJRT 0.130, newer than what this host knows (0.117)");
  CHECK(tn_pjrt_has(plugin, "PJRT_TopologyDescription_GetMemorySpaceKindIds"));
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
}
