// Named values, and topologies: devices that need no client.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

// ------------------------------ Named values ------------------------------

static PJRT_NamedValue named(const char* name, PJRT_NamedValue_Type type, size_t size) {
  return (PJRT_NamedValue){.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                           .name = name,
                           .name_size = strlen(name),
                           .type = type,
                           .value_size = size};
}

PJRT_NamedValue named_int64(const char* name, int64_t value) {
  PJRT_NamedValue made = named(name, PJRT_NamedValue_kInt64, 1);
  made.int64_value = value;
  return made;
}

PJRT_NamedValue named_int64s(const char* name, const int64_t* values, size_t count) {
  PJRT_NamedValue made = named(name, PJRT_NamedValue_kInt64List, count);
  made.int64_array_value = values;
  return made;
}

PJRT_NamedValue named_string(const char* name, const char* value) {
  PJRT_NamedValue made = named(name, PJRT_NamedValue_kString, strlen(value));
  made.string_value = value;
  return made;
}

PJRT_NamedValue named_float(const char* name, float value) {
  PJRT_NamedValue made = named(name, PJRT_NamedValue_kFloat, 1);
  made.float_value = value;
  return made;
}

static bool is_named(const PJRT_NamedValue* value, const char* name, PJRT_NamedValue_Type type) {
  return value->type == type && value->name_size == strlen(name) &&
         !memcmp(value->name, name, value->name_size);
}

// ------------------------------ Topology ------------------------------

void description_init(PJRT_DeviceDescription* description, int id) {
  description->id = id;
  snprintf(description->text, sizeof description->text, "TestDevice(id=%d)", id);
  snprintf(description->debug, sizeof description->debug, "test device %d of process 0", id);
  description->coordinates[0] = id;
  description->attributes[0] = named_int64s("coords", description->coordinates, 3);
  description->attributes[1] = named_string("vendor", "Tenon tests");
}

void topology_init(PJRT_TopologyDescription* topology, size_t num_devices) {
  topology->num_devices = num_devices;
  for (size_t i = 0; i < num_devices; ++i) {
    description_init(&topology->descriptions[i], (int)i);
    topology->list[i] = &topology->descriptions[i];
  }
  topology->num_cores = (int64_t)num_devices;
  topology->attributes[0] = named_int64("num_cores", topology->num_cores);
}

PJRT_Error* options_read(const char* function, const PJRT_NamedValue* options, size_t count,
                         int64_t* num_devices, int64_t* delay_ms) {
  for (size_t i = 0; i < count; ++i) {
    if (is_named(&options[i], "num_devices", PJRT_NamedValue_kInt64)) {
      *num_devices = options[i].int64_value;
    } else if (delay_ms && is_named(&options[i], "delay_ms", PJRT_NamedValue_kInt64)) {
      *delay_ms = options[i].int64_value;
    } else if (delay_ms && (is_named(&options[i], "note", PJRT_NamedValue_kString) ||
                            is_named(&options[i], "factor", PJRT_NamedValue_kFloat) ||
                            is_named(&options[i], "shape", PJRT_NamedValue_kInt64List))) {
      // Taken, so that a host's ways of passing each type can be tried.
#if HAS(30)
    } else if (delay_ms && is_named(&options[i], "flag", PJRT_NamedValue_kBool)) {
#endif
    } else if (is_named(&options[i], "shape", options[i].type)) {
      return INVALID(
          "Option passed to %s with name shape has type index %d but expected type "
          "index is %d",
          function, (int)options[i].type, (int)PJRT_NamedValue_kInt64List);
    } else {
      return INVALID("Unexpected option name passed to %s: %.*s", function,
                     (int)options[i].name_size, options[i].name);
    }
  }
  if (*num_devices < 1 || *num_devices > MOST_DEVICES)
    return INVALID("%s: num_devices is %lld, expected 1 to %d", function, (long long)*num_devices,
                   MOST_DEVICES);
  return NULL;
}

FUNCTION(PJRT_TopologyDescription_Create) {
  int64_t num_devices = 2;
  PJRT_Error* error = options_read("PJRT_TopologyDescription_Create", args->create_options,
                                   args->num_options, &num_devices, NULL);
  if (error) return error;
  args->topology = calloc(1, sizeof *args->topology);
  topology_init(args->topology, (size_t)num_devices);
  return NULL;
}

FUNCTION(PJRT_TopologyDescription_Destroy) {
  if (!args->topology && BAD(null_destroy_crashes)) abort();
  free(args->topology);
  return NULL;
}

FUNCTION(PJRT_TopologyDescription_PlatformName) {
  args->platform_name = PLATFORM;
  args->platform_name_size = strlen(PLATFORM);
  return NULL;
}

FUNCTION(PJRT_TopologyDescription_PlatformVersion) {
  args->platform_version = PLATFORM_VERSION;
  args->platform_version_size = strlen(PLATFORM_VERSION);
  return NULL;
}

FUNCTION(PJRT_TopologyDescription_GetDeviceDescriptions) {
  args->descriptions = args->topology->list;
  args->num_descriptions = args->topology->num_devices;
  return NULL;
}

static void free_topology_text(PJRT_SerializedTopology* text) { free(text); }

FUNCTION(PJRT_TopologyDescription_Serialize) {
  char* text = calloc(1, 32);
  snprintf(text, 32, PLATFORM " %zu", args->topology->num_devices);
  args->serialized_bytes = text;
  args->serialized_bytes_size = strlen(text);
  args->serialized_topology = (PJRT_SerializedTopology*)text;
  args->serialized_topology_deleter = BAD(attributes_without_deleter) ? NULL : free_topology_text;
  return NULL;
}

FUNCTION(PJRT_TopologyDescription_Attributes) {
  args->attributes = args->topology->attributes;
  args->num_attributes = COUNT(args->topology->attributes);
  return NULL;
}

#if HAS(75)
FUNCTION(PJRT_TopologyDescription_Deserialize) {
  char text[32] = {0};
  size_t num_devices = 0;
  if (args->serialized_topology_size < sizeof text)
    memcpy(text, args->serialized_topology, args->serialized_topology_size);
  if (sscanf(text, PLATFORM " %zu", &num_devices) != 1 || !num_devices ||
      num_devices > MOST_DEVICES)
    return INVALID("PJRT_TopologyDescription_Deserialize: these bytes are no topology");
  args->topology = calloc(1, sizeof *args->topology);
  topology_init(args->topology, num_devices);
  return NULL;
}
#endif

#if HAS(101)
FUNCTION(PJRT_TopologyDescription_Fingerprint) {
  args->fingerprint = 0x7e57ull << 32 | args->topology->num_devices;
  return NULL;
}
#endif

#if HAS(109)
FUNCTION(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace) {
  return UNIMPLEMENTED(
      "PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace: shapes have one form here");
}
#endif

#if HAS(110)
FUNCTION(PJRT_TopologyDescription_GetMemorySpaceKindIds) {
  static const int ids[] = {1, 2};
  args->memory_space_kind_ids = ids;
  args->num_memory_space_kind_ids = COUNT(ids);
  return NULL;
}
#endif
