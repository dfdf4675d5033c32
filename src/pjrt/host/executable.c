#include "pjrt/host/executable.h"

#include "base/memory.h"
#include "base/status.h"

// Beyond these a plugin's number is nonsense.
enum { MOST_DEVICES = 1 << 20, MOST_OUTPUTS = 1 << 20 };

static bool read_facts(tn_pjrt_executable* executable, tn_status* status) {
  tn_pjrt* plugin = executable->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_LoadedExecutable_GetExecutable_Args, args,
               .loaded_executable = executable->loaded);
  if (!TN_PJRT_CALL(plugin, PJRT_LoadedExecutable_GetExecutable, args, status)) return false;
  PJRT_Executable* theirs = executable->theirs = args->executable;
  if (!theirs)
    return tn_fail(status, TN_INTERNAL,
                   "%s: PJRT_LoadedExecutable_GetExecutable: no error and no executable",
                   plugin->name);
  TN_PJRT_ARGS(plugin, PJRT_Executable_Name_Args, name, .executable = theirs);
  TN_PJRT_ARGS(plugin, PJRT_Executable_NumReplicas_Args, replicas, .executable = theirs,
               .num_replicas = 1);
  TN_PJRT_ARGS(plugin, PJRT_Executable_NumPartitions_Args, partitions, .executable = theirs,
               .num_partitions = 1);
  TN_PJRT_ARGS(plugin, PJRT_Executable_NumOutputs_Args, outputs, .executable = theirs,
               .num_outputs = SIZE_MAX);
  TN_PJRT_ARGS(plugin, PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, code, .executable = theirs,
               .size_in_bytes = -1);
  if (!TN_PJRT_TRY(plugin, PJRT_Executable_Name, name, status) ||
      !TN_PJRT_TRY(plugin, PJRT_Executable_NumReplicas, replicas, status) ||
      !TN_PJRT_TRY(plugin, PJRT_Executable_NumPartitions, partitions, status) ||
      !TN_PJRT_TRY(plugin, PJRT_Executable_NumOutputs, outputs, status) ||
      !TN_PJRT_TRY(plugin, PJRT_Executable_SizeOfGeneratedCodeInBytes, code, status))
    return false;
  if (replicas->num_replicas > MOST_DEVICES || partitions->num_partitions > MOST_DEVICES ||
      replicas->num_replicas * partitions->num_partitions > MOST_DEVICES)
    return tn_fail(status, TN_INTERNAL,
                   "%s: PJRT_Executable_NumReplicas and _NumPartitions: %zu and %zu make no sense",
                   plugin->name, replicas->num_replicas, partitions->num_partitions);
  if (outputs->num_outputs != SIZE_MAX && outputs->num_outputs > MOST_OUTPUTS)
    return tn_fail(status, TN_INTERNAL, "%s: PJRT_Executable_NumOutputs: %zu makes no sense",
                   plugin->name, outputs->num_outputs);
  executable->replicas = replicas->num_replicas;
  executable->partitions = partitions->num_partitions;
  executable->output_count = outputs->num_outputs;
  executable->code_size = code->size_in_bytes;
  executable->name = tn_pjrt_copy_text(plugin, "PJRT_Executable_Name", name->executable_name,
                                       name->executable_name_size, status);
  return executable->name != NULL;
}

// Room for outputs is made by their number, so a plugin that tells two is not believed. Where it
// does not tell the number, that of their types will do.
static bool check_outputs(tn_pjrt_executable* executable, tn_status* status) {
  tn_pjrt* plugin = executable->client->plugin;
  if (!TN_PJRT_HAS(plugin, PJRT_Executable_OutputElementTypes)) return true;
  TN_PJRT_ARGS(plugin, PJRT_Executable_OutputElementTypes_Args, args,
               .executable = executable->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Executable_OutputElementTypes, args, NULL) ||
      args->num_output_types == executable->output_count)
    return true;
  if (executable->output_count == SIZE_MAX) {
    if (args->num_output_types <= MOST_OUTPUTS) executable->output_count = args->num_output_types;
    return true;
  }
  return tn_fail(status, TN_INTERNAL,
                 "%s: PJRT_Executable_NumOutputs tells of %zu outputs of %s and "
                 "PJRT_Executable_OutputElementTypes of %zu",
                 plugin->name, executable->output_count, executable->name, args->num_output_types);
}

static bool read_devices(tn_pjrt_executable* executable, tn_status* status) {
  tn_pjrt_client* client = executable->client;
  tn_pjrt* plugin = client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_LoadedExecutable_AddressableDevices_Args, args,
               .executable = executable->loaded);
  if (!TN_PJRT_TRY(plugin, PJRT_LoadedExecutable_AddressableDevices, args, status)) return false;
  size_t count = args->num_addressable_devices;
  if (!tn_pjrt_check_list(plugin, "PJRT_LoadedExecutable_AddressableDevices",
                          args->addressable_devices, count, status))
    return false;
  executable->devices = tn_alloc_zeroed(count ? count : 1, sizeof *executable->devices);
  if (!executable->devices) {
    tn_status_set_no_memory(status, "listing the devices of a program");
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    executable->devices[i] = tn_pjrt_device_of(client, args->addressable_devices[i]);
    if (!executable->devices[i])
      return tn_fail(status, TN_INTERNAL,
                     "%s: device %zu of %zu of a program is none of the client's devices",
                     plugin->name, i, count);
  }
  executable->device_count = count;
  return true;
}

// In which kind of memory each output lies. Plugins need not tell, and some cannot for some
// programs.
static bool read_output_kinds(tn_pjrt_executable* executable, tn_status* status) {
  tn_pjrt* plugin = executable->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Executable_OutputMemoryKinds_Args, args,
               .executable = executable->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Executable_OutputMemoryKinds, args, NULL) || !args->memory_kinds ||
      !args->memory_kind_sizes || args->num_outputs != executable->output_count)
    return true;
  size_t count = args->num_outputs;
  executable->output_kinds = tn_alloc_zeroed(count + 1, sizeof *executable->output_kinds);
  if (!executable->output_kinds) {
    tn_status_set_no_memory(status, "listing the outputs of a program");
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    executable->output_kinds[i] =
        tn_pjrt_copy_text(plugin, "PJRT_Executable_OutputMemoryKinds", args->memory_kinds[i],
                          args->memory_kind_sizes[i], status);
    if (!executable->output_kinds[i]) return false;
  }
  return true;
}

static void drop_loaded(tn_pjrt_client* client, PJRT_LoadedExecutable* loaded) {
  TN_PJRT_ARGS(client->plugin, PJRT_LoadedExecutable_Destroy_Args, args, .executable = loaded);
  (void)TN_PJRT_CALL(client->plugin, PJRT_LoadedExecutable_Destroy, args, NULL);
}

tn_pjrt_executable* tn_pjrt_executable_wrap(tn_pjrt_client* client, PJRT_LoadedExecutable* loaded,
                                            const char* entry, tn_status* status) {
  if (!loaded) {
    tn_fail(status, TN_INTERNAL, "%s: %s: no error and no executable", client->plugin->name, entry);
    return NULL;
  }
  tn_pjrt_executable* executable = tn_alloc_zeroed(1, sizeof *executable);
  if (!executable) {
    drop_loaded(client, loaded);
    tn_status_set_no_memory(status, "keeping a compiled program");
    return NULL;
  }
  tn_pjrt_client_ref(client, 1);
  executable->client = client;
  executable->loaded = loaded;
  // Calls that may be unimplemented need a status to look at.
  tn_status own = {0};
  if (read_facts(executable, &own) && check_outputs(executable, &own) &&
      read_devices(executable, &own) && read_output_kinds(executable, &own))
    return executable;
  tn_status_copy(status, &own);
  tn_status_deinit(&own);
  tn_pjrt_executable_destroy(executable);
  return NULL;
}

void tn_pjrt_executable_destroy(tn_pjrt_executable* executable) {
  if (!executable) return;
  tn_pjrt_client* client = executable->client;
  drop_loaded(client, executable->loaded);
  if (executable->theirs) {
    TN_PJRT_ARGS(client->plugin, PJRT_Executable_Destroy_Args, args,
                 .executable = executable->theirs);
    (void)TN_PJRT_CALL(client->plugin, PJRT_Executable_Destroy, args, NULL);
  }
  for (char** kind = executable->output_kinds; kind && *kind; ++kind) tn_free(*kind);
  tn_free(executable->output_kinds);
  tn_free(executable->name);
  tn_free(executable->devices);
  tn_free(executable);
  tn_pjrt_client_unref(client);
}

const char* tn_pjrt_executable_name(const tn_pjrt_executable* executable) {
  return executable ? executable->name : "";
}
int tn_pjrt_executable_replicas(const tn_pjrt_executable* executable) {
  return executable ? (int)executable->replicas : 0;
}
int tn_pjrt_executable_partitions(const tn_pjrt_executable* executable) {
  return executable ? (int)executable->partitions : 0;
}
int64_t tn_pjrt_executable_code_size(const tn_pjrt_executable* executable) {
  return executable ? executable->code_size : -1;
}
size_t tn_pjrt_executable_output_count(const tn_pjrt_executable* executable) {
  return executable ? executable->output_count : 0;
}
size_t tn_pjrt_executable_device_count(const tn_pjrt_executable* executable) {
  return executable ? executable->device_count : 0;
}
tn_pjrt_device* tn_pjrt_executable_device(const tn_pjrt_executable* executable, size_t i) {
  return executable && i < executable->device_count ? executable->devices[i] : NULL;
}

bool tn_pjrt_executable_output(const tn_pjrt_executable* executable, size_t i, tn_pjrt_shape* shape,
                               tn_status* status) {
  if (!executable || !shape)
    return tn_fail(status, TN_INVALID_ARGUMENT, "no program was given, or no room for a shape");
  tn_pjrt* plugin = executable->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Executable_OutputElementTypes_Args, types,
               .executable = executable->theirs);
  TN_PJRT_ARGS(plugin, PJRT_Executable_OutputDimensions_Args, dims,
               .executable = executable->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Executable_OutputElementTypes, types, status) ||
      !TN_PJRT_CALL(plugin, PJRT_Executable_OutputDimensions, dims, status))
    return false;
  if (!tn_pjrt_check_list(plugin, "PJRT_Executable_OutputElementTypes", types->output_types,
                          types->num_output_types, status) ||
      !tn_pjrt_check_list(plugin, "PJRT_Executable_OutputDimensions", dims->dim_sizes,
                          dims->num_outputs, status))
    return false;
  if (i >= types->num_output_types || i >= dims->num_outputs)
    return tn_fail(status, TN_OUT_OF_RANGE, "output %zu was asked for; %s has %zu", i,
                   executable->name, types->num_output_types);
  const int64_t* at = dims->dims;
  for (size_t k = 0; k <= i; ++k) {
    const size_t rank = dims->dim_sizes[k];
    if (rank > TN_PJRT_MAX_RANK || (rank > 0 && !dims->dims))
      return tn_fail(status, TN_INTERNAL,
                     "%s: PJRT_Executable_OutputDimensions: output %zu of %s has rank %zu, %s",
                     plugin->name, k, executable->name, rank,
                     dims->dims ? "which is more than there can be" : "and no dimensions");
    if (k < i && rank > 0) at += rank;
  }
  *shape = (tn_pjrt_shape){(int32_t)types->output_types[i], at, dims->dim_sizes[i]};
  return true;
}

const char* tn_pjrt_executable_output_memory_kind(const tn_pjrt_executable* executable, size_t i) {
  if (!executable || !executable->output_kinds || i >= executable->output_count) return NULL;
  return executable->output_kinds[i];
}

bool tn_pjrt_executable_delete(tn_pjrt_executable* executable, tn_status* status) {
  if (!executable) return tn_fail(status, TN_INVALID_ARGUMENT, "no program was given to delete");
  tn_pjrt* plugin = executable->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_LoadedExecutable_Delete_Args, args, .executable = executable->loaded);
  return TN_PJRT_CALL(plugin, PJRT_LoadedExecutable_Delete, args, status);
}

bool tn_pjrt_executable_deleted(const tn_pjrt_executable* executable) {
  if (!executable) return true;
  tn_pjrt* plugin = executable->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_LoadedExecutable_IsDeleted_Args, args,
               .executable = executable->loaded);
  return TN_PJRT_CALL(plugin, PJRT_LoadedExecutable_IsDeleted, args, NULL) &&
         tn_pjrt_truth(&args->is_deleted);
}
