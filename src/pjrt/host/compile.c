#include "base/file.h"
#include "base/status.h"
#include "pjrt/host/compile_options.h"
#include "pjrt/host/executable.h"
#include "pjrt/host/program.h"
#include "tenon/abi.h"

// The options with the defaults filled in.
static bool read_options(const tn_pjrt_compile_options* given, tn_pjrt_compile_options* options,
                         tn_status* status) {
  *options = TN_INIT(tn_pjrt_compile_options);
  if (given) {
    const char* wrong = TN_CHECK_RESERVED(given, ext);
    if (wrong || !TN_HAS(given, proto_size))
      return tn_fail(status, TN_INVALID_ARGUMENT, "tn_pjrt_compile_options: %s",
                     wrong ? wrong : "struct_size is smaller than it ever was");
    *options = *given;
  }
  if (!options->format) options->format = "mlir";
  if (options->replicas == 0) options->replicas = 1;
  if (options->partitions == 0) options->partitions = 1;
  if (options->replicas < 0 || options->partitions < 0 ||
      options->replicas > INT32_MAX / options->partitions)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "a program cannot have %d replicas of %d partitions", (int)options->replicas,
                   (int)options->partitions);
  return true;
}

tn_pjrt_executable* tn_pjrt_compile(tn_pjrt_client* client, const void* code, size_t size,
                                    const tn_pjrt_compile_options* given, tn_status* status) {
  tn_pjrt_compile_options options;
  if (!client || !code || size == 0) {
    tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT client was given, or no program");
    return NULL;
  }
  tn_pjrt* plugin = client->plugin;
  if (!read_options(given, &options, status) ||
      (strcmp(options.format, "mlir") == 0 &&
       !tn_pjrt_program_check(plugin, (tn_view){code, size}, status)))
    return NULL;
  tn_text written = {0};
  if (!options.proto) {
    tn_pjrt_compile_options_write(&options, &written);
    options.proto = written.data;
    options.proto_size = written.size;
  }
  tn_pjrt_executable* executable = NULL;
  if (written.failed) {
    tn_status_set_no_memory(status, "writing the options of a program");
  } else {
    PJRT_Program program = {.struct_size = TN_PJRT_SIZE_OF(plugin, PJRT_Program),
                            .code = (char*)(uintptr_t)code,  // the plugin only reads it
                            .code_size = size,
                            .format = options.format,
                            .format_size = strlen(options.format)};
    TN_PJRT_ARGS(plugin, PJRT_Client_Compile_Args, args, .client = client->theirs,
                 .program = &program, .compile_options = options.proto,
                 .compile_options_size = options.proto_size);
    if (TN_PJRT_CALL(plugin, PJRT_Client_Compile, args, status))
      executable = tn_pjrt_executable_wrap(client, args->executable, "PJRT_Client_Compile", status);
  }
  tn_text_deinit(&written);
  return executable;
}

tn_pjrt_executable* tn_pjrt_compile_file(tn_pjrt_client* client, const char* path,
                                         const tn_pjrt_compile_options* options,
                                         tn_status* status) {
  if (!client || !path) {
    tn_fail(status, TN_INVALID_ARGUMENT, "no PJRT client was given, or no path of a program");
    return NULL;
  }
  tn_text code = {0};
  tn_pjrt_executable* executable = NULL;
  if (!tn_file_read(path, PTRDIFF_MAX, &code, status)) {
    // The status names the file.
  } else if (code.size == 0) {
    tn_fail(status, TN_INVALID_ARGUMENT, "%s is empty; a program was expected", path);
  } else {
    tn_status own = {0};
    executable = tn_pjrt_compile(client, code.data, code.size, options, &own);
    if (!executable) {
      tn_status_annotate(&own, "in %s", path);
      tn_status_copy(status, &own);
    }
    tn_status_deinit(&own);
  }
  tn_text_deinit(&code);
  return executable;
}
