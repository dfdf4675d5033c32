// The plugin's own attributes, the client, its devices and memories.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin.h"

const char* const memory_kinds[NUM_KINDS] = {"device", "pinned_host"};
const size_t memory_kind_sizes[NUM_KINDS] = {6, 11};

// ------------------------------ The plugin ------------------------------

static void* stay(void* arg) {
  for (;;) pause();
  return NULL;
}

FUNCTION(PJRT_Plugin_Initialize) {
  if (BAD(initialize_fails))
    return fail(PJRT_Error_Code_FAILED_PRECONDITION, "there is no such hardware here");
  pthread_t thread;
  for (int i = 0; BAD(starts_threads) && i < 8; ++i)
    if (!pthread_create(&thread, NULL, stay, NULL)) pthread_detach(thread);
  return NULL;
}

FUNCTION(PJRT_Plugin_Attributes) {
  static const int64_t current[] = {1, 17, 0}, minimum[] = {0, 9, 0};
  static PJRT_NamedValue attributes[4];
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  static size_t count;
  pthread_mutex_lock(&once);
  if (!count) {
    attributes[0] = named_int64("xla_version", 2);
    attributes[1] = named_int64s("stablehlo_minimum_version", minimum, 3);
    attributes[2] =
        named_int64s("stablehlo_current_version", BAD(old_stablehlo) ? minimum : current, 3);
    attributes[3] = attributes[0];
    if (BAD(garbage_attributes)) attributes[0].type = (PJRT_NamedValue_Type)77;
    count = BAD(attribute_twice) ? 4 : BAD(no_stablehlo_version) ? 1 : 3;
  }
  args->attributes = attributes;
  args->num_attributes = count;
  pthread_mutex_unlock(&once);
  return NULL;
}

// ------------------------------ Client ------------------------------

#if HAS(105)
// A few words that a host may keep with each memory, by the address of its key.
static struct note {
  PJRT_Memory* memory;
  const void* key;
  void* data;
  void (*dtor)(void*);
} notes[64];
static pthread_mutex_t notes_lock = PTHREAD_MUTEX_INITIALIZER;

static void* get_user_data(PJRT_Memory* memory, const void* key) {
  void* data = NULL;
  pthread_mutex_lock(&notes_lock);
  for (size_t i = 0; i < COUNT(notes); ++i)
    if (notes[i].memory == memory && notes[i].key == key) data = notes[i].data;
  pthread_mutex_unlock(&notes_lock);
  return data;
}

static void set_user_data(PJRT_Memory* memory, const void* key, void* data, void (*dtor)(void*)) {
  struct note old = {0};
  pthread_mutex_lock(&notes_lock);
  size_t place = COUNT(notes);
  for (size_t i = COUNT(notes); i-- > 0;)
    if (!notes[i].memory) place = i;
  for (size_t i = 0; i < COUNT(notes); ++i)
    if (notes[i].memory == memory && notes[i].key == key) old = notes[place = i];
  if (place < COUNT(notes)) notes[place] = (struct note){memory, key, data, dtor};
  pthread_mutex_unlock(&notes_lock);
  if (old.dtor) old.dtor(old.data);
}

static void forget_user_data(PJRT_Memory* memory) {
  for (size_t i = 0; i < COUNT(notes); ++i) {
    pthread_mutex_lock(&notes_lock);
    struct note old = notes[i];
    if (old.memory == memory) notes[i] = (struct note){0};
    pthread_mutex_unlock(&notes_lock);
    if (old.memory == memory && old.dtor) old.dtor(old.data);
  }
}

static const PJRT_Memory_FunctionTable memory_table = {
    .struct_size = PJRT_Memory_FunctionTable_STRUCT_SIZE,
    .instance_struct_size = sizeof(memory),
    .get_user_data = get_user_data,
    .set_user_data = set_user_data,
};
#endif

static void device_init(PJRT_Client* client, size_t index) {
  PJRT_Device* device = &client->devices[index];
  client->device_list[index] = device;
  device->client = client;
  description_init(&device->description, BAD(same_ids) ? 0 : (int)index);
  pthread_mutex_init(&device->lock, NULL);
  for (int kind = 0; kind < NUM_KINDS; ++kind) {
    memory* memory = &device->memories[kind];
#if HAS(105)
    memory->base.vtable = &memory_table;
#endif
    memory->id = (int)index * NUM_KINDS + kind;
    memory->kind = kind;
    memory->device = device;
    snprintf(memory->text, sizeof memory->text, "TestMemory(id=%d)", memory->id);
    snprintf(memory->debug, sizeof memory->debug, "%s memory of test device %zu",
             memory_kinds[kind], index);
    device->memory_list[kind] = (PJRT_Memory*)memory;
    client->memory_list[memory->id] = (PJRT_Memory*)memory;
  }
}

PJRT_Client* client_ref(PJRT_Client* client) {
  atomic_fetch_add(&client->refs, 1);
  return client;
}

void client_unref(PJRT_Client* client) {
  if (atomic_fetch_sub(&client->refs, 1) != 1) return;
#if HAS(105)
  for (size_t i = 0; i < client->num_devices * NUM_KINDS; ++i)
    forget_user_data(client->memory_list[i]);
#endif
  for (size_t i = 0; i < client->num_devices; ++i) pthread_mutex_destroy(&client->devices[i].lock);
  pthread_mutex_destroy(&client->lock);
  pthread_cond_destroy(&client->worker.changed);
  pthread_mutex_destroy(&client->worker.lock);
  free(client);
}

static void ignore_signal(int signal) {}

FUNCTION_OF_SIZE(PJRT_Client_Create, AT_MOST(PJRT_Client_Create_Args_STRUCT_SIZE, 88)) {
  int64_t num_devices = 2, delay_ms = -1;
  PJRT_Error* error = options_read("PJRT_Client_Create", args->create_options, args->num_options,
                                   &num_devices, &delay_ms);
  if (error) return error;
  if (BAD(no_hardware)) return fail(PJRT_Error_Code_FAILED_PRECONDITION, "No visible devices.");
  if (BAD(replaces_signal_handlers)) {
    signal(SIGSEGV, ignore_signal);
    signal(SIGINT, ignore_signal);
  }
  if (BAD(prints_on_stdout)) puts("test plugin: a client is made"), fflush(stdout);
  if (BAD(changes_directory) && chdir("/")) abort();
  PJRT_Client* client = calloc(1, sizeof *client);
  atomic_init(&client->refs, 1);
  client->num_devices = (size_t)num_devices;
  pthread_mutex_init(&client->lock, NULL);
  for (size_t i = 0; i < client->num_devices; ++i) device_init(client, i);
  topology_init(&client->topology, client->num_devices);
  client->worker.delay_ms = delay_ms;
  worker_start(&client->worker);
  args->client = client;
  return NULL;
}

FUNCTION(PJRT_Client_Destroy) {
  if (!args->client && BAD(null_destroy_crashes)) abort();
  if (!args->client) return NULL;
  worker_stop(&args->client->worker);
  if (BAD(client_takes_buffers_along)) {
    memset((void*)args->client, 0xdb, sizeof *args->client);
    free(args->client);
    return NULL;
  }
  client_unref(args->client);
  return NULL;
}

FUNCTION(PJRT_Client_PlatformName) {
  args->platform_name = PLATFORM;
  args->platform_name_size = strlen(PLATFORM);
  return NULL;
}

FUNCTION(PJRT_Client_PlatformVersion) {
  args->platform_version = PLATFORM_VERSION;
  args->platform_version_size = strlen(PLATFORM_VERSION);
  return NULL;
}

FUNCTION(PJRT_Client_ProcessIndex) {
  args->process_index = BAD(process_index_negative) ? -1 : 0;
  return NULL;
}

FUNCTION(PJRT_Client_Devices) {
  static PJRT_Device* nobody[MOST_DEVICES];
  args->devices = BAD(null_devices)                          ? nobody
                  : BAD(no_devices) || BAD(devices_unlisted) ? NULL
                                                             : args->client->device_list;
  args->num_devices = BAD(no_devices) ? 0 : args->client->num_devices;
  return NULL;
}

FUNCTION(PJRT_Client_AddressableDevices) {
  static PJRT_Device* foreign[1];
  static PJRT_Device stranger;
  foreign[0] = &stranger;
  bool is_empty = BAD(no_devices) || BAD(devices_unlisted) || BAD(null_devices);
  args->addressable_devices = BAD(foreign_addressable) ? foreign
                              : is_empty               ? NULL
                                                       : args->client->device_list;
  args->num_addressable_devices = BAD(foreign_addressable) ? 1
                                  : is_empty               ? 0
                                                           : args->client->num_devices;
  return NULL;
}

PJRT_Device* client_device(PJRT_Client* client, int64_t id) {
  return id >= 0 && id < (int64_t)client->num_devices ? &client->devices[id] : NULL;
}

FUNCTION(PJRT_Client_LookupDevice) {
  args->device = client_device(args->client, BAD(lookup_ignores_id) ? 0 : args->id);
  return args->device ? NULL : INVALID("No matching device found for device_id %d", args->id);
}

FUNCTION(PJRT_Client_LookupAddressableDevice) {
  args->addressable_device =
      client_device(args->client, BAD(lookup_ignores_id) ? 0 : args->local_hardware_id);
  if (args->addressable_device) return NULL;
  return INVALID("No matching device found for local_hardware_id %d", args->local_hardware_id);
}

FUNCTION(PJRT_Client_AddressableMemories) {
  args->addressable_memories = args->client->memory_list;
  args->num_addressable_memories = args->client->num_devices * NUM_KINDS;
  return NULL;
}

FUNCTION(PJRT_Client_DefaultDeviceAssignment) {
  int64_t replicas = args->num_replicas, partitions = args->num_partitions;
  if (replicas < 1 || partitions < 1)
    return INVALID(
        "PJRT_Client_DefaultDeviceAssignment: %lld replicas and %lld partitions, expected "
        "at least one of each",
        (long long)replicas, (long long)partitions);
  if (args->default_assignment_size < (size_t)(replicas * partitions) && !BAD(assignment_unchecked))
    return fail(
        PJRT_Error_Code_FAILED_PRECONDITION,
        "PJRT_Client_DefaultDeviceAssignment: room for %zu devices, but %lld * %lld are asked for",
        args->default_assignment_size, (long long)replicas, (long long)partitions);
  for (int64_t i = 0; i < replicas * partitions; ++i)
    args->default_assignment[i] = (int)(i % (int64_t)args->client->num_devices);
  return NULL;
}

#if HAS(36)
FUNCTION(PJRT_Client_TopologyDescription) {
  args->topology = &args->client->topology;
  return NULL;
}
#endif

#if HAS(67)
FUNCTION(PJRT_Client_DmaMap) { return NULL; }
FUNCTION(PJRT_Client_DmaUnmap) { return NULL; }
#endif

#if HAS(73)
FUNCTION(PJRT_Client_UpdateGlobalProcessInfo) {
  for (size_t i = 0; i < args->num_process_infos; ++i) {
    const PJRT_ProcessInfo* info = &args->process_infos[i];
    if ((int)info->state < 0 || info->state > PJRT_ProcessState_kError)
      return INVALID("PJRT_Client_UpdateGlobalProcessInfo: entry %zu has state %d", i, info->state);
  }
  return NULL;
}
#endif

// ------------------------------ Devices ------------------------------

FUNCTION(PJRT_DeviceDescription_Id) {
  args->id = args->device_description->id;
  return NULL;
}

FUNCTION(PJRT_DeviceDescription_ProcessIndex) {
  args->process_index = 0;
  return NULL;
}

FUNCTION(PJRT_DeviceDescription_Attributes) {
  args->attributes = args->device_description->attributes;
  args->num_attributes = COUNT(args->device_description->attributes);
  return NULL;
}

FUNCTION(PJRT_DeviceDescription_Kind) {
  args->device_kind = "test device";
  args->device_kind_size = strlen(args->device_kind);
  return NULL;
}

FUNCTION(PJRT_DeviceDescription_DebugString) {
  args->debug_string = args->device_description->debug;
  args->debug_string_size = strlen(args->debug_string);
  return NULL;
}

FUNCTION(PJRT_DeviceDescription_ToString) {
  args->to_string = args->device_description->text;
  args->to_string_size = strlen(args->to_string);
  return NULL;
}

FUNCTION(PJRT_Device_GetDescription) {
  args->device_description = &args->device->description;
  return NULL;
}

FUNCTION(PJRT_Device_IsAddressable) {
  args->is_addressable = true;
  return NULL;
}

FUNCTION(PJRT_Device_LocalHardwareId) {
  args->local_hardware_id = args->device->description.id;
  return NULL;
}

FUNCTION(PJRT_Device_AddressableMemories) {
  args->memories = args->device->memory_list;
  args->num_memories = NUM_KINDS;
  return NULL;
}

FUNCTION(PJRT_Device_DefaultMemory) {
  args->memory = BAD(no_default_memory) ? NULL : args->device->memory_list[KIND_DEVICE];
  return NULL;
}

FUNCTION_OF_SIZE(PJRT_Device_MemoryStats, AT_MOST(PJRT_Device_MemoryStats_Args_STRUCT_SIZE, 185)) {
  pthread_mutex_lock(&args->device->lock);
  args->bytes_in_use = BAD(memory_stats_negative) ? -1 : args->device->bytes_in_use;
  args->peak_bytes_in_use = args->device->peak_bytes;
  args->num_allocs = args->device->allocations;
  args->largest_alloc_size = args->device->largest;
  pthread_mutex_unlock(&args->device->lock);
  args->peak_bytes_in_use_is_set = args->num_allocs_is_set = args->largest_alloc_size_is_set = true;
  args->bytes_limit = 1 << 30;
  args->bytes_limit_is_set = true;
  args->bytes_reserved_is_set = args->peak_bytes_reserved_is_set = false;
  args->bytes_reservable_limit_is_set = args->largest_free_block_bytes_is_set = false;
  args->pool_bytes_is_set = args->peak_pool_bytes_is_set = false;
#if HAS(113)
  if (COVERS(args, peak_allocated_bytes_is_set) || BAD(writes_beyond_size)) {
    args->peak_allocated_bytes = args->peak_bytes_in_use;
    args->peak_allocated_bytes_is_set = true;
  }
#endif
#if HAS(130)
  if (COVERS(args, future_bytes_is_set)) args->future_bytes = 1, args->future_bytes_is_set = true;
#endif
  return NULL;
}

#if HAS(86)
struct PJRT_AsyncTrackingEvent {
  char* description;
};

FUNCTION(PJRT_Device_CreateAsyncTrackingEvent) {
  args->event = calloc(1, sizeof *args->event);
  args->event->description = strndup(args->description, args->description_size);
  return NULL;
}

FUNCTION(PJRT_AsyncTrackingEvent_Destroy) {
  if (!args->event) return NULL;
  free(args->event->description);
  free(args->event);
  return NULL;
}
#endif

#if HAS(92)
static void free_attributes(PJRT_Device_Attributes* attributes) { free(attributes); }

FUNCTION(PJRT_Device_GetAttributes) {
  PJRT_NamedValue* attributes = calloc(1, sizeof *attributes);
  *attributes = named_string("state", "well");
  args->attributes = attributes;
  args->num_attributes = 1;
  args->device_attributes = (PJRT_Device_Attributes*)attributes;
  args->attributes_deleter = BAD(attributes_without_deleter) ? NULL : free_attributes;
  return NULL;
}
#endif

#if HAS(106)
FUNCTION(PJRT_Device_ClearMemoryStats) {
  pthread_mutex_lock(&args->device->lock);
  args->device->peak_bytes = args->device->bytes_in_use;
  args->device->allocations = args->device->largest = 0;
  pthread_mutex_unlock(&args->device->lock);
  return NULL;
}
#endif

// ------------------------------ Memories ------------------------------

FUNCTION(PJRT_Memory_Id) {
  args->id = ((memory*)args->memory)->id;
  return NULL;
}

FUNCTION(PJRT_Memory_Kind) {
  int kind = ((memory*)args->memory)->kind;
  const char* name = BAD(memory_without_kind) ? "" : memory_kinds[kind];
#if HAS(48)
  args->kind = name;
  args->kind_size = strlen(name);
#else
  args->memory_kind = name;
  args->memory_kind_size = strlen(name);
#endif
  return NULL;
}

#if HAS(48)
FUNCTION(PJRT_Memory_Kind_Id) {
  args->kind_id = ((memory*)args->memory)->kind + 1;
  return NULL;
}
#endif

FUNCTION(PJRT_Memory_DebugString) {
  args->debug_string = ((memory*)args->memory)->debug;
  args->debug_string_size = strlen(args->debug_string);
  return NULL;
}

FUNCTION(PJRT_Memory_ToString) {
  args->to_string = ((memory*)args->memory)->text;
  args->to_string_size = strlen(args->to_string);
  return NULL;
}

FUNCTION(PJRT_Memory_AddressableByDevices) {
  PJRT_Device* device = ((memory*)args->memory)->device;
  args->devices = &device->client->device_list[device - device->client->devices];
  args->num_devices = BAD(memory_of_nobody) ? 0 : 1;
  return NULL;
}
