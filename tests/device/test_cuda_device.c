// The CUDA device, where there is one. TENON_BUILD names the build when it was moved.
#include <unistd.h>

#include "base/status.h"
#include "device_checks.h"
#include "harness.h"
#include "tenon/tenon.h"

static tn_device* load(void) {
  const char* build = getenv("TENON_BUILD");
  char path[4096];
  tn_status status = {0};
  snprintf(path, sizeof path, "%s/lib/tenon/extra/libtenon_cuda.so",
           build ? build : TENON_BUILD_DIR);
  if (access(path, F_OK) != 0) test_skip("built without the CUDA toolkit");
  tn_plugin* plugin = tn_plugin_load(path, NULL, &status);
  CHECK_OK(&status);
  if (tn_device_count() == 1) test_skip("%s", tn_plugin_notes(plugin));
  tn_device* device = tn_device_find("GPU", &status);
  CHECK_OK(&status);
  return device;
}

TEST(test_streams_events_and_timers_on_cuda) { check_streams(load()); }

TEST(test_memory_of_every_kind_on_cuda) {
  tn_device* device = load();
  for (int kind = TN_MEMORY_DEVICE; kind <= TN_MEMORY_UNIFIED; ++kind)
    check_memory(device, (tn_memory_kind)kind);
}

TEST(test_a_cuda_device_tells_what_it_is) {
  tn_device* device = load();
  tn_status status = {0};
  tn_device_info info = {.struct_size = TN_DEVICE_INFO_STRUCT_SIZE};
  CHECK(tn_device_describe(device, &info, &status));
  CHECK_OK(&status);
  CHECK_TEXT(info.vendor, "NVIDIA");
  CHECK(*info.hardware && *info.pci_bus_id);
  CHECK(info.memory_total > info.memory_free && info.memory_free > 0);
  CHECK(info.memory_bandwidth > 0);
}

// Round trips of odd sizes over several streams: what comes back is what was sent.
TEST(test_copies_over_several_cuda_streams) {
  tn_device* device = load();
  tn_status status = {0};
  uint64_t seed = test_seed();
  tn_stream* streams[4];
  for (int i = 0; i < 4; ++i) streams[i] = tn_stream_create(device, &status);
  for (int round = 0; round < 200; ++round) {
    const int64_t count = test_between(&seed, 1, 1 << 16);
    tn_tensor* sent = tn_tensor_create(TN_UINT8, &count, 1, &status);
    for (int64_t i = 0; i < count; ++i)
      ((uint8_t*)tn_tensor_data(sent))[i] = (uint8_t)(i * 31 + round);
    tn_tensor* there = tn_tensor_to_stream(sent, streams[round % 4], &status);
    tn_tensor* again = tn_tensor_to_stream(there, streams[(round + 1) % 4], &status);
    tn_tensor* home = tn_tensor_to_host(again, &status);
    CHECK_OK(&status);
    CHECK(memcmp(tn_tensor_data(home), tn_tensor_data(sent), (size_t)count) == 0);
    tn_tensor_destroy(home);
    tn_tensor_destroy(again);
    tn_tensor_destroy(there);
    tn_tensor_destroy(sent);
  }
  for (int i = 0; i < 4; ++i) tn_stream_destroy(streams[i]);
}
