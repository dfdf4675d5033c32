#include "host/load_facts.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/pjrt_history.h"
#include "abi/tf_history.h"
#include "base/memory.h"
#include "base/text.h"
#include "elf/look.h"
#include "host/plugin.h"
#include "plugin/guard.h"
#include "plugin/own_files.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "xla/pjrt/c/pjrt_c_api.h"

enum { ROOM = 8192 };  // larger than any struct a plugin fills

static void TN_PRINTF(3, 4)
    tell(const tn_fact_sink* sink, const char* key, const char* format, ...) {
  char value[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(value, sizeof value, format, args);
  va_end(args);
  sink->fact(key, value, sink->arg);
}

// PJRT_Extension_Base as it was in 0.31 to 0.44.
typedef struct old_extension {
  int type;
  const struct old_extension* next;
} old_extension;

static void tell_extensions(const tn_fact_sink* sink, const void* chain, int minor) {
  tn_text text = {0};
  enum { MOST = 256 };  // a chain that is longer runs in a circle
  int count = 0;
  if (minor >= 31 && minor < 45) {
    for (const old_extension* at = chain; at && count < MOST; at = at->next)
      tn_text_printf(&text, "%s%d:?", count++ ? " " : "", at->type);
  } else if (minor >= 45) {
    for (const PJRT_Extension_Base* at = chain; at && count < MOST; at = at->next)
      tn_text_printf(&text, "%s%d:%zu", count++ ? " " : "", (int)at->type, at->struct_size);
  }
  tell(sink, "extensions", "%s%s", text.data ? text.data : "", count == MOST ? " ..." : "");
  tn_text_deinit(&text);
}

static void tell_attribute(const tn_fact_sink* sink, const PJRT_NamedValue* value) {
  tn_text text = {0};
  char key[128];
  snprintf(key, sizeof key, "attribute.%.*s",
           (int)(value->name_size < 100 ? value->name_size : 100), value->name);
  switch (value->type) {
    case PJRT_NamedValue_kString:
      tn_text_printf(&text, "%.*s", (int)(value->value_size < 1000 ? value->value_size : 1000),
                     value->string_value);
      break;
    case PJRT_NamedValue_kInt64:
      tn_text_printf(&text, "%lld", (long long)value->int64_value);
      break;
    case PJRT_NamedValue_kInt64List:
      for (size_t i = 0; i < value->value_size && i < 64; ++i)
        tn_text_printf(&text, "%s%lld", i ? " " : "", (long long)value->int64_array_value[i]);
      break;
    case PJRT_NamedValue_kFloat: tn_text_printf(&text, "%g", (double)value->float_value); break;
    case PJRT_NamedValue_kBool: tn_text_puts(&text, value->bool_value ? "true" : "false"); break;
    default: tn_text_printf(&text, "of unknown type %d", (int)value->type);
  }
  tell(sink, key, "%s", text.data ? text.data : "");
  tn_text_deinit(&text);
}

static void tell_attributes(const tn_fact_sink* sink, PJRT_Plugin_Attributes* function) {
  union {
    PJRT_Plugin_Attributes_Args args;
    char room[ROOM];
  } filled = {.room = {0}};
  PJRT_Plugin_Attributes_Args* args = &filled.args;
  args->struct_size = PJRT_Plugin_Attributes_Args_STRUCT_SIZE;
  sink->stage("PJRT_Plugin_Attributes", sink->arg);
  if (function(args)) {
    tell(sink, "attributes_error", "PJRT_Plugin_Attributes gave an error");
    return;
  }
  for (size_t i = 0; i < args->num_attributes && i < 256; ++i)
    tell_attribute(sink, &args->attributes[i]);
}

// The slots that the number says are there: how many are null, and how many lie past the size that
// the plugin reports.
static void tell_slots(const tn_fact_sink* sink, const char* api, size_t size, int minor) {
  tn_abi_model model = {0};
  const int known = minor < tn_abi_pjrt_newest() ? minor : tn_abi_pjrt_newest();
  if (minor < 1 || !tn_abi_pjrt_model(known, &model, NULL)) return;
  const tn_abi_struct* table = tn_abi_model_struct(&model, "PJRT_Api");
  int nulls = 0, past = 0, slots = 0;
  if (table) tell(sink, "filled", "PJRT_Api");
  for (size_t i = 0; table && i < table->field_count; ++i) {
    const tn_abi_field* field = &table->fields[i];
    void* slot;
    if (strcmp(field->kind, "function_pointer") != 0) continue;
    // Past the size only where the number's own constant is known to lie.
    if ((size_t)(field->offset + field->size) > size && table->size_constant == table->end)
      continue;
    memcpy(&slot, api + field->offset, sizeof slot);
    ++slots;
    past += slot && (size_t)(field->offset + field->size) > size;
    if (slot) continue;
    ++nulls;
    tell(sink, "null_member", "PJRT_Api.%s", field->name);
  }
  tell(sink, "functions", "%d", slots);
  tell(sink, "null_functions", "%d", nulls);
  tell(sink, "functions_past_size", "%d", past);
  const tn_abi_field* attributes =
      table ? tn_abi_struct_field(table, "PJRT_Plugin_Attributes") : NULL;
  if (attributes && (size_t)(attributes->offset + 8) <= size) {
    PJRT_Plugin_Attributes* slot;
    memcpy(&slot, api + attributes->offset, sizeof slot);
    if (slot) tell_attributes(sink, slot);
  }
  tn_abi_model_deinit(&model);
}

static void tell_pjrt(const tn_fact_sink* sink, void* library) {
  const char* (*get)(void) = (const char* (*)(void))dlsym(library, "GetPjrtApi");
  if (!get) return;
  sink->stage("GetPjrtApi", sink->arg);
  const char* api = get();
  if (!api) {
    tell(sink, "pjrt_error", "GetPjrtApi gave no table");
    return;
  }
  size_t size, version_size;
  const void* chain;
  int number[2] = {0, 0};
  memcpy(&size, api, sizeof size);
  memcpy(&chain, api + offsetof(PJRT_Api, extension_start), sizeof chain);
  memcpy(&version_size, api + offsetof(PJRT_Api, pjrt_api_version), sizeof version_size);
  tell(sink, "api_struct_size", "%zu", size);
  // Before there were numbers a function stood here.
  if (version_size != PJRT_Api_Version_STRUCT_SIZE) {
    tell(sink, "pjrt_version", "none");
    return;
  }
  memcpy(number, api + offsetof(PJRT_Api, pjrt_api_version.major_version), sizeof number);
  tell(sink, "pjrt_version", "%d.%d", number[0], number[1]);
  if (number[0] != 0) return;
  tell_extensions(sink, chain, number[1]);
  tell_slots(sink, api, size, number[1]);
}

// Members of a struct that the plugin left null, by the newest release's layout and the size it
// says.
static void tell_null_members(const tn_fact_sink* sink, const tn_abi_model* model, const char* name,
                              const void* filled, size_t size) {
  const tn_abi_struct* layout = tn_abi_model_struct(model, name);
  if (layout) tell(sink, "filled", "%s", name);
  for (size_t i = 0; layout && i < layout->field_count; ++i) {
    const tn_abi_field* field = &layout->fields[i];
    void* member;
    if (strstr(field->kind, "pointer") == NULL || strcmp(field->name, "ext") == 0 ||
        (size && (size_t)(field->offset + field->size) > size))
      continue;
    memcpy(&member, (const char*)filled + field->offset, sizeof member);
    if (!member) tell(sink, "null_member", "%s.%s", name, field->name);
  }
}

// The structs that a host asks for before it has a device.
static void tell_executor(const tn_fact_sink* sink, const tn_abi_model* model,
                          const SP_Platform* platform, const SP_PlatformFns* functions) {
  union {
    SP_StreamExecutor executor;
    SP_DeviceFns device;
    SP_TimerFns timer;
    char room[ROOM];
  } filled = {.room = {0}};
  tn_status* status = tn_status_create();
  if (functions->create_device_fns) {
    SE_CreateDeviceFnsParams params = {.struct_size = SE_CREATE_DEVICE_FNS_PARAMS_STRUCT_SIZE,
                                       .device_fns = &filled.device};
    filled.device.struct_size = SP_DEVICE_FNS_STRUCT_SIZE;
    sink->stage("create_device_fns", sink->arg);
    functions->create_device_fns(platform, &params, (TF_Status*)status);
    if (tn_ok(status))
      tell_null_members(sink, model, "SP_DeviceFns", &filled, filled.device.struct_size);
  }
  if (functions->create_stream_executor) {
    SE_CreateStreamExecutorParams params = {
        .struct_size = SE_CREATE_STREAM_EXECUTOR_PARAMS_STRUCT_SIZE,
        .stream_executor = &filled.executor};
    memset(&filled, 0, sizeof filled);
    filled.executor.struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE;
    sink->stage("create_stream_executor", sink->arg);
    functions->create_stream_executor(platform, &params, (TF_Status*)status);
    if (tn_ok(status)) {
      tell(sink, "stream_executor_struct_size", "%zu", filled.executor.struct_size);
      tell_null_members(sink, model, "SP_StreamExecutor", &filled, filled.executor.struct_size);
    }
  }
  tn_status_destroy(status);
}

static void tell_platform(const tn_fact_sink* sink, void* library) {
  void (*init)(SE_PlatformRegistrationParams*, TF_Status*) =
      (void (*)(SE_PlatformRegistrationParams*, TF_Status*))dlsym(library, "SE_InitPlugin");
  if (!init) return;
  union {
    SE_PlatformRegistrationParams params;
    char room[ROOM];
  } registration = {.room = {0}};
  union {
    SP_Platform platform;
    char room[ROOM];
  } platform = {.room = {0}};
  union {
    SP_PlatformFns fns;
    char room[ROOM];
  } functions = {.room = {0}};
  registration.params =
      (SE_PlatformRegistrationParams){.struct_size = SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE,
                                      .major_version = SE_MAJOR,
                                      .minor_version = SE_MINOR,
                                      .patch_version = SE_PATCH,
                                      .platform = &platform.platform,
                                      .platform_fns = &functions.fns};
  platform.platform.struct_size = SP_PLATFORM_STRUCT_SIZE;
  functions.fns.struct_size = SP_PLATFORM_FNS_STRUCT_SIZE;
  tn_status* status = tn_status_create();
  sink->stage("SE_InitPlugin", sink->arg);
  init(&registration.params, (TF_Status*)status);
  if (!tn_ok(status)) {
    tell(sink, "platform_error", "%s", tn_status_message(status));
    tn_status_destroy(status);
    return;
  }
  tell(sink, "platform_name", "%s", platform.platform.name ? platform.platform.name : "");
  tell(sink, "device_type", "%s", platform.platform.type ? platform.platform.type : "");
  tell(sink, "platform_struct_size", "%zu", platform.platform.struct_size);
  tell(sink, "platform_fns_struct_size", "%zu", functions.fns.struct_size);
  tn_abi_model model = {0};
  if (tn_abi_tf_model(tn_abi_tf_release(tn_abi_tf_count() - 1), &model, NULL)) {
    tell_null_members(sink, &model, "SE_PlatformRegistrationParams", &registration,
                      registration.params.struct_size);
    tell_null_members(sink, &model, "SP_Platform", &platform, platform.platform.struct_size);
    tell_null_members(sink, &model, "SP_PlatformFns", &functions, functions.fns.struct_size);
    tell_executor(sink, &model, &platform.platform, &functions.fns);
    tn_abi_model_deinit(&model);
  }
  if (functions.fns.get_device_count) {
    int count = 0;
    sink->stage("get_device_count", sink->arg);
    functions.fns.get_device_count(&platform.platform, &count, (TF_Status*)status);
    if (tn_ok(status)) {
      tell(sink, "devices", "%d", count);
    } else {
      tell(sink, "devices_error", "%s", tn_status_message(status));
    }
  }
  tn_status_destroy(status);
}

// The device of seed 000's example, of any of its five versions.
static void tell_example_device(const tn_fact_sink* sink, void* library) {
  static const struct {
    const char* name;
    size_t offset;
  } members[] = {{"name", 16}, {"device_handle", 32}, {"data", 40}, {"data2", 48}};
  const char* (*create)(void) = (const char* (*)(void))dlsym(library, "Plugin_CreateDevice");
  if (!create) return;
  sink->stage("Plugin_CreateDevice", sink->arg);
  const char* device = create();
  size_t size = 0;
  if (device) memcpy(&size, device, sizeof size);
  tell(sink, "device_struct_size", "%zu", size);
  if (device) tell(sink, "filled", "SE_Device");
  for (size_t i = 0; i < sizeof members / sizeof members[0]; ++i) {
    void* member;
    if (members[i].offset + sizeof member > size) continue;
    memcpy(&member, device + members[i].offset, sizeof member);
    if (!member) tell(sink, "null_member", "SE_Device.%s", members[i].name);
  }
}

// Calls the function that makes a struct, and tells which words of it are null.
static bool tell_made(const tn_fact_sink* sink, void* library, const char* path, const char* create,
                      tn_status* status) {
  enum { WORD = 8, MOST_WORDS = 2048 };
  const char* (*make)(void) = (const char* (*)(void))dlsym(library, create);
  if (!make) {
    tn_status_set(status, TN_NOT_FOUND, "%s exports no %s", path, create);
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
    return false;
  }
  sink->stage(create, sink->arg);
  const char* made = make();
  size_t size = 0;
  if (made) memcpy(&size, made, sizeof size);
  if (size < sizeof size || size / WORD > MOST_WORDS) {
    if (made) {
      tn_status_set(status, TN_FAILED_PRECONDITION,
                    "%s: %s gave a struct_size of %zu; 8 to %d are understood", path, create, size,
                    MOST_WORDS * WORD);
    } else {
      tn_status_set(status, TN_FAILED_PRECONDITION, "%s: %s gave NULL", path, create);
    }
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
    return false;
  }
  char words[MOST_WORDS + 1];
  const size_t count = size / WORD;
  for (size_t i = 0; i < count; ++i) {
    uint64_t word;
    memcpy(&word, made + i * WORD, sizeof word);
    words[i] = word ? '1' : '0';
  }
  words[count] = '\0';
  tell(sink, "made", "%zu %s", size, words);
  return true;
}

// Opens the file: as this host loads kernels when it has any, plainly otherwise.
static void* open_plugin(const char* path, const tn_elf* elf, const tn_fact_sink* sink,
                         tn_status* status) {
  if (tn_elf_defines(elf, "TF_InitKernel")) {
    const tn_load_options options = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE,
                                     .entry_points = TN_ENTRY_KERNEL,
                                     .allow_missing_weak = true};
    tn_plugin* plugin = tn_plugin_load_staged(path, &options, sink->stage, sink->arg, status);
    if (!plugin) return NULL;
    tell(sink, "ops", "%zu", tn_plugin_op_count(plugin));
    tell(sink, "kernels", "%zu", tn_plugin_kernel_count(plugin));
    return dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  }
  // A device alone may still want TF_* from its host; this process is for one plugin only.
  char* functions = tn_own_tf_library(NULL);
  if (functions) dlopen(functions, RTLD_NOW | RTLD_GLOBAL);
  tn_free(functions);
  sink->stage("dlopen", sink->arg);
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    tn_status_set(status, TN_FAILED_PRECONDITION, "%s", dlerror());
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
  }
  return library;
}

bool tn_load_facts(const char* path, const char* create, const tn_fact_sink* sink,
                   tn_status* status) {
  tn_elf* elf = tn_elf_look(path, status);
  if (!elf) return false;
  tn_guard guard;
  tn_guard_begin(&guard);
  void* library = tn_elf_check_loadable(elf, status) ? open_plugin(path, elf, sink, status) : NULL;
  bool done = library != NULL;
  if (library && create) {
    done = tell_made(sink, library, path, create, status);
  } else if (library) {
    tell_pjrt(sink, library);
    tell_platform(sink, library);
    tell_example_device(sink, library);
  }
  const tn_guard_found found = tn_guard_stop(&guard);
  if (library && !create) {
    tell(sink, "threads_started", "%d", found.threads);
    tell(sink, "signal_handlers_changed", "%d", found.signals);
    if (found.signals) tell(sink, "signals", "%s", found.numbers);
  }
  tn_elf_destroy(elf);
  return done;
}
