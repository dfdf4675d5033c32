// What the tests of the host share: a client on a test plugin of any number, and programs that add
// one, which is what these plugins run.
#ifndef TENON_TESTS_PJRT_HOST_H_
#define TENON_TESTS_PJRT_HOST_H_

#include "harness.h"
#include "tenon/pjrt.h"
#include "xla/pjrt/c/pjrt_c_api.h"

#define TEST_PLUGIN(number) TENON_BUILD_DIR "/tests/plugins/pjrt_0_" #number ".so"

// Opens a plugin by its minor number; a null client ends the test.
static inline tn_pjrt* open_number(int minor, int as_host) {
  char path[512];
  snprintf(path, sizeof path, "%s/tests/plugins/pjrt_0_%d.so", TENON_BUILD_DIR, minor);
  tn_status* status = tn_status_create();
  tn_pjrt_open_options options = TN_INIT(tn_pjrt_open_options);
  options.as_host = as_host;
  tn_pjrt* plugin = tn_pjrt_open(path, &options, status);
  CHECK_OK(status);
  tn_status_destroy(status);
  if (!plugin) exit(1);
  return plugin;
}

// A client with so many devices; work is done `delay_ms` later in another thread, from 0 on.
static inline tn_pjrt_client* client_with(int minor, int devices, int delay_ms) {
  tn_status* status = tn_status_create();
  tn_pjrt* plugin = open_number(minor, 0);
  tn_pjrt_values* options = tn_pjrt_values_create();
  CHECK(tn_pjrt_values_set_int(options, "num_devices", devices, status));
  CHECK(tn_pjrt_values_set_int(options, "delay_ms", delay_ms, status));
  tn_pjrt_client* client = tn_pjrt_client_create(plugin, options, status);
  CHECK_OK(status);
  tn_pjrt_values_destroy(options);
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
  if (!client) exit(1);
  return client;
}

static inline tn_pjrt_client* client_of(int minor) { return client_with(minor, 1, -1); }

// A module that adds one to each of `count` arguments, with attributes for each ("" or
// "{tf.aliasing_output = 0 : i32}").
static inline const char* program_text(const char* type, int count, const char* attributes) {
  static _Thread_local char text[16384];
  size_t at = (size_t)snprintf(text, sizeof text, "module @add_one {\n  func.func public @main(");
  for (int i = 0; i < count; ++i)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%%arg%d: tensor<%s>%s%s", i ? ", " : "",
                           i, type, *attributes ? " " : "", attributes);
  at += (size_t)snprintf(text + at, sizeof text - at, ") -> (");
  for (int i = 0; i < count; ++i)
    at += (size_t)snprintf(text + at, sizeof text - at, "%stensor<%s>", i ? ", " : "", type);
  at += (size_t)snprintf(text + at, sizeof text - at,
                         ") {\n    %%one = stablehlo.constant dense<1> : tensor<%s>\n", type);
  for (int i = 0; i < count; ++i)
    at += (size_t)snprintf(text + at, sizeof text - at,
                           "    %%%d = stablehlo.add %%arg%d, %%one : tensor<%s>\n", i, i, type);
  at += (size_t)snprintf(text + at, sizeof text - at, "    return ");
  for (int i = 0; i < count; ++i)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%%%d", i ? ", " : "", i);
  at += (size_t)snprintf(text + at, sizeof text - at, " : ");
  for (int i = 0; i < count; ++i)
    at += (size_t)snprintf(text + at, sizeof text - at, "%stensor<%s>", i ? ", " : "", type);
  snprintf(text + at, sizeof text - at, "\n  }\n}\n");
  return text;
}

static inline tn_pjrt_executable* compile_text(tn_pjrt_client* client, const char* text,
                                               tn_status* status) {
  return tn_pjrt_compile(client, text, strlen(text), NULL, status);
}

// Four floats 1, 2, 3, 4 on a device.
static inline tn_pjrt_buffer* four_floats(tn_pjrt_client* client, tn_pjrt_device* device,
                                          tn_status* status) {
  static const float data[4] = {1, 2, 3, 4};
  static const int64_t dims[1] = {4};
  tn_pjrt_host_array array = TN_INIT(tn_pjrt_host_array);
  array.data = data;
  array.type = PJRT_Buffer_Type_F32;
  array.dims = dims;
  array.rank = 1;
  array.device = device;
  return tn_pjrt_buffer_create(client, &array, NULL, status);
}

static inline bool holds_floats(tn_pjrt_buffer* buffer, const float* expected, size_t count,
                                tn_status* status) {
  float found[64];
  return tn_pjrt_buffer_to_host(buffer, found, count * sizeof *found, NULL, NULL, status) &&
         memcmp(found, expected, count * sizeof *found) == 0;
}

#endif  // TENON_TESTS_PJRT_HOST_H_
