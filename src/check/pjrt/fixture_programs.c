// Programs, and running them, for cases that are not about them.
#include <stdio.h>
#include <string.h>

#include "check/pjrt/fixture.h"

const char pj_add_one[] =
    "module @tenon_add_one {\n"
    "  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
    "    %0 = stablehlo.constant dense<1.0> : tensor<4xf32>\n"
    "    %1 = stablehlo.add %arg0, %0 : tensor<4xf32>\n"
    "    return %1 : tensor<4xf32>\n"
    "  }\n"
    "}\n";

const char pj_add_one_twice[] =
    "module @tenon_add_one_twice {\n"
    "  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xi32>) -> (tensor<4xf32>, "
    "tensor<2x3xi32>) {\n"
    "    %0 = stablehlo.constant dense<1.0> : tensor<4xf32>\n"
    "    %1 = stablehlo.add %arg0, %0 : tensor<4xf32>\n"
    "    %2 = stablehlo.constant dense<1> : tensor<2x3xi32>\n"
    "    %3 = stablehlo.add %arg1, %2 : tensor<2x3xi32>\n"
    "    return %1, %3 : tensor<4xf32>, tensor<2x3xi32>\n"
    "  }\n"
    "}\n";

// Two inputs, of which the first is given up.
#define DONATING(name, attribute)                             \
  "module @" name                                             \
  " {\n"                                                      \
  "  func.func public @main(%arg0: tensor<4xf32> {" attribute \
  "}, %arg1: tensor<4xf32>) -> "                              \
  "(tensor<4xf32>, tensor<4xf32>) {\n"                        \
  "    %0 = stablehlo.constant dense<1.0> : tensor<4xf32>\n"  \
  "    %1 = stablehlo.add %arg0, %0 : tensor<4xf32>\n"        \
  "    %2 = stablehlo.add %arg1, %0 : tensor<4xf32>\n"        \
  "    return %1, %2 : tensor<4xf32>, tensor<4xf32>\n"        \
  "  }\n"                                                     \
  "}\n"
const char pj_add_one_aliased[] = DONATING("tenon_aliased", "tf.aliasing_output = 0 : i32");
const char pj_add_one_donor[] = DONATING("tenon_donor", "jax.buffer_donor = true");

// CompileOptionsProto{executable_build_options{device_ordinal: -1, num_replicas: 1,
// num_partitions: 1}}
const char pj_options[] = "\x1a\x0f\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x01\x28\x01";
const size_t pj_options_size = sizeof pj_options - 1;

// The same with a device_assignment{replica_count, computation_count: 1,
// computation_devices{replica_device_ids}}. All numbers are below 128.
size_t pj_options_for(const int* ids, int replicas, char* out, size_t room) {
  const size_t needed = 27 + (size_t)replicas;
  if (needed > room || replicas > 64) tn_case_error("no room for compile options");
  char* at = out;
  *at++ = 0x1a;
  *at++ = (char)(needed - 2);
  memcpy(at, pj_options + 2, 11);
  at += 11;
  const char head[] = {0x20, (char)replicas, 0x28, 1, 0x4a, (char)(8 + replicas),
                       0x08, (char)replicas, 0x10, 1, 0x1a, (char)(2 + replicas),
                       0x0a, (char)replicas};
  memcpy(at, head, sizeof head);
  at += sizeof head;
  for (int i = 0; i < replicas; ++i) *at++ = (char)ids[i];
  return (size_t)(at - out);
}

PJRT_Error* pj_try_compile(const char* code, size_t size, const char* format, const char* options,
                           size_t options_size, PJRT_LoadedExecutable** out) {
  const PJRT_Program program = {.struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_Program),
                                .code = (char*)code,
                                .code_size = size,
                                .format = format,
                                .format_size = strlen(format)};
  PJ_ARGS(PJRT_Client_Compile, args, .client = pj.client, .program = &program,
          .compile_options = options, .compile_options_size = options_size);
  PJRT_Error* error = PJ_CALL(PJRT_Client_Compile, args);
  *out = error ? NULL : args->executable;
  return error;
}

PJRT_LoadedExecutable* pj_compile(const char* text) {
  PJRT_LoadedExecutable* loaded;
  pj_must(TN_PJRT_AT_PJRT_Client_Compile,
          pj_try_compile(text, strlen(text), "mlir", pj_options, pj_options_size, &loaded));
  TN_NEED(loaded, "an executable", "PJRT_Client_Compile: NULL");
  return loaded;
}

PJRT_Executable* pj_executable(PJRT_LoadedExecutable* loaded) {
  PJ_ARGS(PJRT_LoadedExecutable_GetExecutable, args, .loaded_executable = loaded);
  PJ_OK(PJRT_LoadedExecutable_GetExecutable, args);
  TN_NEED(args->executable, "an executable", "PJRT_LoadedExecutable_GetExecutable: NULL");
  return args->executable;
}

void pj_executable_destroy(PJRT_Executable* executable) {
  PJ_ARGS(PJRT_Executable_Destroy, args, .executable = executable);
  PJ_OK(PJRT_Executable_Destroy, args);
}

void pj_loaded_destroy(PJRT_LoadedExecutable* loaded) {
  PJ_ARGS(PJRT_LoadedExecutable_Destroy, args, .executable = loaded);
  PJ_OK(PJRT_LoadedExecutable_Destroy, args);
}

PJRT_ExecuteOptions pj_execute_options(void) {
  return (PJRT_ExecuteOptions){.struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_ExecuteOptions)};
}

PJRT_Error* pj_try_execute(PJRT_LoadedExecutable* loaded, PJRT_Buffer* const* inputs,
                           size_t input_count, PJRT_Buffer** outputs, PJRT_ExecuteOptions* options,
                           PJRT_Event** complete) {
  PJRT_ExecuteOptions plain = pj_execute_options();
  PJ_ARGS(PJRT_LoadedExecutable_Execute, args, .executable = loaded,
          .options = options ? options : &plain, .argument_lists = &inputs, .num_devices = 1,
          .num_args = input_count, .output_lists = &outputs, .device_complete_events = complete);
  return PJ_CALL(PJRT_LoadedExecutable_Execute, args);
}

void pj_execute(PJRT_LoadedExecutable* loaded, PJRT_Buffer* const* inputs, size_t input_count,
                PJRT_Buffer** outputs) {
  pj_must(TN_PJRT_AT_PJRT_LoadedExecutable_Execute,
          pj_try_execute(loaded, inputs, input_count, outputs, NULL, NULL));
  TN_NEED(outputs[0], "an output", "PJRT_LoadedExecutable_Execute leaves NULL");
}
