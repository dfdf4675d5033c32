// Random calls on a device whose plugin misbehaves at random: whatever comes of a call is a status,
// nothing is lost that can be freed, and when the plugin behaves again the device works.
#include <stdatomic.h>

#include "misdeed_testing.h"

static const char* const misdeeds[] = {
    "fail:allocate",
    "fail:host_memory_allocate",
    "fail:create_stream",
    "fail:create_stream_dependency",
    "fail:get_stream_status",
    "fail:create_event",
    "fail:record_event",
    "fail:wait_for_event",
    "fail:block_host_for_event",
    "fail:block_host_until_done",
    "fail:synchronize_all_activity",
    "fail:create_timer",
    "fail:start_timer",
    "fail:stop_timer",
    "fail:memcpy_dtoh",
    "fail:memcpy_htod",
    "fail:memcpy_dtod",
    "fail:sync_memcpy_dtoh",
    "fail:sync_memcpy_htod",
    "fail:memset",
    "fail:get_allocator_stats",
    "fail:device_memory_usage",
    "event:0",
    "event:1",
    "event:2",
    "callback_twice",
    "callback_never",
    "callback_refused",
    "callback_refused_but_made",
    "negative_memory",
};
enum { MISDEEDS = sizeof misdeeds / sizeof misdeeds[0], STREAMS = 3, TENSORS = 4, EVENTS = 3 };

typedef struct scene {
  tn_device* device;
  tn_call* call;
  tn_stream* streams[STREAMS];  // NULL entries are fine
  tn_tensor* tensors[TENSORS];
  tn_event* events[EVENTS];
  atomic_int calls;
} scene;

static void count(void* arg) { ++*(atomic_int*)arg; }

static tn_stream* any_stream(scene* scene, uint64_t* random) {
  tn_stream* chosen = scene->streams[test_random(random) % STREAMS];
  return chosen ? chosen : tn_device_stream(scene->device, NULL);
}

static void replace_tensor(scene* scene, uint64_t* random, tn_tensor* by) {
  if (!by) return;
  tn_tensor** place = &scene->tensors[test_random(random) % TENSORS];
  tn_tensor_destroy(*place);
  *place = by;
}

static void do_something(scene* scene, uint64_t* random, tn_status* status) {
  tn_stream* stream = any_stream(scene, random);
  tn_tensor* tensor = scene->tensors[test_random(random) % TENSORS];
  const size_t i = test_random(random) % STREAMS, j = test_random(random) % EVENTS;
  float numbers[4] = {0};
  switch (test_random(random) % 17) {
    case 0:
      tn_stream_destroy(scene->streams[i]);
      scene->streams[i] = tn_stream_create(scene->device, status);
      break;
    case 1: tn_stream_depend(stream, any_stream(scene, random), status); break;
    case 2: tn_stream_wait(stream, test_random(random) % 2, status); break;
    case 3: tn_stream_call(stream, count, &scene->calls, status); break;
    case 4:
      tn_event_destroy(scene->events[j]);
      scene->events[j] = tn_event_record(stream, status);
      break;
    case 5: tn_event_poll(scene->events[j], status); break;
    case 6: tn_event_wait(scene->events[j], 1, status); break;
    case 7: tn_stream_wait_for_event(stream, scene->events[j], status); break;
    case 8: replace_tensor(scene, random, tn_tensor_to_stream(tensor, stream, status)); break;
    case 9: replace_tensor(scene, random, tn_tensor_to_host(tensor, status)); break;
    case 10:
    case 11: {
      tn_tensor* made = NULL;
      const tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE,
                                       .stream = stream};
      if (tn_call_run_with(scene->call, &tensor, 1, &made, 1, &options, status))
        replace_tensor(scene, random, made);
      break;
    }
    case 12: tn_tensor_read(tensor, numbers, sizeof numbers, status); break;
    case 13: {
      tn_memory_kind kind = test_random(random) % 2 ? TN_MEMORY_HOST : TN_MEMORY_DEVICE;
      tn_tensor* made =
          tn_tensor_create_on(scene->device, kind, TN_FLOAT, (const int64_t[]){4}, 1, status);
      if (made && tn_tensor_write(made, numbers, sizeof numbers, status))
        replace_tensor(scene, random, made);
      else
        tn_tensor_destroy(made);
      break;
    }
    case 14:
      if (tn_tensor_device(tensor) == scene->device)
        tn_tensor_fill_words(tensor, 0x3f800000, stream, status);
      break;
    case 15: {
      tn_timer* timer = tn_timer_start(stream, status);
      tn_timer_stop(timer, status);
      tn_timer_destroy(timer);
      break;
    }
    case 16: {
      tn_device_memory memory = {.struct_size = TN_DEVICE_MEMORY_STRUCT_SIZE};
      tn_device_memory_now(scene->device, &memory, status);
      tn_device_wait(scene->device, status);
      break;
    }
  }
}

static void check_works(scene* scene, tn_status* status) {
  tn_tensor *x = some_floats(), *y = NULL;
  CHECK(tn_call_run(scene->call, &x, 1, &y, 1, status));
  tn_tensor* home = tn_tensor_to_host(y, status);
  CHECK_OK(status);
  for (int i = 0; i < 4; ++i)
    CHECK(((const float*)tn_tensor_data(home))[i] == -((const float*)tn_tensor_data(x))[i]);
  tn_tensor_destroy(home);
  tn_tensor_destroy(y);
  tn_tensor_destroy(x);
}

static void run_scene(const char* memory) {
  uint64_t random = test_seed();
  tn_status* status = tn_status_create();
  scene scene = {.device = load_device(memory)};
  scene.call = tn_call_create("Neg", tn_device_name(scene.device), status);
  CHECK_OK(status);
  for (int i = 0; i < TENSORS; ++i) scene.tensors[i] = some_floats();
  const int rounds = getenv("TN_TEST_SOAK_SECONDS") ? 20000 : 400;
  for (int round = 0; round < rounds; ++round) {
    const bool misbehaves = test_random(&random) % 3 != 0;
    misdeed_from_now(misbehaves ? misdeeds[test_random(&random) % MISDEEDS] : "");
    const int steps = (int)(test_random(&random) % 6);
    for (int i = 0; i < steps; ++i) {
      do_something(&scene, &random, status);
      const tn_code code = tn_status_code(status);
      if (misbehaves && code != TN_OK) CHECK(tn_status_message(status)[0] != 0);
      tn_status_clear(status);
    }
    misdeed_from_now("");
    if (round % 20 == 0) check_works(&scene, status);
  }
  for (int i = 0; i < EVENTS; ++i) tn_event_destroy(scene.events[i]);
  for (int i = 0; i < TENSORS; ++i) tn_tensor_destroy(scene.tensors[i]);
  for (int i = 0; i < STREAMS; ++i) tn_stream_destroy(scene.streams[i]);
  check_works(&scene, status);
  CHECK(tn_device_wait(scene.device, status));
  tn_call_destroy(scene.call);
  CHECK_INT(live(MISDEED_STREAMS), 1);
  CHECK_INT(live(MISDEED_TIMERS), 0);
  CHECK_INT(live(MISDEED_EARLY_DESTROYS), 0);
  tn_status_destroy(status);
}

TEST(test_random_misdeeds_with_the_plugin_s_own_memory_are_survived) { run_scene(""); }
TEST(test_random_misdeeds_with_memory_that_the_host_shares_out_are_survived) {
  run_scene("pooled");
}
