// A StreamExecutor platform: what one plugin's SE_InitPlugin registered. Lives as long as the
// process once it is published.
#ifndef TENON_DEVICE_PLATFORM_H_
#define TENON_DEVICE_PLATFORM_H_

#include "base/text.h"
#include "device/executor.h"
#include "tenon/device_services.h"

// A struct that the plugin filled, kept in place: the plugin's own functions get it back.
typedef struct tn_foreign_room {
  _Alignas(16) char bytes[TN_FOREIGN_ROOM];
} tn_foreign_room;

typedef struct tn_platform {
  struct tn_platform* next;
  const char* file;          // the plugin's path
  const char *since, *like;  // what is known of the release it was built for (foreign_struct.h)
  char *name, *type;
  bool unified_memory, pools_memory, grows_memory;
  int device_count;
  tn_registration registration;
  SP_PlatformFns fns;
  SP_DeviceFns device_fns;
  tn_executor executor;
  SP_TimerFns timer_fns;  // all NULL when the plugin has no timers
  tn_device_services services;  // all NULL when the plugin has none
  tn_foreign_room params_room, platform_room, fns_room, device_fns_room, executor_room, timer_room;
  bool made_device_fns, made_executor, made_timer_fns;
} tn_platform;

// Calls `init` (SE_InitPlugin of `file`, which must live for ever) and all that comes before the
// first device. `since` is the first TensorFlow release with all functions that the plugin imports,
// or NULL. NULL, with what was made taken down again, and a status that names the file. Facts for
// the user go to `notes`, one a line.  [one thread at a time]
tn_platform* tn_platform_create(void (*init)(SE_PlatformRegistrationParams*, TF_Status*),
                                const char* file, const char* since, tn_text* notes,
                                tn_status* status);
// Takes down a platform that was not published.  [one thread at a time]
void tn_platform_destroy(tn_platform* platform);
// Makes its devices known to the process. RESOURCE_EXHAUSTED without room.  [one thread at a time]
bool tn_platform_publish(tn_platform* platform, tn_status* status);

static inline const SP_Platform* tn_platform_handle(const tn_platform* platform) {
  return (const SP_Platform*)platform->platform_room.bytes;
}

// Ends a call of a plugin's function: true when `outcome` is OK; else `status` becomes its failure
// as "<file>: <function>: ...". Frees `outcome`.
bool tn_platform_told(const tn_platform* platform, const char* function, tn_status* outcome,
                      tn_status* status);

// The first published platform, by `next`.
const tn_platform* tn_platform_first(void);

#endif  // TENON_DEVICE_PLATFORM_H_
