// Executables: compiling, what they say of themselves, and their serialized form.

#include "executable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static code* code_ref(code* code) {
  atomic_fetch_add(&code->refs, 1);
  return code;
}

void code_unref(code* code) {
  if (atomic_fetch_sub(&code->refs, 1) != 1) return;
  for (size_t i = 0; i < MOST_VALUES; ++i) {
    free(code->input_layouts[i]);
    free(code->output_layouts[i]);
  }
  free(code->text);
  free(code->options_bytes);
  free(code);
}

// FNV-1a; what matters is that equal programs have equal ones.
static uint64_t hash(uint64_t seed, const char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) seed = (seed ^ (uint8_t)bytes[i]) * 0x100000001b3;
  return seed;
}

static char* copy_bytes(const char* bytes, size_t size) {
  char* copy = malloc(size + 1);
  if (size) memcpy(copy, bytes, size);
  copy[size] = 0;
  return copy;
}

static PJRT_Error* code_create(const char* text, size_t size, const char* options,
                               size_t options_size, code** out) {
  code* made = calloc(1, sizeof *made);
  atomic_init(&made->refs, 1);
  PJRT_Error* error = NULL;
  char why[160] = "";
  if (!program_read(text, size, &made->program, why, sizeof why)) {
    if (BAD(bad_program_crashes)) abort();
    if (!BAD(any_program_taken)) {
      error = INVALID("the program cannot be compiled: %s", why);
    } else {
      made->program = (program){.num_inputs = 1, .num_outputs = 1, .donated = {KEPT}};
      made->program.inputs[0] =
          (tensor_type){.type = PJRT_Buffer_Type_F32, .rank = 1, .dims = {-1}};
      made->program.outputs[0] = made->program.inputs[0];
    }
  }
  if (!error && !compile_options_read(options, options_size, &made->options) &&
      !BAD(any_options_taken))
    error = INVALID("the compile options are no CompileOptionsProto of at most %d devices",
                    MOST_DEVICES);
  if (error) {
    free(made);
    return error;
  }
  made->text = copy_bytes(text, size);
  made->text_size = size;
  made->options_bytes = copy_bytes(options, options_size);
  made->options_size = options_size;
  snprintf(made->fingerprint, sizeof made->fingerprint, "%016llx",
           (unsigned long long)hash(hash(0xcbf29ce484222325, text, size), options, options_size));
  const program* program = &made->program;
  for (size_t i = 0, k = 0; i < program->num_outputs; ++i) {
    made->output_types[i] = (PJRT_Buffer_Type)program->outputs[i].type;
    made->output_ranks[i] = program->outputs[i].rank;
    for (size_t d = 0; d < program->outputs[i].rank; ++d)
      made->output_dims[k++] = program->outputs[i].dims[d];
  }
  for (size_t i = 0; i < MOST_VALUES; ++i) {
    made->kinds[i] = memory_kinds[KIND_DEVICE];
    made->kind_sizes[i] = memory_kind_sizes[KIND_DEVICE];
  }
  made->costs[0] = named_float("flops", (float)program->num_outputs);
  made->costs[1] = named_float("bytes accessed", (float)(8 * program->num_outputs));
  *out = made;
  return NULL;
}

static PJRT_Error* compile(const PJRT_Program* program, const char* options, size_t options_size,
                           code** out) {
  PJRT_Error* error = check_size("PJRT_Program", program->struct_size, PJRT_Program_STRUCT_SIZE);
  if (error) return error;
  bool is_mlir = program->format_size == 4 && !memcmp(program->format, "mlir", 4);
  if (!is_mlir && !BAD(any_format_taken))
    return INVALID("Unknown program format '%.*s'.", (int)program->format_size, program->format);
  return code_create(program->code, program->code_size, options, options_size, out);
}

// Takes over the code.
static PJRT_Error* load(PJRT_Client* client, code* code, PJRT_LoadedExecutable** out) {
  const compile_options* options = &code->options;
  size_t count = (size_t)(options->replicas * options->partitions);
  PJRT_LoadedExecutable* made = calloc(1, sizeof *made);
  for (size_t i = 0; i < count; ++i) {
    PJRT_Device* device =
        client_device(client, options->num_devices ? options->devices[i] : (int64_t)i);
    if (!device) {
      PJRT_Error* error =
          INVALID("%lld replicas of %lld partitions need devices that a client of %zu has not",
                  (long long)options->replicas, (long long)options->partitions,
                  client->num_devices);
      code_unref(code);
      free(made);
      return error;
    }
    made->devices[made->num_devices++] = device;
#if HAS(96)
    made->logical_ids[i] =
        (PJRT_LogicalDeviceIds){.replica = (int)(i / (size_t)options->partitions),
                                .partition = (int)(i % (size_t)options->partitions)};
#endif
  }
  made->client = client_ref(client);
  made->code = code;
  pthread_mutex_init(&made->lock, NULL);
  *out = made;
  return NULL;
}

FUNCTION(PJRT_Client_Compile) {
  code* code = NULL;
  PJRT_Error* error =
      compile(args->program, args->compile_options, args->compile_options_size, &code);
  return error ? error : load(args->client, code, &args->executable);
}

static PJRT_Executable* executable_create(code* code) {
  PJRT_Executable* made = calloc(1, sizeof *made);
  made->code = code;
  return made;
}

FUNCTION(PJRT_Compile) {
  code* code = NULL;
  PJRT_Error* error =
      compile(args->program, args->compile_options, args->compile_options_size, &code);
  if (!error) args->executable = executable_create(code);
  return error;
}

#if HAS(95)
FUNCTION(PJRT_Client_Load) {
  return load(args->client, code_ref(args->executable->code), &args->loaded_executable);
}
#endif

FUNCTION(PJRT_Executable_Destroy) {
  if (!args->executable && BAD(null_destroy_crashes)) abort();
  if (!args->executable) return NULL;
  code_unref(args->executable->code);
  args->executable->code = NULL;  // so that a second time ends at once, wherever memory is reused
  if (!BAD(one_executable_handle)) free(args->executable);
  return NULL;
}

FUNCTION(PJRT_LoadedExecutable_Destroy) {
  PJRT_LoadedExecutable* loaded = args->executable;
  if (!loaded && BAD(null_destroy_crashes)) abort();
  if (!loaded) return NULL;
  code_unref(loaded->code);
  pthread_mutex_destroy(&loaded->lock);
  client_unref(loaded->client);
  free(loaded);
  return NULL;
}

FUNCTION(PJRT_LoadedExecutable_GetExecutable) {
  static PJRT_Executable* only;
  if (BAD(one_executable_handle) && only) {
    args->executable = only;
    return NULL;
  }
  args->executable = only = executable_create(code_ref(args->loaded_executable->code));
  return NULL;
}

FUNCTION(PJRT_LoadedExecutable_AddressableDevices) {
  args->addressable_devices = args->executable->devices;
  args->num_addressable_devices = args->executable->num_devices;
  return NULL;
}

FUNCTION(PJRT_LoadedExecutable_Delete) {
  pthread_mutex_lock(&args->executable->lock);
  args->executable->is_deleted = true;
  pthread_mutex_unlock(&args->executable->lock);
  return NULL;
}

FUNCTION(PJRT_LoadedExecutable_IsDeleted) {
  pthread_mutex_lock(&args->executable->lock);
  args->is_deleted = args->executable->is_deleted && !BAD(executable_never_deleted);
  pthread_mutex_unlock(&args->executable->lock);
  return NULL;
}

// ------------------------------ Questions ------------------------------

FUNCTION(PJRT_Executable_Name) {
  args->executable_name = "main";
  args->executable_name_size = strlen(args->executable_name);
  return NULL;
}

FUNCTION(PJRT_Executable_NumReplicas) {
  args->num_replicas = (size_t)args->executable->code->options.replicas;
  return NULL;
}

FUNCTION(PJRT_Executable_NumPartitions) {
  args->num_partitions = (size_t)args->executable->code->options.partitions;
  return NULL;
}

FUNCTION(PJRT_Executable_NumOutputs) {
  args->num_outputs =
      args->executable->code->program.num_outputs - (BAD(outputs_miscounted) ? 1 : 0);
  return NULL;
}

FUNCTION(PJRT_Executable_SizeOfGeneratedCodeInBytes) {
  args->size_in_bytes = (int64_t)args->executable->code->text_size;
  return NULL;
}

FUNCTION(PJRT_Executable_GetCostAnalysis) {
  args->properties = args->executable->code->costs;
  args->num_properties = COUNT(args->executable->code->costs);
  return NULL;
}

FUNCTION(PJRT_Executable_OutputMemoryKinds) {
  args->num_outputs = args->executable->code->program.num_outputs;
  args->memory_kinds = args->executable->code->kinds;
  args->memory_kind_sizes = args->executable->code->kind_sizes;
  return NULL;
}

FUNCTION(PJRT_Executable_OptimizedProgram) {
  const code* code = args->executable->code;
  PJRT_Program* program = args->program;
  PJRT_Error* error = check_size("PJRT_Program", program->struct_size, PJRT_Program_STRUCT_SIZE);
  if (error) return error;
  program->format = "mlir";
  program->format_size = 4;
  if (program->code) {
    if (program->code_size < code->text_size)
      return INVALID("PJRT_Executable_OptimizedProgram: room for %zu bytes of %zu",
                     program->code_size, code->text_size);
    memcpy(program->code, code->text, code->text_size);
  }
  program->code_size = code->text_size;
  return NULL;
}

static void fingerprint(code* code, const char** text, size_t* size) {
  if (BAD(fingerprint_changes))
    code->fingerprint[0] = (char)('0' + (code->fingerprint[0] + 1) % 10);
  *text = code->fingerprint;
  *size = strlen(code->fingerprint);
}

FUNCTION(PJRT_LoadedExecutable_Fingerprint) {
  fingerprint(args->executable->code, &args->executable_fingerprint,
              &args->executable_fingerprint_size);
  return NULL;
}

#if HAS(35)
FUNCTION(PJRT_Executable_Fingerprint) {
  fingerprint(args->executable->code, &args->executable_fingerprint,
              &args->executable_fingerprint_size);
  return NULL;
}
#endif

#if HAS(29)
FUNCTION(PJRT_Executable_OutputElementTypes) {
  args->output_types = args->executable->code->output_types;
  args->num_output_types =
      BAD(output_types_missing) ? 0 : args->executable->code->program.num_outputs;
  return NULL;
}

FUNCTION(PJRT_Executable_OutputDimensions) {
  args->num_outputs = args->executable->code->program.num_outputs;
  args->dims = args->executable->code->output_dims;
  args->dim_sizes = args->executable->code->output_ranks;
  return NULL;
}
#endif

#if HAS(40)
static int64_t bytes_of(const tensor_type* tensors, size_t count) {
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    int64_t size = (int64_t)element_bytes(tensors[i].type);
    for (size_t d = 0; d < tensors[i].rank; ++d)
      size *= tensors[i].dims[d] < 0 ? 0 : tensors[i].dims[d];
    sum += size;
  }
  return sum;
}

FUNCTION_OF_SIZE(PJRT_Executable_GetCompiledMemoryStats,
                 AT_MOST(PJRT_Executable_GetCompiledMemoryStats_Args_STRUCT_SIZE, 112)) {
  const program* program = &args->executable->code->program;
  args->generated_code_size_in_bytes = (int64_t)args->executable->code->text_size;
  args->argument_size_in_bytes = bytes_of(program->inputs, program->num_inputs);
  args->output_size_in_bytes = bytes_of(program->outputs, program->num_outputs);
  args->alias_size_in_bytes = 0;
  for (size_t i = 0; i < program->num_inputs; ++i)
    if (program->donated[i] >= 0) args->alias_size_in_bytes += bytes_of(&program->inputs[i], 1);
  args->temp_size_in_bytes = 0;
#if HAS(43)
  args->host_generated_code_size_in_bytes = args->host_argument_size_in_bytes = 0;
  args->host_output_size_in_bytes = args->host_alias_size_in_bytes = args->host_temp_size_in_bytes =
      0;
#endif
  int64_t all =
      args->argument_size_in_bytes + args->output_size_in_bytes - args->alias_size_in_bytes;
  (void)all;
#if HAS(72)
  args->peak_memory_in_bytes = all;
#endif
#if HAS(90)
  if (COVERS(args, total_size_in_bytes)) args->total_size_in_bytes = all;
#endif
#if HAS(104)
  if (COVERS(args, peak_unpadded_heap_bytes)) {
    args->total_allocation_bytes = args->peak_unpadded_heap_bytes = all;
    args->indefinite_allocations = 0;
  }
#endif
  return NULL;
}
#endif

#if HAS(102)
FUNCTION(PJRT_Executable_ParameterMemoryKinds) {
  args->num_parameters = args->executable->code->program.num_inputs;
  args->memory_kinds = args->executable->code->kinds;
  args->memory_kind_sizes = args->executable->code->kind_sizes;
  return NULL;
}
#endif

#if HAS(87)
static void free_options(PJRT_SerializedCompileOptions* options) { free(options); }

FUNCTION(PJRT_Executable_GetCompileOptions) {
  const code* code = args->executable->code;
  char* bytes = copy_bytes(code->options_bytes, code->options_size);
  args->serialized_bytes = bytes;
  args->serialized_bytes_size = code->options_size;
  args->serialized_compile_options = (PJRT_SerializedCompileOptions*)bytes;
  args->serialized_compile_options_deleter = BAD(attributes_without_deleter) ? NULL : free_options;
  return NULL;
}
#endif

#if HAS(79)
static void free_assignment(PJRT_DeviceAssignmentSerialized* assignment) { free(assignment); }

// A DeviceAssignmentProto; every number in it takes one byte.
FUNCTION(PJRT_LoadedExecutable_GetDeviceAssignment) {
  const PJRT_LoadedExecutable* loaded = args->executable;
  size_t replicas = (size_t)loaded->code->options.replicas;
  size_t partitions = (size_t)loaded->code->options.partitions;
  char* bytes = malloc(4 + partitions * (4 + replicas));
  size_t size = 0;
  bytes[size++] = 1 << 3;
  bytes[size++] = (char)replicas;
  bytes[size++] = 2 << 3;
  bytes[size++] = (char)partitions;
  for (size_t p = 0; p < partitions; ++p) {
    bytes[size++] = 3 << 3 | 2;
    bytes[size++] = (char)(2 + replicas);
    bytes[size++] = 1 << 3 | 2;
    bytes[size++] = (char)replicas;
    for (size_t r = 0; r < replicas; ++r)
      bytes[size++] = (char)loaded->devices[r * partitions + p]->description.id;
  }
  args->serialized_bytes = bytes;
  args->serialized_bytes_size = size;
  args->serialized_device_assignment = (PJRT_DeviceAssignmentSerialized*)bytes;
  args->serialized_device_assignment_deleter =
      BAD(attributes_without_deleter) ? NULL : free_assignment;
  return NULL;
}
#endif

#if HAS(96)
FUNCTION(PJRT_LoadedExecutable_AddressableDeviceLogicalIds) {
  args->addressable_device_logical_ids = args->executable->logical_ids;
  args->num_addressable_device_logical_ids = args->executable->num_devices;
  return NULL;
}
#endif

// ------------------------------ Serialized ------------------------------

#define MAGIC "one more executable"

static void free_serialized(PJRT_SerializedExecutable* bytes) { free(bytes); }

FUNCTION(PJRT_Executable_Serialize) {
  const code* code = args->executable->code;
  uint64_t sizes[] = {code->text_size, code->options_size};
  size_t size = sizeof MAGIC + sizeof sizes + code->text_size + code->options_size;
  char* bytes = malloc(size);
  memcpy(bytes, MAGIC, sizeof MAGIC);
  memcpy(bytes + sizeof MAGIC, sizes, sizeof sizes);
  memcpy(bytes + sizeof MAGIC + sizeof sizes, code->text, code->text_size);
  memcpy(bytes + size - code->options_size, code->options_bytes, code->options_size);
  args->serialized_bytes = bytes;
  args->serialized_bytes_size = BAD(serialized_empty) ? 0 : size;
  args->serialized_executable = (PJRT_SerializedExecutable*)bytes;
  args->serialized_executable_deleter = BAD(attributes_without_deleter) ? NULL : free_serialized;
  return NULL;
}

FUNCTION_OF_SIZE(PJRT_Executable_DeserializeAndLoad,
                 AT_MOST(PJRT_Executable_DeserializeAndLoad_Args_STRUCT_SIZE, 64)) {
  static const char fallback[] =
      "func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {\n add dense<1";
  const char* bytes = args->serialized_executable;
  size_t size = args->serialized_executable_size;
  uint64_t sizes[2] = {0};
  size_t head = sizeof MAGIC + sizeof sizes;
  bool is_one = size >= head && !memcmp(bytes, MAGIC, sizeof MAGIC);
  if (is_one) memcpy(sizes, bytes + sizeof MAGIC, sizeof sizes);
  is_one = is_one && sizes[0] <= size - head && sizes[1] == size - head - sizes[0];
  if (!is_one && !BAD(any_bytes_loaded))
    return INVALID(
        "PJRT_Executable_DeserializeAndLoad: these bytes are no executable of this plugin");
  const char* text = is_one ? bytes + head : fallback;
  size_t text_size = is_one ? sizes[0] : strlen(fallback);
  const char* options = is_one ? bytes + head + sizes[0] : "";
  size_t options_size = is_one ? sizes[1] : 0;
#if HAS(71)
  if (args->overridden_serialized_compile_options) {
    options = args->overridden_serialized_compile_options;
    options_size = args->overridden_serialized_compile_options_size;
  }
#endif
  code* code = NULL;
  PJRT_Error* error = code_create(text, text_size, options, options_size, &code);
  return error ? error : load(args->client, code, &args->loaded_executable);
}
