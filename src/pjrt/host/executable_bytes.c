// What can be had of a compiled program as bytes: the program itself to be loaded later, what the
// compiler made of it, its fingerprint.
#include "base/memory.h"
#include "base/status.h"
#include "pjrt/host/executable.h"

void tn_pjrt_bytes_free(void* bytes) { tn_free(bytes); }

static bool no_program(tn_status* status) {
  return tn_fail(status, TN_INVALID_ARGUMENT, "no program was given, or no room for its bytes");
}

// Beyond these a plugin's number is nonsense. What is serialized is a protobuf, or like one.
enum { MOST_BYTES = INT32_MAX, MOST_FINGERPRINT = 1 << 20 };

static bool copy_bytes(const tn_pjrt* plugin, const char* entry, const char* from, size_t count,
                       size_t most, void** bytes, size_t* size, tn_status* status) {
  if (count > most || (count > 0 && !from))
    return tn_fail(status, TN_INTERNAL, "%s: %s: %zu bytes are told of%s", plugin->name, entry,
                   count, from ? ", more than there can be" : ", without the bytes");
  char* copy = tn_alloc(count + 1);
  if (!copy) {
    tn_status_set_no_memory(status, "copying the bytes of a program");
    return false;
  }
  if (count > 0) memcpy(copy, from, count);
  copy[count] = 0;
  *bytes = copy;
  *size = count;
  return true;
}

bool tn_pjrt_executable_serialize(const tn_pjrt_executable* executable, void** bytes, size_t* size,
                                  tn_status* status) {
  if (!executable || !bytes || !size) return no_program(status);
  tn_pjrt* plugin = executable->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Executable_Serialize_Args, args, .executable = executable->theirs);
  if (!TN_PJRT_CALL(plugin, PJRT_Executable_Serialize, args, status)) return false;
  bool ok = args->serialized_bytes && args->serialized_bytes_size > 0
                ? copy_bytes(plugin, "PJRT_Executable_Serialize", args->serialized_bytes,
                             args->serialized_bytes_size, MOST_BYTES, bytes, size, status)
                : tn_fail(status, TN_INTERNAL,
                          "%s: PJRT_Executable_Serialize: no error and no bytes", plugin->name);
  if (args->serialized_executable_deleter)
    args->serialized_executable_deleter(args->serialized_executable);
  return ok;
}

tn_pjrt_executable* tn_pjrt_executable_load(tn_pjrt_client* client, const void* bytes, size_t size,
                                            tn_status* status) {
  if (!client || !bytes || size == 0) {
    tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT client was given, or no serialized program");
    return NULL;
  }
  TN_PJRT_ARGS(client->plugin, PJRT_Executable_DeserializeAndLoad_Args, args,
               .client = client->theirs, .serialized_executable = bytes,
               .serialized_executable_size = size);
  if (!TN_PJRT_CALL(client->plugin, PJRT_Executable_DeserializeAndLoad, args, status)) return NULL;
  return tn_pjrt_executable_wrap(client, args->loaded_executable,
                                 "PJRT_Executable_DeserializeAndLoad", status);
}

// The plugin first tells the size and then writes the code.
bool tn_pjrt_executable_program(const tn_pjrt_executable* executable, void** bytes, size_t* size,
                                const char** format, tn_status* status) {
  if (!executable || !bytes || !size) return no_program(status);
  tn_pjrt* plugin = executable->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_Program, program, .code = NULL);
  TN_PJRT_ARGS(plugin, PJRT_Executable_OptimizedProgram_Args, args,
               .executable = executable->theirs, .program = program);
  if (!TN_PJRT_CALL(plugin, PJRT_Executable_OptimizedProgram, args, status)) return false;
  size_t room = program->code_size;
  // The format stands behind the code, in the same block.
  size_t format_size = program->format ? program->format_size : 0;
  char* code = room > PTRDIFF_MAX || format_size > PTRDIFF_MAX
                   ? NULL
                   : tn_alloc_zeroed(1, room + format_size + 2);
  if (!code) {
    tn_status_set_no_memory(status, "reading the optimized form of a program");
    return false;
  }
  if (format_size > 0) memcpy(code + room + 1, program->format, format_size);
  program->code = code;
  bool ok = TN_PJRT_CALL(plugin, PJRT_Executable_OptimizedProgram, args, status);
  if (ok && program->code_size > room)
    ok = tn_fail(status, TN_INTERNAL,
                 "%s: PJRT_Executable_OptimizedProgram: %zu bytes were announced and %zu written",
                 plugin->name, room, program->code_size);
  if (!ok) {
    tn_free(code);
    return false;
  }
  *bytes = code;
  *size = program->code_size;
  if (format) *format = code + room + 1;
  return true;
}

// Until 0.35 only the loaded program could be asked.
bool tn_pjrt_executable_fingerprint(const tn_pjrt_executable* executable, void** bytes,
                                    size_t* size, tn_status* status) {
  if (!executable || !bytes || !size) return no_program(status);
  tn_pjrt* plugin = executable->client->plugin;
  if (TN_PJRT_HAS(plugin, PJRT_Executable_Fingerprint)) {
    TN_PJRT_ARGS(plugin, PJRT_Executable_Fingerprint_Args, args, .executable = executable->theirs);
    return TN_PJRT_CALL(plugin, PJRT_Executable_Fingerprint, args, status) &&
           copy_bytes(plugin, "PJRT_Executable_Fingerprint", args->executable_fingerprint,
                      args->executable_fingerprint_size, MOST_FINGERPRINT, bytes, size, status);
  }
  TN_PJRT_ARGS(plugin, PJRT_LoadedExecutable_Fingerprint_Args, args,
               .executable = executable->loaded);
  return TN_PJRT_CALL(plugin, PJRT_LoadedExecutable_Fingerprint, args, status) &&
         copy_bytes(plugin, "PJRT_LoadedExecutable_Fingerprint", args->executable_fingerprint,
                    args->executable_fingerprint_size, MOST_FINGERPRINT, bytes, size, status);
}
