// A plugin's devices through the public calls, with the example device, whose work is done when a
// call returns.
#include <pthread.h>

#include "base/memory.h"
#include "base/status.h"
#include "device_checks.h"
#include "harness.h"
#include "tenon/tenon.h"

#define EXAMPLE TENON_BUILD_DIR "/examples/libexample_device.so"

static tn_device* load(void) {
  tn_status status = {0};
  CHECK(tn_plugin_load(EXAMPLE, NULL, &status));
  CHECK_OK(&status);
  tn_device* device = tn_device_find("EXAMPLE_DEVICE", &status);
  CHECK_OK(&status);
  CHECK(device);
  return device;
}

static tn_tensor* floats(const float* values, int64_t count) {
  tn_status status = {0};
  tn_tensor* made =
      tn_tensor_create_from(TN_FLOAT, &count, 1, values, (size_t)count * sizeof *values, &status);
  CHECK_OK(&status);
  return made;
}

TEST(test_devices_of_a_plugin_are_listed_after_the_cpu_and_found_by_every_form_of_name) {
  CHECK_INT(tn_device_count(), 1);
  tn_device* device = load();
  CHECK_INT(tn_device_count(), 2);
  CHECK(tn_device_at(1) == device && !tn_device_at(2));
  CHECK_TEXT(tn_device_name(device), "/job:localhost/replica:0/task:0/device:EXAMPLE_DEVICE:0");
  CHECK_TEXT(tn_device_type(device), "EXAMPLE_DEVICE");
  tn_status status = {0};
  CHECK(tn_device_find("/device:EXAMPLE_DEVICE:0", &status) == device);
  CHECK(tn_device_find("example_device:0", &status) == device);
  CHECK_OK(&status);
  CHECK(!tn_device_find("EXAMPLE_DEVICE:1", &status));
  CHECK_CONTAINS(tn_status_message(&status), "EXAMPLE_DEVICE:0");
  tn_status_deinit(&status);
}

TEST(test_a_device_tells_what_it_is_and_how_its_memory_is_used) {
  tn_device* device = load();
  tn_status status = {0};
  tn_device_info info = {.struct_size = TN_DEVICE_INFO_STRUCT_SIZE};
  CHECK(tn_device_describe(device, &info, &status));
  CHECK_TEXT(info.plugin, EXAMPLE);
  CHECK_TEXT(info.platform, "EXAMPLE_DEVICE");
  CHECK_TEXT(info.hardware, "memory of the host");
  CHECK_INT(info.memory_total, 1 << 30);
  CHECK_INT(info.numa_node, -1);
  tn_tensor* x = floats((float[256]){0}, 256);
  tn_tensor* there = tn_tensor_to_stream(x, tn_device_stream(device, &status), &status);
  CHECK_OK(&status);
  CHECK(tn_tensor_device(there) == device && tn_tensor_device(x) == tn_device_at(0));
  tn_device_memory memory = {.struct_size = TN_DEVICE_MEMORY_STRUCT_SIZE};
  CHECK(tn_device_memory_now(device, &memory, &status));
  CHECK_INT(memory.allocations, 1);
  CHECK(memory.in_use >= 1024 && memory.reserved >= memory.in_use && memory.limit == 1 << 30);
  tn_tensor_destroy(there);
  tn_device_memory_now(device, &memory, &status);
  CHECK_INT(memory.in_use, 0);
  // An older caller's struct is filled as far as it goes.
  tn_device_memory old = {.struct_size = TF_OFFSET_OF_END(tn_device_memory, allocations),
                          .in_use = 77};
  CHECK(tn_device_memory_now(device, &old, &status));
  CHECK(old.allocations == 1 && old.in_use == 77);
  tn_tensor_destroy(x);
}

TEST(test_inputs_are_moved_to_the_device_and_results_are_read_on_the_host) {
  load();
  tn_status status = {0};
  tn_tensor* x = floats((float[]){-1, 0, 2.5f, -3}, 4);
  tn_call* call = tn_call_create("Relu", "EXAMPLE_DEVICE", &status);
  tn_tensor *y = NULL, *z = NULL;
  CHECK(tn_call_run(call, &x, 1, &y, 1, &status));
  CHECK(tn_call_run(call, &y, 1, &z, 1, &status));  // what is there already stays
  CHECK_OK(&status);
  tn_tensor* home = tn_tensor_to_host(z, &status);
  CHECK_OK(&status);
  const float* values = tn_tensor_data(home);
  CHECK(values[0] == 0 && values[1] == 0 && values[2] == 2.5f && values[3] == 0);
  CHECK(!tn_tensor_write_text(z, stderr, &status));  // device memory is not read by accident
  tn_status_deinit(&status);
  tn_tensor_destroy(home);
  tn_tensor_destroy(z);
  tn_tensor_destroy(y);
  tn_tensor_destroy(x);
  tn_call_destroy(call);
}

TEST(test_a_kernel_of_the_cpu_takes_what_lies_on_a_device) {
  tn_device* device = load();
  tn_status status = {0};
  CHECK(tn_plugin_load_defaults(NULL, &status));
  tn_tensor* x = floats((float[]){1, 2, 3}, 3);
  tn_tensor* there = tn_tensor_to_stream(x, tn_device_stream(device, &status), &status);
  tn_call* call = tn_call_create("Neg", NULL, &status);
  tn_tensor* y = NULL;
  CHECK(tn_call_run(call, &there, 1, &y, 1, &status));
  CHECK_OK(&status);
  CHECK(((const float*)tn_tensor_data(y))[2] == -3);
  tn_tensor_destroy(y);
  tn_tensor_destroy(there);
  tn_tensor_destroy(x);
  tn_call_destroy(call);
}

TEST(test_a_call_runs_on_the_stream_it_is_given) {
  tn_device* device = load();
  tn_status status = {0};
  tn_stream* stream = tn_stream_create(device, &status);
  tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE, .stream = stream};
  tn_tensor *x = floats((float[]){-1, 2}, 2), *y = NULL, *z = NULL;
  tn_call* call = tn_call_create("Relu", "EXAMPLE_DEVICE", &status);
  CHECK(tn_call_run_with(call, &x, 1, &y, 1, &options, &status));
  CHECK(tn_call_run(call, &y, 1, &z, 1, &status));  // on the device's own, which waits for it
  CHECK(tn_call_device(call, &x, 1, &status) == device);
  tn_tensor* home = tn_tensor_to_host(z, &status);
  CHECK_OK(&status);
  CHECK(((const float*)tn_tensor_data(home))[1] == 2);
  options.stream = tn_device_stream(tn_device_at(0), &status);
  tn_tensor* none = x;
  CHECK(!tn_call_run_with(call, &x, 1, &none, 1, &options, &status));
  CHECK_INT(tn_status_code(&status), TN_INVALID_ARGUMENT);
  CHECK(!none);
  tn_status_deinit(&status);
  tn_tensor_destroy(home);
  tn_tensor_destroy(z);
  tn_tensor_destroy(y);
  tn_tensor_destroy(x);
  tn_call_destroy(call);
  tn_stream_destroy(stream);
}

TEST(test_what_the_device_has_no_kernel_for_runs_on_the_cpu_when_that_is_allowed) {
  tn_device* device = load();
  tn_status status = {0};
  CHECK(tn_plugin_load_defaults(NULL, &status));
  tn_stream* stream = tn_stream_create(device, &status);
  tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE, .stream = stream};
  tn_tensor *x = floats((float[]){-1, 2}, 2), *y = NULL;
  tn_tensor* there = tn_tensor_to_stream(x, stream, &status);
  tn_call* call = tn_call_create("Neg", "EXAMPLE_DEVICE", &status);
  CHECK_OK(&status);
  CHECK(!tn_call_run(call, &there, 1, &y, 1, &status));
  CHECK_INT(tn_status_code(&status), TN_NOT_FOUND);
  tn_status_clear(&status);
  CHECK(tn_call_allow_cpu_fallback(call, &status));
  CHECK(tn_call_run_with(call, &there, 1, &y, 1, &options, &status));
  CHECK_OK(&status);
  CHECK(tn_call_device(call, &there, 1, &status) == tn_device_at(0));
  CHECK(tn_tensor_device(y) == tn_device_at(0));
  CHECK(((const float*)tn_tensor_data(y))[0] == 1);
  CHECK(!tn_call_allow_cpu_fallback(call, &status));  // too late
  CHECK_INT(tn_status_code(&status), TN_FAILED_PRECONDITION);
  CHECK(!tn_call_allow_cpu_fallback(NULL, &status) && !tn_call_device(NULL, NULL, 0, &status));
  CHECK_INT(tn_status_code(&status), TN_INVALID_ARGUMENT);
  tn_status_deinit(&status);
  tn_tensor_destroy(y);
  tn_tensor_destroy(there);
  tn_tensor_destroy(x);
  tn_call_destroy(call);
  tn_stream_destroy(stream);
}

TEST(test_streams_events_and_timers_on_a_plugins_device) { check_streams(load()); }

TEST(test_streams_events_and_timers_on_the_cpu) { check_streams(tn_device_at(0)); }

TEST(test_wrong_arguments_of_device_calls_are_refused) {
  tn_device* device = load();
  tn_status status = {0};
  tn_stream* stream = tn_device_stream(device, &status);
  tn_stream* other = tn_device_stream(tn_device_at(0), &status);
  tn_event* event = tn_event_record(stream, &status);
  tn_tensor* x = floats((float[]){1}, 1);
  tn_device_info info = {.struct_size = 3};
  tn_device_memory memory = {.struct_size = TN_DEVICE_MEMORY_STRUCT_SIZE, .ext = &memory};
  CHECK_OK(&status);
#define REFUSED(call)                                        \
  do {                                                       \
    CHECK(!(call));                                          \
    CHECK_INT(tn_status_code(&status), TN_INVALID_ARGUMENT); \
    tn_status_clear(&status);                                \
  } while (0)
  REFUSED(tn_device_describe(NULL, &info, &status));
  REFUSED(tn_device_describe(device, NULL, &status));
  REFUSED(tn_device_describe(device, &info, &status));
  REFUSED(tn_device_memory_now(device, NULL, &status));
  REFUSED(tn_device_memory_now(device, &memory, &status));
  REFUSED(tn_device_stream(NULL, &status));
  REFUSED(tn_device_wait(NULL, &status));
  REFUSED(tn_stream_create(NULL, &status));
  REFUSED(tn_stream_create_with_priority(NULL, 1, &status));
  REFUSED(tn_stream_create_with_priority(device, 1, &status));  // the plugin has no priorities
  REFUSED(tn_stream_wait(NULL, 0, &status));
  REFUSED(tn_stream_depend(NULL, stream, &status));
  REFUSED(tn_stream_depend(stream, NULL, &status));
  REFUSED(tn_stream_depend(stream, other, &status));
  REFUSED(tn_stream_call(NULL, count_call, NULL, &status));
  REFUSED(tn_stream_call(stream, NULL, NULL, &status));
  REFUSED(tn_event_record(NULL, &status));
  REFUSED(tn_event_wait(NULL, 0, &status));
  REFUSED(tn_event_poll(NULL, &status) + 1);
  REFUSED(tn_stream_wait_for_event(NULL, event, &status));
  REFUSED(tn_stream_wait_for_event(stream, NULL, &status));
  REFUSED(tn_stream_wait_for_event(other, event, &status));
  REFUSED(tn_timer_start(NULL, &status));
  REFUSED(tn_timer_stop(NULL, &status) + 1);
  REFUSED(tn_tensor_to_stream(NULL, stream, &status));
  REFUSED(tn_tensor_to_stream(x, NULL, &status));
  REFUSED(tn_tensor_to_host(NULL, &status));
  CHECK(tn_tensor_device(NULL) == tn_device_at(0) && !tn_stream_device(NULL));
  CHECK(!tn_device_at(99) && tn_device_count() == 2);
  CHECK_TEXT(tn_device_name(NULL), "");
  CHECK_TEXT(tn_device_type(NULL), "");
  CHECK_TEXT(tn_device_plugin(NULL), "");
  CHECK(!tn_device_find("NO_SUCH", &status));
  tn_status_deinit(&status);
  tn_stream_destroy(NULL);
  tn_event_destroy(NULL);
  tn_timer_destroy(NULL);
  tn_event_destroy(event);
  tn_tensor_destroy(x);
}

TEST(test_memory_of_a_device_is_filled_written_and_read) {
  check_memory(load(), TN_MEMORY_DEVICE);
  check_memory(load(), TN_MEMORY_HOST);
  for (int kind = TN_MEMORY_DEVICE; kind <= TN_MEMORY_UNIFIED; ++kind)
    check_memory(tn_device_at(0), kind);
}

TEST(test_memory_that_a_device_does_not_have_is_refused) {
  tn_device* device = load();
  tn_status status = {0};
  const int64_t odd = 3, many = (int64_t)1 << 40;
  CHECK(!tn_tensor_create_on(device, TN_MEMORY_UNIFIED, TN_FLOAT, &odd, 1, &status));
  CHECK_INT(tn_status_code(&status), TN_UNIMPLEMENTED);
  CHECK_CONTAINS(tn_status_message(&status), "libexample_device.so");
  tn_status_clear(&status);
  CHECK(!tn_tensor_create_on(device, TN_MEMORY_DEVICE, TN_FLOAT, &many, 1, &status));
  CHECK_INT(tn_status_code(&status), TN_RESOURCE_EXHAUSTED);
  CHECK_CONTAINS(tn_status_message(&status), "EXAMPLE_DEVICE:0");
  tn_status_clear(&status);
  tn_tensor* bytes = tn_tensor_create_on(device, TN_MEMORY_DEVICE, TN_UINT8, &odd, 1, &status);
  tn_tensor* text = tn_tensor_create_strings(NULL, 0, (const char*[]){"text"}, NULL, &status);
  tn_stream* stream = tn_device_stream(device, &status);
  tn_stream* other = tn_device_stream(tn_device_at(0), &status);
  char byte = 0;
  CHECK_OK(&status);
  REFUSED(tn_tensor_create_on(NULL, TN_MEMORY_DEVICE, TN_FLOAT, &odd, 1, &status));
  REFUSED(tn_tensor_create_on(device, (tn_memory_kind)9, TN_FLOAT, &odd, 1, &status));
  REFUSED(tn_tensor_create_on(device, TN_MEMORY_DEVICE, TN_STRING, &odd, 1, &status));
  REFUSED(tn_tensor_fill_words(bytes, 1, stream, &status));
  REFUSED(tn_tensor_fill_words(NULL, 1, stream, &status));
  REFUSED(tn_tensor_fill_bytes(bytes, 1, other, &status));
  REFUSED(tn_tensor_fill_bytes(bytes, 1, NULL, &status));
  REFUSED(tn_tensor_fill_bytes(text, 1, stream, &status));
  REFUSED(tn_tensor_read(bytes, &byte, 4, &status));
  REFUSED(tn_tensor_read(bytes, NULL, 1, &status));
  REFUSED(tn_tensor_read(text, &byte, 1, &status));
  REFUSED(tn_tensor_read(NULL, &byte, 1, &status));
  REFUSED(tn_tensor_write(bytes, &byte, 4, &status));
  REFUSED(tn_tensor_write(NULL, &byte, 0, &status));
  CHECK(tn_tensor_read(bytes, NULL, 0, &status) && tn_tensor_write(bytes, NULL, 0, &status));
  tn_tensor_destroy(text);
  tn_tensor_destroy(bytes);
}

static bool fill_and_read(void* device, tn_status* status) {
  const int64_t dims = 4;
  char seen[16];
  tn_stream* stream = tn_device_stream(device, status);
  tn_tensor* tensor = tn_tensor_create_on(device, TN_MEMORY_DEVICE, TN_FLOAT, &dims, 1, status);
  tn_tensor* pinned = tn_tensor_create_on(device, TN_MEMORY_HOST, TN_FLOAT, &dims, 1, status);
  const bool done = tensor && pinned && tn_tensor_fill_bytes(tensor, 1, stream, status) &&
                    tn_tensor_fill_words(tensor, 7, stream, status) &&
                    tn_tensor_write(tensor, "0123456789abcdef", 16, status) &&
                    tn_tensor_read(tensor, seen, 16, status);
  tn_tensor_destroy(tensor);
  tn_tensor_destroy(pinned);
  return done;
}

TEST(test_device_memory_survives_every_failing_allocation) {
  tn_device* device = load();
  tn_status status = {0};
  CHECK(fill_and_read(device, &status));
  CHECK(test_sweep_allocations(fill_and_read, device) > 1);
}

static bool call_on_the_device(void* arg, tn_status* status) {
  tn_tensor *x = arg, *y = NULL;
  tn_call* call = tn_call_create("Relu", "EXAMPLE_DEVICE", status);
  const bool done = call && tn_call_allow_cpu_fallback(call, status) &&
                    tn_call_run(call, &x, 1, &y, 1, status) && tn_call_device(call, &x, 1, status);
  tn_tensor_destroy(y);
  tn_call_destroy(call);
  return done;
}

TEST(test_calls_on_a_device_survive_every_failing_allocation) {
  load();
  tn_tensor* x = floats((float[]){1, -2}, 2);
  tn_status status = {0};
  CHECK(call_on_the_device(x, &status));
  CHECK(test_sweep_allocations(call_on_the_device, x) > 3);
  tn_tensor_destroy(x);
}

typedef struct scene {
  tn_device* device;
  tn_tensor* x;
} scene;

static bool use_everything(void* arg, tn_status* status) {
  const scene* scene = arg;
  int calls = 0;
  tn_device_info info = {.struct_size = TN_DEVICE_INFO_STRUCT_SIZE};
  tn_device_memory memory = {.struct_size = TN_DEVICE_MEMORY_STRUCT_SIZE};
  tn_stream *stream = tn_stream_create(scene->device, status), *other = NULL;
  tn_event* event = NULL;
  tn_timer* timer = NULL;
  tn_tensor *there = NULL, *home = NULL;
  bool done =
      stream && (other = tn_stream_create(scene->device, status)) &&
      (there = tn_tensor_to_stream(scene->x, stream, status)) &&
      (event = tn_event_record(stream, status)) && tn_stream_wait_for_event(other, event, status) &&
      tn_stream_depend(other, stream, status) && tn_event_wait(event, 100, status) &&
      tn_event_poll(event, status) == 1 && tn_stream_call(stream, count_call, &calls, status) &&
      (timer = tn_timer_start(stream, status)) && tn_timer_stop(timer, status) >= 0 &&
      tn_device_describe(scene->device, &info, status) &&
      tn_device_memory_now(scene->device, &memory, status) && tn_stream_wait(stream, 100, status) &&
      tn_device_wait(scene->device, status) && (home = tn_tensor_to_host(there, status));
  tn_timer_destroy(timer);
  tn_event_destroy(event);
  tn_tensor_destroy(there);
  tn_tensor_destroy(home);
  tn_stream_destroy(other);
  tn_stream_destroy(stream);
  return done;
}

TEST(test_device_calls_survive_every_failing_allocation) {
  scene scene = {load(), floats((float[]){1, 2}, 2)};
  tn_status status = {0};
  CHECK(use_everything(&scene, &status));  // what stays for the process is made here
  CHECK(test_sweep_allocations(use_everything, &scene) > 3);
  tn_tensor_destroy(scene.x);
}

TEST(test_questions_about_devices_allocate_nothing) {
  tn_device* device = load();
  tn_status status = {0};
  tn_stream* stream = tn_device_stream(device, &status);
  tn_stream* own = tn_stream_create_with_priority(tn_device_at(0), 3, &status);
  CHECK_OK(&status);
  tn_memory_fail_here_at(0);
  CHECK_INT(tn_device_count(), 2);
  CHECK(tn_device_at(1) == device && tn_device_find("EXAMPLE_DEVICE:0", &status) == device);
  CHECK(*tn_device_name(device) && *tn_device_type(device));
  CHECK_TEXT(tn_device_plugin(device), EXAMPLE);
  CHECK_TEXT(tn_device_plugin(tn_device_at(0)), "tenon");
  CHECK(tn_stream_device(stream) == device && tn_device_stream(device, &status) == stream);
  CHECK(tn_tensor_device(NULL) == tn_device_at(0));
  tn_stream_destroy(own);
  tn_memory_fail_at(-1);
  CHECK_OK(&status);
}

// Each thread has its own stream, and all use one tensor.
static void* run_on_own_stream(void* arg) {
  const scene* scene = arg;
  tn_status status = {0};
  tn_stream* stream = tn_stream_create(scene->device, &status);
  for (int i = 0; i < 200; ++i) {
    tn_tensor* there = tn_tensor_to_stream(scene->x, stream, &status);
    tn_tensor* home = tn_tensor_to_host(there, &status);
    CHECK(home && ((const float*)tn_tensor_data(home))[1] == 2);
    tn_tensor_destroy(home);
    tn_tensor_destroy(there);
  }
  tn_stream_destroy(stream);
  return NULL;
}

TEST(test_threads_share_a_device) {
  scene scene = {load(), floats((float[]){1, 2}, 2)};
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, run_on_own_stream, &scene);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  tn_tensor_destroy(scene.x);
}
