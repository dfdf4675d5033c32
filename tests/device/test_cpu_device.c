// Our CPU device through this host: kernels are launched on streams, which go on side by side.
#include <stdatomic.h>
#include <time.h>

#include "base/status.h"
#include "harness.h"
#include "tenon/tenon.h"

typedef struct scene {
  tn_device* device;
  tn_call* product;
  tn_tensor* x;  // 64 x 64, all ones
} scene;

static scene begin(void) {
  tn_status status = {0};
  CHECK(tn_plugin_load_defaults(NULL, &status));
  scene scene = {.device = tn_device_find("TENON", &status)};
  CHECK_OK(&status);
  scene.product = tn_call_create("MatMul", "TENON", &status);
  const int64_t dims[] = {64, 64};
  scene.x = tn_tensor_create(TN_FLOAT, dims, 2, &status);
  for (int i = 0; i < 64 * 64; ++i) ((float*)tn_tensor_data(scene.x))[i] = 1;
  CHECK_OK(&status);
  return scene;
}

static void end(scene* scene) {
  tn_call_destroy(scene->product);
  tn_tensor_destroy(scene->x);
}

static tn_tensor* multiply(const scene* scene, tn_stream* stream, tn_tensor* a, tn_tensor* b) {
  tn_status status = {0};
  const tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE, .stream = stream};
  tn_tensor* product = NULL;
  CHECK(tn_call_run_with(scene->product, (tn_tensor*[]){a, b}, 2, &product, 1, &options, &status));
  CHECK_OK(&status);
  return product;
}

static float first_of(tn_tensor* tensor) {
  tn_status status = {0};
  float first = 0;
  CHECK(tn_tensor_read(tensor, &first, sizeof first, &status));
  CHECK_OK(&status);
  return first;
}

// Holds a stream up until it is opened.
static void wait_at_gate(void* gate) {
  while (!atomic_load((atomic_bool*)gate)) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

TEST(test_kernels_are_launched_and_streams_go_on_side_by_side) {
  scene scene = begin();
  tn_status status = {0};
  tn_stream* held = tn_stream_create(scene.device, &status);
  tn_stream* free = tn_stream_create(scene.device, &status);
  tn_tensor* x = tn_tensor_to_stream(scene.x, held, &status);
  CHECK(tn_stream_wait(held, 0, &status));
  atomic_bool gate = false;
  CHECK(tn_stream_call(held, wait_at_gate, &gate, &status));
  tn_tensor* late = multiply(&scene, held, x, x);  // returns although the stream is held up
  tn_event* event = tn_event_record(held, &status);
  tn_tensor* y = tn_tensor_to_stream(scene.x, free, &status);
  tn_tensor* early = multiply(&scene, free, y, y);
  CHECK(first_of(early) == 64);
  CHECK_INT(tn_event_poll(event, &status), 0);
  CHECK(!tn_stream_wait(held, 20, &status));
  CHECK_INT(tn_status_code(&status), TN_DEADLINE_EXCEEDED);
  tn_status_clear(&status);
  atomic_store(&gate, true);
  CHECK(first_of(late) == 64);
  CHECK_INT(tn_event_poll(event, &status), 1);
  CHECK_OK(&status);
  tn_event_destroy(event);
  tn_tensor_destroy(early);
  tn_tensor_destroy(late);
  tn_tensor_destroy(x);
  tn_tensor_destroy(y);
  tn_stream_destroy(held);
  tn_stream_destroy(free);
  end(&scene);
}

// A product that is used on another stream, and memory that goes from stream to stream while work
// on it is queued.
TEST(test_results_of_one_stream_are_used_on_others_in_the_right_order) {
  scene scene = begin();
  tn_status status = {0};
  enum { STREAMS = 4, ROUNDS = 300 };
  tn_stream* streams[STREAMS];
  for (int i = 0; i < STREAMS; ++i) streams[i] = tn_stream_create(scene.device, &status);
  CHECK_OK(&status);
  uint64_t seed = test_seed();
  tn_tensor* ones = tn_tensor_to_stream(scene.x, streams[0], &status);
  tn_call* scale = tn_call_create("Mul", "TENON", &status);
  const float shrink = 1.0f / 64;
  tn_tensor* factor = tn_tensor_create_from(TN_FLOAT, NULL, 0, &shrink, sizeof shrink, &status);
  tn_tensor* value = tn_tensor_share(ones, &status);
  for (int i = 0; i < ROUNDS; ++i) {
    tn_stream* a = streams[test_random(&seed) % STREAMS];
    tn_stream* b = streams[test_random(&seed) % STREAMS];
    tn_tensor *product = multiply(&scene, a, value, ones), *scaled = NULL;
    const tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE, .stream = b};
    CHECK(
        tn_call_run_with(scale, (tn_tensor*[]){product, factor}, 2, &scaled, 1, &options, &status));
    tn_tensor_destroy(product);
    tn_tensor_destroy(value);
    value = scaled;
  }
  CHECK(first_of(value) == 1);
  CHECK_OK(&status);
  tn_tensor_destroy(value);
  tn_tensor_destroy(ones);
  tn_tensor_destroy(factor);
  tn_call_destroy(scale);
  for (int i = 0; i < STREAMS; ++i) tn_stream_destroy(streams[i]);
  end(&scene);
}

TEST(test_unified_memory_is_touched_by_both) {
  scene scene = begin();
  tn_status status = {0};
  const int64_t dims[] = {64, 64};
  tn_tensor* both =
      tn_tensor_create_on(scene.device, TN_MEMORY_UNIFIED, TN_FLOAT, dims, 2, &status);
  CHECK_OK(&status);
  for (int i = 0; i < 64 * 64; ++i) ((float*)tn_tensor_data(both))[i] = 2;
  tn_tensor* product = multiply(&scene, NULL, both, scene.x);
  CHECK(first_of(product) == 128);
  tn_tensor* home = tn_tensor_to_host(both, &status);  // the same memory, when the stream is done
  CHECK(tn_tensor_data(home) == tn_tensor_data(both));
  CHECK_OK(&status);
  tn_tensor_destroy(home);
  tn_tensor_destroy(product);
  tn_tensor_destroy(both);
  end(&scene);
}
