// Compiling, and what executables tell.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

static const float numbers[4] = {1, 2, 3, 4}, sums[4] = {2, 3, 4, 5};

static void run(PJRT_LoadedExecutable* loaded) {
  PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NULL;
  pj_execute(loaded, &input, 1, &output);
  pj_expect_floats("one more", output, sums, 4);
  pj_destroy(input);
  pj_destroy(output);
}

static PJRT_Executable* start(const tn_subject* subject, const char* text) {
  pj_start(subject);
  PJRT_LoadedExecutable* loaded = pj_compile(text);
  PJRT_Executable* executable = pj_executable(loaded);
  return executable;
}

static void compile(const tn_subject* subject) {
  pj_start(subject);
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one);
  run(loaded);
  pj_loaded_destroy(loaded);
}

static void other_form(const tn_subject* subject) {
  pj_start(subject);
  const bool hlo = subject->arg;
  PJRT_LoadedExecutable* loaded;
  PJRT_Error* error = pj_try_compile((const char*)(hlo ? pj_hlo : pj_artifact),
                                     hlo ? pj_hlo_size : pj_artifact_size, hlo ? "hlo" : "mlir",
                                     pj_options, pj_options_size, &loaded);
  if (error && hlo) {  // not every plugin is XLA's
    const pj_error taken = pj_take(error);
    tn_case_skip("%s: %s", pj_code_name(taken.code), taken.text);
  }
  pj_must(TN_PJRT_AT_PJRT_Client_Compile, error);
  TN_NEED(loaded, "an executable", "NULL");
  run(loaded);
  pj_loaded_destroy(loaded);
}

// What is given to compile need live only until it returns.
static void inputs_are_copied(const tn_subject* subject) {
  pj_start(subject);
  const size_t size = strlen(pj_add_one);
  char* code = malloc(size);
  char* format = malloc(4);
  char* options = malloc(pj_options_size);
  PJRT_Program* program = malloc(sizeof *program);
  if (!code || !format || !options || !program) tn_case_error("out of memory");
  memcpy(code, pj_add_one, size);
  memcpy(format, "mlir", 4);
  memcpy(options, pj_options, pj_options_size);
  *program = (PJRT_Program){.struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_Program),
                            .code = code,
                            .code_size = size,
                            .format = format,
                            .format_size = 4};
  PJ_ARGS(PJRT_Client_Compile, args, .client = pj.client, .program = program,
          .compile_options = options, .compile_options_size = pj_options_size);
  PJ_OK(PJRT_Client_Compile, args);
  memset(code, 0xff, size);
  memset(options, 0xff, pj_options_size);
  memset(program, 0xff, sizeof *program);
  memset(format, 0xff, 4);
  free(code), free(format), free(options), free(program);
  run(args->executable);
  PJRT_Executable* executable = pj_executable(args->executable);
  PJ_ARGS(PJRT_Executable_Name, name, .executable = executable);
  PJ_OK(PJRT_Executable_Name, name);
  pj_check_text("the name", name->executable_name, name->executable_name_size);
}

static void name(const tn_subject* subject) {
  PJRT_Executable* executable = start(subject, pj_add_one);
  PJ_ARGS(PJRT_Executable_Name, args, .executable = executable);
  PJ_OK(PJRT_Executable_Name, args);
  pj_check_text("the name", args->executable_name, args->executable_name_size);
}

static void counts(const tn_subject* subject) {
  PJRT_Executable* executable = start(subject, pj_add_one_twice);
  PJ_ARGS(PJRT_Executable_NumReplicas, replicas, .executable = executable);
  PJ_OK(PJRT_Executable_NumReplicas, replicas);
  TN_EXPECT(replicas->num_replicas == 1, "1 replica", "%zu", replicas->num_replicas);
  PJ_ARGS(PJRT_Executable_NumPartitions, partitions, .executable = executable);
  PJ_OK(PJRT_Executable_NumPartitions, partitions);
  TN_EXPECT(partitions->num_partitions == 1, "1 partition", "%zu", partitions->num_partitions);
  PJ_ARGS(PJRT_Executable_NumOutputs, outputs, .executable = executable);
  PJ_OK(PJRT_Executable_NumOutputs, outputs);
  TN_EXPECT(outputs->num_outputs == 2, "2 outputs", "%zu", outputs->num_outputs);
}

static void output_types(const tn_subject* subject) {
  PJRT_Executable* executable = start(subject, pj_add_one_twice);
  PJ_ARGS(PJRT_Executable_OutputElementTypes, args, .executable = executable);
  PJ_OK(PJRT_Executable_OutputElementTypes, args);
  TN_NEED(args->num_output_types == 2 && args->output_types, "2 types", "%zu at %p",
          args->num_output_types, (void*)args->output_types);
  TN_EXPECT(args->output_types[0] == PJRT_Buffer_Type_F32 &&
                args->output_types[1] == PJRT_Buffer_Type_S32,
            "F32 and S32", "%s and %s", pj_type_name((int)args->output_types[0]),
            pj_type_name((int)args->output_types[1]));
}

static void output_dimensions(const tn_subject* subject) {
  PJRT_Executable* executable = start(subject, pj_add_one_twice);
  PJ_ARGS(PJRT_Executable_OutputDimensions, args, .executable = executable);
  PJ_OK(PJRT_Executable_OutputDimensions, args);
  TN_NEED(args->num_outputs == 2 && args->dim_sizes && args->dims, "shapes of 2 outputs", "%zu",
          args->num_outputs);
  TN_EXPECT(args->dim_sizes[0] == 1 && args->dim_sizes[1] == 2 && args->dims[0] == 4 &&
                args->dims[1] == 2 && args->dims[2] == 3,
            "4 and 2 x 3", "%zu and %zu dimensions, %lld, %lld, %lld", args->dim_sizes[0],
            args->dim_sizes[1], (long long)args->dims[0], (long long)args->dims[1],
            (long long)args->dims[2]);
}

static void check_kinds(size_t count, const char* const* kinds, const size_t* sizes) {
  TN_NEED(count == 2 && kinds && sizes, "2 kinds", "%zu", count);
  for (size_t i = 0; i < count; ++i) pj_check_text("a kind of memory", kinds[i], sizes[i]);
}

static void output_memory_kinds(const tn_subject* subject) {
  PJRT_Executable* executable = start(subject, pj_add_one_twice);
  PJ_ARGS(PJRT_Executable_OutputMemoryKinds, args, .executable = executable);
  PJ_OK(PJRT_Executable_OutputMemoryKinds, args);
  check_kinds(args->num_outputs, args->memory_kinds, args->memory_kind_sizes);
}

static void parameter_memory_kinds(const tn_subject* subject) {
  PJRT_Executable* executable = start(subject, pj_add_one_twice);
  PJ_ARGS(PJRT_Executable_ParameterMemoryKinds, args, .executable = executable);
  PJ_OK(PJRT_Executable_ParameterMemoryKinds, args);
  check_kinds(args->num_parameters, args->memory_kinds, args->memory_kind_sizes);
}

static void code_size(const tn_subject* subject) {
  PJRT_Executable* executable = start(subject, pj_add_one);
  PJ_ARGS(PJRT_Executable_SizeOfGeneratedCodeInBytes, args, .executable = executable,
          .size_in_bytes = INT64_MIN);
  PJ_OK(PJRT_Executable_SizeOfGeneratedCodeInBytes, args);
  TN_EXPECT(args->size_in_bytes >= -1, "a size, or -1 where it is not known", "%lld",
            (long long)args->size_in_bytes);
}

static void cost_analysis(const tn_subject* subject) {
  PJRT_Executable* executable = start(subject, pj_add_one);
  PJ_ARGS(PJRT_Executable_GetCostAnalysis, args, .executable = executable);
  PJ_OK(PJRT_Executable_GetCostAnalysis, args);
  pj_check_values("the cost analysis", args->properties, args->num_properties);
}

static void memory_analysis(const tn_subject* subject) {
  PJRT_Executable* executable = start(subject, pj_add_one);
  PJ_ARGS(PJRT_Executable_GetCompiledMemoryStats, args, .executable = executable);
  PJ_OK(PJRT_Executable_GetCompiledMemoryStats, args);
  TN_EXPECT(args->argument_size_in_bytes >= 0 && args->output_size_in_bytes >= 0 &&
                args->temp_size_in_bytes >= 0 && args->alias_size_in_bytes >= 0,
            "sizes from 0", "%lld, %lld, %lld, %lld", (long long)args->argument_size_in_bytes,
            (long long)args->output_size_in_bytes, (long long)args->temp_size_in_bytes,
            (long long)args->alias_size_in_bytes);
}

static void fingerprint(const tn_subject* subject) {
  PJRT_Executable* executables[2] = {start(subject, pj_add_one), NULL};
  executables[1] = pj_executable(pj_compile(pj_add_one));
  char found[3][256];
  size_t sizes[3];
  for (int i = 0; i < 3; ++i) {
    PJ_ARGS(PJRT_Executable_Fingerprint, args, .executable = executables[i / 2]);
    PJ_OK(PJRT_Executable_Fingerprint, args);
    TN_NEED(args->executable_fingerprint && args->executable_fingerprint_size, "bytes", "none");
    sizes[i] = args->executable_fingerprint_size < 256 ? args->executable_fingerprint_size : 256;
    memcpy(found[i], args->executable_fingerprint, sizes[i]);
  }
  TN_EXPECT(sizes[0] == sizes[1] && memcmp(found[0], found[1], sizes[0]) == 0,
            "one fingerprint for one executable", "another the second time");
  TN_EXPECT(sizes[0] == sizes[2] && memcmp(found[0], found[2], sizes[0]) == 0,
            "one fingerprint for a program that is compiled twice", "two");
}

static void optimized_program(const tn_subject* subject) {
  PJRT_Executable* executable = start(subject, pj_add_one);
  PJRT_Program program = {.struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_Program)};
  PJ_ARGS(PJRT_Executable_OptimizedProgram, args, .executable = executable, .program = &program);
  PJ_OK(PJRT_Executable_OptimizedProgram, args);
  TN_NEED(program.code_size > 0 && program.code_size < 1 << 24, "a size when code is NULL", "%zu",
          program.code_size);
  const size_t size = program.code_size;
  program.code = tn_alloc(size + 16);
  memset(program.code, 0x5a, size + 16);
  PJ_OK(PJRT_Executable_OptimizedProgram, args);
  pj_check_text("the format", program.format, program.format_size);
  TN_EXPECT(program.code_size == size, "the same size", "%zu, then %zu", size, program.code_size);
  for (size_t i = size; i < size + 16; ++i)
    TN_NEED(program.code[i] == 0x5a, "nothing written beyond code_size", "a byte");
  tn_free(program.code);
}

static void compile_options(const tn_subject* subject) {
  PJRT_Executable* executable = start(subject, pj_add_one);
  PJ_ARGS(PJRT_Executable_GetCompileOptions, args, .executable = executable);
  PJ_OK(PJRT_Executable_GetCompileOptions, args);
  TN_NEED(args->serialized_compile_options_deleter, "a deleter: jaxlib calls it unseen", "NULL");
  TN_EXPECT(args->serialized_bytes || !args->serialized_bytes_size, "bytes", "%zu at NULL",
            args->serialized_bytes_size);
  tn_case_enter("serialized_compile_options_deleter");
  args->serialized_compile_options_deleter(args->serialized_compile_options);
  tn_case_leave();
}

// ---- Handles ----

static void handles(const tn_subject* subject) {
  pj_start(subject);
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one);
  PJRT_Executable *first = pj_executable(loaded), *second = pj_executable(loaded);
  TN_NEED(first != second, "a handle of its own for each caller", "one for two");
  pj_executable_destroy(first);
  if (subject->arg) pj_loaded_destroy(loaded);
  PJ_ARGS(PJRT_Executable_NumOutputs, args, .executable = second);
  PJ_OK(PJRT_Executable_NumOutputs, args);
  TN_EXPECT(args->num_outputs == 1, "1 output", "%zu", args->num_outputs);
  pj_executable_destroy(second);
}

static void devices(const tn_subject* subject) {
  pj_start(subject);
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one);
  PJ_ARGS(PJRT_LoadedExecutable_AddressableDevices, args, .executable = loaded);
  PJ_OK(PJRT_LoadedExecutable_AddressableDevices, args);
  TN_NEED(args->num_addressable_devices == 1 && args->addressable_devices, "1 device", "%zu",
          args->num_addressable_devices);
  bool found = false;
  for (size_t i = 0; i < pj.device_count; ++i)
    found = found || pj.devices[i] == args->addressable_devices[0];
  TN_EXPECT(found, "a device of the client", "another one");
  if (!PJ_HAS(PJRT_LoadedExecutable_AddressableDeviceLogicalIds)) return;
  PJ_ARGS(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids, .executable = loaded);
  PJ_OK(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids);
  TN_NEED(ids->num_addressable_device_logical_ids == 1 && ids->addressable_device_logical_ids,
          "1 place", "%zu", ids->num_addressable_device_logical_ids);
  TN_EXPECT(ids->addressable_device_logical_ids[0].replica == 0 &&
                ids->addressable_device_logical_ids[0].partition == 0,
            "replica 0, partition 0", "%d, %d", ids->addressable_device_logical_ids[0].replica,
            ids->addressable_device_logical_ids[0].partition);
}

static void device_assignment(const tn_subject* subject) {
  pj_start(subject);
  PJ_ARGS(PJRT_LoadedExecutable_GetDeviceAssignment, args, .executable = pj_compile(pj_add_one));
  PJ_OK(PJRT_LoadedExecutable_GetDeviceAssignment, args);
  TN_NEED(args->serialized_device_assignment_deleter, "a deleter: jaxlib calls it unseen", "NULL");
  TN_EXPECT(args->serialized_bytes || !args->serialized_bytes_size, "bytes", "%zu at NULL",
            args->serialized_bytes_size);
  tn_case_enter("serialized_device_assignment_deleter");
  args->serialized_device_assignment_deleter(args->serialized_device_assignment);
  tn_case_leave();
}

static bool is_deleted(PJRT_LoadedExecutable* loaded) {
  PJ_ARGS(PJRT_LoadedExecutable_IsDeleted, args, .executable = loaded);
  PJ_OK(PJRT_LoadedExecutable_IsDeleted, args);
  return args->is_deleted;
}

static void deleted(const tn_subject* subject) {
  pj_start(subject);
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one);
  TN_EXPECT(!is_deleted(loaded), "false before PJRT_LoadedExecutable_Delete", "true");
  PJ_ARGS(PJRT_LoadedExecutable_Delete, args, .executable = loaded);
  PJ_OK(PJRT_LoadedExecutable_Delete, args);
  TN_EXPECT(is_deleted(loaded), "true after PJRT_LoadedExecutable_Delete", "false");
  pj_loaded_destroy(loaded);
}

static void deleted_refuses(const tn_subject* subject) {
  pj_start(subject);
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one);
  PJ_ARGS(PJRT_LoadedExecutable_Delete, args, .executable = loaded);
  PJ_OK(PJRT_LoadedExecutable_Delete, args);
  PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NULL;
  PJ_REFUSED("running a deleted executable", pj_try_execute(loaded, &input, 1, &output, NULL, NULL),
             PJ_ANY_CODE);
}

// ---- Written and read again ----

typedef struct bytes {
  char* data;
  size_t size;
} bytes;

static bytes serialize(PJRT_Executable* executable) {
  PJ_ARGS(PJRT_Executable_Serialize, args, .executable = executable);
  PJ_OK(PJRT_Executable_Serialize, args);
  TN_NEED(args->serialized_bytes && args->serialized_bytes_size, "bytes", "%zu at %p",
          args->serialized_bytes_size, (const void*)args->serialized_bytes);
  TN_NEED(args->serialized_executable_deleter, "a deleter: jaxlib calls it unseen", "NULL");
  const bytes copy = {tn_alloc(args->serialized_bytes_size), args->serialized_bytes_size};
  memcpy(copy.data, args->serialized_bytes, copy.size);
  tn_case_enter("serialized_executable_deleter");
  args->serialized_executable_deleter(args->serialized_executable);
  tn_case_leave();
  return copy;
}

static PJRT_Error* load(const char* data, size_t size, PJRT_LoadedExecutable** out) {
  PJ_ARGS(PJRT_Executable_DeserializeAndLoad, args, .client = pj.client,
          .serialized_executable = data, .serialized_executable_size = size);
  PJRT_Error* error = PJ_CALL(PJRT_Executable_DeserializeAndLoad, args);
  *out = error ? NULL : args->loaded_executable;
  return error;
}

static void round_trip(const tn_subject* subject) {
  bytes written = serialize(start(subject, pj_add_one));
  for (int i = 0; i < 2; ++i) {
    PJRT_LoadedExecutable* loaded;
    pj_must(TN_PJRT_AT_PJRT_Executable_DeserializeAndLoad,
            load(written.data, written.size, &loaded));
    if (i) {  // what it was read from is the caller's
      memset(written.data, 0xff, written.size);
      tn_free(written.data);
    }
    TN_NEED(loaded, "an executable", "NULL");
    run(loaded);
    pj_loaded_destroy(loaded);
  }
}

static void damaged(const tn_subject* subject) {
  bytes written = serialize(start(subject, pj_add_one));
  uint64_t state = subject->seed;
  PJRT_LoadedExecutable* loaded;
  PJ_REFUSED("bytes that are no executable", load("\x01\x02 no executable", 16, &loaded),
             PJ_ANY_CODE);
  for (int i = 0; i < 40; ++i) {
    char* copy = tn_alloc(written.size);
    memcpy(copy, written.data, written.size);
    size_t size = written.size;
    if (i % 2)
      size = (size_t)tn_case_between(&state, 0, (int64_t)size - 1);
    else
      for (int k = 0; k < 4; ++k)
        copy[tn_case_between(&state, 0, (int64_t)size - 1)] ^=
            (char)(1 << tn_case_between(&state, 0, 7));
    // A flipped bit may leave an executable; what counts is that an error is all that can happen.
    if (!pj_take(load(copy, size, &loaded)).code && loaded) pj_loaded_destroy(loaded);
    tn_free(copy);
  }
}

// ---- Ahead of time ----

static void compile_for_topology(const tn_subject* subject) {
  pj_start(subject);
  PJ_ARGS(PJRT_Client_TopologyDescription, topology, .client = pj.client);
  PJ_OK(PJRT_Client_TopologyDescription, topology);
  const PJRT_Program program = {.struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_Program),
                                .code = (char*)pj_add_one,
                                .code_size = strlen(pj_add_one),
                                .format = "mlir",
                                .format_size = 4};
  PJ_ARGS(PJRT_Compile, args, .topology = topology->topology, .program = &program,
          .compile_options = pj_options, .compile_options_size = pj_options_size,
          .client = pj.client);
  PJ_OK(PJRT_Compile, args);
  TN_NEED(args->executable, "an executable", "NULL");
  PJ_ARGS(PJRT_Executable_NumOutputs, outputs, .executable = args->executable);
  PJ_OK(PJRT_Executable_NumOutputs, outputs);
  TN_EXPECT(outputs->num_outputs == 1, "1 output", "%zu", outputs->num_outputs);
  if (PJ_HAS(PJRT_Client_Load)) {
    PJ_ARGS(PJRT_Client_Load, loading, .client = pj.client, .executable = args->executable,
            .compile_options = pj_options, .compile_options_size = pj_options_size);
    PJ_OK(PJRT_Client_Load, loading);
    TN_NEED(loading->loaded_executable, "a loaded executable", "NULL");
    run(loading->loaded_executable);
    pj_loaded_destroy(loading->loaded_executable);
  }
  pj_executable_destroy(args->executable);
}

static void compile_often(void* arg, int i) {
  for (int k = 0; k < 4; ++k) {
    PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one);
    run(loaded);
    pj_loaded_destroy(loaded);
  }
}

static void threads(const tn_subject* subject) {
  pj_start(subject);
  pj_threads(4, compile_often, NULL);
}

static const tn_check_case cases[] = {
    {"programs.compile", "a program in StableHLO's text compiles and runs", compile, 0},
    {"programs.portable_artifact", "a portable artifact of StableHLO 0.9 compiles and runs",
     other_form, 0},
    {"programs.hlo", "a program in the format \"hlo\" compiles and runs, where it is known",
     other_form, 1},
    {"programs.inputs_are_copied", "what is given to compile need live only until it returns",
     inputs_are_copied, 0},
    {"programs.name", "an executable has a name", name, 0},
    {"programs.counts", "replicas, partitions and outputs are those of the program", counts, 0},
    {"programs.output_types", "there is a type for each output", output_types, 0},
    {"programs.output_dimensions", "there is a shape for each output", output_dimensions, 0},
    {"programs.output_memory_kinds", "there is a kind of memory for each output",
     output_memory_kinds, 0},
    {"programs.parameter_memory_kinds", "there is a kind of memory for each argument",
     parameter_memory_kinds, 0},
    {"programs.code_size", "the size of the code is told: jaxlib cannot do without", code_size, 0},
    {"programs.cost_analysis", "costs are named values", cost_analysis, 0},
    {"programs.memory_analysis", "memory statistics of a program make sense", memory_analysis, 0},
    {"programs.fingerprint", "equal executables have equal fingerprints", fingerprint, 0},
    {"programs.optimized_program", "asked twice, for its size and then for itself",
     optimized_program, 0},
    {"programs.compile_options", "compile options come back with a deleter", compile_options, 0},
    {"programs.handles", "each caller has an executable of its own, and destroys it", handles, 0},
    {"programs.outlives_loaded",
     "an executable belongs to its caller, also when the loaded one goes", handles, 1},
    {"programs.devices", "an executable for one device runs on one of the client's", devices, 0},
    {"programs.device_assignment", "the device assignment comes with a deleter", device_assignment,
     0},
    {"programs.deleted", "an executable that was deleted says so", deleted, 0},
    {"programs.deleted_refuses", "a deleted executable does not run", deleted_refuses, 0},
    {"programs.round_trip", "what was serialized can be loaded, more than once", round_trip, 0},
    {"programs.damaged", "damaged executables are refused, not run into", damaged, 0},
    {"programs.for_topology", "a program compiles for a topology and is loaded later",
     compile_for_topology, 0},
    {"programs.threads", "programs may be compiled on many threads", threads, 0},
};
const tn_check_group tn_check_pjrt_programs = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
