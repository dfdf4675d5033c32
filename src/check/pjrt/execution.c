// Running programs: results, refusals, order, threads, several devices.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

static const float numbers[4] = {1, 2, 3, 4}, sums[4] = {2, 3, 4, 5};

static PJRT_LoadedExecutable* start(const tn_subject* subject) {
  pj_start(subject);
  return pj_compile(pj_add_one);
}

static void adds_one(const tn_subject* subject) {
  PJRT_LoadedExecutable* loaded = start(subject);
  PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NULL;
  pj_execute(loaded, &input, 1, &output);
  pj_expect_floats("one more", output, sums, 4);
  pj_expect_floats("the argument, which is kept", input, numbers, 4);
  TN_EXPECT(!pj_is_deleted(input), "an argument that is kept", "it is deleted");
}

// A program of one type and shape, "tensor<...>", with a constant 1 of it.
static void typed_program(char* out, size_t room, const char* type, const char* one) {
  snprintf(out, room,
           "module @tenon_typed {\n  func.func public @main(%%arg0: tensor<%s>) -> tensor<%s> {\n"
           "    %%0 = stablehlo.constant dense<%s> : tensor<%s>\n"
           "    %%1 = stablehlo.add %%arg0, %%0 : tensor<%s>\n"
           "    return %%1 : tensor<%s>\n  }\n}\n",
           type, type, one, type, type, type);
}

static PJRT_Buffer* run_typed(const char* type, const char* one, PJRT_Buffer* input) {
  char program[1024];
  typed_program(program, sizeof program, type, one);
  PJRT_LoadedExecutable* loaded = pj_compile(program);
  PJRT_Buffer* output = NULL;
  pj_execute(loaded, &input, 1, &output);
  return output;
}

static void integers(const tn_subject* subject) {
  pj_start(subject);
  const int32_t data[6] = {-1, 0, 1, 41, INT32_MAX, INT32_MIN};
  const int32_t expected[6] = {0, 1, 2, 42, INT32_MIN, INT32_MIN + 1};
  int32_t seen[6] = {0};
  const int64_t dims[] = {2, 3};
  PJRT_Buffer* output = run_typed("2x3xi32", "1", pj_put(data, PJRT_Buffer_Type_S32, dims, 2));
  pj_get(output, seen, sizeof seen);
  pj_compare("one more", seen, expected, sizeof seen);
}

static void scalar(const tn_subject* subject) {
  pj_start(subject);
  const float one = 41, expected = 42;
  PJRT_Buffer* output = run_typed("f32", "1.0", pj_put(&one, PJRT_Buffer_Type_F32, NULL, 0));
  pj_expect_floats("one more", output, &expected, 1);
}

static void nothing(const tn_subject* subject) {
  pj_start(subject);
  const int64_t dims[] = {0};
  PJRT_Buffer* output = run_typed("0xf32", "1.0", pj_put(numbers, PJRT_Buffer_Type_F32, dims, 1));
  PJ_ARGS(PJRT_Buffer_Dimensions, args, .buffer = output);
  PJ_OK(PJRT_Buffer_Dimensions, args);
  TN_EXPECT(args->num_dims == 1 && args->dims[0] == 0, "an empty array", "%zu dimensions",
            args->num_dims);
  pj_finish("the output's ready event", pj_ready_event(output));
}

static void several(const tn_subject* subject) {
  pj_start(subject);
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one_twice);
  const int32_t data[6] = {1, 2, 3, 4, 5, 6}, expected[6] = {2, 3, 4, 5, 6, 7};
  int32_t seen[6] = {0};
  const int64_t dims[] = {2, 3};
  PJRT_Buffer* inputs[2] = {pj_put_floats(numbers, 4), pj_put(data, PJRT_Buffer_Type_S32, dims, 2)};
  PJRT_Buffer* outputs[3] = {NULL, NULL, (PJRT_Buffer*)0x77};
  pj_execute(loaded, inputs, 2, outputs);
  TN_NEED(outputs[1], "a second output", "NULL");
  TN_EXPECT(outputs[2] == (PJRT_Buffer*)0x77, "two outputs", "a third one is written");
  pj_expect_floats("one more", outputs[0], sums, 4);
  pj_get(outputs[1], seen, sizeof seen);
  pj_compare("one more", seen, expected, sizeof seen);
}

static void same_argument_twice(const tn_subject* subject) {
  pj_start(subject);
  PJRT_LoadedExecutable* loaded = pj_compile(
      "module @tenon_two {\n"
      "  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, "
      "tensor<4xf32>) {\n"
      "    %0 = stablehlo.constant dense<1.0> : tensor<4xf32>\n"
      "    %1 = stablehlo.add %arg0, %0 : tensor<4xf32>\n"
      "    %2 = stablehlo.add %arg1, %0 : tensor<4xf32>\n"
      "    return %1, %2 : tensor<4xf32>, tensor<4xf32>\n  }\n}\n");
  PJRT_Buffer* input = pj_put_floats(numbers, 4);
  PJRT_Buffer *inputs[2] = {input, input}, *outputs[2] = {NULL, NULL};
  pj_execute(loaded, inputs, 2, outputs);
  pj_expect_floats("the first output", outputs[0], sums, 4);
  pj_expect_floats("the second output", outputs[1], sums, 4);
  TN_EXPECT(outputs[0] != outputs[1], "two outputs", "one handle for both");
}

static void deterministic(const tn_subject* subject) {
  PJRT_LoadedExecutable* loaded = start(subject);
  uint64_t state = subject->seed;
  float data[4], first[4], seen[4];
  for (int i = 0; i < 4; ++i) data[i] = (float)tn_case_between(&state, -1000000, 1000000) / 1024;
  PJRT_Buffer* input = pj_put_floats(data, 4);
  for (int i = 0; i < 20; ++i) {
    PJRT_Buffer* output = NULL;
    pj_execute(loaded, &input, 1, &output);
    pj_get(output, i ? seen : first, sizeof seen);
    if (i) pj_compare("the same run again", seen, first, sizeof seen);
    pj_destroy(output);
  }
}

static void complete_events(const tn_subject* subject) {
  pj_start(subject);
  // Enough work that an event which comes too early is seen to.
  enum { many = 1 << 20 };
  char program[1024];
  typed_program(program, sizeof program, "1048576xf32", "1.0");
  PJRT_LoadedExecutable* loaded = pj_compile(program);
  static float data[many];
  const int64_t dims[] = {many};
  PJRT_Buffer *input = pj_put(data, PJRT_Buffer_Type_F32, dims, 1), *output = NULL;
  PJRT_Event* complete = NULL;
  pj_must(TN_PJRT_AT_PJRT_LoadedExecutable_Execute,
          pj_try_execute(loaded, &input, 1, &output, NULL, &complete));
  pj_finish("the event of device_complete_events", complete);
  PJRT_Event* ready = pj_ready_event(output);
  TN_EXPECT(pj_is_ready(ready), "outputs that are ready when the device is done",
            "one that is not");
  pj_await(ready);
  pj_get(output, data, sizeof data);
  TN_EXPECT(data[0] == 1 && data[many - 1] == 1, "1 for 0", "%g and %g", data[0], data[many - 1]);
}

// ---- Things that go while work is under way ----

static void arguments_go(const tn_subject* subject) {
  PJRT_LoadedExecutable* loaded = start(subject);
  for (int i = 0; i < 20; ++i) {
    PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NULL;
    pj_execute(loaded, &input, 1, &output);
    if (i % 2) pj_delete(input);
    pj_destroy(input);
    const float other[4] = {-9, -9, -9, -9};
    PJRT_Buffer* next = pj_put_floats(other, 4);  // may get the memory
    pj_expect_floats("one more", output, sums, 4);
    pj_destroy(next);
    pj_destroy(output);
  }
}

static void executable_goes(const tn_subject* subject) {
  PJRT_LoadedExecutable* loaded = start(subject);
  PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NULL;
  pj_execute(loaded, &input, 1, &output);
  pj_loaded_destroy(loaded);
  pj_expect_floats("one more", output, sums, 4);
}

static void outputs_go(const tn_subject* subject) {
  PJRT_LoadedExecutable* loaded = start(subject);
  PJRT_Buffer* input = pj_put_floats(numbers, 4);
  for (int i = 0; i < 20; ++i) {
    PJRT_Buffer* output = NULL;
    PJRT_Event* complete = NULL;
    pj_must(TN_PJRT_AT_PJRT_LoadedExecutable_Execute,
            pj_try_execute(loaded, &input, 1, &output, NULL, i % 2 ? &complete : NULL));
    pj_destroy(output);
    if (complete) pj_event_destroy(complete);
  }
  PJRT_Buffer* output = NULL;
  pj_execute(loaded, &input, 1, &output);
  pj_expect_floats("one more", output, sums, 4);
}

static void chained(const tn_subject* subject) {
  PJRT_LoadedExecutable* loaded = start(subject);
  PJRT_Buffer* at = pj_put_floats(numbers, 4);
  for (int i = 0; i < 50; ++i) {
    PJRT_Buffer* next = NULL;
    pj_execute(loaded, &at, 1, &next);
    pj_destroy(at);
    at = next;
  }
  const float expected[4] = {51, 52, 53, 54};
  pj_expect_floats("fifty more", at, expected, 4);
}

// ---- Refusals ----

static void refused(const tn_subject* subject) {
  PJRT_LoadedExecutable* loaded = start(subject);
  const int64_t five[] = {5}, four[] = {4};
  const float more[5] = {1, 2, 3, 4, 5};
  PJRT_Buffer* inputs[2] = {pj_put_floats(numbers, 4), pj_put_floats(numbers, 4)};
  PJRT_Buffer *outputs[2] = {NULL, NULL}, *wrong;
  switch (subject->arg) {
    case 0:
      PJ_REFUSED("no argument", pj_try_execute(loaded, inputs, 0, outputs, NULL, NULL),
                 PJ_ANY_CODE);
      break;
    case 1:
      PJ_REFUSED("two arguments for one", pj_try_execute(loaded, inputs, 2, outputs, NULL, NULL),
                 PJ_ANY_CODE);
      break;
    case 2:
      wrong = pj_put(more, PJRT_Buffer_Type_F32, five, 1);
      PJ_REFUSED("an argument of another shape",
                 pj_try_execute(loaded, &wrong, 1, outputs, NULL, NULL), PJ_ANY_CODE);
      break;
    case 3:
      wrong = pj_put(numbers, PJRT_Buffer_Type_S8, four, 1);
      PJ_REFUSED("an argument of another type",
                 pj_try_execute(loaded, &wrong, 1, outputs, NULL, NULL), PJ_ANY_CODE);
      break;
    default: {
      pj_delete(inputs[0]);
      pj_error error = pj_take(pj_try_execute(loaded, inputs, 1, outputs, NULL, NULL));
      if (!error.code && outputs[0]) error = pj_read_failure(outputs[0], sizeof numbers);
      TN_EXPECT(error.code, "an error", "a deleted argument is taken");
    }
  }
  PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NULL;
  pj_execute(loaded, &input, 1, &output);
  pj_expect_floats("one more, after a refusal", output, sums, 4);
}

static void errors_pass_on(const tn_subject* subject) {
  PJRT_LoadedExecutable* loaded = start(subject);
  const int64_t dims[] = {4};
  PJ_ARGS(PJRT_Client_CreateErrorBuffer, args, .client = pj.client,
          .error_code = PJRT_Error_Code_ABORTED, .error_message = "poison", .error_message_size = 6,
          .shape_dims = dims, .shape_num_dims = 1, .shape_element_type = PJRT_Buffer_Type_F32,
          .memory = pj_default_memory(pj.device));
  PJ_OK(PJRT_Client_CreateErrorBuffer, args);
  PJRT_Buffer *outputs[2] = {NULL, NULL}, *input = args->buffer;
  pj_error error = pj_take(pj_try_execute(loaded, &input, 1, &outputs[0], NULL, NULL));
  // And to what depends on that.
  if (!error.code) {
    TN_NEED(outputs[0], "an output", "NULL");
    error = pj_take(pj_try_execute(loaded, &outputs[0], 1, &outputs[1], NULL, NULL));
  }
  if (!error.code) {
    TN_NEED(outputs[1], "an output", "NULL");
    error = pj_read_failure(outputs[1], sizeof numbers);
  }
  TN_EXPECT(error.code == PJRT_Error_Code_ABORTED, "ABORTED, as the argument has it", "%s %s",
            pj_code_name(error.code), error.text);
}

// ---- Options ----

static void options(const tn_subject* subject) {
  PJRT_LoadedExecutable* loaded = start(subject);
  PJRT_ExecuteOptions wanted = pj_execute_options();
  wanted.launch_id = 7;
  if (TN_PJRT_HAS_FIELD(pj.plugin, PJRT_ExecuteOptions, call_location))
    wanted.call_location = "conformance.c:1:2";
  PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NULL;
  pj_must(TN_PJRT_AT_PJRT_LoadedExecutable_Execute,
          pj_try_execute(loaded, &input, 1, &output, &wanted, NULL));
  pj_expect_floats("one more", output, sums, 4);
}

static void context(const tn_subject* subject) {
  PJRT_LoadedExecutable* loaded = start(subject);
  PJ_ARGS(PJRT_ExecuteContext_Create, made);
  PJ_OK(PJRT_ExecuteContext_Create, made);
  TN_NEED(made->context, "a context", "NULL");
  PJRT_ExecuteOptions wanted = pj_execute_options();
  if (TN_PJRT_HAS_FIELD(pj.plugin, PJRT_ExecuteOptions, context)) wanted.context = made->context;
  PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NULL;
  pj_must(TN_PJRT_AT_PJRT_LoadedExecutable_Execute,
          pj_try_execute(loaded, &input, 1, &output, &wanted, NULL));
  pj_expect_floats("one more", output, sums, 4);
  PJ_ARGS(PJRT_ExecuteContext_Destroy, destroy, .context = made->context);
  PJ_OK(PJRT_ExecuteContext_Destroy, destroy);
}

// ---- Threads ----

static void run_often(void* arg, int i) {
  PJRT_LoadedExecutable* loaded = arg;
  for (int k = 0; k < 20; ++k) {
    float mine[4] = {(float)i, (float)k, (float)(100 * i + k), -1};
    float expected[4];
    for (int m = 0; m < 4; ++m) expected[m] = mine[m] + 1;
    PJRT_Buffer *input = pj_put_floats(mine, 4), *output = NULL;
    pj_execute(loaded, &input, 1, &output);
    pj_expect_floats("one more than this thread's numbers", output, expected, 4);
    pj_destroy(input);
    pj_destroy(output);
  }
}

static void threads(const tn_subject* subject) { pj_threads(6, run_often, start(subject)); }

enum { wide = 1 << 14 };

static void run_wide(void* arg, int i) {
  PJRT_LoadedExecutable* loaded = arg;
  float* data = tn_alloc(wide * sizeof *data);
  float* seen = tn_alloc(wide * sizeof *seen);
  const int64_t dims[] = {wide};
  for (int m = 0; m < wide; ++m) data[m] = (float)(i * 1000);
  PJRT_Buffer* input = pj_put(data, PJRT_Buffer_Type_F32, dims, 1);
  // Runs follow each other closely, so that those of other threads fall into them.
  PJRT_Buffer* outputs[20] = {NULL};
  for (int k = 0; k < 20; ++k) pj_execute(loaded, &input, 1, &outputs[k]);
  for (int k = 0; k < 20; ++k) {
    pj_get(outputs[k], seen, wide * sizeof *seen);
    for (int m = 0; m < wide; ++m)
      TN_NEED(seen[m] == data[m] + 1, "one more than this thread's numbers", "%g for %g", seen[m],
              data[m]);
    pj_destroy(outputs[k]);
  }
  pj_destroy(input);
  tn_free(data);
  tn_free(seen);
}

static void wide_threads(const tn_subject* subject) {
  pj_start(subject);
  char program[1024];
  typed_program(program, sizeof program, "16384xf32", "1.0");
  pj_threads(4, run_wide, pj_compile(program));
}

// ---- Several devices ----

static PJRT_LoadedExecutable* compile_for(const int* ids, int replicas) {
  char options[128];
  const size_t size = pj_options_for(ids, replicas, options, sizeof options);
  PJRT_LoadedExecutable* loaded;
  pj_must(TN_PJRT_AT_PJRT_Client_Compile,
          pj_try_compile(pj_add_one, strlen(pj_add_one), "mlir", options, size, &loaded));
  return loaded;
}

static void second_device(const tn_subject* subject) {
  pj_start(subject);
  if (pj.device_count < 2) tn_case_skip("there is one device");
  const int id = pj_device_id(pj.devices[1]);
  if (id > 127) tn_case_skip("its id is above 127");
  PJRT_LoadedExecutable* loaded = compile_for(&id, 1);
  const int64_t dims[] = {4};
  PJRT_Buffer* input = pj_put_on(pj.devices[1], numbers, PJRT_Buffer_Type_F32, dims, 1);
  PJRT_Buffer* output = NULL;
  pj_execute(loaded, &input, 1, &output);
  pj_expect_floats("one more", output, sums, 4);
  PJ_ARGS(PJRT_Buffer_Device, args, .buffer = output);
  PJ_OK(PJRT_Buffer_Device, args);
  TN_EXPECT(args->device == pj.devices[1], "an output on the second device", "another one");
}

static void two_replicas(const tn_subject* subject) {
  pj_start(subject);
  if (pj.device_count < 2) tn_case_skip("there is one device");
  const int ids[2] = {pj_device_id(pj.devices[0]), pj_device_id(pj.devices[1])};
  if (ids[0] > 127 || ids[1] > 127) tn_case_skip("an id is above 127");
  PJRT_LoadedExecutable* loaded = compile_for(ids, 2);
  const float others[4] = {10, 20, 30, 40}, other_sums[4] = {11, 21, 31, 41};
  const int64_t dims[] = {4};
  PJRT_Buffer* inputs[2] = {pj_put_on(pj.devices[0], numbers, PJRT_Buffer_Type_F32, dims, 1),
                            pj_put_on(pj.devices[1], others, PJRT_Buffer_Type_F32, dims, 1)};
  PJRT_Buffer* outputs[2] = {NULL, NULL};
  PJRT_Buffer* const* argument_lists[2] = {&inputs[0], &inputs[1]};
  PJRT_Buffer** const output_lists[2] = {&outputs[0], &outputs[1]};
  PJRT_Event* complete[2] = {NULL, NULL};
  PJRT_ExecuteOptions plain = pj_execute_options();
  plain.launch_id = 1;
  PJ_ARGS(PJRT_LoadedExecutable_Execute, args, .executable = loaded, .options = &plain,
          .argument_lists = argument_lists, .num_devices = 2, .num_args = 1,
          .output_lists = output_lists, .device_complete_events = complete);
  PJ_OK(PJRT_LoadedExecutable_Execute, args);
  for (int i = 0; i < 2; ++i) {
    pj_finish("an event of device_complete_events", complete[i]);
    TN_NEED(outputs[i], "an output for each device", "NULL at %d", i);
    pj_expect_floats(i ? "the second replica" : "the first replica", outputs[i],
                     i ? other_sums : sums, 4);
  }
}

static void wrong_device_count(const tn_subject* subject) {
  PJRT_LoadedExecutable* loaded = start(subject);
  PJRT_Buffer* input = pj_put_floats(numbers, 4);
  PJRT_Buffer* outputs[2] = {NULL, NULL};
  PJRT_Buffer* const* argument_lists[2] = {&input, &input};
  PJRT_Buffer** const output_lists[2] = {&outputs[0], &outputs[1]};
  PJRT_ExecuteOptions plain = pj_execute_options();
  PJ_ARGS(PJRT_LoadedExecutable_Execute, args, .executable = loaded, .options = &plain,
          .argument_lists = argument_lists, .num_devices = 2, .num_args = 1,
          .output_lists = output_lists);
  PJ_REFUSED("two devices for a program of one", PJ_CALL(PJRT_LoadedExecutable_Execute, args),
             PJ_ANY_CODE);
}

static const tn_check_case cases[] = {
    {"execution.adds_one", "a program computes what it says, and keeps its arguments", adds_one, 0},
    {"execution.integers", "integers wrap around", integers, 0},
    {"execution.scalar", "a program may work on one number", scalar, 0},
    {"execution.nothing", "a program may work on an empty array", nothing, 0},
    {"execution.several", "a program fills its outputs, and no more", several, 0},
    {"execution.same_argument_twice", "one buffer may be two arguments", same_argument_twice, 0},
    {"execution.deterministic", "the same run gives the same bits", deterministic, 0},
    {"execution.complete_events",
     "device_complete_events are filled; once ready, the outputs are ready", complete_events, 0},
    {"execution.arguments_go", "arguments may be destroyed while the program runs", arguments_go,
     0},
    {"execution.executable_goes", "an executable may be destroyed while it runs", executable_goes,
     0},
    {"execution.outputs_go", "outputs and events may be destroyed unread", outputs_go, 0},
    {"execution.chained", "an output may be an argument before it is ready", chained, 0},
    {"execution.no_arguments", "too few arguments are refused", refused, 0},
    {"execution.too_many_arguments", "too many arguments are refused", refused, 1},
    {"execution.wrong_shape", "an argument of another shape is refused", refused, 2},
    {"execution.wrong_type", "an argument of another type is refused", refused, 3},
    {"execution.deleted_argument", "a deleted argument is refused", refused, 4},
    {"execution.wrong_device_count", "lists for more devices than the program has are refused",
     wrong_device_count, 0},
    {"execution.errors_pass_on", "an error of an argument passes on to what depends on it",
     errors_pass_on, 0},
    {"execution.options", "a launch id and a location may be told", options, 0},
    {"execution.context", "a context may be given to a run", context, 0},
    {"execution.threads", "one program may run on many threads", threads, 0},
    {"execution.wide_threads", "runs on many threads do not share scratch memory", wide_threads, 0},
    {"execution.second_device", "a program runs on the device it was compiled for", second_device,
     0},
    {"execution.two_replicas", "each replica computes on its own arguments", two_replicas, 0},
};
const tn_check_group tn_check_pjrt_execution = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
