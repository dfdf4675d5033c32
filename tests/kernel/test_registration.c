#include "base/wire.h"
#include "kernel_testing.h"

static size_t count_kernels(const char* op) {
  size_t count = 0;
  for (const tn_kernel* kernel = tn_kernel_registry_first(op); kernel;
       kernel = tn_kernel_registry_next(kernel))
    ++count;
  return count;
}

// The first KernelDef of an op's KernelList, decoded; deinit it.
static tn_kernel_def listed(const char* op) {
  tn_text bytes = {0};
  tn_status status = {0};
  tn_kernel_registry_encode(op, &bytes, &status);
  CHECK_OK(&status);
  tn_wire_reader reader = tn_wire_read(tn_text_view(&bytes));
  tn_wire_field field;
  CHECK(tn_wire_next(&reader, &field));
  CHECK_INT(field.number, 1);
  tn_kernel_def def;
  CHECK(tn_kernel_def_decode(&def, field.bytes, &status));
  tn_text_deinit(&bytes);
  return def;
}

TEST(test_a_registered_kernel_is_listed_with_all_it_said) {
  tn_kernel_builder* builder = builder_for("Listed", compute_nothing);
  constrain(builder, "T", TN_FLOAT);
  constrain(builder, "U", TN_INT32);
  tn_kernel_builder_host_memory(builder, "shape");
  tn_kernel_builder_priority(builder, -7);
  tn_kernel_builder_label(builder, "special");
  register_builder(builder, "ListedOp");

  tn_kernel_def def = listed("Listed");
  CHECK_TEXT(def.op, "Listed");
  CHECK_TEXT(def.device_type, "CPU");
  CHECK_TEXT(def.label, "special");
  CHECK_INT(def.priority, -7);
  CHECK_INT(def.constraint_count, 2);
  CHECK_TEXT(def.constraints[0].attr, "T");
  CHECK_INT(def.constraints[0].allowed.types[0], TN_FLOAT);
  CHECK_TEXT(def.constraints[1].attr, "U");
  CHECK_INT(def.host_memory_count, 1);
  CHECK_TEXT(def.host_memory_args[0], "shape");
  tn_kernel_def_deinit(&def);

  const tn_kernel* kernel = tn_kernel_registry_first("Listed");
  CHECK_TEXT(kernel->name, "ListedOp");
  CHECK_TEXT(tn_kernel_file(kernel), "tenon");
  CHECK(!tn_kernel_registry_next(kernel));
  CHECK(!tn_kernel_registry_first("NotListed"));
}

TEST(test_a_serialized_definition_takes_the_place_of_the_builders) {
  tn_kernel_def def = {0};
  CHECK(tn_kernel_def_set(&def.op, tn_view_of("FromBytes")));
  CHECK(tn_kernel_def_set(&def.device_type, tn_view_of("CPU")));
  CHECK(tn_kernel_def_set(&def.label, tn_view_of("")));
  def.priority = 3;
  tn_text bytes = {0};
  tn_kernel_def_encode(&def, &bytes);
  tn_status status = {0};
  CHECK(tn_kernel_registry_add_with_def(builder_for("Other", compute_nothing), "k",
                                        tn_text_view(&bytes), &status));
  CHECK_INT(count_kernels("FromBytes"), 1);
  CHECK_INT(tn_kernel_registry_first("FromBytes")->def.priority, 3);
  CHECK_INT(count_kernels("Other"), 0);
  tn_text_deinit(&bytes);
  tn_kernel_def_deinit(&def);
}

TEST(test_bytes_that_are_no_definition_are_refused) {
  tn_status status = {0};
  CHECK(!tn_kernel_registry_add_with_def(builder_for("BadBytes", compute_nothing), "k",
                                         tn_view_of("\x0a\x50short"), &status));
  CHECK_CONTAINS(tn_status_message(&status), "Error parsing serialized KernelDef.");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(count_kernels("BadBytes"), 0);
}

TEST(test_deleting_a_builder_after_it_was_registered_is_harmless) {
  tn_kernel_builder* builder = builder_for("Deleted", compute_nothing);
  register_builder(builder, "Deleted");
  tn_kernel_builder_destroy(builder);
  tn_kernel_builder_priority(builder, 5);
  tn_kernel_builder_destroy(builder);
  CHECK_INT(count_kernels("Deleted"), 1);
  CHECK_INT(tn_kernel_registry_first("Deleted")->def.priority, 0);
  // The address is nobody else's from then on.
  tn_kernel_builder* others[100];
  for (int i = 0; i < 100; ++i) {
    others[i] = builder_for("Deleted", compute_nothing);
    CHECK(others[i] != builder);
  }
  for (int i = 0; i < 100; ++i) tn_kernel_builder_destroy(others[i]);
  tn_kernel_builder_destroy(NULL);
}

TEST(test_registering_a_builder_twice_is_refused) {
  tn_kernel_builder* builder = builder_for("Twice", compute_nothing);
  register_builder(builder, "Twice");
  tn_status status = {0};
  CHECK(!tn_kernel_registry_add(builder, "Twice", &status));
  CHECK_CONTAINS(tn_status_message(&status), "registered before");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_kernel_registry_add(NULL, "Twice", &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(count_kernels("Twice"), 1);
}

TEST(test_a_second_label_is_refused_at_registration) {
  tn_kernel_builder* builder = builder_for("TwoLabels", compute_nothing);
  tn_kernel_builder_label(builder, "one");
  tn_kernel_builder_label(builder, "two");
  tn_status status = {0};
  CHECK(!tn_kernel_registry_add(builder, "k", &status));
  CHECK_CONTAINS(tn_status_message(&status), "TwoLabels");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(count_kernels("TwoLabels"), 0);
  tn_kernel_builder_destroy(builder);
}

TEST(test_a_kernel_without_an_op_or_a_device_is_refused) {
  tn_status status = {0};
  tn_kernel_functions functions = {.compute = compute_nothing};
  CHECK(!tn_kernel_registry_add(tn_kernel_builder_create(NULL, "CPU", &functions), "k", &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_kernel_registry_add(tn_kernel_builder_create("NoDevice", NULL, &functions), NULL,
                                &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
}

TEST(test_constraints_take_the_types_that_tensorflow_takes) {
  static const tn_dtype refused[] = {TN_INVALID,   TN_FLOAT8_E5M2,   TN_INT4,
                                     TN_UINT2,     TN_FLOAT4_E2M1FN, (tn_dtype)101,
                                     (tn_dtype)-1, (tn_dtype)9999};
  tn_kernel_builder* builder = builder_for("Constrained", compute_nothing);
  tn_status status = {0};
  for (int type = TN_FLOAT; type <= TN_UINT64; ++type) {
    CHECK(tn_kernel_builder_constrain(builder, "T", (tn_dtype)type, &status));
    CHECK_OK(&status);
  }
  for (size_t i = 0; i < COUNT_OF(refused); ++i) {
    CHECK(!tn_kernel_builder_constrain(builder, "T", refused[i], &status));
    char text[40];
    snprintf(text, sizeof text, "Unexpected type %d", refused[i]);
    CHECK_TEXT(tn_status_message(&status), text);
    CHECK_CODE(&status, TN_UNIMPLEMENTED);
  }
  CHECK(!tn_kernel_builder_constrain(NULL, "T", TN_FLOAT, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_kernel_builder_constrain(builder, NULL, TN_FLOAT, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_kernel_builder_destroy(builder);
}

TEST(test_a_roll_back_takes_out_what_its_origin_registered_and_nothing_else) {
  static tn_origin good = {.path = "good.so"}, bad = {.path = "bad.so"};
  good.failure = tn_status_create();
  bad.failure = tn_status_create();
  given_kernel("Shared", compute_nothing);
  tn_origin_enter(&good);
  given_kernel("Shared", compute_nothing);
  tn_origin_enter(&bad);
  given_kernel("Shared", compute_nothing);
  given_kernel("OnlyBad", compute_nothing);
  tn_kernel_registry_add(builder_for("", compute_nothing), "nameless", NULL);
  tn_origin_enter(NULL);

  CHECK_INT(tn_kernel_registry_count_origin(&good), 1);
  CHECK_INT(tn_kernel_registry_count_origin(&bad), 2);
  CHECK_OK(good.failure);
  CHECK_CODE(bad.failure, TN_INVALID_ARGUMENT);
  uint64_t before = tn_kernel_registry_generation();
  tn_kernel_registry_remove_origin(&bad);
  CHECK(tn_kernel_registry_generation() != before);
  CHECK_INT(tn_kernel_registry_count_origin(&bad), 0);
  CHECK_INT(tn_kernel_registry_count_origin(&good), 1);
  CHECK_INT(count_kernels("Shared"), 2);
  CHECK_INT(count_kernels("OnlyBad"), 0);
  CHECK_TEXT(tn_kernel_file(tn_kernel_registry_next(tn_kernel_registry_first("Shared"))),
             "good.so");
  tn_kernel_registry_remove_origin(NULL);
  CHECK_INT(count_kernels("Shared"), 2);
  tn_status_destroy(good.failure);
  tn_status_destroy(bad.failure);
}

static bool count_all(const tn_kernel* kernel, void* count) {
  ++*(size_t*)count;
  return true;
}

static bool stop_at_three(const tn_kernel* kernel, void* count) { return ++*(size_t*)count < 3; }

TEST(test_ten_thousand_kernels_are_all_found) {
  size_t before = 0, after = 0, few = 0;
  tn_kernel_registry_each(count_all, &before);
  CHECK(before > 0);  // the built-in ones
  char name[32];
  for (int i = 0; i < 10000; ++i) {
    snprintf(name, sizeof name, "Many%d", i / 2);
    given_kernel(name, compute_nothing);
  }
  tn_kernel_registry_each(count_all, &after);
  CHECK_INT(after - before, 10000);
  for (int i = 0; i < 5000; ++i) {
    snprintf(name, sizeof name, "Many%d", i);
    CHECK_INT(count_kernels(name), 2);
  }
  tn_kernel_registry_each(stop_at_three, &few);
  CHECK_INT(few, 3);
}
