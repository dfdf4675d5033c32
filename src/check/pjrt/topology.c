// Topologies: the client's own, written and read again.
#include <stdlib.h>
#include <string.h>

#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

static PJRT_TopologyDescription* start(const tn_subject* subject) {
  pj_start(subject);
  PJ_ARGS(PJRT_Client_TopologyDescription, args, .client = pj.client);
  PJ_OK(PJRT_Client_TopologyDescription, args);
  TN_NEED(args->topology, "a topology", "NULL without an error");
  return args->topology;
}

static void platform(const tn_subject* subject) {
  PJRT_TopologyDescription* topology = start(subject);
  PJ_ARGS(PJRT_TopologyDescription_PlatformName, name, .topology = topology);
  PJ_OK(PJRT_TopologyDescription_PlatformName, name);
  pj_check_text("the name", name->platform_name, name->platform_name_size);
  PJ_ARGS(PJRT_Client_PlatformName, client, .client = pj.client);
  PJ_OK(PJRT_Client_PlatformName, client);
  TN_EXPECT(name->platform_name_size == client->platform_name_size &&
                memcmp(name->platform_name, client->platform_name, name->platform_name_size) == 0,
            "the client's platform", "'%.*s' and '%.*s'", (int)name->platform_name_size,
            name->platform_name, (int)client->platform_name_size, client->platform_name);
  PJ_ARGS(PJRT_TopologyDescription_PlatformVersion, version, .topology = topology);
  PJ_OK(PJRT_TopologyDescription_PlatformVersion, version);
  pj_check_text("the version", version->platform_version, version->platform_version_size);
}

static void devices(const tn_subject* subject) {
  PJRT_TopologyDescription* topology = start(subject);
  PJ_ARGS(PJRT_TopologyDescription_GetDeviceDescriptions, args, .topology = topology);
  PJ_OK(PJRT_TopologyDescription_GetDeviceDescriptions, args);
  TN_NEED(args->num_descriptions > 0 && args->descriptions, "devices", "%zu at %p",
          args->num_descriptions, (const void*)args->descriptions);
  for (size_t i = 0; i < pj.device_count; ++i) {
    bool found = false;
    for (size_t k = 0; k < args->num_descriptions; ++k) {
      PJ_ARGS(PJRT_DeviceDescription_Id, id, .device_description = args->descriptions[k]);
      PJ_OK(PJRT_DeviceDescription_Id, id);
      found = found || id->id == pj_device_id(pj.devices[i]);
    }
    TN_EXPECT(found, "the client's devices", "none with id %d", pj_device_id(pj.devices[i]));
  }
}

static void attributes(const tn_subject* subject) {
  PJRT_TopologyDescription* topology = start(subject);
  PJ_ARGS(PJRT_TopologyDescription_Attributes, args, .topology = topology);
  PJ_OK(PJRT_TopologyDescription_Attributes, args);
  pj_check_values("the topology's attributes", args->attributes, args->num_attributes);
}

static void round_trip(const tn_subject* subject) {
  PJRT_TopologyDescription* topology = start(subject);
  PJ_ARGS(PJRT_TopologyDescription_Serialize, out, .topology = topology);
  PJ_OK(PJRT_TopologyDescription_Serialize, out);
  TN_NEED(out->serialized_bytes || !out->serialized_bytes_size, "bytes", "%zu at NULL",
          out->serialized_bytes_size);
  TN_NEED(out->serialized_topology_deleter, "a deleter: jaxlib calls it unseen", "NULL");
  if (PJ_HAS(PJRT_TopologyDescription_Deserialize)) {
    PJ_ARGS(PJRT_TopologyDescription_Deserialize, in, .serialized_topology = out->serialized_bytes,
            .serialized_topology_size = out->serialized_bytes_size);
    PJ_OK(PJRT_TopologyDescription_Deserialize, in);
    TN_NEED(in->topology, "a topology", "NULL without an error");
    PJ_ARGS(PJRT_TopologyDescription_GetDeviceDescriptions, before, .topology = topology);
    PJ_OK(PJRT_TopologyDescription_GetDeviceDescriptions, before);
    PJ_ARGS(PJRT_TopologyDescription_GetDeviceDescriptions, after, .topology = in->topology);
    PJ_OK(PJRT_TopologyDescription_GetDeviceDescriptions, after);
    TN_EXPECT(before->num_descriptions == after->num_descriptions, "as many devices",
              "%zu, not %zu", after->num_descriptions, before->num_descriptions);
    PJ_ARGS(PJRT_TopologyDescription_Destroy, destroy, .topology = in->topology);
    PJ_OK(PJRT_TopologyDescription_Destroy, destroy);
  }
  tn_case_enter("serialized_topology_deleter");
  out->serialized_topology_deleter(out->serialized_topology);
  tn_case_leave();
}

static void garbage(const tn_subject* subject) {
  pj_start(subject);
  uint64_t state = subject->seed;
  char bytes[64];
  for (int i = 0; i < 32; ++i) {
    for (size_t k = 0; k < sizeof bytes; ++k) bytes[k] = (char)tn_case_random(&state);
    PJ_ARGS(PJRT_TopologyDescription_Deserialize, args, .serialized_topology = bytes,
            .serialized_topology_size = (size_t)tn_case_between(&state, 1, sizeof bytes));
    const pj_error error = pj_take(PJ_CALL(PJRT_TopologyDescription_Deserialize, args));
    if (error.code == PJRT_Error_Code_UNIMPLEMENTED) tn_case_skip("%s", error.text);
    if (error.code || !args->topology) continue;
    PJ_ARGS(PJRT_TopologyDescription_Destroy, destroy, .topology = args->topology);
    PJ_OK(PJRT_TopologyDescription_Destroy, destroy);
  }
}

static void fingerprint(const tn_subject* subject) {
  PJRT_TopologyDescription* topology = start(subject);
  uint64_t found[2];
  for (int i = 0; i < 2; ++i) {
    PJ_ARGS(PJRT_TopologyDescription_Fingerprint, args, .topology = topology,
            .fingerprint = (uint64_t)i);
    PJ_OK(PJRT_TopologyDescription_Fingerprint, args);
    found[i] = args->fingerprint;
  }
  TN_EXPECT(found[0] == found[1], "the same number twice", "%llx, then %llx",
            (unsigned long long)found[0], (unsigned long long)found[1]);
}

static void memory_kinds(const tn_subject* subject) {
  PJRT_TopologyDescription* topology = start(subject);
  PJ_ARGS(PJRT_TopologyDescription_GetMemorySpaceKindIds, args, .topology = topology);
  PJ_OK(PJRT_TopologyDescription_GetMemorySpaceKindIds, args);
  TN_NEED(args->num_memory_space_kind_ids < 1000 &&
              (!args->num_memory_space_kind_ids || args->memory_space_kind_ids),
          "a list", "%zu at %p", args->num_memory_space_kind_ids,
          (const void*)args->memory_space_kind_ids);
  PJRT_Memory* memory = pj_default_memory(pj.device);
  if (!memory) return;
  PJ_ARGS(PJRT_Memory_Kind_Id, id, .memory = memory);
  PJ_OK(PJRT_Memory_Kind_Id, id);
  bool found = false;
  for (size_t i = 0; i < args->num_memory_space_kind_ids; ++i)
    found = found || args->memory_space_kind_ids[i] == id->kind_id;
  TN_EXPECT(found, "the kind of the default memory among them", "%d is not", id->kind_id);
}

static void canonical_shape(const tn_subject* subject) {
  PJRT_TopologyDescription* topology = start(subject);
  PJRT_Memory* memory = pj_default_memory(pj.device);
  if (!memory) tn_case_skip("the device has no memory");
  PJ_ARGS(PJRT_Memory_Kind_Id, id, .memory = memory);
  PJ_OK(PJRT_Memory_Kind_Id, id);
  const int64_t dims[] = {3, 5};
  PJ_ARGS(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace, args, .topology = topology,
          .memory_space_kind_id = id->kind_id, .dims = dims, .num_dims = 2,
          .element_type = PJRT_Buffer_Type_F32);
  PJ_OK(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace, args);
  TN_NEED(args->serialized_shape && args->serialized_shape_size, "a shape", "%zu bytes at %p",
          args->serialized_shape_size, (const void*)args->serialized_shape);
  TN_NEED(args->serialized_shape_deleter, "a deleter", "NULL");
  tn_case_enter("serialized_shape_deleter");
  args->serialized_shape_deleter(args->serialized_shape);
  tn_case_leave();
}

static void without_client(const tn_subject* subject) {
  pj_open(subject);
  PJ_ARGS(PJRT_TopologyDescription_Create, args, .topology_name = "", .topology_name_size = 0);
  PJRT_Error* error = PJ_CALL(PJRT_TopologyDescription_Create, args);
  if (error) {  // what a platform needs to be told is its own affair
    const pj_error taken = pj_take(error);
    tn_case_skip("%s: %s", pj_code_name(taken.code), taken.text);
  }
  TN_NEED(args->topology, "a topology", "NULL without an error");
  PJ_ARGS(PJRT_TopologyDescription_GetDeviceDescriptions, list, .topology = args->topology);
  PJ_OK(PJRT_TopologyDescription_GetDeviceDescriptions, list);
  TN_EXPECT(list->num_descriptions > 0, "devices", "none");
  PJ_ARGS(PJRT_TopologyDescription_Destroy, destroy, .topology = args->topology);
  PJ_OK(PJRT_TopologyDescription_Destroy, destroy);
}

static const tn_check_case cases[] = {
    {"topology.platform", "a client's topology is of its platform", platform, 0},
    {"topology.devices", "a client's topology has its devices", devices, 0},
    {"topology.attributes", "attributes of a topology are well-formed", attributes, 0},
    {"topology.round_trip", "a topology that was written can be read", round_trip, 0},
    {"topology.garbage", "bytes that are no topology are refused", garbage, 0},
    {"topology.fingerprint", "a topology has one fingerprint", fingerprint, 0},
    {"topology.memory_kinds", "kinds of memory are those of the devices' memories", memory_kinds,
     0},
    {"topology.canonical_shape", "a shape has a form in each memory, with a deleter",
     canonical_shape, 0},
    {"topology.without_client", "a topology can be described without a client", without_client, 0},
};
const tn_check_group tn_check_pjrt_topology = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
