// What it costs to run programs through tenon/pjrt.h, over a loop of one's own on the plugin's
// table: the same plugin (the test plugin of 0.114, which adds one to four numbers), the same
// calls, in one process. "over" is the difference.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "tenon/pjrt.h"
#include "xla/pjrt/c/pjrt_c_api.h"

#define PLUGIN TENON_BUILD_DIR "/tests/plugins/pjrt_0_114.so"

enum { MOST = 16 };

// One program with `count` arguments and outputs, made through each of the two ways.
typedef struct bench {
  size_t count;
  bool events;
  tn_pjrt_executable* program;
  tn_pjrt_buffer* inputs[MOST];
  const PJRT_Api* api;
  PJRT_LoadedExecutable* raw_program;
  PJRT_Buffer* raw_inputs[MOST];
} bench;

static void fail(const char* what) {
  fprintf(stderr, "bench: %s\n", what);
  exit(1);
}

static void run_ours(void* arg) {
  bench* self = arg;
  tn_pjrt_buffer* outputs[MOST];
  tn_pjrt_event* complete = NULL;
  tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
  if (self->events) options.complete = &complete;
  if (!tn_pjrt_execute(self->program, self->inputs, self->count, outputs, self->count, &options,
                       NULL))
    fail("tn_pjrt_execute");
  if (self->events && !tn_pjrt_event_wait(complete, NULL)) fail("tn_pjrt_event_wait");
  tn_pjrt_event_destroy(complete);
  for (size_t i = 0; i < self->count; ++i) tn_pjrt_buffer_destroy(outputs[i]);
}

#define CALL(api, ENTRY, ...)                                                          \
  ((api)->ENTRY(&(ENTRY##_Args){.struct_size = ENTRY##_Args_STRUCT_SIZE, __VA_ARGS__}) \
       ? fail(#ENTRY)                                                                  \
       : (void)0)

static void run_raw(void* arg) {
  bench* self = arg;
  PJRT_Buffer* outputs[MOST];
  PJRT_Buffer* const* argument_list = self->raw_inputs;
  PJRT_Buffer** output_list = outputs;
  PJRT_Event* complete = NULL;
  PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  CALL(self->api, PJRT_LoadedExecutable_Execute, .executable = self->raw_program,
       .options = &options, .argument_lists = &argument_list, .num_devices = 1,
       .num_args = self->count, .output_lists = &output_list,
       .device_complete_events = self->events ? &complete : NULL);
  if (self->events) {
    CALL(self->api, PJRT_Event_Await, .event = complete);
    CALL(self->api, PJRT_Event_Destroy, .event = complete);
  }
  for (size_t i = 0; i < self->count; ++i)
    CALL(self->api, PJRT_Buffer_Destroy, .buffer = outputs[i]);
}

static void put_text(char* text, size_t room, size_t count) {
  size_t at = (size_t)snprintf(text, room, "module @add {\n  func.func public @main(");
  for (size_t i = 0; i < count; ++i)
    at += (size_t)snprintf(text + at, room - at, "%s%%%zu: tensor<4xf32>", i ? ", " : "", i);
  at += (size_t)snprintf(text + at, room - at, ") -> (");
  for (size_t i = 0; i < count; ++i)
    at += (size_t)snprintf(text + at, room - at, "%stensor<4xf32>", i ? ", " : "");
  snprintf(text + at, room - at, ") {\n    stablehlo.add %%0, dense<1>\n  }\n}\n");
}

static void make_ours(bench* self, tn_pjrt_client* client, const char* text, const float* data) {
  tn_status* status = tn_status_create();
  self->program = tn_pjrt_compile(client, text, strlen(text), NULL, status);
  for (size_t i = 0; i < self->count && tn_ok(status); ++i) {
    tn_pjrt_host_array array = TN_INIT(tn_pjrt_host_array);
    array.data = data;
    array.type = PJRT_Buffer_Type_F32;
    array.dims = (int64_t[]){4};
    array.rank = 1;
    self->inputs[i] = tn_pjrt_buffer_create(client, &array, NULL, status);
  }
  if (!tn_ok(status)) fail(tn_status_message(status));
  tn_status_destroy(status);
}

static void make_raw(bench* self, PJRT_Client* client, const char* text, const float* data) {
  // Options: one replica and one partition.
  static const char options[] = "\x1a\x04\x20\x01\x28\x01";
  PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                          .code = (char*)(uintptr_t)text,
                          .code_size = strlen(text),
                          .format = "mlir",
                          .format_size = 4};
  PJRT_Client_Compile_Args compile = {.struct_size = PJRT_Client_Compile_Args_STRUCT_SIZE,
                                      .client = client,
                                      .program = &program,
                                      .compile_options = options,
                                      .compile_options_size = sizeof options - 1};
  if (self->api->PJRT_Client_Compile(&compile)) fail("PJRT_Client_Compile");
  self->raw_program = compile.executable;
  PJRT_Client_AddressableDevices_Args devices = {
      .struct_size = PJRT_Client_AddressableDevices_Args_STRUCT_SIZE, .client = client};
  if (self->api->PJRT_Client_AddressableDevices(&devices)) fail("PJRT_Client_AddressableDevices");
  for (size_t i = 0; i < self->count; ++i) {
    PJRT_Client_BufferFromHostBuffer_Args args = {
        .struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE,
        .client = client,
        .data = data,
        .type = PJRT_Buffer_Type_F32,
        .dims = (int64_t[]){4},
        .num_dims = 1,
        .device = devices.addressable_devices[0]};
    if (self->api->PJRT_Client_BufferFromHostBuffer(&args))
      fail("PJRT_Client_BufferFromHostBuffer");
    CALL(self->api, PJRT_Event_Destroy, .event = args.done_with_host_buffer);
    self->raw_inputs[i] = args.buffer;
  }
}

int main(void) {
  tn_status* status = tn_status_create();
  tn_pjrt* plugin = tn_pjrt_open(PLUGIN, NULL, status);
  tn_pjrt_client* client = plugin ? tn_pjrt_client_create(plugin, NULL, status) : NULL;
  if (!client) fail(tn_status_message(status));
  const PJRT_Api* (*get_api)(void) = NULL;
  void* library = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
  void* symbol = library ? dlsym(library, "GetPjrtApi") : NULL;
  if (!symbol) fail(dlerror());
  memcpy(&get_api, &symbol, sizeof symbol);
  const PJRT_Api* api = get_api();
  PJRT_Client_Create_Args create = {.struct_size = PJRT_Client_Create_Args_STRUCT_SIZE};
  if (api->PJRT_Client_Create(&create)) fail("PJRT_Client_Create");

  static const float data[4] = {1, 2, 3, 4};
  static const struct {
    size_t count;
    bool events;
    const char* name;
  } cases[] = {{1, false, "one argument"},
               {1, true, "one argument, waited for"},
               {16, false, "sixteen arguments"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    bench self = {.count = cases[i].count, .events = cases[i].events, .api = api};
    char text[4096], name[128];
    put_text(text, sizeof text, self.count);
    make_ours(&self, client, text, data);
    make_raw(&self, create.client, text, data);
    // In turns, so that both meet the same disturbances.
    double ours = 1e300, raw = 1e300;
    for (int round = 0; round < 5; ++round) {
      double one = bench_nanoseconds(run_raw, &self), other = bench_nanoseconds(run_ours, &self);
      if (one < raw) raw = one;
      if (other < ours) ours = other;
    }
    snprintf(name, sizeof name, "PJRT execute, %s", cases[i].name);
    bench_report(name, ours, "ns", "raw loop", raw);
    snprintf(name, sizeof name, "PJRT execute, %s: over", cases[i].name);
    bench_report(name, ours - raw, "ns", NULL, 0);
    for (size_t k = 0; k < self.count; ++k) {
      tn_pjrt_buffer_destroy(self.inputs[k]);
      CALL(api, PJRT_Buffer_Destroy, .buffer = self.raw_inputs[k]);
    }
    tn_pjrt_executable_destroy(self.program);
    CALL(api, PJRT_LoadedExecutable_Destroy, .executable = self.raw_program);
  }
  CALL(api, PJRT_Client_Destroy, .client = create.client);
  tn_pjrt_client_destroy(client);
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
  return 0;
}
