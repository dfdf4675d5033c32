#include "pjrt/host/worker.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "pjrt/host/plugin.h"

enum {
  usual_calls = 1000,
  usual_ms = 2000,
  first_with_keep = 39,  // PJRT_ExecuteOptions.non_donatable_input_indices
};

void tn_pjrt_found_deinit(tn_pjrt_found* found) {
  tn_free(found->stablehlo);
  tn_free(found->platform);
  tn_free(found->platform_version);
  tn_free(found->device);
  tn_free(found->notes);
  *found = (tn_pjrt_found){0};
}

static char* stablehlo_version(const tn_pjrt* plugin) {
  const tn_pjrt_values* attributes = tn_pjrt_attributes(plugin);
  size_t count = 0;
  const int64_t* numbers = tn_pjrt_values_ints(
      attributes, tn_pjrt_values_find(attributes, "stablehlo_current_version"), &count);
  if (!numbers || count != 3) return tn_strdup("");
  return tn_printf("%lld.%lld.%lld", (long long)numbers[0], (long long)numbers[1],
                   (long long)numbers[2]);
}

static const char* file_name(const tn_pjrt_worker* worker) {
  const char* path = tn_pjrt_path(worker->plugin);
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// What opening the plugin left behind, and then making its client.
static char* all_notes(const tn_pjrt_worker* worker) {
  const char* first = tn_pjrt_notes(worker->plugin);
  const char* second = tn_pjrt_client_notes(worker->client);
  return tn_printf("%s%s%s", first, *first && *second ? "\n" : "", second);
}

static bool find_out(tn_pjrt_worker* worker, tn_status* status) {
  tn_pjrt_found* found = &worker->found;
  tn_pjrt_api_version(worker->plugin, &found->major, &found->minor);
  found->device_count = (int)tn_pjrt_client_addressable_count(worker->client);
  found->stablehlo = stablehlo_version(worker->plugin);
  found->platform = tn_strdup(tn_pjrt_client_platform_name(worker->client));
  found->platform_version = tn_strdup(tn_pjrt_client_platform_version(worker->client));
  found->device = tn_strdup(tn_pjrt_device_kind(worker->device));
  found->notes = all_notes(worker);
  if (found->stablehlo && found->platform && found->platform_version && found->device &&
      found->notes)
    return true;
  tn_status_set_no_memory(status, "starting a session");
  return false;
}

bool tn_pjrt_speaks_of_absent_hardware(const char* message) {
  static const char* const words[] = {"no visible", "no devices", "not found",
                                      "no device",  "no gpu",     "no supported devices"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strcasestr(message, words[i])) return true;
  return strcasestr(message, "device found") != NULL;
}

// A plugin that wants an option as another kind may say so in words that help nobody.
static void explain_kinds(const tn_pjrt_values* options, const char* message, tn_text* out) {
  if (!strcasestr(message, "type")) return;
  for (size_t i = 0; i < tn_pjrt_values_count(options); ++i) {
    const char* name = tn_pjrt_values_name(options, i);
    const tn_pjrt_kind kind = tn_pjrt_values_kind(options, i);
    if (!strstr(message, name)) continue;
    tn_text_printf(out, "\n  %s was sent as %s; ", name, tn_pjrt_kind_name(kind));
    if (kind == TN_PJRT_INT)
      tn_text_printf(out, "%s:ints=%lld sends a list", name,
                     (long long)tn_pjrt_values_int(options, i));
    else
      tn_text_printf(out, "%s:KIND=VALUE says another kind", name);
    tn_text_puts(out, " (the kinds: string, int, ints, float, bool)");
  }
}

// What works is said too, so that nobody looks for the mistake there.
static void explain_no_client(const tn_pjrt* plugin, const tn_pjrt_session_options* options,
                              tn_status* status) {
  if (tn_status_fault(status) != TN_FAULT_UNSAID || status->code == TN_RESOURCE_EXHAUSTED)
    return;  // not the plugin's own words
  int major, minor;
  tn_pjrt_api_version(plugin, &major, &minor);
  const bool absent = tn_pjrt_speaks_of_absent_hardware(tn_status_message(status));
  const bool known = minor <= tn_pjrt_newest_known();
  tn_text text = {0};
  if (options->open && options->open->as_host)
    tn_text_printf(&text, "the plugin loaded; it has PJRT %d.%d, and this host acts as 0.%d", major,
                   minor, options->open->as_host);
  else
    tn_text_printf(&text, "the plugin loaded and its version is %s (%d.%d)",
                   known ? "fine" : "newer than this host knows", major, minor);
  tn_text_printf(&text, "; %s",
                 absent ? "it found no device on this machine" : "it could not make a client");
  explain_kinds(options->client, tn_status_message(status), &text);
  tn_status said = {0};
  tn_status_copy(&said, status);
  if (!text.failed)
    tn_status_set(status, said.code, "%s\n  %s", tn_status_message(&said), text.data);
  tn_text_deinit(&text);
  // An argument that it does not want can only be an option of the caller's.
  tn_status_set_fault(status, said.code == TN_INVALID_ARGUMENT ? TN_FAULT_CALLER : TN_FAULT_PLUGIN);
  tn_status_deinit(&said);
}

static bool choose_device(tn_pjrt_worker* worker, int wanted, tn_status* status) {
  const size_t count = tn_pjrt_client_addressable_count(worker->client);
  worker->device = wanted < 0 ? NULL : tn_pjrt_client_addressable(worker->client, (size_t)wanted);
  if (worker->device) return true;
  tn_text text = {0};
  tn_text_printf(&text, "%s has no device %d", file_name(worker), wanted);
  tn_text_puts(&text, count ? "; these can be used here:" : ": none can be used here");
  for (size_t i = 0; i < count; ++i)
    tn_text_printf(&text, "%s %zu (%s)", i ? "," : "", i,
                   tn_pjrt_device_kind(tn_pjrt_client_addressable(worker->client, i)));
  if (text.failed)
    tn_status_set_no_memory(status, "looking for a device");
  else
    tn_status_set(status, TN_NOT_FOUND, "%s", text.data);
  tn_status_set_fault(status, count ? TN_FAULT_CALLER : TN_FAULT_PLUGIN);
  tn_text_deinit(&text);
  return false;
}

bool tn_pjrt_worker_start(tn_pjrt_worker* worker, const char* path,
                          const tn_pjrt_session_options* options, tn_status* status) {
  worker->plugin = tn_pjrt_open(path, options->open, status);
  if (!worker->plugin) return false;
  const int host =
      options->open && options->open->as_host ? options->open->as_host : tn_pjrt_newest_known();
  int minor;
  tn_pjrt_api_version(worker->plugin, NULL, &minor);
  worker->can_keep = minor >= first_with_keep && host >= first_with_keep;
  tn_status made = {0};
  worker->client = tn_pjrt_client_create(worker->plugin, options->client, &made);
  if (!worker->client) explain_no_client(worker->plugin, options, &made);
  tn_status_update(status, &made);
  tn_status_deinit(&made);
  return worker->client && choose_device(worker, options->device, status) &&
         find_out(worker, status);
}

void tn_pjrt_worker_deinit(tn_pjrt_worker* worker) {
  for (size_t i = 0; i < worker->program_count; ++i)
    tn_pjrt_executable_destroy(worker->programs[i]);
  tn_free(worker->programs);
  tn_pjrt_client_destroy(worker->client);
  tn_pjrt_close(worker->plugin);
  tn_pjrt_found_deinit(&worker->found);
  *worker = (tn_pjrt_worker){0};
}

int tn_pjrt_worker_compile(tn_pjrt_worker* worker, const void* code, size_t size,
                           const tn_pjrt_compile_options* options, size_t* out_outputs,
                           tn_status* status) {
  if (!tn_grow(&worker->programs, &worker->program_capacity, worker->program_count + 1,
               sizeof *worker->programs)) {
    tn_status_set_no_memory(status, "compiling a program");
    return -1;
  }
  const int device = tn_pjrt_device_id(worker->device);
  tn_pjrt_compile_options full = TN_INIT(tn_pjrt_compile_options);
  if (options && TN_HAS(options, format)) full.format = options->format;
  if (options && TN_HAS(options, proto_size)) {
    full.proto = options->proto;
    full.proto_size = options->proto_size;
  }
  full.device_ids = &device;
  tn_pjrt_executable* program = tn_pjrt_compile(worker->client, code, size, &full, status);
  if (!program) return -1;
  *out_outputs = tn_pjrt_executable_output_count(program);
  if (*out_outputs == SIZE_MAX) {
    tn_status_set(status, TN_UNIMPLEMENTED,
                  "%s: the program compiled, but neither PJRT_Executable_NumOutputs nor "
                  "PJRT_Executable_OutputElementTypes tells how many outputs it has; a caller who "
                  "knows runs it with tn_pjrt_execute",
                  file_name(worker));
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
    tn_pjrt_executable_destroy(program);
    return -1;
  }
  worker->programs[worker->program_count] = program;
  return (int)worker->program_count++;
}

// A program with its arrays on the device.
typedef struct call {
  tn_pjrt_executable* program;
  tn_pjrt_buffer **inputs, **outputs;
  int64_t* keep;  // all inputs, where that can be said: they serve again
  size_t input_count, output_count, keep_count;
} call;

static void drop_outputs(call* call) {
  for (size_t i = 0; i < call->output_count; ++i) {
    tn_pjrt_buffer_destroy(call->outputs[i]);
    call->outputs[i] = NULL;
  }
}

static void call_deinit(call* call) {
  if (call->outputs) drop_outputs(call);
  for (size_t i = 0; call->inputs && i < call->input_count; ++i)
    tn_pjrt_buffer_destroy(call->inputs[i]);
  tn_free(call->inputs);
  tn_free(call->outputs);
  tn_free(call->keep);
}

static bool call_init(call* call, tn_pjrt_worker* worker, int program, tn_tensor* const* inputs,
                      tn_status* status) {
  call->program = worker->programs[program];
  call->keep_count = worker->can_keep ? call->input_count : 0;
  call->inputs = tn_alloc_zeroed(call->input_count + 1, sizeof *call->inputs);
  call->outputs = tn_alloc_zeroed(call->output_count + 1, sizeof *call->outputs);
  call->keep = tn_alloc_zeroed(call->input_count + 1, sizeof *call->keep);
  if (!call->inputs || !call->outputs || !call->keep) {
    tn_status_set_no_memory(status, "running a program");
    return false;
  }
  for (size_t i = 0; i < call->input_count; ++i) {
    call->keep[i] = (int64_t)i;
    call->inputs[i] = tn_pjrt_buffer_from_tensor(worker->client, inputs[i], worker->device, status);
    if (!call->inputs[i]) {
      tn_status_annotate(status, "input %zu", i);
      return false;
    }
  }
  return true;
}

// Makes the call; with `wait`, until its outputs are there.
static bool call_once(call* call, bool wait, tn_status* status) {
  tn_pjrt_event* complete = NULL;
  tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
  options.keep = call->keep_count ? call->keep : NULL;
  options.keep_count = call->keep_count;
  options.complete = wait ? &complete : NULL;
  bool done = tn_pjrt_execute(call->program, call->inputs, call->input_count, call->outputs,
                              call->output_count, &options, status);
  if (done && wait) done = !complete || tn_pjrt_event_wait(complete, status);
  tn_pjrt_event_destroy(complete);
  return done;
}

static int by_length(const void* a, const void* b) {
  const uint64_t left = *(const uint64_t*)a, right = *(const uint64_t*)b;
  return (left > right) - (left < right);
}

void tn_pjrt_timing_fill(tn_pjrt_timing* timing, uint64_t* times, uint32_t calls) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < calls; ++i) sum += times[i];
  qsort(times, calls, sizeof *times, by_length);
  timing->calls = calls;
  timing->per_call = sum / calls;
  timing->p50 = times[(calls - 1) / 2];
  timing->p99 = times[(uint64_t)(calls - 1) * 99 / 100];
}

// One by one, then in a row. The first tenth warms up and is not counted.
static bool call_often(call* call, tn_pjrt_timing* timing, tn_status* status) {
  const uint32_t wanted = timing->calls ? timing->calls : usual_calls, warm = wanted / 10;
  const int64_t most = (int64_t)(timing->most_ms ? timing->most_ms : usual_ms) * 1000000;
  uint64_t* times = tn_alloc_zeroed(wanted, sizeof *times);
  if (!times) {
    tn_status_set_no_memory(status, "timing a program");
    return false;
  }
  bool fine = true;
  int64_t end = tn_clock_ns() + most;
  for (uint32_t i = 0; fine && i < warm && tn_clock_ns() < end; ++i) {
    drop_outputs(call);
    fine = call_once(call, true, status);
  }
  uint32_t calls = 0;
  end = tn_clock_ns() + most;
  while (fine && calls < wanted && (calls == 0 || tn_clock_ns() < end)) {
    drop_outputs(call);
    const int64_t begin = tn_clock_ns();
    fine = call_once(call, true, status);
    times[calls++] = (uint64_t)(tn_clock_ns() - begin);
  }
  if (fine) {
    tn_pjrt_timing_fill(timing, times, calls);
    const int64_t begin = tn_clock_ns();
    for (uint32_t i = 0; fine && i < calls; ++i) {
      drop_outputs(call);
      fine = call_once(call, i + 1 == calls, status);
    }
    timing->in_a_row = (uint64_t)(tn_clock_ns() - begin) / calls;
  }
  tn_free(times);
  return fine;
}

bool tn_pjrt_worker_run(tn_pjrt_worker* worker, int program, tn_tensor* const* inputs,
                        size_t input_count, tn_tensor** outputs, size_t output_count,
                        tn_pjrt_timing* timing, tn_status* status) {
  call call = {.input_count = input_count, .output_count = output_count};
  bool fine = call_init(&call, worker, program, inputs, status);
  const int64_t begin = tn_clock_ns();
  fine = fine && call_once(&call, true, status);
  const int64_t end = tn_clock_ns();
  for (size_t i = 0; fine && i < output_count; ++i) {
    outputs[i] = tn_pjrt_buffer_to_tensor(call.outputs[i], status);
    fine = outputs[i] != NULL;
  }
  if (fine && timing) {
    timing->first = end - begin;
    fine = call_often(&call, timing, status);
  }
  for (size_t i = 0; !fine && i < output_count; ++i) {
    tn_tensor_destroy(outputs[i]);
    outputs[i] = NULL;
  }
  call_deinit(&call);
  return fine;
}
