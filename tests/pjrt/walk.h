// What somebody does with a plugin, from opening it to the last thing one can ask of it, one step
// after the other. Used with plugins of every number, by hosts of every number.
#ifndef TENON_TESTS_PJRT_WALK_H_
#define TENON_TESTS_PJRT_WALK_H_

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tenon/pjrt.h"
#include "xla/pjrt/c/pjrt_c_api.h"

// A step, and the number of the newest thing that it needs: it can be done when both sides have it.
#define WALK_STEPS(STEP)      \
  STEP(open, 28)              \
  STEP(client, 28)            \
  STEP(devices, 28)           \
  STEP(put, 28)               \
  STEP(types, 28)             \
  STEP(compile, 28)           \
  STEP(execute, 28)           \
  STEP(fetch, 28)             \
  STEP(callback, 28)          \
  STEP(two_devices, 28)       \
  STEP(donate, 28)            \
  STEP(keep, 39)              \
  STEP(serialize, 28)         \
  STEP(output_types, 29)      \
  STEP(cost, 28)              \
  STEP(program_memory, 40)    \
  STEP(device_assignment, 28) \
  STEP(memory_stats, 28)      \
  STEP(clear_stats, 106)      \
  STEP(copy_to_device, 28)    \
  STEP(copy_to_memory, 32)    \
  STEP(pin, 28)               \
  STEP(raw_copy, 57)          \
  STEP(transfer, 62)          \
  STEP(own_event, 89)         \
  STEP(attributes, 28)

enum {
#define STEP(name, since) WALK_##name,
  WALK_STEPS(STEP)
#undef STEP
      WALK_COUNT
};

static const struct {
  const char* name;
  int since;
} walk_steps[WALK_COUNT] = {
#define STEP(name, since) {#name, since},
    WALK_STEPS(STEP)
#undef STEP
};

typedef struct {
  tn_status* outcome[WALK_COUNT];  // NULL: not tried, since something before it failed
  tn_pjrt* plugin;
  tn_pjrt_client* client;
  tn_pjrt_executable* program;
  tn_pjrt_buffer *in, *out;
  int types;  // how many element types both sides have
} walk;

// A step has gone wrong in a way that no status tells.
static inline bool walk_expect(bool condition, const char* what, tn_status* status) {
  if (!condition && tn_status_code(status) == TN_OK) tn_status_set(status, TN_INTERNAL, what);
  return condition && tn_status_code(status) == TN_OK;
}

#define WALK_MODULE(donation)                                                               \
  "module @add_one {\n  func.func public @main(%arg0: tensor<2x3xf32>" donation             \
  ") -> tensor<2x3xf32> {\n    %one = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"    \
  "    %0 = stablehlo.add %arg0, %one : tensor<2x3xf32>\n    return %0 : tensor<2x3xf32>\n" \
  "  }\n}\n"

static const int64_t walk_dims[2] = {2, 3};
static const float walk_data[6] = {1, 2, 3, 4, 5, 6};

static inline tn_pjrt_buffer* walk_put(walk* w, size_t device, tn_status* status) {
  // Column by column, so that strides matter.
  static const float columns[6] = {1, 4, 2, 5, 3, 6};
  tn_pjrt_host_array array = TN_INIT(tn_pjrt_host_array);
  array.data = columns;
  array.type = PJRT_Buffer_Type_F32;
  array.dims = walk_dims;
  array.rank = 2;
  array.byte_strides = (int64_t[]){4, 8};
  array.device = tn_pjrt_client_addressable(w->client, device);
  return tn_pjrt_buffer_create(w->client, &array, NULL, status);
}

static inline bool walk_holds(tn_pjrt_buffer* buffer, float more, tn_status* status) {
  float found[6] = {0};
  bool same = tn_pjrt_buffer_to_host(buffer, found, sizeof found, NULL, NULL, status);
  for (int i = 0; same && i < 6; ++i) same = found[i] == walk_data[i] + more;
  return walk_expect(same, "wrong numbers came back", status);
}

static inline bool walk_open(walk* w, const char* path, int as_host, tn_status* status) {
  tn_pjrt_open_options options = TN_INIT(tn_pjrt_open_options);
  options.as_host = as_host;
  w->plugin = tn_pjrt_open(path, &options, status);
  return w->plugin;
}

static inline bool walk_client(walk* w, int delay_ms, tn_status* status) {
  tn_pjrt_values* options = tn_pjrt_values_create();
  if (delay_ms >= 0) tn_pjrt_values_set_int(options, "delay_ms", delay_ms, status);
  w->client = tn_pjrt_client_create(w->plugin, options, status);
  tn_pjrt_values_destroy(options);
  return w->client;
}

static inline bool walk_devices(walk* w, tn_status* status) {
  walk_expect(tn_pjrt_client_addressable_count(w->client) == 2, "not two devices", status);
  tn_pjrt_device* second = tn_pjrt_client_find_device(w->client, 1, status);
  tn_pjrt_memory* memory = second ? tn_pjrt_device_default_memory(second) : NULL;
  walk_expect(memory && strcmp(tn_pjrt_memory_kind(memory), "device") == 0, "no default memory",
              status);
  return walk_expect(tn_pjrt_client_memory_count(w->client) == 4, "not four memories", status);
}

// One element of each type there and back.
static inline bool walk_types(walk* w, tn_status* status) {
  for (int32_t type = 1; type < w->types; ++type) {
    const size_t size = tn_pjrt_type_size(type);
    if (size == 0) continue;
    const uint64_t sent[4] = {1, 1, 1, 1};
    uint64_t found[4] = {0};
    tn_pjrt_host_array array = TN_INIT(tn_pjrt_host_array);
    array.data = sent;
    array.type = type;
    array.dims = (int64_t[]){2};
    array.rank = 1;
    tn_pjrt_buffer* buffer = tn_pjrt_buffer_create(w->client, &array, NULL, status);
    if (buffer && tn_pjrt_buffer_to_host(buffer, found, 2 * size, NULL, NULL, status))
      walk_expect(memcmp(sent, found, 2 * size) == 0, "an element came back changed", status);
    tn_pjrt_buffer_destroy(buffer);
    if (tn_status_code(status) != TN_OK) return false;
  }
  return true;
}

static inline bool walk_compile(walk* w, tn_status* status) {
  w->program = tn_pjrt_compile(w->client, WALK_MODULE(""), strlen(WALK_MODULE("")), NULL, status);
  return w->program &&
         walk_expect(tn_pjrt_executable_output_count(w->program) == 1, "not one output", status);
}

static inline bool walk_execute(walk* w, tn_status* status) {
  return tn_pjrt_execute(w->program, &w->in, 1, &w->out, 1, NULL, status);
}

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int calls;
  tn_code code;
} walk_calls;

static inline void walk_called(const tn_status* result, void* arg) {
  walk_calls* calls = (walk_calls*)arg;
  pthread_mutex_lock(&calls->lock);
  calls->calls++;
  calls->code = tn_status_code(result);
  pthread_cond_signal(&calls->changed);
  pthread_mutex_unlock(&calls->lock);
}

static inline bool walk_callback(walk* w, tn_status* status) {
  walk_calls calls = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, TN_OK};
  tn_pjrt_event* complete = NULL;
  tn_pjrt_buffer* out = NULL;
  tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
  options.complete = &complete;
  if (!tn_pjrt_execute(w->program, &w->in, 1, &out, 1, &options, status)) return false;
  if (tn_pjrt_event_on_ready(complete, walk_called, &calls, status)) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&calls.lock);
    while (calls.calls == 0 && pthread_cond_timedwait(&calls.changed, &calls.lock, &until) == 0)
      ;
    walk_expect(calls.calls == 1 && calls.code == TN_OK, "no call came back", status);
    pthread_mutex_unlock(&calls.lock);
  }
  tn_pjrt_event_destroy(complete);
  tn_pjrt_buffer_destroy(out);
  return tn_status_code(status) == TN_OK;
}

static inline bool walk_two_devices(walk* w, tn_status* status) {
  tn_pjrt_compile_options options = TN_INIT(tn_pjrt_compile_options);
  options.replicas = 2;
  tn_pjrt_executable* program =
      tn_pjrt_compile(w->client, WALK_MODULE(""), strlen(WALK_MODULE("")), &options, status);
  if (!program) return false;
  tn_pjrt_buffer* in[2] = {walk_put(w, 0, status), walk_put(w, 1, status)};
  tn_pjrt_buffer* out[2] = {NULL, NULL};
  tn_pjrt_buffer* const* ins[2] = {&in[0], &in[1]};
  tn_pjrt_buffer** outs[2] = {&out[0], &out[1]};
  if (in[0] && in[1] && tn_pjrt_execute_many(program, 2, ins, 1, outs, 1, NULL, status)) {
    for (size_t i = 0; i < 2; ++i) {
      walk_holds(out[i], 1, status);
      walk_expect(tn_pjrt_buffer_device(out[i]) == tn_pjrt_client_addressable(w->client, i),
                  "an output is on the wrong device", status);
    }
  }
  for (size_t i = 0; i < 2; ++i) {
    tn_pjrt_buffer_destroy(in[i]);
    tn_pjrt_buffer_destroy(out[i]);
  }
  tn_pjrt_executable_destroy(program);
  return tn_status_code(status) == TN_OK;
}

static inline bool walk_donate(walk* w, bool keep, tn_status* status) {
  const char* text = WALK_MODULE(" {tf.aliasing_output = 0 : i32}");
  tn_pjrt_executable* program = tn_pjrt_compile(w->client, text, strlen(text), NULL, status);
  if (!program) return false;
  tn_pjrt_buffer *in = walk_put(w, 0, status), *out = NULL;
  tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
  options.keep = (int64_t[]){0};
  options.keep_count = keep ? 1 : 0;
  if (in && tn_pjrt_execute(program, &in, 1, &out, 1, &options, status)) {
    walk_expect(tn_pjrt_buffer_deleted(in) == !keep, "donation went wrong", status);
    walk_holds(out, 1, status);
    if (keep) walk_holds(in, 0, status);
  }
  tn_pjrt_buffer_destroy(in);
  tn_pjrt_buffer_destroy(out);
  tn_pjrt_executable_destroy(program);
  return tn_status_code(status) == TN_OK;
}

static inline bool walk_serialize(walk* w, tn_status* status) {
  void* bytes = NULL;
  size_t size = 0;
  if (!tn_pjrt_executable_serialize(w->program, &bytes, &size, status)) return false;
  tn_pjrt_executable* again = tn_pjrt_executable_load(w->client, bytes, size, status);
  tn_pjrt_bytes_free(bytes);
  tn_pjrt_buffer* out = NULL;
  if (again && tn_pjrt_execute(again, &w->in, 1, &out, 1, NULL, status)) walk_holds(out, 1, status);
  tn_pjrt_buffer_destroy(out);
  tn_pjrt_executable_destroy(again);
  return tn_status_code(status) == TN_OK;
}

static inline bool walk_output_types(walk* w, tn_status* status) {
  tn_pjrt_shape shape = {0};
  if (!tn_pjrt_executable_output(w->program, 0, &shape, status)) return false;
  return walk_expect(shape.type == PJRT_Buffer_Type_F32 && shape.rank == 2 && shape.dims[1] == 3,
                     "the output has another shape", status);
}

static inline bool walk_cost(walk* w, tn_status* status) {
  tn_pjrt_values* costs = tn_pjrt_executable_cost_analysis(w->program, status);
  const bool told = costs && tn_pjrt_values_find(costs, "flops") != SIZE_MAX;
  tn_pjrt_values_destroy(costs);
  return walk_expect(told, "no flops", status);
}

static inline bool walk_program_memory(walk* w, tn_status* status) {
  tn_pjrt_program_memory memory = TN_INIT(tn_pjrt_program_memory);
  return tn_pjrt_executable_memory(w->program, &memory, status) &&
         walk_expect(memory.arguments == 24 && memory.outputs == 24, "not 24 bytes", status);
}

static inline bool walk_device_assignment(walk* w, tn_status* status) {
  int id = -1;
  return tn_pjrt_executable_device_assignment(w->program, &id, 1, status) &&
         walk_expect(id == 0, "not device 0", status);
}

static inline bool walk_memory_stats(walk* w, tn_status* status) {
  tn_pjrt_memory_stats stats = TN_INIT(tn_pjrt_memory_stats);
  return tn_pjrt_device_memory_stats(tn_pjrt_client_addressable(w->client, 0), &stats, status) &&
         walk_expect(stats.bytes_in_use >= 24, "fewer bytes than are there", status);
}

static inline bool walk_copy_to_device(walk* w, tn_status* status) {
  tn_pjrt_device* second = tn_pjrt_client_addressable(w->client, 1);
  tn_pjrt_buffer* copy = tn_pjrt_buffer_copy_to_device(w->in, second, status);
  if (copy && walk_holds(copy, 0, status))
    walk_expect(tn_pjrt_buffer_device(copy) == second, "the copy is elsewhere", status);
  tn_pjrt_buffer_destroy(copy);
  return tn_status_code(status) == TN_OK;
}

static inline bool walk_copy_to_memory(walk* w, tn_status* status) {
  tn_pjrt_memory* other = tn_pjrt_device_memory(tn_pjrt_client_addressable(w->client, 0), 1);
  tn_pjrt_buffer* copy = tn_pjrt_buffer_copy_to_memory(w->in, other, status);
  if (copy && walk_holds(copy, 0, status))
    walk_expect(tn_pjrt_buffer_memory(copy) == other, "the copy is elsewhere", status);
  tn_pjrt_buffer_destroy(copy);
  return tn_status_code(status) == TN_OK;
}

static inline bool walk_pin(walk* w, tn_status* status) {
  const float* at = (const float*)tn_pjrt_buffer_acquire(w->out, status);
  if (!at) return false;
  walk_expect(at[0] == walk_data[0] + 1 && at[5] == walk_data[5] + 1, "wrong numbers there",
              status);
  return tn_pjrt_buffer_release(w->out, status) && tn_status_code(status) == TN_OK;
}

static inline bool walk_raw_copy(walk* w, tn_status* status) {
  float found[2] = {0};
  return tn_pjrt_buffer_raw_to_host(w->in, found, 8, sizeof found, NULL, status) &&
         walk_expect(found[0] == 3 && found[1] == 4, "wrong bytes", status);
}

static inline bool walk_transfer(walk* w, tn_status* status) {
  const tn_pjrt_shape shape = {PJRT_Buffer_Type_F32, walk_dims, 2};
  tn_pjrt_transfer* transfer = tn_pjrt_transfer_create(w->client, &shape, 1, NULL, status);
  if (!transfer) return false;
  tn_pjrt_buffer* buffer = tn_pjrt_transfer_take(transfer, 0, status);
  if (buffer && tn_pjrt_transfer_write(transfer, 0, walk_data + 3, 12, 12, false, NULL, status) &&
      tn_pjrt_transfer_write(transfer, 0, walk_data, 0, 12, true, NULL, status))
    walk_holds(buffer, 0, status);
  tn_pjrt_buffer_destroy(buffer);
  tn_pjrt_transfer_destroy(transfer);
  return tn_status_code(status) == TN_OK;
}

static inline bool walk_own_event(walk* w, tn_status* status) {
  tn_pjrt_event* event = tn_pjrt_event_create(w->client, status);
  if (!event) return false;
  bool before = true, after = false;
  tn_pjrt_event_ready(event, &before, status);
  tn_pjrt_event_set(event, NULL, status);
  tn_pjrt_event_ready(event, &after, status);
  tn_pjrt_event_destroy(event);
  return walk_expect(!before && after, "the event does not do as it is told", status);
}

static inline bool walk_attributes(walk* w, tn_status* status) {
  const size_t at = tn_pjrt_values_find(tn_pjrt_attributes(w->plugin), "stablehlo_current_version");
  return walk_expect(at != SIZE_MAX, "the plugin's attributes are not told", status);
}

// The number of element types at a number.
static inline int walk_types_at(int minor) {
  return minor >= 114  ? PJRT_Buffer_Type_F6E3M2FN + 1
         : minor >= 94 ? PJRT_Buffer_Type_U1 + 1
         : minor >= 63 ? PJRT_Buffer_Type_F4E2M1FN + 1
         : minor >= 55 ? PJRT_Buffer_Type_F8E3M4 + 1
         : minor >= 53 ? PJRT_Buffer_Type_U2 + 1
                       : PJRT_Buffer_Type_U4 + 1;
}

static inline void walk_begin(walk* w) { memset(w, 0, sizeof *w); }

static inline void walk_end(walk* w) {
  for (int i = 0; i < WALK_COUNT; ++i) tn_status_destroy(w->outcome[i]);
  tn_pjrt_buffer_destroy(w->in);
  tn_pjrt_buffer_destroy(w->out);
  tn_pjrt_executable_destroy(w->program);
  tn_pjrt_client_destroy(w->client);
  tn_pjrt_close(w->plugin);
}

// All steps. `as_host` 0: this host; `delay_ms` < 0: a plugin that works at once.
static inline void walk_all(walk* w, const char* path, int minor, int as_host, int delay_ms) {
#define TRY(name, call) \
  (w->outcome[WALK_##name] = tn_status_create(), (void)(status = w->outcome[WALK_##name]), (call))
  tn_status* status = NULL;
  walk_begin(w);
  w->types = walk_types_at(as_host && as_host < minor ? as_host : minor);
  if (!TRY(open, walk_open(w, path, as_host, status))) return;
  TRY(attributes, walk_attributes(w, status));
  if (!TRY(client, walk_client(w, delay_ms, status))) return;
  if (!TRY(devices, walk_devices(w, status))) return;
  if (!TRY(put, (w->in = walk_put(w, 0, status)) != NULL)) return;
  TRY(types, walk_types(w, status));
  TRY(copy_to_device, walk_copy_to_device(w, status));
  TRY(copy_to_memory, walk_copy_to_memory(w, status));
  TRY(raw_copy, walk_raw_copy(w, status));
  TRY(transfer, walk_transfer(w, status));
  TRY(own_event, walk_own_event(w, status));
  TRY(memory_stats, walk_memory_stats(w, status));
  TRY(clear_stats,
      tn_pjrt_device_clear_memory_stats(tn_pjrt_client_addressable(w->client, 0), status));
  if (!TRY(compile, walk_compile(w, status))) return;
  TRY(output_types, walk_output_types(w, status));
  TRY(cost, walk_cost(w, status));
  TRY(program_memory, walk_program_memory(w, status));
  TRY(device_assignment, walk_device_assignment(w, status));
  if (!TRY(execute, walk_execute(w, status))) return;
  if (!TRY(fetch, walk_holds(w->out, 1, status))) return;
  TRY(pin, walk_pin(w, status));
  TRY(callback, walk_callback(w, status));
  TRY(two_devices, walk_two_devices(w, status));
  TRY(donate, walk_donate(w, false, status));
  TRY(keep, walk_donate(w, true, status));
  TRY(serialize, walk_serialize(w, status));
#undef TRY
}

#endif  // TENON_TESTS_PJRT_WALK_H_
