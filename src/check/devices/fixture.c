#include "check/devices/fixture.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "abi/tf_history.h"
#include "elf/look.h"
#include "tenon/plugin.h"

td_state td;

void td_open(const tn_subject* subject) {
  td.subject = subject;
  td.random = subject->seed;
  tn_status status = {0};
  const tn_load_options options = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE,
                                   .entry_points = TN_ENTRY_CONSTRUCTORS};
  const tn_plugin* plugin =
      TN_CASE_CALL("dlopen", tn_plugin_load(subject->path, &options, &status));
  TN_NEED(plugin, "a plugin that opens", "%s", tn_status_message(&status));
  void* library = dlopen(subject->path, RTLD_LAZY | RTLD_NOLOAD);
  td.init = library ? (td_init)dlsym(library, "SE_InitPlugin") : NULL;
  if (!td.init) tn_case_error("SE_InitPlugin of the opened file is not to be found");
}

// The first release with all functions that the plugin imports.
static const char* since(const char* path) {
  const char* since = NULL;
  const tn_elf* elf = tn_elf_look(path, NULL);
  for (size_t i = 0; elf && i < elf->import_count; ++i)
    since = tn_abi_tf_later(since, tn_abi_tf_since(elf->imports[i].name));
  return since;
}

void td_register(const tn_subject* subject) {
  td_open(subject);
  tn_status status = {0};
  tn_text notes = {0};
  td.platform = TN_CASE_CALL(
      "SE_InitPlugin or a function of its platform",
      tn_platform_create(td.init, subject->path, since(subject->path), &notes, &status));
  TN_NEED(td.platform, "a platform", "%s", tn_status_message(&status));
  if (notes.size) tn_case_note("%s", notes.data);
  td.fns = &td.platform->executor.fns;
}

SP_Device* td_create_device(int ordinal, tn_foreign_room* room, tn_status* status) {
  memset(room, 0, sizeof *room);
  SP_Device* device = (SP_Device*)room->bytes;
  device->struct_size = SP_DEVICE_STRUCT_SIZE;
  SE_CreateDeviceParams params = {
      .struct_size = SE_CREATE_DEVICE_PARAMS_STRUCT_SIZE, .ordinal = ordinal, .device = device};
  tn_status own = {0};
  tn_case_enter("create_device");
  td.platform->fns.create_device(tn_platform_handle(td.platform), &params, &own);
  tn_case_leave();
  const bool made = tn_ok(&own);
  if (!made) tn_status_copy(status, &own);
  tn_status_deinit(&own);
  return made ? device : NULL;
}

void td_destroy_device(SP_Device* device) {
  tn_case_enter("destroy_device");
  td.platform->fns.destroy_device(tn_platform_handle(td.platform), device);
  tn_case_leave();
}

void td_start(const tn_subject* subject) {
  static tn_foreign_room room;
  td_register(subject);
  if (td.platform->device_count == 0) tn_case_skip(TN_NO_DEVICE);
  tn_status status = {0};
  td.device = td_create_device(0, &room, &status);
  TN_NEED(td.device, "a device", "create_device: %s", tn_status_message(&status));
}

bool td_succeeded(const char* function, tn_status* status) {
  if (tn_ok(status)) return true;
  tn_case_broken(NULL, "success", "%s: %s: %s", function, tn_code_name(tn_status_code(status)),
                 tn_status_message(status));
  tn_case_end();
}

// ---- Memory ----

SP_DeviceMemoryBase td_allocate(uint64_t size) {
  SP_DeviceMemoryBase memory = {.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
  tn_case_enter("allocate");
  td.fns->allocate(td.device, size, 0, &memory);
  tn_case_leave();
  TN_NEED(memory.opaque, "memory", "none for %llu bytes", (unsigned long long)size);
  return memory;
}

void td_free(SP_DeviceMemoryBase* memory) {
  tn_case_enter("deallocate");
  td.fns->deallocate(td.device, memory);
  tn_case_leave();
}

SP_DeviceMemoryBase td_part(const SP_DeviceMemoryBase* memory, uint64_t offset, uint64_t size) {
  SP_DeviceMemoryBase part = *memory;
  part.opaque = (char*)part.opaque + offset;
  part.size = size;
  return part;
}

void* td_room(size_t size) {
  void* room = calloc(size ? size : 1, 1);
  if (!room) tn_case_error("out of memory");
  return room;
}

char* td_bytes(size_t size) {
  char* bytes = td_room(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = (char)tn_case_random(&td.random);
  return bytes;
}

void td_compare(const char* what, const void* seen, const void* expected, size_t size) {
  for (size_t i = 0; i < size; ++i)
    if (((const char*)seen)[i] != ((const char*)expected)[i]) {
      tn_case_broken(NULL, "the bytes that were put there", "byte %zu of %zu differs: %s", i, size,
                     what);
      return;
    }
}

void td_put(SP_DeviceMemoryBase* memory, const void* from, uint64_t size) {
  if (td.fns->sync_memcpy_htod) {
    TD_OK(sync_memcpy_htod, memory, from, size);
    return;
  }
  SP_Stream stream = td_stream();
  TD_OK(memcpy_htod, stream, memory, from, size);
  td_wait(stream);
  td_destroy_stream(stream);
}

void td_get(void* to, const SP_DeviceMemoryBase* memory, uint64_t size) {
  if (td.fns->sync_memcpy_dtoh) {
    TD_OK(sync_memcpy_dtoh, to, memory, size);
    return;
  }
  SP_Stream stream = td_stream();
  TD_OK(memcpy_dtoh, stream, to, memory, size);
  td_wait(stream);
  td_destroy_stream(stream);
}

// ---- Streams and events ----

SP_Stream td_stream(void) {
  SP_Stream stream = NULL;
  TD_OK(create_stream, &stream);
  TN_NEED(stream, "a stream", "success, and NULL");
  return stream;
}

void td_destroy_stream(SP_Stream stream) {
  tn_case_enter("destroy_stream");
  td.fns->destroy_stream(td.device, stream);
  tn_case_leave();
}

SP_Event td_event(void) {
  SP_Event event = NULL;
  TD_OK(create_event, &event);
  TN_NEED(event, "an event", "success, and NULL");
  return event;
}

void td_destroy_event(SP_Event event) {
  tn_case_enter("destroy_event");
  td.fns->destroy_event(td.device, event);
  tn_case_leave();
}

SE_EventStatus td_event_status(SP_Event event) {
  return TN_CASE_CALL("get_event_status", td.fns->get_event_status(td.device, event));
}

void td_wait(SP_Stream stream) {
  if (td.fns->block_host_until_done) {
    TD_OK(block_host_until_done, stream);
    return;
  }
  SP_Event event = td_event();
  TD_OK(record_event, stream, event);
  TD_OK(block_host_for_event, event);
  td_destroy_event(event);
}

static _Thread_local bool is_holding;

static void pass_gate(void* arg, TF_Status* status) {
  td_gate* gate = arg;
  ++gate->entered;
  if (is_holding || (!tn_case_wait_for(&gate->open, 1) && !gate->enqueued))
    tn_case_skip("work is done when the call returns that asks for it");
  TN_NEED(gate->open, "a call that returns while another stream waits",
          "none: whoever was to let it go on hangs");
  ++gate->left;
}

void td_hold(SP_Stream stream, td_gate* gate) {
  TD_NEEDS(host_callback);
  is_holding = true;
  const TF_Bool taken =
      TN_CASE_CALL("host_callback", td.fns->host_callback(td.device, stream, pass_gate, gate));
  is_holding = false;
  gate->enqueued = 1;
  TN_NEED(taken, "a callback that is enqueued", "host_callback gives 0");
}
