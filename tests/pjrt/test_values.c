#include "base/memory.h"
#include "base/status.h"
#include "harness.h"
#include "tenon/pjrt.h"

TEST(test_values_are_found_by_name_and_read_as_what_they_are) {
  tn_status* status = tn_status_create();
  tn_pjrt_values* values = tn_pjrt_values_create();
  const int64_t list[] = {3, -1};
  CHECK(tn_pjrt_values_set_string(values, "text", "hello", status));
  CHECK(tn_pjrt_values_set_int(values, "int", INT64_MIN, status));
  CHECK(tn_pjrt_values_set_ints(values, "ints", list, 2, status));
  CHECK(tn_pjrt_values_set_ints(values, "none", NULL, 0, status));
  CHECK(tn_pjrt_values_set_float(values, "float", 0.25f, status));
  CHECK(tn_pjrt_values_set_bool(values, "bool", true, status));
  CHECK_OK(status);
  CHECK_INT(tn_pjrt_values_count(values), 6);
  CHECK_TEXT(tn_pjrt_values_name(values, 1), "int");
  CHECK_TEXT(tn_pjrt_values_string(values, tn_pjrt_values_find(values, "text")), "hello");
  CHECK(tn_pjrt_values_int(values, tn_pjrt_values_find(values, "int")) == INT64_MIN);
  size_t count;
  const int64_t* ints = tn_pjrt_values_ints(values, tn_pjrt_values_find(values, "ints"), &count);
  CHECK(count == 2 && ints[0] == 3 && ints[1] == -1);
  CHECK(tn_pjrt_values_ints(values, tn_pjrt_values_find(values, "none"), &count) && count == 0);
  CHECK(tn_pjrt_values_float(values, tn_pjrt_values_find(values, "float")) == 0.25f);
  CHECK(tn_pjrt_values_bool(values, tn_pjrt_values_find(values, "bool")));
  CHECK_INT(tn_pjrt_values_kind(values, 2), TN_PJRT_INTS);
  // A name keeps its place and takes another kind.
  CHECK(tn_pjrt_values_set_string(values, "int", "", status));
  CHECK_INT(tn_pjrt_values_count(values), 6);
  CHECK_TEXT(tn_pjrt_values_string(values, 1), "");
  tn_pjrt_values_destroy(values);
  tn_status_destroy(status);
}

TEST(test_what_a_user_types_becomes_a_value_of_its_kind) {
  static const struct {
    const char *text, *name;
    int kind;
  } typed[] = {{"a=true", "a", TN_PJRT_BOOL},
               {"a=False", "a", TN_PJRT_STRING},
               {"n=12", "n", TN_PJRT_INT},
               {"n=-12", "n", TN_PJRT_INT},
               {"n=9223372036854775808", "n", TN_PJRT_FLOAT},
               {"n= 12", "n", TN_PJRT_STRING},
               {"x=1e-3", "x", TN_PJRT_FLOAT},
               {"x=1e99", "x", TN_PJRT_STRING},
               {"x=nan", "x", TN_PJRT_STRING},
               {"x=0x10", "x", TN_PJRT_STRING},
               {"l=1,2,3", "l", TN_PJRT_INTS},
               {"l=1,2,", "l", TN_PJRT_STRING},
               {"l=1,,2", "l", TN_PJRT_STRING},
               {"s=", "s", TN_PJRT_STRING},
               {"s=a=b", "s", TN_PJRT_STRING},
               {"n:string=5", "n", TN_PJRT_STRING},
               {"n:float=5", "n", TN_PJRT_FLOAT},
               {"n:ints=5", "n", TN_PJRT_INTS},
               {"n:ints=", "n", TN_PJRT_INTS},
               {"xla:flag:int=5", "xla:flag", TN_PJRT_INT},
               {"path=/a:b/c", "path", TN_PJRT_STRING}};
  for (size_t i = 0; i < sizeof typed / sizeof *typed; ++i) {
    tn_status* status = tn_status_create();
    tn_pjrt_values* values = tn_pjrt_values_create();
    CHECK(tn_pjrt_values_set_text(values, typed[i].text, status));
    CHECK_OK(status);
    CHECK_TEXT(tn_pjrt_values_name(values, 0), typed[i].name);
    if ((int)tn_pjrt_values_kind(values, 0) != typed[i].kind)
      test_fail(__FILE__, __LINE__, "%s is of kind %d, expected %d", typed[i].text,
                (int)tn_pjrt_values_kind(values, 0), typed[i].kind);
    tn_pjrt_values_destroy(values);
    tn_status_destroy(status);
  }
}

TEST(test_wrong_values_are_refused_with_a_reason) {
  tn_status* status = tn_status_create();
  tn_pjrt_values* values = tn_pjrt_values_create();
  static const char* const wrong[] = {"name",       "=5",          ":int=5",
                                      "n:int=five", "n:bool=1",    "n:number=5",
                                      "n:ints=1,x", "n:float=abc", ""};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK(!tn_pjrt_values_set_text(values, wrong[i], status));
    CHECK_INT(tn_status_fault(status), TN_FAULT_CALLER);
    CHECK_CODE(status, TN_INVALID_ARGUMENT);
  }
  CHECK(!tn_pjrt_values_set_text(values, NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_values_set_text(NULL, "a=5", NULL));
  CHECK(!tn_pjrt_values_set_string(NULL, "a", "b", status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_values_set_string(values, "a", NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "the value is NULL");
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_values_set_int(values, NULL, 1, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_values_set_ints(values, "a", NULL, 1, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_values_set_ints(values, "a", &(int64_t){1}, SIZE_MAX / 2, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_values_set_float(values, "", 1, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_values_set_bool(NULL, "a", true, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_pjrt_values_count(values), 0);
  // Nothing is there to be read.
  size_t count = 9;
  CHECK_INT(tn_pjrt_values_count(NULL), 0);
  CHECK(!tn_pjrt_values_name(values, 0) && !tn_pjrt_values_name(NULL, 0));
  CHECK(tn_pjrt_values_find(NULL, "a") == SIZE_MAX &&
        tn_pjrt_values_find(values, NULL) == SIZE_MAX);
  CHECK_INT(tn_pjrt_values_kind(values, 3), TN_PJRT_STRING);
  CHECK(!tn_pjrt_values_string(NULL, 0) && !tn_pjrt_values_int(values, 0));
  CHECK(!tn_pjrt_values_ints(values, 0, &count) && count == 0);
  CHECK(!tn_pjrt_values_ints(values, 0, NULL));
  CHECK(tn_pjrt_values_float(values, 0) == 0 && !tn_pjrt_values_bool(NULL, 0));
  // Of another kind.
  CHECK(tn_pjrt_values_set_int(values, "a", 1, status));
  CHECK(!tn_pjrt_values_string(values, 0) && !tn_pjrt_values_bool(values, 0));
  CHECK(tn_pjrt_values_float(values, 0) == 0 && !tn_pjrt_values_ints(values, 0, &count));
  tn_pjrt_values_destroy(values);
  tn_pjrt_values_destroy(NULL);
  tn_status_destroy(status);
}

static bool set_all(void* arg, tn_status* status) {
  tn_pjrt_values* values = tn_pjrt_values_create();
  if (!values) tn_status_set_no_memory(status, "creating");
  const bool fine = values && tn_pjrt_values_set_string(values, "text", "hello", status) &&
                    tn_pjrt_values_set_int(values, "int", 1, status) &&
                    tn_pjrt_values_set_ints(values, "ints", &(int64_t){4}, 1, status) &&
                    tn_pjrt_values_set_float(values, "float", 1, status) &&
                    tn_pjrt_values_set_bool(values, "text", true, status) &&
                    tn_pjrt_values_set_text(values, "list=1,2,3", status);
  if (fine) CHECK_INT(tn_pjrt_values_count(values), 5);
  tn_pjrt_values_destroy(values);
  return fine;
}

TEST(test_values_survive_every_failing_allocation) {
  CHECK(test_sweep_allocations(set_all, NULL) > 6);
}

TEST(test_reading_values_allocates_nothing) {
  tn_pjrt_values* values = tn_pjrt_values_create();
  CHECK(tn_pjrt_values_set_text(values, "list=1,2,3", NULL));
  size_t count;
  tn_memory_fail_at(0);
  CHECK_INT(tn_pjrt_values_count(values), 1);
  CHECK_TEXT(tn_pjrt_values_name(values, tn_pjrt_values_find(values, "list")), "list");
  CHECK_INT(tn_pjrt_values_kind(values, 0), TN_PJRT_INTS);
  CHECK(tn_pjrt_values_ints(values, 0, &count) && count == 3);
  CHECK(!tn_pjrt_values_string(values, 0) && !tn_pjrt_values_int(values, 0));
  CHECK(tn_pjrt_values_float(values, 0) == 0 && !tn_pjrt_values_bool(values, 0));
  CHECK_INT(tn_memory_asked(), 0);
  tn_memory_fail_at(-1);
  tn_pjrt_values_destroy(values);
}
