// What the compiler knows of a program: its cost, its memory, where it runs.
#include "base/status.h"
#include "base/wire.h"
#include "pjrt/host/executable.h"
#include "tenon/abi.h"

tn_pjrt_values* tn_pjrt_executable_cost_analysis(const tn_pjrt_executable* executable,
                                                 tn_status* status) {
  if (!executable) {
    tn_fail(status, TN_INVALID_ARGUMENT, "no program was given to analyse");
    return NULL;
  }
  tn_pjrt* plugin = executable->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Executable_GetCostAnalysis_Args, args,
               .executable = executable->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Executable_GetCostAnalysis, args, status)) return NULL;
  return tn_pjrt_values_copy(plugin, args->properties, args->num_properties, status);
}

bool tn_pjrt_executable_memory(const tn_pjrt_executable* executable, tn_pjrt_program_memory* memory,
                               tn_status* status) {
  if (!executable || !memory)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "no program was given, or no room for its memory's numbers");
  const char* wrong = TN_CHECK_RESERVED(memory, ext);
  if (wrong) return tn_fail(status, TN_INVALID_ARGUMENT, "tn_pjrt_program_memory: %s", wrong);
  tn_pjrt* plugin = executable->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Executable_GetCompiledMemoryStats_Args, args,
               .executable = executable->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Executable_GetCompiledMemoryStats, args, status)) return false;
#define TOLD(field) \
  (TN_PJRT_HAS_FIELD(plugin, PJRT_Executable_GetCompiledMemoryStats_Args, field) ? args->field : -1)
  tn_pjrt_program_memory found = {
      .struct_size = memory->struct_size,
      .code = args->generated_code_size_in_bytes,
      .arguments = args->argument_size_in_bytes,
      .outputs = args->output_size_in_bytes,
      .aliased = args->alias_size_in_bytes,
      .temporary = args->temp_size_in_bytes,
      .host_code = TOLD(host_generated_code_size_in_bytes),
      .host_arguments = TOLD(host_argument_size_in_bytes),
      .host_outputs = TOLD(host_output_size_in_bytes),
      .host_aliased = TOLD(host_alias_size_in_bytes),
      .host_temporary = TOLD(host_temp_size_in_bytes),
      .peak = TOLD(peak_memory_in_bytes),
      .total = TOLD(total_size_in_bytes),
  };
#undef TOLD
  size_t size = memory->struct_size;
  memcpy(memory, &found, size < sizeof found ? size : sizeof found);
  return true;
}

typedef struct assignment {
  int* ids;
  size_t replicas, partitions;
  size_t replica, partition;  // where the next id goes
  bool bad;
} assignment;

static void put_id(uint64_t id, void* arg) {
  assignment* to = arg;
  if (to->replica >= to->replicas || to->partition >= to->partitions)
    to->bad = true;
  else
    to->ids[to->replica++ * to->partitions + to->partition] = (int)id;
}

// A DeviceAssignmentProto: counts, then a message per partition with the ids of its replicas.
static bool read_assignment(tn_view proto, assignment* to) {
  tn_wire_reader reader = tn_wire_read(proto);
  tn_wire_field field;
  while (!to->bad && tn_wire_next(&reader, &field)) {
    if (field.number != 3 || field.type != TN_WIRE_BYTES) continue;
    tn_wire_reader devices = tn_wire_read(field.bytes);
    tn_wire_field ids;
    to->replica = 0;
    while (tn_wire_next(&devices, &ids))
      if (ids.number == 1 && !tn_wire_each(&ids, TN_WIRE_VARINT, put_id, to)) to->bad = true;
    to->bad |= devices.bad || to->replica != to->replicas;
    ++to->partition;
  }
  return !to->bad && !reader.bad && to->partition == to->partitions;
}

bool tn_pjrt_executable_device_assignment(const tn_pjrt_executable* executable, int* ids,
                                          size_t room, tn_status* status) {
  size_t count = executable ? executable->replicas * executable->partitions : 0;
  if (!executable || !ids || room < count)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "no program was given, or room for %zu device ids where %zu are needed", room,
                   count);
  tn_pjrt* plugin = executable->client->plugin;
  if (!TN_PJRT_HAS(plugin, PJRT_LoadedExecutable_GetDeviceAssignment) &&
      executable->device_count == count) {
    // All of its devices are here, in the assignment's order.
    for (size_t i = 0; i < count; ++i) ids[i] = executable->devices[i]->id;
    return true;
  }
  TN_PJRT_ARGS(plugin, PJRT_LoadedExecutable_GetDeviceAssignment_Args, args,
               .executable = executable->loaded);
  if (!TN_PJRT_CALL(plugin, PJRT_LoadedExecutable_GetDeviceAssignment, args, status)) return false;
  assignment to = {ids, executable->replicas, executable->partitions, 0, 0, false};
  size_t size = args->serialized_bytes ? args->serialized_bytes_size : 0;
  bool ok = size > 0 && read_assignment((tn_view){args->serialized_bytes, size}, &to);
  if (args->serialized_device_assignment_deleter)
    args->serialized_device_assignment_deleter(args->serialized_device_assignment);
  if (ok) return true;
  return tn_fail(status, size == 0 ? TN_FAILED_PRECONDITION : TN_INTERNAL,
                 size == 0 ? "%s: %s was compiled for no device in particular"
                           : "%s: PJRT_LoadedExecutable_GetDeviceAssignment: no assignment of %s",
                 plugin->name, executable->name);
}
