// raw PLUGIN PROGRAM INPUT.npy...: calls of one program on a PJRT plugin by a loop over the
// plugin's own table, and by Tenon, in turns, with the same client, machine code and arrays. Prints
// what one call takes by each, in nanoseconds, medians:
//
//   raw 33822 tenon 33913 over 85 give_or_take 12 raw_in_a_row 6120 tenon_in_a_row 6240
//
// `over` is the median of what Tenon took longer than the raw call beside it, with its standard
// error behind it: calls of milliseconds jitter by more than either host costs. The raw loop is
// what a program without Tenon would have, written for one number of PJRT: arguments with the sizes
// of this build, and no look at what the plugin has.

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "pjrt/host/buffer.h"
#include "pjrt/host/executable.h"
#include "tenon/pjrt.h"
#include "tenon/tensor.h"
#include "xla/pjrt/c/pjrt_c_api.h"

enum { PAIRS = 2000, WARM_UP = 200, TURNS = 21, MOST_IN_A_ROW = 100, MOST_ARRAYS = 256 };
static const double most_ns = 2e9;  // of each of these, as far as it can be helped

static const PJRT_Api* api;
static tn_status* status;
static tn_pjrt_executable* program;
static tn_pjrt_buffer *inputs[MOST_ARRAYS], *outputs[MOST_ARRAYS];
static PJRT_Buffer *raw_inputs[MOST_ARRAYS], *raw_outputs[MOST_ARRAYS];
static size_t input_count, output_count;
static int64_t keep[MOST_ARRAYS];

static void must_be_ok(void) {
  if (tn_ok(status)) return;
  fprintf(stderr, "raw: %s\n", tn_status_message(status));
  exit(1);
}

static void must(PJRT_Error* error) {
  if (!error) return;
  PJRT_Error_Message_Args message = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE,
                                     .error = error};
  api->PJRT_Error_Message(&message);
  fprintf(stderr, "raw: %.*s\n", (int)message.message_size, message.message);
  exit(1);
}

static void raw_call(bool wait) {
  PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE,
                                 .non_donatable_input_indices = keep,
                                 .num_non_donatable_input_indices = input_count};
  PJRT_Buffer* const* in = raw_inputs;
  PJRT_Buffer** out = raw_outputs;
  PJRT_Event* complete = NULL;
  PJRT_LoadedExecutable_Execute_Args execute = {
      .struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE,
      .executable = program->loaded,
      .options = &options,
      .argument_lists = &in,
      .num_devices = 1,
      .num_args = input_count,
      .output_lists = &out,
      .device_complete_events = wait ? &complete : NULL};
  must(api->PJRT_LoadedExecutable_Execute(&execute));
  if (wait) {
    PJRT_Event_Await_Args await = {.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE,
                                   .event = complete};
    must(api->PJRT_Event_Await(&await));
    PJRT_Event_Destroy_Args destroy = {.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE,
                                       .event = complete};
    must(api->PJRT_Event_Destroy(&destroy));
  }
  for (size_t i = 0; i < output_count; ++i) {
    PJRT_Buffer_Destroy_Args destroy = {.struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE,
                                        .buffer = raw_outputs[i]};
    must(api->PJRT_Buffer_Destroy(&destroy));
  }
}

static void tenon_call(bool wait) {
  tn_pjrt_event* complete = NULL;
  tn_pjrt_execute_options options = TN_INIT(tn_pjrt_execute_options);
  options.keep = keep;
  options.keep_count = input_count;
  options.complete = wait ? &complete : NULL;
  tn_pjrt_execute(program, inputs, input_count, outputs, output_count, &options, status);
  if (wait) tn_pjrt_event_wait(complete, status);
  tn_pjrt_event_destroy(complete);
  for (size_t i = 0; i < output_count; ++i) tn_pjrt_buffer_destroy(outputs[i]);
}

static int by_size(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_size);
  return values[count / 2];
}

static double timed(void (*call)(bool wait)) {
  const double begin = bench_now();
  call(true);
  return bench_now() - begin;
}

// What a call takes.
static double one_by_one(void) {
  static double raw[PAIRS], tenon[PAIRS], over[PAIRS];
  const double begin = bench_now();
  int count = 0;
  for (; count < PAIRS && (count < 3 || bench_now() - begin < most_ns); ++count) {
    // Whoever comes first takes turns too.
    if (count % 2) raw[count] = timed(raw_call);
    tenon[count] = timed(tenon_call);
    if (count % 2 == 0) raw[count] = timed(raw_call);
    over[count] = tenon[count] - raw[count];
  }
  const double call = median(raw, count), middle = median(over, count);
  printf("raw %.0f tenon %.0f over %.0f ", call, median(tenon, count), middle);
  for (int i = 0; i < count; ++i) over[i] = fabs(over[i] - middle);
  // Of a normal distribution: 1.4826 for its deviation, 1.2533 for its median.
  printf("give_or_take %.0f ", 1.4826 * 1.2533 * median(over, count) / sqrt(count));
  return call;
}

static double row(void (*call)(bool wait), int calls) {
  const double begin = bench_now();
  for (int i = 0; i < calls; ++i) call(i + 1 == calls);
  return (bench_now() - begin) / calls;
}

static void in_a_row(double call_ns) {
  double raw[TURNS], tenon[TURNS];
  int calls = (int)(most_ns / (2 * TURNS * call_ns));
  calls = calls < 1 ? 1 : calls > MOST_IN_A_ROW ? MOST_IN_A_ROW : calls;
  const double begin = bench_now();
  int turn = 0;
  for (; turn < TURNS && (turn < 3 || bench_now() - begin < 2 * most_ns); ++turn) {
    if (turn % 2) raw[turn] = row(raw_call, calls);
    tenon[turn] = row(tenon_call, calls);
    if (turn % 2 == 0) raw[turn] = row(raw_call, calls);
  }
  printf("raw_in_a_row %.0f tenon_in_a_row %.0f\n", median(raw, turn), median(tenon, turn));
}

int main(int argc, char** argv) {
  if (argc < 3 || argc - 3 > MOST_ARRAYS) {
    fputs("usage: raw PLUGIN PROGRAM INPUT.npy...\n", stderr);
    return 2;
  }
  status = tn_status_create();
  tn_pjrt* plugin = tn_pjrt_open(argv[1], NULL, status);
  must_be_ok();
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  const PJRT_Api* (*get)(void) = NULL;
  if (library) *(void**)&get = dlsym(library, "GetPjrtApi");
  if (!get) return 1;
  api = get();
  tn_pjrt_client* client = tn_pjrt_client_create(plugin, NULL, status);
  must_be_ok();
  program = tn_pjrt_compile_file(client, argv[2], NULL, status);
  must_be_ok();
  output_count = tn_pjrt_executable_output_count(program);
  for (int i = 3; i < argc; ++i) {
    tn_tensor* tensor = tn_npy_read(argv[i], status);
    must_be_ok();
    inputs[input_count] = tn_pjrt_buffer_from_tensor(client, tensor, NULL, status);
    must_be_ok();
    raw_inputs[input_count] = inputs[input_count]->theirs;
    keep[input_count] = (int64_t)input_count;
    ++input_count;
  }
  if (output_count > MOST_ARRAYS) return 1;
  const double begin = bench_now();
  for (int i = 0; i < WARM_UP && bench_now() - begin < most_ns; ++i) {
    raw_call(true);
    tenon_call(true);
  }
  must_be_ok();
  in_a_row(one_by_one());
  must_be_ok();
  fflush(stdout);
  _Exit(0);  // destructors of plugins crash
}
