// A compiled program from the inside. What the plugin tells of it once and for all is asked once.
#ifndef TENON_PJRT_HOST_EXECUTABLE_H_
#define TENON_PJRT_HOST_EXECUTABLE_H_

#include "pjrt/host/client.h"

struct tn_pjrt_executable {
  tn_pjrt_client* client;
  PJRT_LoadedExecutable* loaded;
  PJRT_Executable* theirs;
  char* name;
  size_t replicas, partitions;
  int64_t code_size;
  size_t output_count;  // SIZE_MAX: not told
  tn_pjrt_device** devices;
  size_t device_count;
  char** output_kinds;  // of memory; NULL: not told
};

// An executable of ours for one that `entry` gave, which belongs to it from now on. On failure the
// plugin's is destroyed.
tn_pjrt_executable* tn_pjrt_executable_wrap(tn_pjrt_client* client, PJRT_LoadedExecutable* loaded,
                                            const char* entry, tn_status* status);

#endif  // TENON_PJRT_HOST_EXECUTABLE_H_
