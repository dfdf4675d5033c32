#include "base/memory.h"
#include "base/status.h"
#include "harness.h"
#include "op/builtin/builtin_ops.h"
#include "op/op_registry.h"

static bool count_op(const tn_op_def* op, void* count) {
  CHECK(op->origin == NULL);
  ++*(int*)count;
  return true;
}

TEST(test_built_in_ops_are_there_from_the_first_look) {
  const tn_op_def* op = tn_op_registry_find("MatMul");
  CHECK(op && op->input_count == 2 && op->shape_function);
  int count = 0;
  tn_op_registry_each(count_op, &count);
  CHECK(count >= 150);
}

TEST(test_registering_again_changes_nothing) {
  int before = 0, after = 0;
  tn_op_registry_each(count_op, &before);
  tn_status status = {0};
  CHECK(tn_builtin_ops_register(&status));
  CHECK_OK(&status);
  tn_op_registry_each(count_op, &after);
  CHECK_INT(after, before);
}

// Every allocation in turn would take minutes; steps of a prime meet all kinds of them.
enum { step = 997 };

TEST(test_ops_that_found_no_memory_are_registered_by_the_next_look) {
  for (int64_t nth = 0, asked = step; asked > nth; nth += step) {
    tn_memory_fail_at(nth);
    const tn_op_def* last = tn_op_registry_find("ResourceSparseApplyAdagrad");
    asked = tn_memory_asked();
    tn_memory_fail_at(-1);
    CHECK_INT(last != NULL, asked <= nth);
  }
  CHECK(tn_op_registry_find("Abs") != NULL);
}

TEST(test_registration_reports_want_of_memory) {
  CHECK(tn_op_registry_find("Abs") != NULL);
  tn_status status = {0};
  for (int64_t nth = 0, asked = step; asked > nth; nth += step) {
    tn_memory_fail_at(nth);
    bool done = tn_builtin_ops_register(&status);
    asked = tn_memory_asked();
    tn_memory_fail_at(-1);
    CHECK_INT(done, asked <= nth);
    if (!done) CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  }
}
