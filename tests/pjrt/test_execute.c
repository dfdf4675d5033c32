#include <pthread.h>

#include "base/memory.h"
#include "host.h"

TEST(test_a_program_runs_on_plugins_of_every_age) {
  static const int numbers[] = {28, 33, 34, 44, 54, 75, 90, 104, 114, 117, 130};
  tn_status* status = tn_status_create();
  for (size_t n = 0; n < sizeof numbers / sizeof *numbers; ++n) {
    for (int delay = -1; delay <= 1; ++delay) {
      tn_pjrt_client* client = client_with(numbers[n], 1, delay);
      tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 1, ""), status);
      CHECK_OK(status);
      CHECK_INT(tn_pjrt_executable_output_count(program), 1);
      tn_pjrt_buffer *x = four_floats(client, NULL, status), *y = NULL, *z = NULL;
      tn_pjrt_event* complete = NULL;
      tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
      options.complete = &complete;
      CHECK(tn_pjrt_execute(program, &x, 1, &y, 1, NULL, status));
      CHECK(tn_pjrt_execute(program, &y, 1, &z, 1, &options, status));
      CHECK_OK(status);
      CHECK(tn_pjrt_event_wait(complete, status));
      CHECK(holds_floats(y, (float[]){2, 3, 4, 5}, 4, status));
      CHECK(holds_floats(z, (float[]){3, 4, 5, 6}, 4, status));
      CHECK(!tn_pjrt_buffer_deleted(x) && !tn_pjrt_buffer_deleted(y));
      CHECK_OK(status);
      tn_pjrt_event_destroy(complete);
      tn_pjrt_buffer_destroy(x);
      tn_pjrt_buffer_destroy(y);
      tn_pjrt_buffer_destroy(z);
      tn_pjrt_executable_destroy(program);
      tn_pjrt_client_destroy(client);
    }
  }
  tn_status_destroy(status);
}

TEST(test_donated_arguments_are_gone_and_kept_ones_stay) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_executable* program =
      compile_text(client, program_text("4xf32", 1, "{tf.aliasing_output = 0 : i32}"), status);
  CHECK_OK(status);
  tn_pjrt_buffer *x = four_floats(client, NULL, status), *y = NULL;
  tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
  options.keep = (int64_t[]){0};
  options.keep_count = 1;
  CHECK(tn_pjrt_execute(program, &x, 1, &y, 1, &options, status));
  CHECK(!tn_pjrt_buffer_deleted(x));
  tn_pjrt_buffer_destroy(y);
  CHECK(tn_pjrt_execute(program, &x, 1, &y, 1, NULL, status));
  CHECK(tn_pjrt_buffer_deleted(x));
  CHECK(holds_floats(y, (float[]){2, 3, 4, 5}, 4, status));
  CHECK_OK(status);
  tn_pjrt_buffer* z = NULL;
  CHECK(!tn_pjrt_execute(program, &x, 1, &z, 1, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "argument 0 of");
  CHECK_CONTAINS(tn_status_message(status), "donated");
  CHECK(!tn_ok(status));
  CHECK(!z);
  tn_status_clear(status);
  tn_pjrt_buffer_destroy(x);
  tn_pjrt_buffer_destroy(y);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  // Before 0.39 there is no way to say it.
  client = client_of(33);
  program = compile_text(client, program_text("4xf32", 1, ""), status);
  x = four_floats(client, NULL, status);
  CHECK_OK(status);
  CHECK(!tn_pjrt_execute(program, &x, 1, &y, 1, &options, status));
  CHECK_CONTAINS(tn_status_message(status), "needs PJRT 0.39; the plugin has 0.33");
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  tn_pjrt_buffer_destroy(x);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

// Sixteen devices with sixteen arguments each are more than fits on the stack.
TEST(test_a_program_runs_on_many_devices_with_many_arguments) {
  enum { DEVICES = 16, VALUES = 16 };
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_with(114, DEVICES, 0);
  tn_pjrt_compile_options how = TN_INIT(tn_pjrt_compile_options);
  how.replicas = 4;
  how.partitions = 4;
  int ids[DEVICES];
  for (int i = 0; i < DEVICES; ++i) ids[i] = DEVICES - 1 - i;
  how.device_ids = ids;
  const char* text = program_text("4xf32", VALUES, "");
  tn_pjrt_executable* program = tn_pjrt_compile(client, text, strlen(text), &how, status);
  CHECK_OK(status);
  CHECK_INT(tn_pjrt_executable_replicas(program), 4);
  CHECK_INT(tn_pjrt_executable_partitions(program), 4);
  CHECK_INT(tn_pjrt_executable_device_count(program), DEVICES);
  int found[DEVICES];
  CHECK(tn_pjrt_executable_device_assignment(program, found, DEVICES, status));
  CHECK(memcmp(found, ids, sizeof ids) == 0);
  tn_pjrt_buffer *x[DEVICES][VALUES], *y[DEVICES][VALUES];
  tn_pjrt_buffer* const* inputs[DEVICES];
  tn_pjrt_buffer** outputs[DEVICES];
  tn_pjrt_event* complete[DEVICES];
  tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
  options.complete = complete;
  for (int d = 0; d < DEVICES; ++d) {
    tn_pjrt_device* device = tn_pjrt_executable_device(program, (size_t)d);
    for (int i = 0; i < VALUES; ++i) x[d][i] = four_floats(client, device, status);
    inputs[d] = x[d];
    outputs[d] = y[d];
  }
  CHECK_OK(status);
  for (int round = 0; round < 3; ++round) {
    if (round == 2) tn_memory_fail_at(0);
    CHECK(
        tn_pjrt_execute_many(program, DEVICES, inputs, VALUES, outputs, VALUES, &options, status));
    if (round == 2) CHECK_INT(tn_memory_asked(), 0);
    tn_memory_fail_at(-1);
    CHECK_OK(status);
    for (int d = 0; d < DEVICES; ++d) {
      CHECK(tn_pjrt_event_wait(complete[d], status));
      tn_pjrt_event_destroy(complete[d]);
      CHECK(tn_pjrt_buffer_device(y[d][5]) == tn_pjrt_executable_device(program, (size_t)d));
      for (int i = 0; i < VALUES; ++i) {
        CHECK(holds_floats(y[d][i], (float[]){2, 3, 4, 5}, 4, status));
        tn_pjrt_buffer_destroy(y[d][i]);
      }
    }
  }
  CHECK(!tn_pjrt_execute(program, x[0], VALUES, y[0], VALUES, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "compiled for 16 devices");
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  for (int d = 0; d < DEVICES; ++d)
    for (int i = 0; i < VALUES; ++i) tn_pjrt_buffer_destroy(x[d][i]);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_running_a_program_again_allocates_nothing) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 1, ""), status);
  tn_pjrt_buffer *x = four_floats(client, NULL, status), *y = NULL;
  CHECK_OK(status);
  tn_memory_fail_at(INT32_MAX);
  for (int i = 0; i < 100; ++i) {
    if (i == 2) tn_memory_fail_at(INT32_MAX);
    tn_pjrt_event* complete = NULL;
    tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
    options.complete = &complete;
    CHECK(tn_pjrt_execute(program, &x, 1, &y, 1, &options, status));
    float back[4];
    CHECK(tn_pjrt_buffer_to_host(y, back, sizeof back, NULL, NULL, status));
    CHECK(tn_pjrt_event_wait(complete, status));
    tn_pjrt_event_destroy(complete);
    tn_pjrt_buffer_destroy(y);
  }
  CHECK_INT(tn_memory_asked(), 0);
  tn_memory_fail_at(-1);
  CHECK_OK(status);
  tn_pjrt_buffer_destroy(x);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_what_cannot_run_is_refused_with_a_reason) {
  tn_status* status = tn_status_create();
  tn_pjrt_client *client = client_of(114), *other = client_of(114);
  tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 2, ""), status);
  tn_pjrt_buffer* x[2] = {four_floats(client, NULL, status), four_floats(client, NULL, status)};
  tn_pjrt_buffer* foreign = four_floats(other, NULL, status);
  tn_pjrt_buffer* y[3] = {NULL};
  CHECK_OK(status);
#define REFUSED(call, words)                          \
  do {                                                \
    CHECK(!(call));                                   \
    CHECK_CONTAINS(tn_status_message(status), words); \
    CHECK_CODE(status, TN_INVALID_ARGUMENT);          \
  } while (0)
  REFUSED(tn_pjrt_execute(NULL, x, 2, y, 2, NULL, status), "needs a program");
  REFUSED(tn_pjrt_execute(program, NULL, 2, y, 2, NULL, status), "no list");
  REFUSED(tn_pjrt_execute(program, x, 2, NULL, 2, NULL, status), "no list");
  REFUSED(tn_pjrt_execute(program, x, 2, y, 3, NULL, status), "has 2 outputs");
  REFUSED(tn_pjrt_execute(program, x, 1, y, 2, NULL, status), "");
  REFUSED(tn_pjrt_execute(program, (tn_pjrt_buffer*[]){x[0], NULL}, 2, y, 2, NULL, status),
          "argument 1");
  REFUSED(tn_pjrt_execute(program, (tn_pjrt_buffer*[]){foreign, x[0]}, 2, y, 2, NULL, status),
          "argument 0 of main belongs to another PJRT client");
  REFUSED(tn_pjrt_execute_many(program, 0, NULL, 0, NULL, 0, NULL, status), "0 devices");
  REFUSED(tn_pjrt_execute_many(NULL, 1, NULL, 0, NULL, 0, NULL, status), "needs a program");
  tn_pjrt_buffer* const* twice[] = {x, x};
  tn_pjrt_buffer** outputs[] = {y, y};
  REFUSED(tn_pjrt_execute_many(program, 2, twice, 2, outputs, 2, NULL, status), "1 devices");
  REFUSED(tn_pjrt_execute_many(program, SIZE_MAX / 8, twice, 2, outputs, 2, NULL, status), "");
  tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
  options.ext = y;
  REFUSED(tn_pjrt_execute(program, x, 2, y, 2, &options, status), "ext");
  options = TN_INIT(tn_pjrt_execute_options);
  options.struct_size = 24;
  REFUSED(tn_pjrt_execute(program, x, 2, y, 2, &options, status), "struct_size");
  options = TN_INIT(tn_pjrt_execute_options);
  options.keep = (int64_t[]){2};
  options.keep_count = 1;
  REFUSED(tn_pjrt_execute(program, x, 2, y, 2, &options, status), "argument 2");
  options.keep = NULL;
  REFUSED(tn_pjrt_execute(program, x, 2, y, 2, &options, status), "kept");
  options = TN_INIT(tn_pjrt_execute_options);
  options.device = tn_pjrt_client_device(other, 0);
  REFUSED(tn_pjrt_execute(program, x, 2, y, 2, &options, status), "another PJRT client");
  CHECK(tn_pjrt_buffer_delete(x[1], status));
  REFUSED(tn_pjrt_execute(program, x, 2, y, 2, NULL, status), "argument 1 of main was deleted");
  CHECK(!tn_pjrt_execute(program, x, 2, y, 2, NULL, NULL));
  CHECK(!y[0] && !y[1]);
  tn_pjrt_buffer_destroy(x[0]);
  tn_pjrt_buffer_destroy(x[1]);
  tn_pjrt_buffer_destroy(foreign);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_pjrt_client_destroy(other);
  tn_status_destroy(status);
}

static void check_misdeed(const char* misdeed, const char* words) {
  setenv("PJRT_MISDEED", misdeed, 1);
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 2, ""), status);
  tn_pjrt_buffer* x[2] = {four_floats(client, NULL, status), four_floats(client, NULL, status)};
  tn_pjrt_buffer* y[2] = {x[0], x[0]};
  tn_pjrt_event* complete = NULL;
  tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
  options.complete = &complete;
  if (program) CHECK(!tn_pjrt_execute(program, x, 2, y, 2, &options, status));
  CHECK(!program || (!y[0] && !y[1]));
  CHECK(!complete);
  CHECK_CONTAINS(tn_status_message(status), words);
  CHECK_CODE(status, TN_INTERNAL);
  tn_pjrt_buffer_destroy(x[0]);
  tn_pjrt_buffer_destroy(x[1]);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_outputs_that_the_plugin_leaves_out_are_a_status) {
  check_misdeed("outputs_null", "output 0 of main is null");
}

TEST(test_complete_events_that_the_plugin_leaves_out_are_a_status) {
  check_misdeed("complete_events_null", "no error and no event");
}

TEST(test_a_plugin_that_miscounts_its_outputs_is_not_run) {
  check_misdeed("outputs_miscounted", "tells of 1 outputs of main");
}

static bool run_once(void* plugin, tn_status* status) {
  tn_pjrt_client* client = tn_pjrt_client_create(plugin, NULL, status);
  const char* text = program_text("4xf32", 16, "");
  tn_pjrt_executable* program =
      client ? tn_pjrt_compile(client, text, strlen(text), NULL, status) : NULL;
  tn_pjrt_buffer *x[16] = {NULL}, *y[16] = {NULL};
  tn_pjrt_event* complete = NULL;
  tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
  options.complete = &complete;
  bool ok = program != NULL;
  for (int i = 0; ok && i < 16; ++i) ok = (x[i] = four_floats(client, NULL, status)) != NULL;
  ok = ok && tn_pjrt_execute(program, x, 16, y, 16, &options, status) &&
       tn_pjrt_event_wait(complete, status);
  tn_pjrt_event_destroy(complete);
  for (int i = 0; i < 16; ++i) {
    tn_pjrt_buffer_destroy(x[i]);
    tn_pjrt_buffer_destroy(y[i]);
  }
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  return ok;
}

TEST(test_running_a_program_survives_every_failing_allocation) {
  tn_pjrt* plugin = open_number(114, 0);
  CHECK(test_sweep_allocations(run_once, plugin) > 10);
  tn_pjrt_close(plugin);
}

static bool run_many_once(void* plugin, tn_status* status) {
  tn_pjrt_values* wanted = tn_pjrt_values_create();
  tn_pjrt_client* client = NULL;
  if (!wanted) tn_status_set(status, TN_RESOURCE_EXHAUSTED, "out of memory");
  if (wanted && tn_pjrt_values_set_int(wanted, "num_devices", 16, status))
    client = tn_pjrt_client_create(plugin, wanted, status);
  tn_pjrt_compile_options how = TN_INIT(tn_pjrt_compile_options);
  how.replicas = 16;
  const char* text = program_text("4xf32", 2, "");
  tn_pjrt_executable* program =
      client ? tn_pjrt_compile(client, text, strlen(text), &how, status) : NULL;
  tn_pjrt_buffer *x[16][2] = {{NULL}}, *y[16][2] = {{NULL}};
  tn_pjrt_buffer* const* inputs[16];
  tn_pjrt_buffer** outputs[16];
  bool ok = program != NULL;
  for (size_t d = 0; d < 16; ++d) {
    tn_pjrt_device* device = tn_pjrt_executable_device(program, d);
    for (int i = 0; ok && i < 2; ++i) ok = (x[d][i] = four_floats(client, device, status)) != NULL;
    inputs[d] = x[d];
    outputs[d] = y[d];
  }
  ok = ok && tn_pjrt_execute_many(program, 16, inputs, 2, outputs, 2, NULL, status);
  for (size_t d = 0; d < 16; ++d)
    for (int i = 0; i < 2; ++i) {
      tn_pjrt_buffer_destroy(x[d][i]);
      tn_pjrt_buffer_destroy(y[d][i]);
    }
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_pjrt_values_destroy(wanted);
  return ok;
}

TEST(test_running_on_many_devices_survives_every_failing_allocation) {
  tn_pjrt* plugin = open_number(114, 0);
  CHECK(test_sweep_allocations(run_many_once, plugin) > 10);
  tn_pjrt_close(plugin);
}

typedef struct runner {
  tn_pjrt_client* client;
  tn_pjrt_executable* program;
  bool ok;
} runner;

static void* run_in_thread(void* arg) {
  runner* self = arg;
  tn_status* status = tn_status_create();
  self->ok = true;
  for (int round = 0; self->ok && round < 20; ++round) {
    tn_pjrt_buffer *x[16] = {NULL}, *y[16] = {NULL};
    for (int i = 0; i < 16; ++i) x[i] = four_floats(self->client, NULL, status);
    self->ok = tn_pjrt_execute(self->program, x, 16, y, 16, NULL, status);
    for (int i = 0; i < 16; ++i) {
      if (self->ok) self->ok = holds_floats(y[i], (float[]){2, 3, 4, 5}, 4, status);
      tn_pjrt_buffer_destroy(x[i]);
      tn_pjrt_buffer_destroy(y[i]);
    }
  }
  CHECK_OK(status);
  tn_status_destroy(status);
  return NULL;
}

TEST(test_threads_share_a_program) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_with(114, 1, 0);
  tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 16, ""), status);
  CHECK_OK(status);
  runner runners[4];
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    runners[i] = (runner){client, program, false};
    CHECK_INT(pthread_create(&threads[i], NULL, run_in_thread, &runners[i]), 0);
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(runners[i].ok);
  }
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}
