// What versions.tsv says of each number is recomputed from the layouts alone.

#include <string.h>

#include "abi/compare.h"
#include "abi/pjrt_history.h"
#include "abi/table.h"
#include "harness.h"

static bool breaks_layout(tn_abi_difference_kind kind) {
  return kind == TN_ABI_FIELD_INSERTED || kind == TN_ABI_FIELD_REMOVED ||
         kind == TN_ABI_FIELD_MOVED;
}

typedef struct summary {
  bool layout, value_changed, constant_added, constant_wrong;
} summary;

static summary compare_states(int old_minor, int old_issue, int old_state, int minor, int issue,
                              int state) {
  tn_abi_model before = {0}, after = {0};
  tn_abi_differences differences = {0};
  tn_status* status = tn_status_create();
  CHECK(tn_abi_pjrt_state_model(old_minor, old_issue, old_state, &before, status));
  CHECK(tn_abi_pjrt_state_model(minor, issue, state, &after, status));
  tn_abi_compare(&before, &after, &differences);
  CHECK(!differences.failed);
  summary found = {false, false, false, false};
  for (size_t i = 0; i < differences.count; ++i) {
    const tn_abi_difference_kind kind = differences.items[i].kind;
    found.layout |= breaks_layout(kind);
    found.value_changed |= kind == TN_ABI_CONSTANT_CHANGED;
    found.constant_added |= kind == TN_ABI_CONSTANT_ADDED;
    found.constant_wrong |= kind == TN_ABI_SIZE_CONSTANT_WRONG;
  }
  tn_abi_differences_deinit(&differences);
  tn_abi_model_deinit(&before);
  tn_abi_model_deinit(&after);
  tn_status_destroy(status);
  return found;
}

static bool tagged(int minor, const char* tag) {
  const tn_abi_table* versions = tn_abi_table_get("pjrt/versions");
  char number[24];
  snprintf(number, sizeof number, "%d", minor);
  const size_t row = tn_abi_find(versions, tn_abi_column(versions, "minor"), number, 0);
  const char* tags = tn_abi_cell(versions, row, tn_abi_column(versions, "rule_break"));
  const char* at = strstr(tags, tag);
  return at && (at == tags || !strchr("_ABCDEFGHIJKLMNOPQRSTUVWXYZ", at[-1]));
}

TEST(twenty_seven_numbers_moved_or_removed_something) {
  int count = 0;
  for (int minor = 1; minor <= tn_abi_pjrt_newest(); ++minor) {
    bool breaks = compare_states(minor - 1, 0, 0, minor, tn_abi_pjrt_issues(minor), 1).layout;
    CHECK_INT(breaks, tagged(minor, "LAYOUT"));
    count += breaks;
  }
  CHECK_INT(count, 27);
}

TEST(seven_numbers_changed_under_way_and_fifteen_got_constants) {
  int silent = 0, grown = 0;
  for (int minor = 1; minor <= tn_abi_pjrt_newest(); ++minor) {
    bool changed = false, added = false;
    for (int issue = 1; issue <= tn_abi_pjrt_issues(minor); ++issue)
      for (int state = 2; state <= tn_abi_pjrt_states(minor, issue); ++state) {
        summary found = compare_states(minor, issue, state - 1, minor, issue, state);
        changed |= found.layout || found.value_changed;
        added |= found.constant_added;
      }
    CHECK_INT(changed, tagged(minor, "SILENT"));
    CHECK_INT(added, tagged(minor, "ENUM_NOBUMP"));
    silent += changed;
    grown += added;
  }
  CHECK_INT(silent, 7);
  CHECK_INT(grown, 15);
}

TEST(sixty_four_numbers_have_a_size_constant_that_lies) {
  int count = 0;
  for (int minor = 1; minor <= tn_abi_pjrt_newest(); ++minor)
    count += compare_states(minor, 0, 0, minor, 0, 0).constant_wrong;
  CHECK_INT(count, 64);
}

TEST(a_number_nobody_knows_is_out_of_range) {
  tn_abi_model model = {0};
  tn_status* status = tn_status_create();
  CHECK(!tn_abi_pjrt_model(tn_abi_pjrt_newest() + 1, &model, status));
  CHECK_INT(tn_status_code(status), TN_OUT_OF_RANGE);
  CHECK(!tn_abi_pjrt_state_model(56, 3, 1, &model, status));
  tn_status_destroy(status);
}

TEST(numbers_issued_twice_and_handles_with_a_word_are_carried_from_history) {
  tn_abi_model before = {0}, after = {0};
  tn_abi_differences differences = {0};
  CHECK(tn_abi_pjrt_model(1, &before, NULL) && tn_abi_pjrt_model(114, &after, NULL));
  tn_abi_pjrt_carried(&before, &after, &differences);
  int counts[TN_ABI_DIFFERENCE_KINDS] = {0};
  for (size_t i = 0; i < differences.count; ++i) {
    counts[differences.items[i].kind]++;
    CHECK_INT(differences.items[i].evidence, TN_ABI_FROM_HISTORY);
  }
  CHECK_INT(counts[TN_ABI_NUMBER_REISSUED], 3);
  CHECK_INT(counts[TN_ABI_NUMBER_WITHDRAWN], 2);
  CHECK_INT(counts[TN_ABI_HANDLE_WORD], 2);
  CHECK_TEXT(differences.items[0].owner, "PJRT 0.56");
  CHECK(strstr(differences.items[0].after, "issued 2 times: 2024-10-23"));
  CHECK(!strstr(differences.items[0].after, "["));
  tn_abi_differences_deinit(&differences);
  // Nothing is carried for an interface that is not PJRT's.
  after.minor = 999;
  tn_abi_pjrt_carried(&before, &after, &differences);
  CHECK_INT(differences.count, 0);
  tn_abi_model_deinit(&before);
  tn_abi_model_deinit(&after);
}
