// Argument structs of other sizes than the plugin knows, and what stands in fields that nobody set.
#include <string.h>

#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

enum { block_size = 4096 };

// What the probes ask of.
static struct {
  PJRT_Buffer* buffer;
  PJRT_Event* event;
  PJRT_LoadedExecutable* loaded;
  PJRT_Executable* executable;
  PJRT_Memory* memory;
  PJRT_DeviceDescription* description;
} of;

// Functions that change nothing, with arguments for each.
#define PROBES(X)                                                                 \
  X(PJRT_Plugin_Attributes, .extension_start = NULL)                              \
  X(PJRT_Client_PlatformName, .client = pj.client)                                \
  X(PJRT_Client_PlatformVersion, .client = pj.client)                             \
  X(PJRT_Client_ProcessIndex, .client = pj.client)                                \
  X(PJRT_Client_Devices, .client = pj.client)                                     \
  X(PJRT_Client_AddressableDevices, .client = pj.client)                          \
  X(PJRT_Client_LookupDevice, .client = pj.client, .id = pj_device_id(pj.device)) \
  X(PJRT_Device_GetDescription, .device = pj.device)                              \
  X(PJRT_Device_IsAddressable, .device = pj.device)                               \
  X(PJRT_Device_LocalHardwareId, .device = pj.device)                             \
  X(PJRT_Device_AddressableMemories, .device = pj.device)                         \
  X(PJRT_DeviceDescription_Id, .device_description = of.description)              \
  X(PJRT_DeviceDescription_Kind, .device_description = of.description)            \
  X(PJRT_DeviceDescription_Attributes, .device_description = of.description)      \
  X(PJRT_Memory_Kind, .memory = of.memory)                                        \
  X(PJRT_Memory_Id, .memory = of.memory)                                          \
  X(PJRT_Memory_AddressableByDevices, .memory = of.memory)                        \
  X(PJRT_Event_IsReady, .event = of.event)                                        \
  X(PJRT_Buffer_ElementType, .buffer = of.buffer)                                 \
  X(PJRT_Buffer_Dimensions, .buffer = of.buffer)                                  \
  X(PJRT_Buffer_OnDeviceSizeInBytes, .buffer = of.buffer)                         \
  X(PJRT_Buffer_Device, .buffer = of.buffer)                                      \
  X(PJRT_Buffer_IsDeleted, .buffer = of.buffer)                                   \
  X(PJRT_Buffer_IsOnCpu, .buffer = of.buffer)                                     \
  X(PJRT_Buffer_ToHostBuffer, .src = of.buffer)                                   \
  X(PJRT_LoadedExecutable_IsDeleted, .executable = of.loaded)                     \
  X(PJRT_LoadedExecutable_AddressableDevices, .executable = of.loaded)            \
  X(PJRT_Executable_Name, .executable = of.executable)                            \
  X(PJRT_Executable_NumOutputs, .executable = of.executable)                      \
  X(PJRT_Executable_NumReplicas, .executable = of.executable)                     \
  X(PJRT_Executable_SizeOfGeneratedCodeInBytes, .executable = of.executable)

typedef struct probe {
  const char* name;
  int entry;
  size_t end;              // of the struct, as this host knows it
  void (*fill)(void* at);  // also struct_size
  PJRT_Error* (*call)(void* at);
} probe;

#define FUNCTIONS(ENTRY, ...)                                                          \
  static void fill_##ENTRY(void* at) {                                                 \
    const ENTRY##_Args args = {TN_PJRT_SIZE_OF(pj.plugin, ENTRY##_Args), __VA_ARGS__}; \
    memcpy(at, &args, ENTRY##_Args_STRUCT_SIZE);                                       \
  }                                                                                    \
  static PJRT_Error* call_##ENTRY(void* at) { return PJ_CALL(ENTRY, (ENTRY##_Args*)at); }
PROBES(FUNCTIONS)
#undef FUNCTIONS

static const probe probes[] = {
#define PROBE(ENTRY, ...) \
  {#ENTRY, TN_PJRT_AT_##ENTRY, ENTRY##_Args_STRUCT_SIZE, fill_##ENTRY, call_##ENTRY},
    PROBES(PROBE)
#undef PROBE
};
enum { probe_count = sizeof probes / sizeof *probes };

static void start(const tn_subject* subject) {
  static const float numbers[4] = {1, 2, 3, 4};
  pj_start(subject);
  of.buffer = pj_put_floats(numbers, 4);
  of.event = pj_ready_event(of.buffer);
  pj_await(of.event);
  of.loaded = pj_compile(pj_add_one);
  of.executable = pj_executable(of.loaded);
  of.memory = pj_default_memory(pj.device);
  PJ_ARGS(PJRT_Device_GetDescription, args, .device = pj.device);
  PJ_OK(PJRT_Device_GetDescription, args);
  of.description = args->device_description;
}

static bool can_be_asked(const probe* probe) {
  return pj.plugin->absent[probe->entry] == TN_PJRT_PRESENT &&
         (of.memory || strncmp(probe->name, "PJRT_Memory_", 12) != 0);
}

static _Alignas(16) char block[block_size];

static void set_size(size_t size) { memcpy(block, &size, sizeof size); }

static void too_short(const tn_subject* subject) {
  start(subject);
  for (int i = 0; i < probe_count; ++i) {
    if (!can_be_asked(&probes[i]) || probes[i].end <= 24) continue;
    for (size_t size = 0; size <= 16; size += 8) {
      memset(block, 0, sizeof block);
      probes[i].fill(block);
      set_size(size);
      pj_error error = pj_take(probes[i].call(block));
      if (error.code != PJRT_Error_Code_INVALID_ARGUMENT)
        tn_case_broken(NULL, "INVALID_ARGUMENT", "%s takes struct_size %zu: %s %s", probes[i].name,
                       size, pj_code_name(error.code), error.text);
    }
  }
}

static void longer(const tn_subject* subject) {
  start(subject);
  if (pj.plugin->minor <= 34) tn_case_skip("plugins of before 0.35 compared sizes for equality");
  for (int i = 0; i < probe_count; ++i) {
    if (!can_be_asked(&probes[i])) continue;
    memset(block, 0, sizeof block);
    probes[i].fill(block);
    // What a newer host has set there means nothing to this plugin, if it is not newer than we are.
    if (pj.plugin->minor <= TN_PJRT_NEWEST)
      memset(block + (probes[i].end + 7) / 8 * 8, 0x5a, (size_t)subject->arg);
    set_size((probes[i].end + 7) / 8 * 8 + (size_t)subject->arg);
    pj_error error = pj_take(probes[i].call(block));
    TN_EXPECT(!error.code || error.code == PJRT_Error_Code_UNIMPLEMENTED, "success",
              "%s with %d bytes more: %s: %s", probes[i].name, subject->arg,
              pj_code_name(error.code), error.text);
  }
}

static void nothing_beyond(const tn_subject* subject) {
  start(subject);
  for (int i = 0; i < probe_count; ++i) {
    if (!can_be_asked(&probes[i])) continue;
    memset(block, 0x5a, sizeof block);
    probes[i].fill(block);
    const size_t end = pj.plugin->minor <= 34 ? (probes[i].end + 7) / 8 * 8 : probes[i].end;
    pj_error error = pj_take(probes[i].call(block));
    if (error.code) continue;
    for (size_t k = end; k < sizeof block; ++k)
      if (block[k] != 0x5a) {
        tn_case_broken(NULL, "nothing written beyond struct_size", "%s writes byte %zu of %zu",
                       probes[i].name, k, end);
        break;
      }
  }
}

static void unknown_extension(const tn_subject* subject) {
  start(subject);
  if (pj.plugin->minor < 45) tn_case_skip("nodes have had a size since 0.45");
  struct {
    PJRT_Extension_Base base;
    uint64_t more[8];
  } node = {.base = {.struct_size = sizeof node, .type = (PJRT_Extension_Type)9999}};
  for (int i = 0; i < probe_count; ++i) {
    if (!can_be_asked(&probes[i])) continue;
    memset(block, 0, sizeof block);
    probes[i].fill(block);
    const void* start_of_list = &node;
    memcpy(block + sizeof(size_t), &start_of_list, sizeof start_of_list);
    pj_error error = pj_take(probes[i].call(block));
    TN_EXPECT(!error.code || error.code == PJRT_Error_Code_UNIMPLEMENTED, "success", "%s: %s: %s",
              probes[i].name, pj_code_name(error.code), error.text);
  }
  TN_EXPECT(node.base.type == 9999 && !node.base.next, "the node as it was", "it was changed");
}

// ---- Hosts of older numbers ----

static void older_memory_stats(const tn_subject* subject) {
  pj_start(subject);
  pj_need(TN_PJRT_AT_PJRT_Device_MemoryStats);
  const size_t size = PJRT_STRUCT_SIZE(PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set);
  if (pj.plugin->minor < 113) tn_case_skip("the struct has grown since");
  memset(block, 0x5a, sizeof block);
  PJRT_Device_MemoryStats_Args* args = (PJRT_Device_MemoryStats_Args*)block;
  memset(args, 0, size);
  args->struct_size = size;
  args->device = pj.device;
  const pj_error error = pj_take(PJ_CALL(PJRT_Device_MemoryStats, args));
  for (size_t k = size; k < sizeof block; ++k)
    TN_NEED(block[k] == 0x5a, "nothing written beyond struct_size", "byte %zu, past %zu", k, size);
  if (error.code) tn_case_skip("such hosts are refused: %s", error.text);
}

static void older_client_create(const tn_subject* subject) {
  pj_open(subject);
  if (pj.plugin->minor < 61) tn_case_skip("the struct has grown since");
  const size_t size = PJRT_STRUCT_SIZE(PJRT_Client_Create_Args, client);
  memset(block, 0x5a, sizeof block);
  PJRT_Client_Create_Args* args = (PJRT_Client_Create_Args*)block;
  memset(args, 0, size);
  args->struct_size = size;
  args->create_options = pj_client_options(subject, &args->num_options);
  const pj_error error = pj_take(PJ_CALL(PJRT_Client_Create, args));
  for (size_t k = size; k < sizeof block; ++k)
    TN_NEED(block[k] == 0x5a, "nothing written beyond struct_size", "byte %zu, past %zu", k, size);
  if (error.code) tn_case_skip("such hosts are refused: %s", error.text);
  TN_NEED(args->client, "a client", "NULL");
  pj_client_destroy(args->client);
}

static void older_execute_options(const tn_subject* subject) {
  static const struct {
    size_t size;
    int until;
  } periods[] = {{PJRT_STRUCT_SIZE(PJRT_ExecuteOptions, launch_id), 38},
                 {PJRT_STRUCT_SIZE(PJRT_ExecuteOptions, num_non_donatable_input_indices), 63},
                 {PJRT_STRUCT_SIZE(PJRT_ExecuteOptions, context), 75},
                 {PJRT_STRUCT_SIZE(PJRT_ExecuteOptions, call_location), 77},
                 {PJRT_STRUCT_SIZE(PJRT_ExecuteOptions, incarnation_ids), 96},
                 {PJRT_STRUCT_SIZE(PJRT_ExecuteOptions, multi_slice_config), 107}};
  const float numbers[4] = {1, 2, 3, 4}, sums[4] = {2, 3, 4, 5};
  start(subject);
  if (pj.plugin->minor <= 34) tn_case_skip("plugins of before 0.35 compared sizes for equality");
  for (size_t i = 0; i < sizeof periods / sizeof *periods; ++i) {
    if (periods[i].until >= pj.plugin->minor) break;
    memset(block, 0x5a, sizeof block);  // beyond its size an old host's memory holds anything
    PJRT_ExecuteOptions* options = (PJRT_ExecuteOptions*)block;
    memset(options, 0, periods[i].size);
    options->struct_size = periods[i].size;
    PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NULL;
    const pj_error error = pj_take(pj_try_execute(of.loaded, &input, 1, &output, options, NULL));
    pj_destroy(input);
    if (error.code) continue;  // refusing old hosts is a plugin's right, misreading them is not
    pj_expect_floats("one more", output, sums, 4);
    pj_destroy(output);
  }
}

// ---- Fields that nobody set ----

#define NONSENSE ((void*)(uintptr_t)0x5a5a5a5a5a5a5a50)

static void garbage_from_host(const tn_subject* subject) {
  pj_start(subject);
  const float numbers[4] = {1, 2, 3, 4};
  const int64_t dims[] = {4};
  PJ_ARGS(PJRT_Client_BufferFromHostBuffer, args, .data = numbers, .type = PJRT_Buffer_Type_F32,
          .dims = dims, .num_dims = 1, .device = pj.device, .buffer = NONSENSE,
          .done_with_host_buffer = NONSENSE);
  PJRT_Buffer* buffer = pj_put_args(args);
  TN_NEED(buffer != NONSENSE, "a buffer", "the out field as it was");
  pj_expect_floats("what was put", buffer, numbers, 4);
  pj_destroy(buffer);
}

static void garbage_to_host(const tn_subject* subject) {
  pj_start(subject);
  const float numbers[4] = {1, 2, 3, 4};
  float seen[4] = {0};
  PJRT_Buffer* buffer = pj_put_floats(numbers, 4);
  PJ_ARGS(PJRT_Buffer_ToHostBuffer, args, .src = buffer, .dst = seen, .dst_size = sizeof seen,
          .event = NONSENSE);
  PJ_OK(PJRT_Buffer_ToHostBuffer, args);
  TN_NEED(args->event != NONSENSE, "an event", "the out field as it was");
  pj_finish("the event of PJRT_Buffer_ToHostBuffer", args->event);
  pj_compare("what was put", seen, numbers, sizeof seen);
}

static void garbage_execute(const tn_subject* subject) {
  pj_start(subject);
  const float numbers[4] = {1, 2, 3, 4}, sums[4] = {2, 3, 4, 5};
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one);
  PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NONSENSE;
  PJRT_Event* complete = NONSENSE;
  pj_must(TN_PJRT_AT_PJRT_LoadedExecutable_Execute,
          pj_try_execute(loaded, &input, 1, &output, NULL, &complete));
  TN_NEED(output && output != NONSENSE, "an output", "%p", (void*)output);
  TN_NEED(complete != NONSENSE, "an event", "the list as it was");
  pj_finish("the event of device_complete_events", complete);
  pj_expect_floats("one more", output, sums, 4);
}

static void garbage_compile(const tn_subject* subject) {
  pj_start(subject);
  PJRT_Program program = {.struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_Program),
                          .code = (char*)pj_add_one,
                          .code_size = strlen(pj_add_one),
                          .format = "mlir",
                          .format_size = 4};
  PJ_ARGS(PJRT_Client_Compile, args, .client = pj.client, .program = &program,
          .compile_options = pj_options, .compile_options_size = pj_options_size,
          .executable = NONSENSE);
  PJ_OK(PJRT_Client_Compile, args);
  TN_NEED(args->executable && args->executable != NONSENSE, "an executable", "%p",
          (void*)args->executable);
  pj_loaded_destroy(args->executable);
}

static void layouts_without_size(const tn_subject* subject) {
  pj_start(subject);
  const float numbers[6] = {1, 2, 3, 4, 5, 6};
  float seen[6] = {0};
  const int64_t dims[] = {2, 3}, order[] = {1, 0};
  PJRT_Buffer* buffer = pj_put(numbers, PJRT_Buffer_Type_F32, dims, 2);
  PJRT_Buffer_MemoryLayout layout = {.type = PJRT_Buffer_MemoryLayout_Type_Tiled};
  layout.tiled =
      (PJRT_Buffer_MemoryLayout_Tiled){.minor_to_major = order, .minor_to_major_size = 2};
  for (int i = 0; i < 2; ++i) {
    layout.struct_size = layout.tiled.struct_size = i ? 0x5a5a5a5a : 0;
    PJ_ARGS(PJRT_Buffer_ToHostBuffer, args, .src = buffer, .host_layout = &layout, .dst = seen,
            .dst_size = sizeof seen);
    PJ_OK(PJRT_Buffer_ToHostBuffer, args);
    pj_finish("the event of PJRT_Buffer_ToHostBuffer", args->event);
    pj_compare("what was put", seen, numbers, sizeof seen);
  }
}

static void in_fields_kept(const tn_subject* subject) {
  pj_start(subject);
  const float numbers[4] = {1, 2, 3, 4};
  float seen[4] = {0};
  const int64_t dims[] = {4};
  PJ_ARGS(PJRT_Client_BufferFromHostBuffer, put, .client = pj.client, .data = numbers,
          .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = 1, .device = pj.device);
  const PJRT_Client_BufferFromHostBuffer_Args before_put = *put;
  PJRT_Buffer* buffer = pj_put_args(put);
  pj_compare("the in fields of PJRT_Client_BufferFromHostBuffer", put, &before_put,
             offsetof(PJRT_Client_BufferFromHostBuffer_Args, done_with_host_buffer));
  PJ_ARGS(PJRT_Buffer_ToHostBuffer, get, .src = buffer, .dst = seen, .dst_size = sizeof seen);
  const PJRT_Buffer_ToHostBuffer_Args before_get = *get;
  PJ_OK(PJRT_Buffer_ToHostBuffer, get);
  pj_finish("the event of PJRT_Buffer_ToHostBuffer", get->event);
  pj_compare("the in fields of PJRT_Buffer_ToHostBuffer", get, &before_get,
             offsetof(PJRT_Buffer_ToHostBuffer_Args, dst_size));
}

static const tn_check_case cases[] = {
    {"sizes.too_short", "a struct too short for its fields is INVALID_ARGUMENT", too_short, 0},
    {"sizes.longer_by_8", "a struct with one field more is taken, the field ignored", longer, 8},
    {"sizes.longer_by_1000", "a struct of a much newer host is taken", longer, 1000},
    {"sizes.nothing_beyond", "nothing is written beyond struct_size", nothing_beyond, 0},
    {"sizes.unknown_extension", "extension nodes of unknown types are passed over",
     unknown_extension, 0},
    {"sizes.older_memory_stats", "a host of before 0.113 gets no field it has no room for",
     older_memory_stats, 0},
    {"sizes.older_client_create", "a host of before 0.61 is served or refused, not misread",
     older_client_create, 0},
    {"sizes.older_execute_options", "execute options of older hosts are served or refused",
     older_execute_options, 0},
    {"sizes.garbage_from_host", "PJRT_Client_BufferFromHostBuffer does not read its out fields",
     garbage_from_host, 0},
    {"sizes.garbage_to_host", "PJRT_Buffer_ToHostBuffer does not read its out fields",
     garbage_to_host, 0},
    {"sizes.garbage_execute", "PJRT_LoadedExecutable_Execute does not read the lists it fills",
     garbage_execute, 0},
    {"sizes.garbage_compile", "PJRT_Client_Compile does not read its out fields", garbage_compile,
     0},
    {"sizes.layouts_without_size", "the struct_size of a layout is not looked at: jaxlib sets none",
     layouts_without_size, 0},
    {"sizes.in_fields_kept", "in fields belong to the caller and are not written", in_fields_kept,
     0},
};
const tn_check_group tn_check_pjrt_sizes = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
