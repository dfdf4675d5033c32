#include "device/device.h"

#include "base/memory.h"
#include "base/status.h"
#include "harness.h"

TEST(test_the_cpu_is_found_by_every_form_of_its_name) {
  static const char* const forms[] = {"CPU",
                                      "CPU:0",
                                      "cpu",
                                      "/cpu:0",
                                      "/device:CPU:0",
                                      "device:CPU:0",
                                      "/CPU:0",
                                      "",
                                      "/device:cpu:*",
                                      "/job:localhost/device:CPU:0",
                                      "/job:localhost/replica:0/task:0/device:CPU:0",
                                      "/job:localhost/replica:0/task:0/cpu:0"};
  tn_status status = {0};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    CHECK(tn_device_find(forms[i], &status) == tn_device_cpu());
    CHECK_OK(&status);
  }
  CHECK(tn_device_find(NULL, &status) == tn_device_cpu());
}

TEST(test_an_unknown_device_is_not_found_and_the_known_ones_are_listed) {
  static const char* const forms[] = {"GPU",
                                      "CPU:1",
                                      "/device:GPU:0",
                                      "CPUX",
                                      "CPU:0x",
                                      "CPU:0/CPU:0",
                                      "/job:worker/CPU",
                                      "/",
                                      "/task:1/device:CPU:0"};
  tn_status status = {0};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    CHECK(!tn_device_find(forms[i], &status));
    CHECK_CONTAINS(tn_status_message(&status), forms[i]);
    CHECK_CONTAINS(tn_status_message(&status), "CPU:0");
    CHECK_CODE(&status, TN_NOT_FOUND);
  }
}

static bool find_nothing(void* arg, tn_status* status) {
  // Success here is the NOT_FOUND that a failing allocation keeps from being told.
  if (tn_device_find("GPU", status)) return false;
  if (tn_status_code(status) != TN_NOT_FOUND || !status->message) return false;
  tn_status_clear(status);
  return true;
}

TEST(test_looking_for_a_device_survives_failing_allocations) {
  tn_memory_fail_at(-1);
  tn_status status = {0};
  int64_t before = tn_memory_alive();
  for (int i = 0;; ++i) {
    tn_memory_fail_at(i);
    bool told = find_nothing(NULL, &status);
    bool failed_one = tn_memory_asked() > i;
    CHECK(!tn_ok(&status) || told);
    tn_status_clear(&status);
    CHECK_INT(tn_memory_alive(), before);
    if (!failed_one) break;
  }
}
