// What a session does, in the process that holds the plugin: the caller's own, or its child.
#ifndef TENON_PJRT_HOST_WORKER_H_
#define TENON_PJRT_HOST_WORKER_H_

#include "tenon/pjrt_session.h"

// The texts and numbers of tn_pjrt_session_facts, owned.
typedef struct tn_pjrt_found {
  int major, minor, device_count;
  char *stablehlo, *platform, *platform_version, *device, *notes;
} tn_pjrt_found;
void tn_pjrt_found_deinit(tn_pjrt_found* found);

typedef struct tn_pjrt_worker {
  tn_pjrt* plugin;
  tn_pjrt_client* client;
  tn_pjrt_device* device;
  tn_pjrt_executable** programs;
  size_t program_count, program_capacity;
  bool can_keep;  // inputs that a program would have donated
  tn_pjrt_found found;
} tn_pjrt_worker;

// Zero bytes are a worker that has not started; deinit after a failed start too.
bool tn_pjrt_worker_start(tn_pjrt_worker* worker, const char* path,
                          const tn_pjrt_session_options* options, tn_status* status);
void tn_pjrt_worker_deinit(tn_pjrt_worker* worker);
// The number of the program, -1 with a status; and how many outputs it has.
int tn_pjrt_worker_compile(tn_pjrt_worker* worker, const void* code, size_t size,
                           const tn_pjrt_compile_options* options, size_t* out_outputs,
                           tn_status* status);
// As tn_pjrt_session_run, for a program that exists and room for all of its outputs.
bool tn_pjrt_worker_run(tn_pjrt_worker* worker, int program, tn_tensor* const* inputs,
                        size_t input_count, tn_tensor** outputs, size_t output_count,
                        tn_pjrt_timing* timing, tn_status* status);

// Plugins say in their own words, and with different codes, that there is no hardware for them.
bool tn_pjrt_speaks_of_absent_hardware(const char* message);

// Nanoseconds of `calls` runs, one by one, into a timing.
void tn_pjrt_timing_fill(tn_pjrt_timing* timing, uint64_t* times, uint32_t calls);

#endif  // TENON_PJRT_HOST_WORKER_H_
