#include "check/pjrt/fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "pjrt/host/worker.h"

tn_pj pj;

// ---- Opening ----

void pj_open(const tn_subject* subject) {
  tn_status status = {0};
  tn_pjrt_trace_to(tn_case_trace_word());
  pj.plugin = TN_CASE_CALL("opening the plugin", tn_pjrt_open(subject->path, NULL, &status));
  if (!pj.plugin) tn_case_skip("the plugin does not open: %s", tn_status_message(&status));
}

PJRT_NamedValue* pj_client_options(const tn_subject* subject, size_t* count) {
  tn_status status = {0};
  tn_pjrt_values* values = tn_pjrt_values_create();
  for (size_t i = 0; i < subject->option_count; ++i)
    if (!values || !tn_pjrt_values_set_text(values, subject->options[i], &status))
      tn_case_error("%s", values ? tn_status_message(&status) : "out of memory");
  PJRT_NamedValue* options = tn_pjrt_values_lend(pj.plugin, values, count, &status);
  if (!tn_ok(&status)) tn_case_error("%s", tn_status_message(&status));
  return options;
}

PJRT_Client* pj_client_create(const tn_subject* subject, PJRT_Error** error) {
  size_t count = 0;
  PJRT_NamedValue* options = pj_client_options(subject, &count);
  PJ_ARGS(PJRT_Client_Create, args, .create_options = options, .num_options = count);
  *error = PJ_CALL(PJRT_Client_Create, args);
  return *error ? NULL : args->client;
}

void pj_client_destroy(PJRT_Client* client) {
  PJ_ARGS(PJRT_Client_Destroy, args, .client = client);
  PJ_OK(PJRT_Client_Destroy, args);
}

bool pj_lacks_hardware(const pj_error* error) {
  return error->code == PJRT_Error_Code_UNAVAILABLE ||
         tn_pjrt_speaks_of_absent_hardware(error->text);
}

void pj_end_without_client(const tn_subject* subject, PJRT_Error* error) {
  const pj_error taken = pj_take(error);
  // What cannot be made as it was asked for is no reason to be content.
  if (subject->option_count && taken.code == PJRT_Error_Code_INVALID_ARGUMENT)
    tn_case_error("no client with the --option that was given: %s", taken.text);
  tn_case_skip("%s: %s: %s", pj_lacks_hardware(&taken) ? TN_NO_DEVICE : "no client",
               pj_code_name(taken.code), taken.text);
}

void pj_start(const tn_subject* subject) {
  pj_open(subject);
  PJRT_Error* error;
  pj.client = pj_client_create(subject, &error);
  if (error) pj_end_without_client(subject, error);
  if (!pj.client) tn_case_skip("PJRT_Client_Create gives no client");
  PJ_ARGS(PJRT_Client_AddressableDevices, args, .client = pj.client);
  PJ_OK(PJRT_Client_AddressableDevices, args);
  pj.devices = args->addressable_devices;
  pj.device_count = args->num_addressable_devices;
  if (!pj.device_count || !pj.devices || !pj.devices[0])
    tn_case_skip(TN_NO_DEVICE ": the client has none");
  pj.device = pj.devices[0];
}

// ---- Calls ----

void pj_need(int entry) {
  if (pj.plugin->absent[entry] != TN_PJRT_PRESENT)
    tn_case_skip("the plugin, of number %d.%d, has no %s", pj.plugin->major, pj.plugin->minor,
                 tn_pjrt_entry_names[entry]);
}

// What frameworks cannot do without: they end the process when one of these is not implemented.
static bool is_mandatory(int entry) {
#define IS(ENTRY) case TN_PJRT_AT_PJRT_##ENTRY:
  switch (entry) {
    IS(Error_GetCode)
    IS(Plugin_Initialize)
    IS(Plugin_Attributes)
    IS(Event_Destroy)
    IS(Event_IsReady)
    IS(Event_Error)
    IS(Event_Await)
    IS(Event_OnReady)
    IS(Client_Create)
    IS(Client_Destroy)
    IS(Client_PlatformName)
    IS(Client_PlatformVersion)
    IS(Client_ProcessIndex)
    IS(Client_Devices)
    IS(Client_AddressableDevices)
    IS(Client_LookupDevice)
    IS(Client_LookupAddressableDevice)
    IS(Client_Compile)
    IS(Client_DefaultDeviceAssignment)
    IS(Client_BufferFromHostBuffer)
    IS(DeviceDescription_Id)
    IS(DeviceDescription_ProcessIndex)
    IS(DeviceDescription_Attributes)
    IS(DeviceDescription_Kind)
    IS(DeviceDescription_DebugString)
    IS(DeviceDescription_ToString)
    IS(Device_GetDescription)
    IS(Device_IsAddressable)
    IS(Device_LocalHardwareId)
    IS(Memory_Id)
    IS(Memory_Kind)
    IS(Memory_DebugString)
    IS(Memory_ToString)
    IS(Memory_AddressableByDevices)
    IS(Executable_Destroy)
    IS(Executable_Name)
    IS(Executable_NumReplicas)
    IS(Executable_NumPartitions)
    IS(Executable_NumOutputs)
    IS(Executable_SizeOfGeneratedCodeInBytes)
    IS(LoadedExecutable_Destroy)
    IS(LoadedExecutable_GetExecutable)
    IS(LoadedExecutable_AddressableDevices)
    IS(LoadedExecutable_Delete)
    IS(LoadedExecutable_IsDeleted)
    IS(LoadedExecutable_Execute)
    IS(Buffer_Destroy)
    IS(Buffer_ElementType)
    IS(Buffer_Dimensions)
    IS(Buffer_OnDeviceSizeInBytes)
    IS(Buffer_Device)
    IS(Buffer_Delete)
    IS(Buffer_IsDeleted)
    IS(Buffer_ToHostBuffer)
    IS(Buffer_IsOnCpu)
    IS(Buffer_ReadyEvent)
    return true;
    default: return false;
  }
#undef IS
}

void pj_must(int entry, PJRT_Error* error) {
  if (!error) return;
  const pj_error taken = pj_take(error);
  const char* name = tn_pjrt_entry_names[entry];
  if (taken.code == PJRT_Error_Code_UNIMPLEMENTED && !is_mandatory(entry))
    tn_case_skip("%s is UNIMPLEMENTED: %s", name, taken.text);
  char expected[128];
  snprintf(expected, sizeof expected, "%s succeeds", name);
  tn_case_broken(NULL, expected, "%s: %s", pj_code_name(taken.code), taken.text);
  tn_case_end();
}

const char* pj_code_name(int code) {
  if (code >= 0 && code <= PJRT_Error_Code_UNAUTHENTICATED) return tn_code_name((tn_code)code);
  static char number[32];
  snprintf(number, sizeof number, "code %d", code);
  return number;
}

pj_error pj_take(PJRT_Error* error) {
  pj_error taken = {0};
  if (!error) return taken;
  PJ_ARGS(PJRT_Error_GetCode, code, .error = error);
  PJRT_Error* inner = PJ_CALL(PJRT_Error_GetCode, code);
  if (inner) tn_case_broken("PJRT_Error_GetCode does not fail", "a code", "another error");
  taken.code = inner || !code->code ? PJRT_Error_Code_UNKNOWN : (int)code->code;
  PJ_ARGS(PJRT_Error_Message, message, .error = error);
  tn_case_enter("PJRT_Error_Message");
  pj.plugin->theirs->PJRT_Error_Message(message);
  tn_case_leave();
  if (message->message && message->message_size < SIZE_MAX / 2)
    snprintf(taken.text, sizeof taken.text, "%.*s",
             (int)(message->message_size < 350 ? message->message_size : 350), message->message);
  PJ_ARGS(PJRT_Error_Destroy, destroy, .error = error);
  tn_case_enter("PJRT_Error_Destroy");
  pj.plugin->theirs->PJRT_Error_Destroy(destroy);
  tn_case_leave();
  return taken;
}

void pj_refused(const char* what, PJRT_Error* error, const int* codes) {
  if (!error) {
    tn_case_broken(NULL, "an error", "%s succeeds", what);
    return;
  }
  const pj_error taken = pj_take(error);
  bool fine = !codes[0] || taken.code == PJRT_Error_Code_UNIMPLEMENTED;
  for (; *codes && !fine; ++codes) fine = taken.code == *codes;
  if (!fine)
    tn_case_broken(NULL, pj_code_name(codes[-1]), "%s: %s: %s", what, pj_code_name(taken.code),
                   taken.text);
}

// ---- Events ----

pj_error pj_await(PJRT_Event* event) {
  PJ_ARGS(PJRT_Event_Await, args, .event = event);
  return pj_take(PJ_CALL(PJRT_Event_Await, args));
}

void pj_event_destroy(PJRT_Event* event) {
  PJ_ARGS(PJRT_Event_Destroy, args, .event = event);
  PJ_OK(PJRT_Event_Destroy, args);
}

void pj_finish(const char* what, PJRT_Event* event) {
  TN_NEED(event, "an event", "%s: NULL", what);
  const pj_error error = pj_await(event);
  TN_NEED(!error.code, "an event that ends without an error", "%s: %s: %s", what,
          pj_code_name(error.code), error.text);
  pj_event_destroy(event);
}

bool pj_is_ready(PJRT_Event* event) {
  PJ_ARGS(PJRT_Event_IsReady, args, .event = event);
  PJ_OK(PJRT_Event_IsReady, args);
  return args->is_ready;
}

void pj_on_ready(PJRT_Event* event, PJRT_Event_OnReadyCallback callback, void* arg) {
  PJ_ARGS(PJRT_Event_OnReady, args, .event = event, .callback = callback, .user_arg = arg);
  PJ_OK(PJRT_Event_OnReady, args);
}

// ---- Named values, texts ----

void pj_check_text(const char* what, const char* text, size_t size) {
  TN_NEED(text && size > 0 && size < 1 << 20, "a text", "%s: %p with %zu bytes", what,
          (const void*)text, size);
  TN_EXPECT(!memchr(text, 0, size), "a text without zero bytes", "%s: one within its %zu bytes",
            what, size);
}

void pj_check_values(const char* whose, const PJRT_NamedValue* values, size_t count) {
  TN_NEED(!count || values, "as many values as are counted", "%s: %zu at NULL", whose, count);
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue* value = &values[i];
    pj_check_text("a value's name", value->name, value->name_size);
    const int size = (int)value->name_size;
    TN_NEED(value->type >= PJRT_NamedValue_kString && value->type <= PJRT_NamedValue_kBool,
            "a type of PJRT_NamedValue_Type", "%s: '%.*s' has type %d", whose, size, value->name,
            (int)value->type);
    TN_EXPECT(value->type != PJRT_NamedValue_kString || !value->value_size || value->string_value,
              "a string", "%s: '%.*s' is NULL", whose, size, value->name);
    TN_EXPECT(
        value->type != PJRT_NamedValue_kInt64List || !value->value_size || value->int64_array_value,
        "a list", "%s: '%.*s' is NULL", whose, size, value->name);
    for (size_t k = 0; k < i; ++k)
      TN_EXPECT(values[k].name_size != value->name_size ||
                    memcmp(values[k].name, value->name, value->name_size) != 0,
                "names that differ", "%s: '%.*s' twice", whose, size, value->name);
  }
}

void pj_compare(const char* what, const void* seen, const void* expected, size_t bytes) {
  const unsigned char *a = seen, *b = expected;
  for (size_t i = 0; i < bytes; ++i)
    if (a[i] != b[i]) {
      tn_case_broken(NULL, "the same bytes", "%s: byte %zu of %zu is 0x%02x, not 0x%02x", what, i,
                     bytes, a[i], b[i]);
      return;
    }
}

// ---- Threads ----

typedef struct thread_work {
  void (*work)(void* arg, int i);
  void* arg;
  int i;
  pthread_barrier_t* start;
} thread_work;

static void* run_thread(void* arg) {
  thread_work* one = arg;
  pthread_barrier_wait(one->start);
  one->work(one->arg, one->i);
  return NULL;
}

void pj_threads(int count, void (*work)(void* arg, int i), void* arg) {
  enum { most = 32 };
  pthread_t threads[most];
  thread_work works[most];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, (unsigned)count);
  for (int i = 0; i < count; ++i) {
    works[i] = (thread_work){work, arg, i, &start};
    if (pthread_create(&threads[i], NULL, run_thread, &works[i]) != 0)
      tn_case_error("cannot start a thread");
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&start);
}
