// A PJRT plugin at work on one device, for whoever wants results and little else: arrays go in, a
// program runs, arrays come out.
//
//   tn_pjrt_session_options options = TN_INIT(tn_pjrt_session_options);
//   options.isolate = true;
//   tn_pjrt_session* session = tn_pjrt_session_start("pjrt_plugin.so", &options, status);
//   int add = tn_pjrt_session_compile(session, code, size, NULL, status);
//   tn_tensor* sum = NULL;
//   tn_pjrt_session_run(session, add, &x, 1, &sum, 1, NULL, status);
//   tn_pjrt_session_stop(session);
//
// With `isolate` the plugin lives in a child process, to which arrays go through shared memory. A
// plugin that crashes, exits or hangs there is a status that names the signal and the call
// ("pjrt_plugin.so: the plugin died with SIGSEGV in PJRT_Client_Create"), and the program goes on.
// Without, everything is done in this process by the functions of tenon/pjrt.h.
#ifndef TENON_PJRT_SESSION_H_
#define TENON_PJRT_SESSION_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/abi.h"
#include "tenon/pjrt.h"
#include "tenon/status.h"
#include "tenon/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_pjrt_session tn_pjrt_session;

typedef struct tn_pjrt_session_options {
  size_t struct_size;
  void* ext;                         // NULL
  const tn_pjrt_open_options* open;  // how to open the plugin; NULL: as tn_pjrt_open does
  const tn_pjrt_values* client;      // options of the client; NULL: none
  int32_t device;                    // among the devices that can be used here, from 0
  uint32_t time_limit_ms;            // isolated: for each compilation and run; 0: none
  bool isolate;                      // in a child process
} tn_pjrt_session_options;
TN_DEFINE_STRUCT_SIZE(tn_pjrt_session_options, isolate);

// What a session has found. Texts are owned by the session.
typedef struct tn_pjrt_session_facts {
  size_t struct_size;
  void* ext;                     // NULL
  int32_t major, minor;          // the plugin's number
  const char* stablehlo;         // the newest version it takes, "1.20.0"; "": it does not say
  const char* platform;          // "cuda"
  const char* platform_version;  // in the plugin's words, perhaps of several lines
  const char* device;            // "NVIDIA H200"
  const char* notes;             // of the opening, as tn_pjrt_notes says them
  int32_t device_count;          // that can be used here
} tn_pjrt_session_facts;
TN_DEFINE_STRUCT_SIZE(tn_pjrt_session_facts, device_count);

// How long runs take, in nanoseconds, from the call until the outputs are there on the device.
typedef struct tn_pjrt_timing {
  size_t struct_size;
  void* ext;          // NULL
  uint32_t calls;     // how many to time after the first, 0: 1,000; then how many were timed
  uint32_t most_ms;   // and for how long at most, 0: 2,000
  uint64_t first;     // the first run
  uint64_t per_call;  // one at a time, the mean
  uint64_t p50, p99;  // of these, half and 99 % took no longer
  uint64_t in_a_row;  // per call when each is made without waiting for the one before
} tn_pjrt_timing;
TN_DEFINE_STRUCT_SIZE(tn_pjrt_timing, in_a_row);

// Opens the plugin and makes its client. Copies what it is given. Owned by the caller until
// tn_pjrt_session_stop; NULL with a status that says what the plugin said and what to do.
// [any thread]  since 0.1
tn_pjrt_session* tn_pjrt_session_start(const char* path, const tn_pjrt_session_options* options,
                                       tn_status* status);
// Ends the session, its programs and its child process; NULL is fine. The caller's pointer is dead
// afterwards.  [one thread per session]  since 0.1
void tn_pjrt_session_stop(tn_pjrt_session* session);
// Writes what `out->struct_size` has room for. Borrows both; texts are owned by the session.
// [any thread]  since 0.1
bool tn_pjrt_session_tell(const tn_pjrt_session* session, tn_pjrt_session_facts* out,
                          tn_status* status);
// Compiles a program for the session's device; replicas and partitions must be 1. Borrows all that
// it is given, and owns the program until the session ends. Its number, from 0; -1 with a status.
// [any thread]  since 0.1
int tn_pjrt_session_compile(tn_pjrt_session* session, const void* code, size_t size,
                            const tn_pjrt_compile_options* options, tn_status* status);
// How many outputs the program has; -1 when there is no such program. Borrows `session`.
// [any thread]  since 0.1
int tn_pjrt_session_output_count(const tn_pjrt_session* session, int program);
// Runs the program once on `inputs`, which are borrowed; with `timing` (may be NULL) then as often
// as it says, with the same inputs. The outputs, as many as the program has, are owned by the
// caller. False makes none.  [any thread]  since 0.1
bool tn_pjrt_session_run(tn_pjrt_session* session, int program, tn_tensor* const* inputs,
                         size_t input_count, tn_tensor** outputs, size_t output_count,
                         tn_pjrt_timing* timing, tn_status* status);

#ifdef __cplusplus
}
#endif
#endif  // TENON_PJRT_SESSION_H_
