#include "kernel/resource.h"

#include "base/wire.h"
#include "kernel/variable.h"
#include "kernel_testing.h"

static tn_tensor* handle_for(const char* container, const char* name) {
  tn_status status = {0};
  tn_tensor* handle =
      tn_resource_handle_tensor("cpu", container, name, &tn_variable_type, NULL, TN_FLOAT,
                                &(tn_shape){.rank = 1, .small = {4}}, &status);
  CHECK_OK(&status);
  return handle;
}

static tn_object* make_variable(void* arg, tn_status* status) {
  ++*(int*)arg;
  return (tn_object*)tn_variable_create(TN_FLOAT, status);
}

TEST(test_a_resource_is_made_once_found_by_name_and_forgotten) {
  tn_status status = {0};
  tn_tensor *first = handle_for("box", "v"), *second = handle_for("box", "v"),
            *other = handle_for("box", "w");
  const tn_resource_handle* handle = tn_resource_handle_of(first, &status);
  CHECK(!tn_resource_find(handle, &tn_variable_type, &status));
  CHECK_CONTAINS(tn_status_message(&status), "Resource box/v/tensorflow::Var does not exist.");
  CHECK_CODE(&status, TN_NOT_FOUND);
  int made = 0;
  tn_object* variable =
      tn_resource_find_or_create(handle, &tn_variable_type, make_variable, &made, &status);
  tn_object* again = tn_resource_find_or_create(tn_resource_handle_of(second, &status),
                                                &tn_variable_type, make_variable, &made, &status);
  CHECK(variable == again);
  CHECK_INT(made, 1);
  CHECK(!tn_resource_find(tn_resource_handle_of(other, &status), &tn_variable_type, NULL));
  CHECK(tn_resource_remove(handle, &status));
  CHECK(!tn_resource_remove(handle, &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
  // Who holds it still has it.
  CHECK_INT(atomic_load(&variable->references), 2);
  tn_object_unref(variable);
  tn_object_unref(again);
  tn_tensor_destroy(first);
  tn_tensor_destroy(second);
  tn_tensor_destroy(other);
}

static const tn_object_type table_type = {"Table", NULL};

TEST(test_a_handle_leads_only_to_its_own_type) {
  tn_status status = {0};
  tn_tensor* tensor = handle_for("box", "typed");
  CHECK(!tn_resource_find(tn_resource_handle_of(tensor, &status), &table_type, &status));
  CHECK_CONTAINS(tn_status_message(&status), "is a tensorflow::Var; it was used as a Table");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(tensor);
}

TEST(test_tensors_without_a_handle_are_refused) {
  tn_status status = {0};
  tn_tensor* empty = tn_tensor_create(TN_RESOURCE, NULL, 0, NULL);
  tn_tensor* number = FLOATS(1);
  static _Alignas(64) uintptr_t garbage[1] = {0x1234};
  tn_tensor* foreign = tn_tensor_wrap(tn_buffer_adopt(garbage, sizeof garbage, NULL, NULL, NULL),
                                      TN_RESOURCE, NULL, 0, NULL);
  const tn_tensor* tensors[] = {empty, number, foreign, NULL};
  for (int i = 0; i < 4; ++i) {
    CHECK(!tn_resource_handle_of(tensors[i], &status));
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
    CHECK(!tn_variable_referred(tensors[i]));
  }
  tn_tensor_destroy(empty);
  tn_tensor_destroy(number);
  tn_tensor_destroy(foreign);
}

TEST(test_adding_taking_and_clearing_by_name) {
  tn_status status = {0};
  CHECK(tn_resource_add("step", "a", (tn_object*)tn_variable_create(TN_FLOAT, NULL), &status));
  CHECK(!tn_resource_add("step", "a", (tn_object*)tn_variable_create(TN_FLOAT, NULL), &status));
  CHECK_CODE(&status, TN_ALREADY_EXISTS);
  CHECK(tn_resource_add("step", "b", (tn_object*)tn_variable_create(TN_FLOAT, NULL), &status));
  CHECK(tn_resource_add("other", "a", (tn_object*)tn_variable_create(TN_FLOAT, NULL), &status));
  tn_object* a = tn_resource_take("step", "a", &tn_variable_type, &status);
  CHECK_INT(atomic_load(&a->references), 1);
  tn_object_unref(a);
  tn_resource_clear("step");
  CHECK(!tn_resource_take("step", "b", &tn_variable_type, &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
  a = tn_resource_take("other", "a", &tn_variable_type, &status);
  CHECK_OK(&status);
  tn_object_unref(a);
}

TEST(test_an_anonymous_resource_lives_by_its_handles) {
  tn_status status = {0};
  tn_variable* variable = tn_variable_create(TN_FLOAT, NULL);
  tn_tensor* tensor = tn_resource_handle_tensor("cpu", "box", TN_ANONYMOUS_NAME, &tn_variable_type,
                                                &variable->object, TN_FLOAT, NULL, &status);
  tn_variable_unref(variable);
  const tn_resource_handle* handle = tn_resource_handle_of(tensor, &status);
  tn_object* found = tn_resource_find(handle, &tn_variable_type, &status);
  CHECK(found == &variable->object);
  tn_object_unref(found);
  CHECK(tn_resource_remove(handle, &status));
  tn_tensor_destroy(tensor);
}

TEST(test_a_handle_is_written_as_a_resource_handle_proto) {
  tn_tensor* tensor = handle_for("box", "v");
  tn_text bytes = {0};
  tn_resource_handle_encode(tn_resource_handle_of(tensor, NULL), &bytes);
  const char* texts[7] = {0};
  tn_view shape = {0};
  tn_wire_reader reader = tn_wire_read(tn_text_view(&bytes));
  for (tn_wire_field field; tn_wire_next(&reader, &field);) {
    CHECK(field.number <= 6);
    texts[field.number] = "seen";
    if (field.number == 1) CHECK(tn_view_is(field.bytes, "cpu"));
    if (field.number == 2) CHECK(tn_view_is(field.bytes, "box"));
    if (field.number == 3) CHECK(tn_view_is(field.bytes, "v"));
    if (field.number == 5) CHECK(tn_view_is(field.bytes, "tensorflow::Var"));
    if (field.number == 6) shape = field.bytes;
  }
  CHECK(!reader.bad);
  for (int i = 1; i <= 6; ++i) CHECK(texts[i]);
  CHECK(tn_view_equal(shape, (tn_view){"\x08\x01\x12\x04\x12\x02\x08\x04", 8}));
  tn_text_deinit(&bytes);
  tn_tensor_destroy(tensor);
}
