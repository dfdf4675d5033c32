// Devices and memories: what they say of themselves and of each other.
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

static PJRT_DeviceDescription* description_of(PJRT_Device* device) {
  PJ_ARGS(PJRT_Device_GetDescription, args, .device = device);
  PJ_OK(PJRT_Device_GetDescription, args);
  TN_NEED(args->device_description, "a description", "NULL");
  return args->device_description;
}

static void texts(const tn_subject* subject) {
  pj_start(subject);
  for (size_t i = 0; i < pj.device_count; ++i) {
    PJRT_DeviceDescription* description = description_of(pj.devices[i]);
    TN_EXPECT(description == description_of(pj.devices[i]), "one description", "another each time");
    PJ_ARGS(PJRT_DeviceDescription_Kind, kind, .device_description = description);
    PJ_OK(PJRT_DeviceDescription_Kind, kind);
    pj_check_text("the kind", kind->device_kind, kind->device_kind_size);
    PJ_ARGS(PJRT_DeviceDescription_DebugString, debug, .device_description = description);
    PJ_OK(PJRT_DeviceDescription_DebugString, debug);
    pj_check_text("the debug string", debug->debug_string, debug->debug_string_size);
    PJ_ARGS(PJRT_DeviceDescription_ToString, text, .device_description = description);
    PJ_OK(PJRT_DeviceDescription_ToString, text);
    pj_check_text("the string", text->to_string, text->to_string_size);
    PJ_ARGS(PJRT_DeviceDescription_ToString, again, .device_description = description);
    PJ_OK(PJRT_DeviceDescription_ToString, again);
    TN_EXPECT(again->to_string == text->to_string, "the same text each time", "%p, then %p",
              (const void*)text->to_string, (const void*)again->to_string);
  }
}

static void process_index(const tn_subject* subject) {
  pj_start(subject);
  for (size_t i = 0; i < pj.device_count; ++i) {
    PJ_ARGS(PJRT_DeviceDescription_ProcessIndex, args,
            .device_description = description_of(pj.devices[i]), .process_index = -5);
    PJ_OK(PJRT_DeviceDescription_ProcessIndex, args);
    TN_EXPECT(args->process_index == 0, "0, the process that can use it", "%d",
              args->process_index);
  }
}

static void hardware_id(const tn_subject* subject) {
  pj_start(subject);
  PJ_ARGS(PJRT_Device_LocalHardwareId, args, .device = pj.device, .local_hardware_id = -99);
  PJ_OK(PJRT_Device_LocalHardwareId, args);
  TN_EXPECT(args->local_hardware_id >= -1, "a number from 0, or -1", "%d", args->local_hardware_id);
}

static void attributes(const tn_subject* subject) {
  pj_start(subject);
  for (size_t i = 0; i < pj.device_count; ++i) {
    PJ_ARGS(PJRT_DeviceDescription_Attributes, args,
            .device_description = description_of(pj.devices[i]));
    PJ_OK(PJRT_DeviceDescription_Attributes, args);
    pj_check_values("the device's attributes", args->attributes, args->num_attributes);
    for (size_t k = 0; k < args->num_attributes; ++k)
      TN_EXPECT(args->attributes[k].type <= PJRT_NamedValue_kInt64List,
                "a string, an integer or a list of integers: jaxlib ends the process over others",
                "'%.*s' has type %d", (int)args->attributes[k].name_size, args->attributes[k].name,
                (int)args->attributes[k].type);
  }
}

static void changing_attributes(const tn_subject* subject) {
  pj_start(subject);
  for (int i = 0; i < 2; ++i) {
    PJ_ARGS(PJRT_Device_GetAttributes, args, .device = pj.device);
    PJ_OK(PJRT_Device_GetAttributes, args);
    pj_check_values("the device's attributes", args->attributes, args->num_attributes);
    TN_NEED(args->attributes_deleter, "a deleter: jaxlib calls it unseen", "NULL");
    tn_case_enter("attributes_deleter");
    args->attributes_deleter(args->device_attributes);
    tn_case_leave();
  }
}

// ---- Memories ----

static PJRT_Device_AddressableMemories_Args memories_of(PJRT_Device* device) {
  PJ_ARGS(PJRT_Device_AddressableMemories, args, .device = device);
  PJ_OK(PJRT_Device_AddressableMemories, args);
  TN_NEED(args->num_memories < 1000 && (!args->num_memories || args->memories),
          "a list of memories", "%zu at %p", args->num_memories, (const void*)args->memories);
  return *args;
}

static PJRT_Memory_Kind_Args kind_of(PJRT_Memory* memory) {
  PJ_ARGS(PJRT_Memory_Kind, args, .memory = memory);
  PJ_OK(PJRT_Memory_Kind, args);
  pj_check_text("the memory's kind", args->kind, args->kind_size);
  return *args;
}

static void default_memory(const tn_subject* subject) {
  pj_start(subject);
  for (size_t i = 0; i < pj.device_count; ++i) {
    const PJRT_Device_AddressableMemories_Args list = memories_of(pj.devices[i]);
    PJ_ARGS(PJRT_Device_DefaultMemory, args, .device = pj.devices[i]);
    PJ_OK(PJRT_Device_DefaultMemory, args);
    TN_NEED(args->memory, "a memory", "NULL without an error");
    bool found = false;
    for (size_t k = 0; k < list.num_memories; ++k)
      found = found || list.memories[k] == args->memory;
    TN_EXPECT(found, "one of PJRT_Device_AddressableMemories", "another one of device %zu", i);
  }
}

static void memories(const tn_subject* subject) {
  pj_start(subject);
  PJ_ARGS(PJRT_Client_AddressableMemories, all, .client = pj.client);
  PJ_OK(PJRT_Client_AddressableMemories, all);
  TN_NEED(all->num_addressable_memories > 0 && all->addressable_memories,
          "a memory: without one jax cannot put an array anywhere", "%zu at %p",
          all->num_addressable_memories, (const void*)all->addressable_memories);
  for (size_t i = 0; i < pj.device_count; ++i) {
    const PJRT_Device_AddressableMemories_Args list = memories_of(pj.devices[i]);
    for (size_t k = 0; k < list.num_memories; ++k) {
      bool found = false;
      for (size_t m = 0; m < all->num_addressable_memories; ++m)
        found = found || all->addressable_memories[m] == list.memories[k];
      TN_EXPECT(found, "memories of PJRT_Client_AddressableMemories", "a stranger at device %zu",
                i);
    }
  }
  for (size_t i = 0; i < all->num_addressable_memories; ++i) {
    PJRT_Memory* memory = all->addressable_memories[i];
    TN_NEED(memory, "memories", "NULL at index %zu", i);
    PJ_ARGS(PJRT_Memory_Id, id, .memory = memory);
    PJ_OK(PJRT_Memory_Id, id);
    const PJRT_Memory_Kind_Args kind = kind_of(memory);
    for (size_t k = 0; k < i; ++k) {
      PJ_ARGS(PJRT_Memory_Id, other, .memory = all->addressable_memories[k]);
      PJ_OK(PJRT_Memory_Id, other);
      const PJRT_Memory_Kind_Args other_kind = kind_of(all->addressable_memories[k]);
      TN_EXPECT(other->id != id->id || kind.kind_size != other_kind.kind_size ||
                    memcmp(kind.kind, other_kind.kind, kind.kind_size) != 0,
                "ids that differ within a kind", "id %d at %zu and %zu", id->id, k, i);
    }
  }
}

static void memory_texts(const tn_subject* subject) {
  pj_start(subject);
  const PJRT_Device_AddressableMemories_Args list = memories_of(pj.device);
  for (size_t i = 0; i < list.num_memories; ++i) {
    const PJRT_Memory_Kind_Args kind = kind_of(list.memories[i]), again = kind_of(list.memories[i]);
    TN_EXPECT(kind.kind == again.kind, "the same text each time", "%p, then %p",
              (const void*)kind.kind, (const void*)again.kind);
    PJ_ARGS(PJRT_Memory_DebugString, debug, .memory = list.memories[i]);
    PJ_OK(PJRT_Memory_DebugString, debug);
    pj_check_text("the debug string", debug->debug_string, debug->debug_string_size);
    PJ_ARGS(PJRT_Memory_ToString, text, .memory = list.memories[i]);
    PJ_OK(PJRT_Memory_ToString, text);
    pj_check_text("the string", text->to_string, text->to_string_size);
  }
}

static void memory_kind_ids(const tn_subject* subject) {
  pj_start(subject);
  const PJRT_Device_AddressableMemories_Args list = memories_of(pj.device);
  int ids[16];
  for (size_t i = 0; i < list.num_memories && i < 16; ++i) {
    PJ_ARGS(PJRT_Memory_Kind_Id, args, .memory = list.memories[i]);
    PJ_OK(PJRT_Memory_Kind_Id, args);
    ids[i] = args->kind_id;
    const PJRT_Memory_Kind_Args kind = kind_of(list.memories[i]);
    for (size_t k = 0; k < i; ++k) {
      const PJRT_Memory_Kind_Args other = kind_of(list.memories[k]);
      const bool same =
          kind.kind_size == other.kind_size && memcmp(kind.kind, other.kind, kind.kind_size) == 0;
      TN_EXPECT(same == (ids[i] == ids[k]), "one number per kind",
                "%d and %d for '%.*s' and '%.*s'", ids[i], ids[k], (int)kind.kind_size, kind.kind,
                (int)other.kind_size, other.kind);
    }
  }
}

static void memory_devices(const tn_subject* subject) {
  pj_start(subject);
  for (size_t i = 0; i < pj.device_count; ++i) {
    const PJRT_Device_AddressableMemories_Args list = memories_of(pj.devices[i]);
    for (size_t k = 0; k < list.num_memories; ++k) {
      PJ_ARGS(PJRT_Memory_AddressableByDevices, args, .memory = list.memories[k]);
      PJ_OK(PJRT_Memory_AddressableByDevices, args);
      bool found = false;
      for (size_t m = 0; args->devices && m < args->num_devices; ++m)
        found = found || args->devices[m] == pj.devices[i];
      TN_EXPECT(found, "the device that has the memory among those that reach it",
                "%zu devices, not device %zu", args->num_devices, i);
    }
  }
}

static _Atomic int freed;
static void count_freed(void* data) { atomic_fetch_add(&freed, 1); }

static void memory_user_data(const tn_subject* subject) {
  pj_start(subject);
  if (pj.plugin->minor < 105) tn_case_skip("memories have had a function table since 0.105");
  PJRT_Memory* memory = pj_default_memory(pj.device);
  if (!memory) tn_case_skip("the device has no memory");
  const PJRT_Memory_FunctionTable* table = memory->vtable;
  if (!table) tn_case_skip("the memory's function table is NULL, as it may be");
  static int key, other_key, first, second;
  TN_NEED(table->get_user_data && table->set_user_data, "functions", "NULL");
  tn_case_enter("PJRT_Memory_FunctionTable.set_user_data");
  table->set_user_data(memory, &key, &first, count_freed);
  TN_EXPECT(table->get_user_data(memory, &key) == &first, "what was set", "something else");
  TN_EXPECT(!table->get_user_data(memory, &other_key), "NULL for another key", "something");
  table->set_user_data(memory, &key, &second, count_freed);
  tn_case_leave();
  TN_EXPECT(atomic_load(&freed) == 1, "the replaced data freed once", "%d times",
            atomic_load(&freed));
  TN_EXPECT(table->get_user_data(memory, &key) == &second, "what was set", "something else");
}

// ---- Statistics ----

static void memory_stats(const tn_subject* subject) {
  pj_start(subject);
  PJ_ARGS(PJRT_Device_MemoryStats, args, .device = pj.device, .bytes_in_use = -12345);
  PJ_OK(PJRT_Device_MemoryStats, args);
  TN_EXPECT(args->bytes_in_use >= 0, "bytes from 0", "%lld", (long long)args->bytes_in_use);
  if (args->peak_bytes_in_use_is_set)
    TN_EXPECT(args->peak_bytes_in_use >= args->bytes_in_use, "a peak that is not below the present",
              "%lld and %lld", (long long)args->peak_bytes_in_use, (long long)args->bytes_in_use);
  if (args->bytes_limit_is_set && args->bytes_limit > 0)
    TN_EXPECT(args->bytes_in_use <= args->bytes_limit, "no more than the limit", "%lld of %lld",
              (long long)args->bytes_in_use, (long long)args->bytes_limit);
}

// What is in use once it no longer falls: a plugin may free by and by.
static int64_t settled_bytes(void) {
  int64_t bytes = pj_bytes_in_use(pj.device);
  for (int still = 0; still < 50; ++still) {
    usleep(1000);
    const int64_t now = pj_bytes_in_use(pj.device);
    if (now < bytes) still = 0;
    bytes = now;
  }
  return bytes;
}

static void memory_given_back(const tn_subject* subject) {
  pj_start(subject);
  enum { count = 1 << 18 };
  static float data[count];
  const int64_t dims[] = {count};
  // What the first one brings along (pools, streams) may stay.
  pj_destroy(pj_put(data, PJRT_Buffer_Type_F32, dims, 1));
  const int64_t before = settled_bytes();
  if (before < 0) tn_case_skip("the device does not tell what is in use");
  PJRT_Buffer* buffers[4];
  for (int i = 0; i < 4; ++i) buffers[i] = pj_put(data, PJRT_Buffer_Type_F32, dims, 1);
  const int64_t with = pj_bytes_in_use(pj.device);
  TN_EXPECT(with >= before + (int64_t)(4 * sizeof data), "four buffers more in use",
            "%lld bytes, %lld before", (long long)with, (long long)before);
  for (int i = 0; i < 4; ++i) pj_destroy(buffers[i]);
  int64_t after = settled_bytes();
  for (int i = 0; i < 100 && after > before; ++i) after = settled_bytes();
  TN_EXPECT(after <= before, "as much in use as before", "%lld bytes, %lld before",
            (long long)after, (long long)before);
}

static void clear_memory_stats(const tn_subject* subject) {
  pj_start(subject);
  PJ_ARGS(PJRT_Device_ClearMemoryStats, clear, .device = pj.device);
  PJ_OK(PJRT_Device_ClearMemoryStats, clear);
  PJ_ARGS(PJRT_Device_MemoryStats, args, .device = pj.device);
  PJ_OK(PJRT_Device_MemoryStats, args);
  TN_EXPECT(args->bytes_in_use >= 0, "bytes from 0", "%lld", (long long)args->bytes_in_use);
}

static void tracking_event(const tn_subject* subject) {
  pj_start(subject);
  static const char words[] = "a tenon's work";
  PJ_ARGS(PJRT_Device_CreateAsyncTrackingEvent, args, .device = pj.device, .description = words,
          .description_size = sizeof words - 1);
  PJ_OK(PJRT_Device_CreateAsyncTrackingEvent, args);
  if (!args->event) return;  // it may be
  PJ_ARGS(PJRT_AsyncTrackingEvent_Destroy, destroy, .event = args->event);
  PJ_OK(PJRT_AsyncTrackingEvent_Destroy, destroy);
}

static void poison_nothing(const tn_subject* subject) {
  pj_start(subject);
  PJ_ARGS(PJRT_Device_PoisonExecution, args, .device = pj.device, .launch_id = 123456789,
          .error_code = PJRT_Error_Code_ABORTED, .error_message = "stop", .error_message_size = 4,
          .poisoned = true);
  PJ_OK(PJRT_Device_PoisonExecution, args);
  TN_EXPECT(!args->poisoned, "false: there is no such execution", "true");
}

static const tn_check_case cases[] = {
    {"devices.texts", "a device has a kind and texts, which stay", texts, 0},
    {"devices.process_index", "devices of the only process are those of process 0", process_index,
     0},
    {"devices.hardware_id", "a hardware id is a number from 0, or -1", hardware_id, 0},
    {"devices.attributes", "attributes of a device are well-formed, and of types jaxlib takes",
     attributes, 0},
    {"devices.changing_attributes", "attributes that may change come with a deleter",
     changing_attributes, 0},
    {"devices.default_memory", "the default memory of a device is one of its memories",
     default_memory, 0},
    {"devices.memory_stats", "memory statistics make sense", memory_stats, 0},
    {"devices.memory_given_back", "destroyed buffers give back their memory", memory_given_back, 0},
    {"devices.clear_memory_stats", "peaks may be started anew", clear_memory_stats, 0},
    {"devices.tracking_event", "work elsewhere may be announced and ended", tracking_event, 0},
    {"devices.poison_nothing", "poison for an execution that is not there hits nothing",
     poison_nothing, 0},
    {"memories.list", "memories of devices are memories of the client, told apart by their ids",
     memories, 0},
    {"memories.texts", "a memory has a kind and texts, which stay", memory_texts, 0},
    {"memories.kind_ids", "equal kinds have equal numbers, others have not", memory_kind_ids, 0},
    {"memories.devices", "a memory knows the devices that reach it", memory_devices, 0},
    {"memories.user_data", "a memory keeps the host's data by key, and frees what is replaced",
     memory_user_data, 0},
};
const tn_check_group tn_check_pjrt_devices = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
