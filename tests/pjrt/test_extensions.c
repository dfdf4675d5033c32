#include "base/status.h"
#include "harness.h"
#include "pjrt/host/plugin.h"

#define PLUGIN TENON_BUILD_DIR "/tests/plugins/bare_pjrt.so"

static tn_pjrt* open_as(const char* how, int as_host) {
  const tn_pjrt_open_options options = {.struct_size = tn_pjrt_open_options_STRUCT_SIZE,
                                        .as_host = as_host};
  tn_status* status = tn_status_create();
  setenv("BARE_PLUGIN", how, 1);
  tn_pjrt* plugin = tn_pjrt_open(PLUGIN, &options, status);
  CHECK_OK(status);
  tn_status_destroy(status);
  if (!plugin) exit(1);
  return plugin;
}

// "1:32 24:32 4:32".
static const char* listed(const tn_pjrt* plugin) {
  static char text[512];
  *text = 0;
  for (size_t i = 0; i < tn_pjrt_extension_count(plugin); ++i) {
    size_t size;
    const int type = tn_pjrt_extension_type(plugin, i, &size);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d:%zu", i ? " " : "", type, size);
  }
  return text;
}

TEST(test_extensions_are_listed_in_the_plugins_order) {
  tn_pjrt* plugin = open_as("minor=90 size=1064", 0);
  CHECK_TEXT(listed(plugin), "1:32 24:32 4:32");
  CHECK_INT(tn_pjrt_extension_type(plugin, 3, NULL), -1);
  CHECK_TEXT(tn_pjrt_notes(plugin), "");
  const PJRT_Extension_Base* node = tn_pjrt_extension(plugin, 4, 32);
  CHECK(node && node->type == 4 && !node->next);
  CHECK(tn_pjrt_extension(plugin, 4, 0) == node && !tn_pjrt_extension(plugin, 4, 33));
  CHECK(tn_pjrt_extension(plugin, 24, 24) != NULL);
  CHECK(!tn_pjrt_extension(plugin, 5, 0) && !tn_pjrt_extension(plugin, -1, 0));
  tn_pjrt_close(plugin);
}

TEST(test_a_host_of_another_number_does_not_know_later_extensions) {
  tn_pjrt* plugin = open_as("minor=90 size=1064", 90);
  CHECK(tn_pjrt_extension(plugin, 4, 32) && !tn_pjrt_extension(plugin, 24, 0));  // 24: 0.110
  CHECK_INT(tn_pjrt_extension_count(plugin), 3);
  tn_pjrt_close(plugin);
}

TEST(test_nodes_of_before_45_have_no_size_and_another_layout) {
  tn_pjrt* plugin = open_as("minor=44 size=808", 0);
  CHECK_TEXT(listed(plugin), "1:0 24:0 4:0");
  CHECK(tn_pjrt_extension(plugin, 4, 0) != NULL);
  CHECK(!tn_pjrt_extension(plugin, 4, 24));
  tn_pjrt_close(plugin);
}

TEST(test_nodes_of_31_to_44_that_run_in_a_circle_end) {
  tn_pjrt* plugin = open_as("minor=31 size=776 circle=1", 0);
  CHECK_TEXT(listed(plugin), "1:0 24:0 4:0");
  CHECK_CONTAINS(tn_pjrt_notes(plugin), "runs in a circle after 3");
  tn_pjrt_close(plugin);
}

TEST(test_before_31_the_word_was_private) {
  tn_pjrt* plugin = open_as("minor=30 size=776", 0);
  CHECK_TEXT(listed(plugin), "");
  tn_pjrt_close(plugin);
}

TEST(test_no_extensions_is_an_empty_list) {
  tn_pjrt* plugin = open_as("minor=90 size=1064 plain=1", 0);
  CHECK_TEXT(listed(plugin), "");
  CHECK_TEXT(tn_pjrt_notes(plugin), "");
  tn_pjrt_close(plugin);
}

TEST(test_a_list_that_runs_in_a_circle_ends) {
  tn_pjrt* plugin = open_as("minor=90 size=1064 circle=1", 0);
  CHECK_TEXT(listed(plugin), "1:32 24:32 4:32");
  CHECK_CONTAINS(tn_pjrt_notes(plugin), "its list of extensions runs in a circle after 3");
  tn_pjrt_close(plugin);
}

TEST(test_a_list_that_leads_nowhere_ends) {
  tn_pjrt* plugin = open_as("minor=90 size=1064 lost=1", 0);
  CHECK_TEXT(listed(plugin), "1:32 24:32 4:32");
  CHECK_CONTAINS(tn_pjrt_notes(plugin), "leads to 0x1000 after 3, where there is nothing to read");
  tn_pjrt_close(plugin);
}

TEST(test_a_node_that_is_too_small_is_left_out) {
  tn_pjrt* plugin = open_as("minor=90 size=1064 node_size=0", 0);
  CHECK_TEXT(listed(plugin), "1:32 4:32");
  CHECK_CONTAINS(tn_pjrt_notes(plugin),
                 "its extension of type 24 says struct_size 0, below the 24");
  tn_pjrt_close(plugin);
}

TEST(test_a_size_that_is_known_to_lie_is_not_believed) {
  // The profiler's constant of 0.45 to 0.47 said 32, its struct has 40.
  tn_pjrt* plugin = open_as("minor=46 size=808", 0);
  CHECK(tn_pjrt_extension(plugin, 1, 40) != NULL);
  CHECK(!tn_pjrt_extension(plugin, 4, 40));
  tn_pjrt_close(plugin);
}
