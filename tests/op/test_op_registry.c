#include <pthread.h>
#include <stdatomic.h>

#include "base/origin.h"
#include "op_testing.h"

static bool register_op(const char* name, const char* input, tn_status* status) {
  tn_op_builder* builder = build_op(name, NULL);
  tn_op_builder_input(builder, input);
  return tn_op_register(builder, status);
}

TEST(test_a_registered_op_is_found) {
  tn_status status = {0};
  CHECK(register_op("FoundOp", "x: float", &status));
  const tn_op_def* op = tn_op_registry_find("FoundOp");
  CHECK(op != NULL);
  CHECK_TEXT(op->name, "FoundOp");
  CHECK(tn_op_registry_get("FoundOp", &status) == op);
  CHECK_OK(&status);
  CHECK(!tn_op_registry_find("NoSuchOp"));
  CHECK(!tn_op_registry_find(NULL) && !tn_op_registry_find(""));
}

TEST(test_a_missing_op_names_the_nearest) {
  tn_status status = {0};
  CHECK(register_op("SpecialMatrixOp", "x: float", &status));
  CHECK(!tn_op_registry_get("SpecialMatrxOp", &status));
  CHECK_CONTAINS(tn_status_message(&status), "Op type not registered 'SpecialMatrxOp'");
  CHECK_CONTAINS(tn_status_message(&status), "did you mean 'SpecialMatrixOp'?");
  CHECK_CODE(&status, TN_NOT_FOUND);
  CHECK(!tn_op_registry_get(NULL, &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
}

TEST(test_the_same_op_again_is_fine_another_of_that_name_is_not) {
  tn_status status = {0};
  CHECK(register_op("TwiceOp", "x: float", &status));
  const tn_op_def* first = tn_op_registry_find("TwiceOp");
  CHECK(register_op("TwiceOp", "x: float", &status));
  CHECK(tn_op_registry_find("TwiceOp") == first);
  CHECK(!register_op("TwiceOp", "x: int32", &status));
  CHECK_CONTAINS(tn_status_message(&status), "Op with name TwiceOp");
  CHECK_CONTAINS(tn_status_message(&status), "input 0 is 'x:float' in one and 'x:int32'");
  CHECK_CODE(&status, TN_ALREADY_EXISTS);
  CHECK(tn_op_registry_find("TwiceOp") == first);
}

TEST(test_a_bad_op_is_reported_and_not_registered) {
  tn_status status = {0}, failure = {0};
  tn_origin origin = {"bad.so", &failure};
  const tn_origin* before = tn_origin_enter(&origin);
  CHECK(!register_op("BadOp", "x: nothing", &status));
  CHECK_CONTAINS(tn_status_message(&status), "Reference to unknown attr 'nothing'");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!register_op("BadOp", "X: float", NULL));
  tn_origin_enter(before);
  CHECK(!tn_op_registry_find("BadOp"));
  // The origin keeps the first failure.
  CHECK_CONTAINS(tn_status_message(&failure), "Reference to unknown attr 'nothing'");
  CHECK_INT(tn_op_registry_count_origin(&origin), 0);
  tn_status_deinit(&failure);
  CHECK(!tn_op_register(NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_op_registry_add(NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
}

TEST(test_an_origin_is_counted_and_rolled_back) {
  static tn_status first_failure, second_failure;
  static tn_origin first = {"first.so", &first_failure}, second = {"second.so", &second_failure};
  tn_status status = {0};
  tn_origin_enter(&first);
  CHECK(register_op("SharedOp", "x: float", &status));
  CHECK(register_op("FirstOp", "x: float", &status));
  tn_origin_enter(&second);
  CHECK(register_op("SharedOp", "x: float", &status));
  CHECK(register_op("SecondOp", "x: float", &status));
  tn_origin_enter(NULL);
  const tn_op_def* shared = tn_op_registry_find("SharedOp");
  CHECK_TEXT(shared->origin->path, "first.so");
  CHECK_INT(tn_op_registry_count_origin(&first), 2);
  CHECK_INT(tn_op_registry_count_origin(&second), 2);

  const tn_op_def* gone = tn_op_registry_find("FirstOp");
  tn_op_registry_remove_origin(&first);
  CHECK_INT(tn_op_registry_count_origin(&first), 0);
  CHECK(!tn_op_registry_find("FirstOp"));
  CHECK_TEXT(gone->name, "FirstOp");  // what was found stays valid
  CHECK(tn_op_registry_find("SharedOp") == shared);
  tn_op_registry_remove_origin(&second);
  CHECK(!tn_op_registry_find("SharedOp") && !tn_op_registry_find("SecondOp"));

  // The name is free again, also for another definition.
  CHECK(register_op("FirstOp", "x: int32", &status));
  CHECK_INT(tn_op_registry_find("FirstOp")->inputs[0].type, TN_INT32);
  tn_op_registry_remove_origin(NULL);
  CHECK(tn_op_registry_find("FirstOp"));
}

typedef struct walk {
  int seen;
  char last[32];
} walk;

static bool count_walk_ops(const tn_op_def* op, void* arg) {
  walk* w = arg;
  if (strncmp(op->name, "Walk", 4) != 0) return true;
  CHECK(strcmp(w->last, op->name) < 0);
  snprintf(w->last, sizeof w->last, "%s", op->name);
  return ++w->seen < 3;
}

TEST(test_ops_are_visited_in_order_until_told_to_stop) {
  tn_status status = {0};
  const char* names[] = {"WalkA", "WalkB", "WalkC", "WalkD"};
  for (int i = 0; i < 4; ++i) CHECK(register_op(names[i], "x: float", &status));
  walk w = {0};
  tn_op_registry_each(count_walk_ops, &w);
  CHECK_INT(w.seen, 3);
}

TEST(test_the_list_of_all_ops_is_bytes_with_each_op) {
  tn_status status = {0};
  CHECK(register_op("ListedOp", "x: float", &status));
  tn_text bytes = {0};
  CHECK(tn_op_registry_encode(&bytes, &status));
  bool seen = false;
  tn_wire_reader list = tn_wire_read(tn_text_view(&bytes));
  for (tn_wire_field op; tn_wire_next(&list, &op);) {
    CHECK_INT(op.number, 1);
    tn_wire_reader fields = tn_wire_read(op.bytes);
    tn_wire_field name;
    CHECK(tn_wire_next(&fields, &name) && name.number == 1);
    seen |= tn_view_is(name.bytes, "ListedOp");
  }
  CHECK(seen && !list.bad);
  tn_text_deinit(&bytes);
}

TEST(test_a_failed_allocation_leaves_the_registry_as_it_was) {
  tn_op_registry_find("");  // the host's own ops are there
  int failed = 0;
  for (int n = 0; n < 40; ++n) {
    char name[32];
    snprintf(name, sizeof name, "Memory%d", n);
    tn_op_builder* builder = build_op(name, "in x: float", NULL);
    tn_status status = {0};
    tn_memory_fail_at(n % 20);
    bool added = tn_op_register(builder, &status);
    tn_memory_fail_at(-1);
    CHECK_INT(tn_op_registry_find(name) != NULL, added);
    if (!added) CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
    failed += !added;
  }
  CHECK(failed > 5 && failed < 40);
}

enum { writer_count = 3, reader_count = 3, ops_each = 400 };
static atomic_bool finished;

static void* write_ops(void* arg) {
  int writer = (int)(intptr_t)arg;
  for (int i = 0; i < ops_each; ++i) {
    char name[32];
    // Every op is registered by two writers.
    snprintf(name, sizeof name, "Race%d_%d", i % 2 ? writer : writer % 2, i);
    CHECK(register_op(name, "x: float", NULL));
    CHECK(tn_op_registry_find(name) != NULL);
  }
  return NULL;
}

static bool look(const tn_op_def* op, void* arg) {
  CHECK(op->name != NULL);
  return true;
}

static void* read_ops(void* arg) {
  while (!atomic_load(&finished)) {
    for (int i = 0; i < ops_each; ++i) {
      char name[32];
      snprintf(name, sizeof name, "Race%d_%d", i % writer_count, i);
      const tn_op_def* op = tn_op_registry_find(name);
      if (op) CHECK_TEXT(op->name, name);
    }
    tn_op_registry_each(look, NULL);
  }
  return NULL;
}

TEST(test_lookup_and_registration_run_at_once) {
  pthread_t writers[writer_count], readers[reader_count];
  for (int i = 0; i < reader_count; ++i) pthread_create(&readers[i], NULL, read_ops, NULL);
  for (intptr_t i = 0; i < writer_count; ++i)
    pthread_create(&writers[i], NULL, write_ops, (void*)i);
  for (int i = 0; i < writer_count; ++i) pthread_join(writers[i], NULL);
  atomic_store(&finished, true);
  for (int i = 0; i < reader_count; ++i) pthread_join(readers[i], NULL);
  CHECK(tn_op_registry_find("Race2_399") && tn_op_registry_find("Race0_398"));
}
