// The breaks of TensorFlow's own history, recomputed from its layouts under seed 000's rules.

#include "abi/policy.h"
#include "abi/table.h"
#include "abi/tf_history.h"
#include "harness.h"

// Calls `visit` for every difference between consecutive releases.
static void each_difference(void (*visit)(const char* release, const tn_abi_difference* difference,
                                          tn_abi_class class, void* arg),
                            void* arg) {
  tn_status* status = tn_status_create();
  tn_abi_policy policy;
  CHECK(tn_abi_policy_get("tf", &policy, status));
  for (size_t i = 1; i < tn_abi_tf_count(); ++i) {
    tn_abi_model before = {0}, after = {0};
    tn_abi_differences differences = {0};
    CHECK(tn_abi_tf_model(tn_abi_tf_release(i - 1), &before, status));
    CHECK(tn_abi_tf_model(tn_abi_tf_release(i), &after, status));
    tn_abi_compare(&before, &after, &differences);
    CHECK(!differences.failed);
    for (size_t j = 0; j < differences.count; ++j)
      visit(tn_abi_tf_release(i), &differences.items[j], policy.classes[differences.items[j].kind],
            arg);
    tn_abi_differences_deinit(&differences);
    tn_abi_model_deinit(&before);
    tn_abi_model_deinit(&after);
  }
  tn_status_destroy(status);
}

typedef struct expected_break {
  const char *release, *owner, *member;
  tn_abi_difference_kind kind;
  int seen;
} expected_break;

static expected_break breaks[] = {
    // Of 2.4, which had no loader for plugins yet.
    {"2.4", "TFE_CustomDevice", "execute", TN_ABI_FIELD_SIGNATURE, 0},
    {"2.4", "TFE_ContextMirroringPolicy", NULL, TN_ABI_CONSTANT_REMOVED, 0},
    {"2.5", "SP_Platform", "use_bfc_allocator", TN_ABI_FIELD_INSERTED, 0},
    {"2.5", "SP_Platform", "visible_device_count", TN_ABI_FIELD_REMOVED, 0},
    {"2.5", "SP_Platform", "supports_unified_memory", TN_ABI_FIELD_MOVED, 0},
    {"2.5", "SP_PlatformFns", "get_device_count", TN_ABI_FIELD_INSERTED, 0},
    {"2.5", "SP_PlatformFns", NULL, TN_ABI_FIELD_MOVED, 0},
    // No size shows this one; its type does.
    {"2.6", "TP_Optimizer", "optimize_func", TN_ABI_FIELD_SIGNATURE, 0},
    {"2.6", "TF_FilesystemOps", "set_filesystem_configuration", TN_ABI_FIELD_SIGNATURE, 0},
    {"2.7", "SP_StreamExecutor", NULL, TN_ABI_FIELD_INSERTED, 0},
    {"2.7", "SP_StreamExecutor", "host_callback", TN_ABI_FIELD_MOVED, 0},
    {"2.10", "TP_OptimizerConfigs", "auto_mixed_precision_onednn_bfloat16", TN_ABI_FIELD_INSERTED,
     0},
    {"2.10", "TP_OptimizerConfigs", NULL, TN_ABI_FIELD_MOVED, 0},
    {"2.21", "TF_LogLevel", NULL, TN_ABI_CONSTANT_REMOVED, 0},
    // Nor this one: a view of a union that was shorter than the union.
    {"2.21", "TF_TString", "u.view", TN_ABI_EMBEDDED_GROWN, 0},
    {"2.21", "TF_TString_Union", "view", TN_ABI_EMBEDDED_GROWN, 0},
};

static void match_break(const char* release, const tn_abi_difference* difference,
                        tn_abi_class class, void* arg) {
  if (class != TN_ABI_ILLEGAL || difference->kind == TN_ABI_FUNCTION_REMOVED ||
      difference->kind == TN_ABI_FUNCTION_RETYPED)
    return;
  for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; ++i)
    if (strcmp(breaks[i].release, release) == 0 &&
        strcmp(breaks[i].owner, difference->owner) == 0 && breaks[i].kind == difference->kind &&
        (!breaks[i].member || strcmp(breaks[i].member, difference->member) == 0)) {
      breaks[i].seen++;
      return;
    }
  test_fail(__FILE__, __LINE__, "%s: %s %s.%s: %s -> %s", release,
            tn_abi_difference_name(difference->kind), difference->owner, difference->member,
            difference->before, difference->after);
}

TEST(the_breaks_of_six_releases_are_found_and_no_others) {
  each_difference(match_break, NULL);
  for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; ++i) CHECK(breaks[i].seen > 0);
}

static void count_lost(const char* release, const tn_abi_difference* difference, tn_abi_class class,
                       void* arg) {
  if (difference->kind != TN_ABI_FUNCTION_REMOVED || strcmp(release, "2.19") != 0) return;
  const tn_abi_table* exports = tn_abi_table_get("tf/exports");
  const size_t row = tn_abi_find(exports, 0, difference->owner, 0);
  const char* declared = tn_abi_cell(exports, row, tn_abi_column(exports, "declared"));
  *(int*)arg += tn_abi_tf_covers(declared, "2.19");
}

TEST(thirty_four_functions_vanished_in_2_19_while_their_headers_stayed) {
  int lost = 0;
  each_difference(count_lost, &lost);
  CHECK_INT(lost, 34);
}

TEST(ranges_of_releases_are_read) {
  CHECK(tn_abi_tf_covers("2.5-2.8,2.11-", "2.21") && tn_abi_tf_covers("2.5-2.8,2.11-", "2.5"));
  CHECK(!tn_abi_tf_covers("2.5-2.8,2.11-", "2.10") && !tn_abi_tf_covers("2.5-2.8,2.11-", "2.4"));
  CHECK(tn_abi_tf_covers("2.4", "2.4") && !tn_abi_tf_covers("2.4", "2.5"));
  CHECK(!tn_abi_tf_covers("-", "2.4") && !tn_abi_tf_covers("", "2.4"));
}

TEST(a_release_nobody_knows_is_not_found) {
  tn_abi_model model = {0};
  tn_status* status = tn_status_create();
  CHECK(!tn_abi_tf_model("2.99", &model, status));
  CHECK_CODE(status, TN_NOT_FOUND);
  tn_status_destroy(status);
}

// The breaks that no size shows are found all the same, and are marked as found from types.
static void count_hidden(const char* release, const tn_abi_difference* difference,
                         tn_abi_class class, void* arg) {
  const bool optimizer =
      strcmp(release, "2.6") == 0 && strcmp(difference->owner, "TP_Optimizer") == 0;
  const bool string = strcmp(release, "2.21") == 0 && strcmp(difference->owner, "TF_TString") == 0;
  if (class != TN_ABI_ILLEGAL || (!optimizer && !string)) {
    // All others of the device interface show in sizes or offsets.
    if (class == TN_ABI_ILLEGAL && strncmp(difference->owner, "SP_", 3) == 0)
      CHECK_INT(difference->evidence, TN_ABI_FROM_LAYOUT);
    return;
  }
  CHECK_INT(difference->evidence, TN_ABI_FROM_TYPES);
  ++*(int*)arg;
}

TEST(two_breaks_that_no_size_shows_are_found_from_types) {
  int count = 0;
  each_difference(count_hidden, &count);
  CHECK_INT(count, 2);
}
