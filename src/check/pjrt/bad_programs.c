// Programs, formats and options that are none: errors, whatever the bytes.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

static PJRT_Error* compile(const char* code, size_t size, const char* format, const char* options,
                           size_t options_size) {
  PJRT_LoadedExecutable* loaded = NULL;
  PJRT_Error* error = pj_try_compile(code, size, format, options, options_size, &loaded);
  if (!error && loaded) pj_loaded_destroy(loaded);
  return error;
}

static void bad_program(const tn_subject* subject) {
  static const char* const programs[] = {
      "",
      "this is no program",
      "module {",
      "module {\n  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
      "    %0 = tenon.no_such_op %arg0 : tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }\n}\n",
      "ML\xefR\x01garbage",
      "ML\xefR",
  };
  pj_start(subject);
  const char* code = programs[subject->arg];
  PJ_REFUSED("compiling it", compile(code, strlen(code), "mlir", pj_options, pj_options_size),
             PJ_ANY_CODE);
}

static void bad_format(const tn_subject* subject) {
  pj_start(subject);
  PJ_REFUSED("a program in the format 'invalid'",
             compile(pj_add_one, strlen(pj_add_one), "invalid", pj_options, pj_options_size),
             PJ_INVALID);
}

static void bad_options(const tn_subject* subject) {
  pj_start(subject);
  static const char nonsense[] = "invalid compile options";
  PJ_REFUSED("options that are no CompileOptionsProto",
             compile(pj_add_one, strlen(pj_add_one), "mlir", nonsense, sizeof nonsense - 1),
             PJ_INVALID);
}

static void too_many_devices(const tn_subject* subject) {
  pj_start(subject);
  if (pj.device_count >= 60) tn_case_skip("there are as many devices");
  int ids[60];
  char options[128];
  for (int i = 0; i < 60; ++i) ids[i] = i;
  const size_t size = pj_options_for(ids, 60, options, sizeof options);
  PJ_REFUSED("60 replicas", compile(pj_add_one, strlen(pj_add_one), "mlir", options, size),
             PJ_ANY_CODE);
}

static void unknown_device(const tn_subject* subject) {
  pj_start(subject);
  char options[128];
  const int id = 125;
  for (size_t i = 0; i < pj.device_count; ++i)
    if (pj_device_id(pj.devices[i]) == id) tn_case_skip("there is such a device");
  const size_t size = pj_options_for(&id, 1, options, sizeof options);
  PJ_REFUSED("an assignment to device 125",
             compile(pj_add_one, strlen(pj_add_one), "mlir", options, size), PJ_ANY_CODE);
}

static void damage(char* text, size_t* size, uint64_t* state) {
  const int64_t last = (int64_t)*size - 1;
  switch (tn_case_between(state, 0, 3)) {
    case 0: *size = (size_t)tn_case_between(state, 0, last); break;
    case 1: text[tn_case_between(state, 0, last)] = (char)tn_case_random(state); break;
    case 2:
      text[tn_case_between(state, 0, last)] ^= (char)(1 << tn_case_between(state, 0, 7));
      break;
    default: {  // a piece moves
      const int64_t from = tn_case_between(state, 0, last), to = tn_case_between(state, 0, last);
      const int64_t room = last - (from > to ? from : to);
      memmove(text + to, text + from, (size_t)(room < 12 ? room : 12));
    }
  }
}

static void fuzzed_programs(const tn_subject* subject) {
  pj_start(subject);
  uint64_t state = subject->seed;
  for (int i = 0; i < 60; ++i) {
    size_t size = strlen(pj_add_one_twice);
    char* text = tn_strdup(pj_add_one_twice);
    for (int64_t k = tn_case_between(&state, 1, 3); k > 0 && size > 1; --k)
      damage(text, &size, &state);
    pj_take(compile(text, size, "mlir", pj_options, pj_options_size));
    tn_free(text);
  }
}

static void fuzzed_options(const tn_subject* subject) {
  pj_start(subject);
  uint64_t state = subject->seed;
  char options[64];
  for (int i = 0; i < 60; ++i) {
    size_t size = pj_options_size;
    memcpy(options, pj_options, size);
    if (i % 3 == 0) {
      size = (size_t)tn_case_between(&state, 1, sizeof options);
      for (size_t k = 0; k < size; ++k) options[k] = (char)tn_case_random(&state);
    }
    for (int64_t k = tn_case_between(&state, 1, 3); k > 0 && size > 1; --k)
      damage(options, &size, &state);
    pj_take(compile(pj_add_one, strlen(pj_add_one), "mlir", options, size));
  }
}

static void random_bytes(const tn_subject* subject) {
  static const char* const formats[] = {"mlir", "hlo", "hlo_with_config"};
  pj_start(subject);
  uint64_t state = subject->seed;
  char code[256];
  for (int i = 0; i < 40; ++i) {
    for (size_t k = 0; k < sizeof code; ++k) code[k] = (char)tn_case_random(&state);
    if (i % 3 == 0) memcpy(code, "ML\xefR\x0dStableHLO_v1.0.0", 22);
    const size_t size = (size_t)tn_case_between(&state, 0, sizeof code);
    pj_take(compile(code, size, formats[subject->arg], pj_options, pj_options_size));
  }
}

static void alive_after_errors(const tn_subject* subject) {
  const float numbers[4] = {1, 2, 3, 4}, sums[4] = {2, 3, 4, 5};
  pj_start(subject);
  for (int i = 0; i < 5; ++i)
    pj_take(compile("this is no program", 18, "mlir", pj_options, pj_options_size));
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one);
  PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NULL;
  pj_execute(loaded, &input, 1, &output);
  pj_expect_floats("one more, after programs that were none", output, sums, 4);
}

static const tn_check_case cases[] = {
    {"bad_programs.empty", "no bytes are no program", bad_program, 0},
    {"bad_programs.words", "words are no program", bad_program, 1},
    {"bad_programs.open_end", "a module that does not end is no program", bad_program, 2},
    {"bad_programs.unknown_op", "a program of unknown operations is refused", bad_program, 3},
    {"bad_programs.bytecode", "bytecode that is none is refused", bad_program, 4},
    {"bad_programs.bytecode_head", "bytecode that ends with its head is refused", bad_program, 5},
    {"bad_programs.format", "an unknown format is INVALID_ARGUMENT", bad_format, 0},
    {"bad_programs.options", "compile options that are none are INVALID_ARGUMENT", bad_options, 0},
    {"bad_programs.too_many_devices", "more replicas than devices are refused", too_many_devices,
     0},
    {"bad_programs.unknown_device", "an assignment to a device that there is not is refused",
     unknown_device, 0},
    {"bad_programs.fuzzed_text", "damaged programs give errors", fuzzed_programs, 0},
    {"bad_programs.fuzzed_options", "damaged options give errors", fuzzed_options, 0},
    {"bad_programs.fuzzed_bytecode", "random bytecode gives errors", random_bytes, 0},
    {"bad_programs.fuzzed_hlo", "random HLO protos give errors", random_bytes, 1},
    {"bad_programs.fuzzed_hlo_with_config", "random HLO protos with config give errors",
     random_bytes, 2},
    {"bad_programs.alive_after", "a client goes on after programs that were none",
     alive_after_errors, 0},
};
const tn_check_group tn_check_pjrt_bad_programs = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
