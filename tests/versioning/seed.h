// What the program that brings a host and a plugin of seed 000 together knows of both.
#ifndef TENON_TESTS_VERSIONING_SEED_H_
#define TENON_TESTS_VERSIONING_SEED_H_

#include <stdbool.h>

#include "tenon/status.h"

#define SEED_EXPORT __attribute__((visibility("default")))

struct SE_Device;

// How a host reads a member.
typedef enum seed_manner {
  SEED_TRUSTING,    // if struct_size covers it
  SEED_VALIDATING,  // if struct_size covers it and it is not null
  SEED_TENON,       // the same, with a status where it is null
  SEED_BLIND,       // always
} seed_manner;

// Told of each member before the host follows it, with NULL for `found`, and of what it found
// there.
typedef void seed_use(const char* member, const char* found);

SEED_EXPORT struct SE_Device* Plugin_CreateDevice(void);
SEED_EXPORT void TF_Foo(const struct SE_Device* device, seed_manner manner, bool uses_deprecated,
                        seed_use* use, tn_status* status);

#endif  // TENON_TESTS_VERSIONING_SEED_H_
