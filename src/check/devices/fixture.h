// What the cases of devices share: the plugin's platform, one device of it, and its functions. The
// tables are read as the host reads them, so that plugins of all releases are served; the functions
// are called as they are, below Tenon's own streams and memory.
#ifndef TENON_CHECK_DEVICES_FIXTURE_H_
#define TENON_CHECK_DEVICES_FIXTURE_H_

#include "base/status.h"
#include "check/case.h"
#include "check/threads.h"
#include "device/platform.h"

typedef void (*td_init)(SE_PlatformRegistrationParams* params, TF_Status* status);

typedef struct td_state {
  const tn_subject* subject;
  td_init init;
  tn_platform* platform;
  const SP_StreamExecutor* fns;
  const SP_Device* device;  // the first
  uint64_t random;
} td_state;
extern td_state td;

// Opens the file; ends the case when it does not open.
void td_open(const tn_subject* subject);
// SE_InitPlugin, and all tables. Ends the case when that fails.
void td_register(const tn_subject* subject);
// The same, and the first device; skips the case when there is none.
void td_start(const tn_subject* subject);
// NULL, with the failure in `status`, when the plugin does not make it. `room` is the device's.
SP_Device* td_create_device(int ordinal, tn_foreign_room* room, tn_status* status);
void td_destroy_device(SP_Device* device);

// Ends the case as skipped when the plugin leaves out a function that it may.
#define TD_NEEDS(function) \
  if (!td.fns->function) tn_case_skip("the plugin has no " #function)

// Calls a function that ends with a status and must succeed: true when it did.
#define TD_OK(function, ...)                            \
  ({                                                    \
    tn_status status_ = {0};                            \
    tn_case_enter(#function);                           \
    td.fns->function(td.device, __VA_ARGS__, &status_); \
    tn_case_leave();                                    \
    td_succeeded(#function, &status_);                  \
  })
// Reports and ends the case when `status` is a failure; frees it.
bool td_succeeded(const char* function, tn_status* status);

// Memory of `size` bytes; ends the case without.
SP_DeviceMemoryBase td_allocate(uint64_t size);
void td_free(SP_DeviceMemoryBase* memory);
// A part of it.
SP_DeviceMemoryBase td_part(const SP_DeviceMemoryBase* memory, uint64_t offset, uint64_t size);

SP_Stream td_stream(void);
void td_destroy_stream(SP_Stream stream);
SP_Event td_event(void);
void td_destroy_event(SP_Event event);
SE_EventStatus td_event_status(SP_Event event);
// Waits until the stream is done, by whatever the plugin has for it.
void td_wait(SP_Stream stream);

// Copies that wait, on a stream of their own where the plugin has no blocking ones.
void td_put(SP_DeviceMemoryBase* memory, const void* from, uint64_t size);
void td_get(void* to, const SP_DeviceMemoryBase* memory, uint64_t size);

// Bytes from the seed, on the heap.
char* td_bytes(size_t size);
void* td_room(size_t size);
// Reports the first byte that differs.
void td_compare(const char* what, const void* seen, const void* expected, size_t size);

// A callback of a stream that waits until `open` is 1 and counts. Skips the case where the plugin
// calls back before host_callback returns: such streams have nothing to wait for.
typedef struct td_gate {
  _Atomic int open, entered, left, enqueued;
} td_gate;
void td_hold(SP_Stream stream, td_gate* gate);

#endif  // TENON_CHECK_DEVICES_FIXTURE_H_
