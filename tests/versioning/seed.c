// Seed 000's example, all of it: SE_Device as interface v1 to v5 have it, a plugin that makes one
// and a host that uses it. Built five times as a plugin (SEED_PLUGIN) and five times as a host,
// with SEED_VERSION from 1 to 5; and as two plugins of v3 that break a rule, one whose size ends
// inside of `data` (SEED_CUT) and one that sets the reserved word (SEED_RESERVED).

#include <string.h>
#include <sys/mman.h>

#include "seed.h"
#include "tenon/abi.h"

typedef struct SE_Device {
  size_t struct_size;
  void* next;  // reserved: always null
  const char* name;
  size_t name_len;
#if SEED_VERSION >= 2
  void* device_handle;
#endif
#if SEED_VERSION == 3
  void* data;
#elif SEED_VERSION >= 4
  void* data TN_DEPRECATED("since v4: use data2, which v5 brings");
#endif
#if SEED_VERSION >= 5
  void* data2;
#endif
} SE_Device;
#if SEED_VERSION == 1
TN_DEFINE_STRUCT_SIZE(SE_Device, name_len);
#elif SEED_VERSION == 2
TN_DEFINE_STRUCT_SIZE(SE_Device, device_handle);
#elif SEED_VERSION <= 4
TN_DEFINE_STRUCT_SIZE(SE_Device, data);
#else
TN_DEFINE_STRUCT_SIZE(SE_Device, data2);
#endif

#ifdef SEED_PLUGIN

// Each in its own page, with rubbish up to its end and nothing behind: a host that reads further
// than struct_size dies.
static SE_Device* place_before_nothing(SE_Device device) {
  enum { PAGE = 4096 };
  char* pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE) != 0) return NULL;
  memset(pages, 0x55, PAGE);
  return memcpy(pages + PAGE - sizeof device, &device, device.struct_size);
}

// A plugin of v4 was told that `data` will go, and keeps it for the hosts that want it; one of v5
// does without.
SEED_EXPORT SE_Device* Plugin_CreateDevice(void) {
  SE_Device device = TN_INIT(SE_Device);
  device.name = "seed";
  device.name_len = 4;
#if SEED_VERSION >= 2
  device.device_handle = (void*)"handle";
#endif
#if SEED_VERSION == 3 || SEED_VERSION == 4
  device.data = (void*)"data";
#endif
#if SEED_VERSION >= 5
  device.data2 = (void*)"data2";
#endif
#ifdef SEED_CUT
  device.struct_size -= 4;
#endif
#ifdef SEED_RESERVED
  device.next = (void*)"next";
#endif
  return place_before_nothing(device);
}

#else

// Reads through the pointer, null or not: what a sanitizer would say of it is what is tested.
__attribute__((noinline, no_sanitize("address", "undefined"))) static void follow(
    const void* pointer, const char* member, seed_use* use) {
  const volatile char* text = pointer;
  use(member, NULL);
  char copy[16] = {text[0]};
  for (int i = 1; i < 15 && copy[i - 1]; ++i) copy[i] = text[i];
  use(member, copy);
}

// The four ways to read a member. The first two are the seed's: the size is held against the
// member's offset, and validation is a look at the pointer. Tenon's rule wants the whole member
// there, and has an answer for one that is null. The last is nobody's, to see that it is seen.
#define READ(member)                                                              \
  do {                                                                            \
    const bool begins = device->struct_size > offsetof(SE_Device, member);        \
    if (manner == SEED_BLIND || (manner == SEED_TRUSTING && begins) ||            \
        (manner == SEED_VALIDATING && begins && device->member))                  \
      follow(device->member, #member, use);                                       \
    if (manner == SEED_TENON && TN_HAS(device, member)) {                         \
      if (!device->member) {                                                      \
        tn_status_set(status, TN_FAILED_PRECONDITION,                             \
                      "SE_Device." #member                                        \
                      " is null, and this host (v%d) needs "                      \
                      "it; the plugin must go on setting it for hosts up to v%d", \
                      SEED_VERSION, SEED_VERSION);                                \
        tn_status_set_fault(status, TN_FAULT_PLUGIN);                             \
        return;                                                                   \
      }                                                                           \
      follow(device->member, #member, use);                                       \
    }                                                                             \
  } while (0)

SEED_EXPORT void TF_Foo(const struct SE_Device* device, seed_manner manner, bool uses_deprecated,
                        seed_use* use, tn_status* status) {
  const char* wrong = TN_CHECK_RESERVED(device, next);
  if (manner == SEED_TENON && wrong) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "SE_Device: %s", wrong);
    return;
  }
  READ(name);
#if SEED_VERSION >= 2
  READ(device_handle);
#endif
#if SEED_VERSION >= 3
  if (SEED_VERSION == 3 || uses_deprecated) READ(data);
#endif
#if SEED_VERSION >= 5
  READ(data2);
#endif
}

#endif
