// What PJRT cases stand on: the plugin's own table, one client, and short words for common steps.
// A step that the plugin should manage ends the case when it does not; one that the plugin may
// leave out (UNIMPLEMENTED, no such function) ends it as skipped.
#ifndef TENON_CHECK_PJRT_FIXTURE_H_
#define TENON_CHECK_PJRT_FIXTURE_H_

#include "check/case.h"
#include "pjrt/host/plugin.h"

// The case's plugin. There is one case in a process.
typedef struct tn_pj {
  tn_pjrt* plugin;
  PJRT_Client* client;
  PJRT_Device* const* devices;  // addressable ones
  size_t device_count;
  PJRT_Device* device;  // the first of them
} tn_pj;
extern tn_pj pj;

// Opens the plugin; skips when it does not open (pjrt.entry.opens tells of that).
void pj_open(const tn_subject* subject);
// The same, with a client and its devices.
void pj_start(const tn_subject* subject);
// The client's options that the case was given, for PJRT_Client_Create. They stay.
PJRT_NamedValue* pj_client_options(const tn_subject* subject, size_t* count);
// Another client with the same options; NULL and the error, to be taken.
PJRT_Client* pj_client_create(const tn_subject* subject, PJRT_Error** error);
void pj_client_destroy(PJRT_Client* client);

// ---- Calls ----

// The entry must be there, else the case is skipped.
void pj_need(int entry);
#define PJ_HAS(ENTRY) TN_PJRT_HAS(pj.plugin, ENTRY)
#define PJ_ARGS(ENTRY, name, ...) TN_PJRT_ARGS(pj.plugin, ENTRY##_Args, name, __VA_ARGS__)
// Calls the plugin's own function: NULL, or an error to be taken.
#define PJ_CALL(ENTRY, args) \
  (pj_need(TN_PJRT_AT_##ENTRY), TN_CASE_CALL(#ENTRY, pj.plugin->theirs->ENTRY(args)))
// Calls it; an error ends the case, as skipped when it is UNIMPLEMENTED and the function is one
// that a plugin may leave out.
#define PJ_OK(ENTRY, args) pj_must(TN_PJRT_AT_##ENTRY, PJ_CALL(ENTRY, args))
void pj_must(int entry, PJRT_Error* error);

// A plugin's error, read and destroyed.
typedef struct pj_error {
  int code;  // PJRT_Error_Code; 0: there was none
  char text[400];
} pj_error;
pj_error pj_take(PJRT_Error* error);
const char* pj_code_name(int code);
// A client that could not be made because the machine has nothing for it.
bool pj_lacks_hardware(const pj_error* error);
// Ends a case that needs a client, as the error of PJRT_Client_Create says.
void pj_end_without_client(const tn_subject* subject, PJRT_Error* error) __attribute__((noreturn));
// The call must have failed. `codes` are those allowed, 0 last; UNIMPLEMENTED always is; {0} allows
// any.
void pj_refused(const char* what, PJRT_Error* error, const int* codes);
#define PJ_REFUSED(what, error, ...) pj_refused(what, error, (const int[]){__VA_ARGS__, 0})
#define PJ_ANY_CODE 0
#define PJ_INVALID PJRT_Error_Code_INVALID_ARGUMENT

// ---- Events ----

// Waits; 0 or the code of the error. Leaves the event.
pj_error pj_await(PJRT_Event* event);
void pj_event_destroy(PJRT_Event* event);
// Waits, must have ended well, and is destroyed. NULL is a finding.
void pj_finish(const char* what, PJRT_Event* event);
bool pj_is_ready(PJRT_Event* event);
void pj_on_ready(PJRT_Event* event, PJRT_Event_OnReadyCallback callback, void* arg);

// ---- Buffers ----

size_t pj_type_bytes(int type);      // of an element on the host; 0: none
const char* pj_type_name(int type);  // "F32"
bool pj_type_known(int type);        // by a plugin of its number
// The usual layout, last dimension fastest, of at most 8 dimensions; points into static memory.
PJRT_Buffer_MemoryLayout pj_usual_layout(size_t rank);
// The bits that an element uses, on the host, in a byte; all of them for wider types.
unsigned char pj_type_mask(int type);
// Dense data, copied; waits for it.
PJRT_Buffer* pj_put(const void* data, int type, const int64_t* dims, size_t rank);
PJRT_Buffer* pj_put_on(PJRT_Device* device, const void* data, int type, const int64_t* dims,
                       size_t rank);
PJRT_Buffer* pj_put_floats(const float* data, int64_t count);
// Everything but the client filled in by the caller; waits for done_with_host_buffer.
PJRT_Buffer* pj_put_args(PJRT_Client_BufferFromHostBuffer_Args* args);
// Starts reading all of a buffer, last dimension fastest: an event.
PJRT_Error* pj_read(PJRT_Buffer* buffer, void* to, size_t bytes, PJRT_Event** event);
// Reads it and waits; it must succeed.
void pj_get(PJRT_Buffer* buffer, void* to, size_t bytes);
// What reading it, or waiting for it, fails with; code 0 when nothing fails.
pj_error pj_read_failure(PJRT_Buffer* buffer, size_t bytes);
void pj_expect_floats(const char* what, PJRT_Buffer* buffer, const float* expected, size_t count);
PJRT_Event* pj_ready_event(PJRT_Buffer* buffer);
bool pj_is_deleted(PJRT_Buffer* buffer);
void pj_delete(PJRT_Buffer* buffer);
void pj_destroy(PJRT_Buffer* buffer);
bool pj_on_cpu(PJRT_Buffer* buffer);
PJRT_Memory* pj_default_memory(PJRT_Device* device);  // NULL when it has none
void pj_compare(const char* what, const void* seen, const void* expected, size_t bytes);
void pj_fill_random(void* data, size_t bytes, int type, uint64_t* state);
int pj_device_id(PJRT_Device* device);
int64_t pj_bytes_in_use(PJRT_Device* device);  // -1: not told

// ---- Programs ----

// Add one to four floats; the same with two inputs and outputs; donated.
extern const char pj_add_one[], pj_add_one_twice[], pj_add_one_aliased[], pj_add_one_donor[];
// pj_add_one as a portable artifact and as an HloModuleProto.
extern const unsigned char pj_artifact[], pj_hlo[];
extern const size_t pj_artifact_size, pj_hlo_size;
// Compile options for one device.
extern const char pj_options[];
extern const size_t pj_options_size;
// Options for these devices, `replicas` of one partition each; returns their size.
size_t pj_options_for(const int* ids, int replicas, char* out, size_t room);
PJRT_Error* pj_try_compile(const char* code, size_t size, const char* format, const char* options,
                           size_t options_size, PJRT_LoadedExecutable** out);
PJRT_LoadedExecutable* pj_compile(const char* text);
PJRT_Executable* pj_executable(PJRT_LoadedExecutable* loaded);
void pj_executable_destroy(PJRT_Executable* executable);
void pj_loaded_destroy(PJRT_LoadedExecutable* loaded);
// Runs on one device. `options`, `complete` may be NULL.
PJRT_Error* pj_try_execute(PJRT_LoadedExecutable* loaded, PJRT_Buffer* const* inputs,
                           size_t input_count, PJRT_Buffer** outputs, PJRT_ExecuteOptions* options,
                           PJRT_Event** complete);
void pj_execute(PJRT_LoadedExecutable* loaded, PJRT_Buffer* const* inputs, size_t input_count,
                PJRT_Buffer** outputs);
PJRT_ExecuteOptions pj_execute_options(void);

// ---- Named values ----

// Names are unique and not empty, kinds are known, values are there.
void pj_check_values(const char* whose, const PJRT_NamedValue* values, size_t count);
// The text is there and has characters.
void pj_check_text(const char* what, const char* text, size_t size);

// Runs `work(arg, i)` on `count` threads at the same time.
void pj_threads(int count, void (*work)(void* arg, int i), void* arg);

#endif  // TENON_CHECK_PJRT_FIXTURE_H_
