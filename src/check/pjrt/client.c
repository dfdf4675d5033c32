// The client: its devices, their assignment, and its own life.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

static void create(const tn_subject* subject) {
  pj_open(subject);
  PJRT_Error* error;
  PJRT_Client* client = pj_client_create(subject, &error);
  if (error) {
    const pj_error taken = pj_take(error);
    if (pj_lacks_hardware(&taken))
      tn_case_skip(TN_NO_DEVICE ": %s: %s", pj_code_name(taken.code), taken.text);
    TN_NEED(false, "a client", "%s: %s", pj_code_name(taken.code), taken.text);
  }
  TN_NEED(client, "a client", "NULL without an error");
  pj_client_destroy(client);
}

typedef struct text {
  const char* text;
  size_t size;
} text;

static text platform_name(void) {
  PJ_ARGS(PJRT_Client_PlatformName, args, .client = pj.client);
  PJ_OK(PJRT_Client_PlatformName, args);
  return (text){args->platform_name, args->platform_name_size};
}

static text platform_version(void) {
  PJ_ARGS(PJRT_Client_PlatformVersion, args, .client = pj.client);
  PJ_OK(PJRT_Client_PlatformVersion, args);
  return (text){args->platform_version, args->platform_version_size};
}

static void platform(const tn_subject* subject) {
  pj_start(subject);
  text (*ask)(void) = subject->arg ? platform_version : platform_name;
  const text first = ask(), second = ask();
  pj_check_text(subject->arg ? "the version" : "the name", first.text, first.size);
  TN_EXPECT(first.text == second.text && first.size == second.size, "the same text each time",
            "%p of %zu bytes, then %p of %zu", (const void*)first.text, first.size,
            (const void*)second.text, second.size);
}

static void process_index(const tn_subject* subject) {
  pj_start(subject);
  PJ_ARGS(PJRT_Client_ProcessIndex, args, .client = pj.client, .process_index = -5);
  PJ_OK(PJRT_Client_ProcessIndex, args);
  TN_EXPECT(args->process_index == 0, "0, as there is one process", "%d", args->process_index);
}

static PJRT_Device* const* all_devices(size_t* count) {
  PJ_ARGS(PJRT_Client_Devices, args, .client = pj.client);
  PJ_OK(PJRT_Client_Devices, args);
  TN_NEED(args->num_devices > 0 && args->num_devices < 1 << 20, "at least one device", "%zu",
          args->num_devices);
  TN_NEED(args->devices, "a list of devices", "%zu at NULL", args->num_devices);
  *count = args->num_devices;
  return args->devices;
}

// A client whatever its devices are.
static void start_without_devices(const tn_subject* subject) {
  pj_open(subject);
  PJRT_Error* error;
  pj.client = pj_client_create(subject, &error);
  if (error) pj_end_without_client(subject, error);
}

static void devices(const tn_subject* subject) {
  start_without_devices(subject);
  size_t count;
  PJRT_Device* const* list = all_devices(&count);
  for (size_t i = 0; i < count; ++i) {
    TN_NEED(list[i], "devices", "NULL at index %zu", i);
    for (size_t k = 0; k < i; ++k) {
      TN_EXPECT(list[k] != list[i], "each device once", "one at %zu and %zu", k, i);
      TN_EXPECT(pj_device_id(list[k]) != pj_device_id(list[i]), "ids that differ",
                "id %d at %zu and %zu", pj_device_id(list[i]), k, i);
    }
    TN_EXPECT(pj_device_id(list[i]) >= 0, "ids from 0", "%d", pj_device_id(list[i]));
  }
  size_t again_count;
  PJRT_Device* const* again = all_devices(&again_count);
  TN_EXPECT(again == list && again_count == count, "the same list each time",
            "%zu at %p, then %zu at %p", count, (const void*)list, again_count, (const void*)again);
}

static void addressable_devices(const tn_subject* subject) {
  start_without_devices(subject);
  size_t count;
  PJRT_Device* const* all = all_devices(&count);
  PJ_ARGS(PJRT_Client_AddressableDevices, args, .client = pj.client);
  PJ_OK(PJRT_Client_AddressableDevices, args);
  TN_NEED(args->num_addressable_devices > 0 && args->addressable_devices,
          "a device that this process can use", "%zu at %p", args->num_addressable_devices,
          (const void*)args->addressable_devices);
  for (size_t i = 0; i < args->num_addressable_devices; ++i) {
    PJRT_Device* device = args->addressable_devices[i];
    bool found = false;
    for (size_t k = 0; k < count; ++k) found = found || all[k] == device;
    TN_NEED(found, "devices of PJRT_Client_Devices", "a stranger at index %zu", i);
    PJ_ARGS(PJRT_Device_IsAddressable, is, .device = device);
    PJ_OK(PJRT_Device_IsAddressable, is);
    TN_EXPECT(is->is_addressable, "PJRT_Device_IsAddressable says so", "it does not of device %d",
              pj_device_id(device));
  }
}

static void lookup(const tn_subject* subject) {
  pj_start(subject);
  size_t count;
  PJRT_Device* const* all = all_devices(&count);
  for (size_t i = 0; i < count; ++i) {
    PJ_ARGS(PJRT_Client_LookupDevice, args, .client = pj.client, .id = pj_device_id(all[i]));
    PJ_OK(PJRT_Client_LookupDevice, args);
    TN_EXPECT(args->device == all[i], "the device of that id", "another one for id %d", args->id);
  }
}

static void lookup_addressable(const tn_subject* subject) {
  pj_start(subject);
  for (size_t i = 0; i < pj.device_count; ++i) {
    PJ_ARGS(PJRT_Device_LocalHardwareId, id, .device = pj.devices[i], .local_hardware_id = -9);
    PJ_OK(PJRT_Device_LocalHardwareId, id);
    if (id->local_hardware_id == -1) continue;
    PJ_ARGS(PJRT_Client_LookupAddressableDevice, args, .client = pj.client,
            .local_hardware_id = id->local_hardware_id);
    PJ_OK(PJRT_Client_LookupAddressableDevice, args);
    TN_EXPECT(args->addressable_device == pj.devices[i], "the device of that hardware id",
              "another one for %d", id->local_hardware_id);
  }
}

static void lookup_missing(const tn_subject* subject) {
  pj_start(subject);
  PJ_ARGS(PJRT_Client_LookupDevice, device, .client = pj.client, .id = subject->arg);
  PJ_REFUSED("PJRT_Client_LookupDevice of no device's id",
             PJ_CALL(PJRT_Client_LookupDevice, device), PJ_INVALID);
  PJ_ARGS(PJRT_Client_LookupAddressableDevice, addressable, .client = pj.client,
          .local_hardware_id = subject->arg < 0 ? -123 : subject->arg);
  PJ_REFUSED("PJRT_Client_LookupAddressableDevice of no device's id",
             PJ_CALL(PJRT_Client_LookupAddressableDevice, addressable), PJ_INVALID);
}

// ---- Device assignment ----

static PJRT_Error* assign(int replicas, int partitions, int* ids, size_t room) {
  PJ_ARGS(PJRT_Client_DefaultDeviceAssignment, args, .client = pj.client, .num_replicas = replicas,
          .num_partitions = partitions, .default_assignment_size = room, .default_assignment = ids);
  return PJ_CALL(PJRT_Client_DefaultDeviceAssignment, args);
}

static void assignment(const tn_subject* subject) {
  pj_start(subject);
  size_t count;
  all_devices(&count);
  const int replicas = subject->arg;
  int ids[4] = {-77, -77, -77, -77};
  PJRT_Error* error = assign(replicas, 1, ids, (size_t)replicas);
  if (error && (size_t)replicas > count) {
    const pj_error taken = pj_take(error);
    tn_case_skip("%d replicas on %zu devices: %s", replicas, count, taken.text);
  }
  pj_must(TN_PJRT_AT_PJRT_Client_DefaultDeviceAssignment, error);
  for (int i = 0; i < replicas; ++i)
    TN_EXPECT(ids[i] >= 0, "the id of a device", "%d at %d", ids[i], i);
  TN_EXPECT(ids[replicas] == -77, "nothing written beyond the size given", "%d", ids[replicas]);
}

static void assignment_too_small(const tn_subject* subject) {
  pj_start(subject);
  int ids[8] = {-77, -77, -77, -77, -77, -77, -77, -77};
  PJ_REFUSED("2 x 1 devices with room for one", assign(2, 1, ids, 1),
             PJRT_Error_Code_FAILED_PRECONDITION, PJ_INVALID);
  for (int i = 1; i < 8; ++i)
    TN_EXPECT(ids[i] == -77, "nothing written beyond the size given", "%d at %d", ids[i], i);
}

static void assignment_overflow(const tn_subject* subject) {
  pj_start(subject);
  int ids[2] = {-77, -77};
  // 2^16 x (2^16 + 1) is 65,536 in 32 bits, and 0 is what 2^16 x 2^16 is there.
  PJ_REFUSED("65536 x 65536 devices with room for one", assign(65536, 65536, ids, 1),
             PJRT_Error_Code_FAILED_PRECONDITION, PJ_INVALID);
  TN_EXPECT(ids[1] == -77, "nothing written beyond the size given", "%d", ids[1]);
}

static void assignment_senseless(const tn_subject* subject) {
  pj_start(subject);
  int ids[4] = {0};
  PJ_REFUSED("no replicas or fewer", assign(subject->arg, 1, ids, 4), PJ_INVALID);
  PJ_REFUSED("no partitions or fewer", assign(1, subject->arg, ids, 4), PJ_INVALID);
}

// ---- Lives ----

static void two_at_once(const tn_subject* subject) {
  pj_start(subject);
  PJRT_Error* error;
  PJRT_Client* other = pj_client_create(subject, &error);
  if (error) tn_case_skip("no second client: %s", pj_take(error).text);
  TN_EXPECT(other != pj.client, "a client of its own", "the first one again");
  const float numbers[4] = {1, 2, 3, 4};
  PJRT_Buffer* buffer = pj_put_floats(numbers, 4);
  pj_client_destroy(other);
  pj_expect_floats("read after another client went", buffer, numbers, 4);
  pj_destroy(buffer);
  pj_client_destroy(pj.client);
}

static void again_and_again(const tn_subject* subject) {
  const float numbers[4] = {1, 2, 3, 4}, sums[4] = {2, 3, 4, 5};
  pj_start(subject);
  for (int i = 0; i < 4; ++i) {
    PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one);
    PJRT_Buffer *input = pj_put_floats(numbers, 4), *output = NULL;
    pj_execute(loaded, &input, 1, &output);
    pj_expect_floats("one more", output, sums, 4);
    pj_destroy(input);
    pj_destroy(output);
    pj_loaded_destroy(loaded);
    pj_client_destroy(pj.client);
    PJRT_Error* error;
    pj.client = pj_client_create(subject, &error);
    pj_must(TN_PJRT_AT_PJRT_Client_Create, error);
    PJ_ARGS(PJRT_Client_AddressableDevices, args, .client = pj.client);
    PJ_OK(PJRT_Client_AddressableDevices, args);
    pj.device = args->addressable_devices[0];
  }
}

static void destroyed_first(const tn_subject* subject) {
  pj_start(subject);
  const float numbers[4] = {1, 2, 3, 4};
  PJRT_Buffer* buffer = pj_put_floats(numbers, 4);
  PJRT_Event* event = pj_ready_event(buffer);
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one);
  PJRT_Executable* executable = pj_executable(loaded);
  pj_client_destroy(pj.client);
  // What was freed is ours now: nobody else writes there.
  enum { block_count = 70 };
  char* blocks[block_count];
  size_t sizes[block_count], size = 64;
  for (int i = 0; i < block_count; ++i, size += size / 64 * 8) {
    sizes[i] = size;
    blocks[i] = malloc(size);
    if (blocks[i]) memset(blocks[i], 0xff, size);
  }
  // Interpreters that shut down destroy in any order.
  pj_event_destroy(event);
  pj_destroy(buffer);
  pj_executable_destroy(executable);
  pj_loaded_destroy(loaded);
  for (int i = 0; i < block_count; ++i)
    for (size_t k = 0; blocks[i] && k < sizes[i]; ++k)
      TN_NEED(blocks[i][k] == (char)0xff, "memory that was freed is left alone",
              "a byte of it is written when what is left is destroyed");
}

static void unset_fields(const tn_subject* subject) {
  pj_open(subject);
  for (size_t i = 0; i < subject->option_count; ++i)
    if (strncmp(subject->options[i], "num_nodes", 9) == 0)
      tn_case_skip("there are several processes");
  size_t count = 0;
  PJRT_NamedValue* options = pj_client_options(subject, &count);
  PJ_ARGS(PJRT_Client_Create, args, .create_options = options, .num_options = count);
  void* const nonsense = (void*)(uintptr_t)0x5a5a5a5a5a5a5a5a;
  memcpy(&args->kv_get_callback, &nonsense, sizeof nonsense);
  memcpy(&args->kv_put_callback, &nonsense, sizeof nonsense);
  memcpy(&args->kv_try_get_callback, &nonsense, sizeof nonsense);
  args->kv_get_user_arg = args->kv_put_user_arg = args->kv_try_get_user_arg = nonsense;
  args->client = nonsense;
  PJRT_Error* error = PJ_CALL(PJRT_Client_Create, args);
  if (error) pj_end_without_client(subject, error);
  TN_NEED(args->client && args->client != nonsense, "a client", "%p", (void*)args->client);
  pj_client_destroy(args->client);
}

static void unknown_options(const tn_subject* subject) {
  pj_open(subject);
  uint64_t state = subject->seed;
  char names[4][24], texts[4][40];
  const int64_t numbers[] = {-1, 0, INT64_MAX};
  PJRT_NamedValue options[4];
  for (int round = 0; round < 8; ++round) {
    const size_t count = (size_t)tn_case_between(&state, 1, 4);
    for (size_t i = 0; i < count; ++i) {
      snprintf(names[i], sizeof names[i], "tenon_%lld",
               (long long)tn_case_between(&state, 0, 999999));
      for (size_t k = 0; k < sizeof texts[i]; ++k) texts[i][k] = (char)tn_case_random(&state);
      options[i] = (PJRT_NamedValue){
          .struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_NamedValue),
          .name = names[i],
          .name_size = strlen(names[i]),
          .type = (PJRT_NamedValue_Type)tn_case_between(&state, 0, 4),
          .value_size = 1,
      };
      if (options[i].type == PJRT_NamedValue_kString) {
        options[i].string_value = texts[i];
        options[i].value_size = (size_t)tn_case_between(&state, 0, sizeof texts[i]);
      } else if (options[i].type == PJRT_NamedValue_kInt64List) {
        options[i].int64_array_value = numbers;
        options[i].value_size = 3;
      } else {
        options[i].int64_value = (int64_t)tn_case_random(&state);
        if (options[i].type == PJRT_NamedValue_kBool) options[i].bool_value = true;
      }
    }
    PJ_ARGS(PJRT_Client_Create, args, .create_options = options, .num_options = count);
    PJRT_Error* error = PJ_CALL(PJRT_Client_Create, args);
    if (pj_take(error).code) continue;
    TN_NEED(args->client, "a client or an error", "neither");
    pj_client_destroy(args->client);
  }
}

static void ask_everything(void* arg, int i) {
  for (int k = 0; k < 50; ++k) {
    size_t count;
    platform_name();
    PJRT_Device* const* list = all_devices(&count);
    TN_EXPECT(pj_device_id(list[i % (int)count]) >= 0, "an id", "none, in thread %d", i);
  }
}

static void threads(const tn_subject* subject) {
  pj_start(subject);
  pj_threads(6, ask_everything, NULL);
}

static void host_memory_pinned(const tn_subject* subject) {
  pj_start(subject);
  static _Alignas(4096) char page[8192];
  PJ_ARGS(PJRT_Client_DmaMap, map, .client = pj.client, .data = page, .size = sizeof page);
  PJ_OK(PJRT_Client_DmaMap, map);
  PJ_ARGS(PJRT_Client_DmaUnmap, unmap, .client = pj.client, .data = page);
  PJ_OK(PJRT_Client_DmaUnmap, unmap);
}

static void process_states(const tn_subject* subject) {
  pj_start(subject);
  if (pj.plugin->minor < 76) tn_case_skip("PJRT_ProcessInfo has its layout since 0.76");
  PJRT_ProcessInfo infos[] = {{.struct_size = PJRT_ProcessInfo_STRUCT_SIZE,
                               .task_id = 0,
                               .incarnation_id = 1,
                               .state = PJRT_ProcessState_kConnected}};
  PJ_ARGS(PJRT_Client_UpdateGlobalProcessInfo, args, .client = pj.client, .process_infos = infos,
          .num_process_infos = 1);
  PJ_OK(PJRT_Client_UpdateGlobalProcessInfo, args);
}

static const tn_check_case cases[] = {
    {"client.create",
     "PJRT_Client_Create gives a client (a failure for want of hardware is a skip)", create, 0},
    {"client.platform_name", "the platform has a name that lives as long as the client", platform,
     0},
    {"client.platform_version", "the platform has a version that lives as long as the client",
     platform, 1},
    {"client.process_index", "the only process has index 0", process_index, 0},
    {"client.devices", "a client has devices, with ids that differ, in a list that stays", devices,
     0},
    {"client.addressable_devices", "addressable devices are devices of the client, and say so",
     addressable_devices, 0},
    {"client.lookup", "a device is found by its id", lookup, 0},
    {"client.lookup_addressable", "a device is found by its hardware id", lookup_addressable, 0},
    {"client.lookup_negative", "an id below 0 is INVALID_ARGUMENT", lookup_missing, -1},
    {"client.lookup_too_large", "an id that no device has is INVALID_ARGUMENT", lookup_missing,
     1 << 29},
    {"client.assignment", "one replica is assigned a device", assignment, 1},
    {"client.assignment_of_two", "two replicas are assigned devices", assignment, 2},
    {"client.assignment_too_small", "room for too few ids is refused and not overrun",
     assignment_too_small, 0},
    {"client.assignment_overflow", "replicas times partitions is not cut to 32 bits",
     assignment_overflow, 0},
    {"client.assignment_negative", "a negative count is INVALID_ARGUMENT", assignment_senseless,
     -1},
    {"client.assignment_zero", "a count of zero is INVALID_ARGUMENT", assignment_senseless, 0},
    {"client.two_at_once", "two clients do not know of each other", two_at_once, 0},
    {"client.again_and_again", "clients may come and go", again_and_again, 0},
    {"client.destroyed_first",
     "buffers, events and executables may be destroyed after their client", destroyed_first, 0},
    {"client.unset_fields",
     "kv_ fields and out fields of PJRT_Client_Create may hold anything: jaxlib leaves them unset",
     unset_fields, 0},
    {"client.unknown_options", "options that make no sense are ignored or refused", unknown_options,
     0},
    {"client.threads", "a client may be asked from many threads", threads, 0},
    {"client.host_memory_pinned", "host memory may be pinned and released", host_memory_pinned, 0},
    {"client.process_states", "a client takes the states of the processes", process_states, 0},
};
const tn_check_group tn_check_pjrt_client = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
