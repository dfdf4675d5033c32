// The versioning example as an interface with a history.

#include "abi/seed_history.h"
#include "harness.h"

TEST(each_version_of_the_example_ends_where_the_seed_says) {
  static const struct {
    const char *version, *last;
    int end;
    bool deprecated;
  } expected[] = {{"v1", "name_len", 32, false},
                  {"v2", "device_handle", 40, false},
                  {"v3", "data", 48, false},
                  {"v4", "data", 48, true},
                  {"v5", "data2", 56, true}};
  for (int i = 0; i < 5; ++i) {
    tn_abi_model model = {0};
    tn_status* status = tn_status_create();
    CHECK(tn_abi_seed_model(expected[i].version, &model, status));
    CHECK_INT(model.struct_count, 1);
    CHECK_INT(model.minor, i + 1);
    const tn_abi_struct* device = tn_abi_model_struct(&model, "SE_Device");
    CHECK(device && device->field_count > 0);
    CHECK_INT(device->end, expected[i].end);
    CHECK_INT(device->size_constant, expected[i].end);
    CHECK_TEXT(device->fields[device->field_count - 1].name, expected[i].last);
    const tn_abi_field* data = tn_abi_struct_field(device, "data");
    CHECK(!data == (i < 2));
    CHECK((data && data->deprecated) == expected[i].deprecated);
    tn_abi_model_deinit(&model);
    tn_status_destroy(status);
  }
}

TEST(a_version_that_the_example_lacks_is_not_found) {
  static const char* const names[] = {"v0", "v6", "v", "", "5", "v55", "v:"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    tn_abi_model model = {0};
    tn_status* status = tn_status_create();
    CHECK(!tn_abi_seed_model(names[i], &model, status));
    CHECK_CODE(status, TN_NOT_FOUND);
    tn_status_destroy(status);
  }
}

static bool read_once(void* arg, tn_status* status) {
  tn_abi_model model = {0};
  if (!tn_abi_seed_model(arg, &model, status)) return false;
  tn_abi_model_deinit(&model);
  return true;
}

TEST(no_memory_for_the_example_is_a_status) { CHECK(test_sweep_allocations(read_once, "v5") > 3); }
