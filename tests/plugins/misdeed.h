// A device plugin that does one thing wrong. TENON_TEST_MISDEED names it when SE_InitPlugin is
// called, misdeed_set later:
//
//   null:STRUCT:FIELD  size:STRUCT:BYTES  ext:STRUCT   spoil a struct after filling it
//   fail:FUNCTION  fail:FUNCTION:N                     fail each call, or the Nth
//   unavailable no_platform crash abort exit hang      instead of registering
//   crash_opening exit_opening                         instead of creating a device
//   name:TEXT type:TEXT hardware:TEXT version:N count:N   say this
//   replaces_structs tables_change unified_without_functions negative_memory
//   more_free_memory_than_there_is timers_say_nonsense
//   event:N                                            every event has this state
//   copy_fails_later                                   on the stream, after it was enqueued
//   callback_twice callback_never callback_refused callback_refused_but_made
//   nothing:FUNCTION                                   a service gives NULL and no reason
//   names that tenon check is tried on: where misdeed_device.c asks for them
//   pooled unified                                     no misdeeds: the host shares the memory out;
//                                                      there is unified memory
//
// Otherwise it behaves: two devices, streams that are threads, a kernel of Neg for floats, and the
// services of tenon/device_services.h.
#ifndef TENON_TESTS_PLUGINS_MISDEED_H_
#define TENON_TESTS_PLUGINS_MISDEED_H_

#include <stdatomic.h>
#include <stdbool.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/tf_status.h"

#define MISDEED_TYPE "MISDEED"

// What misdeed_live counts.
enum {
  MISDEED_TABLES,  // structs that the host has to give back
  MISDEED_DEVICES,
  MISDEED_STREAMS,
  MISDEED_EVENTS,
  MISDEED_TIMERS,
  MISDEED_BLOCKS,
  MISDEED_EARLY_DESTROYS,  // streams that were destroyed with work on them
  MISDEED_KINDS
};

// Exported; for dlsym. The text must live on.
void misdeed_set(const char* name);
int misdeed_live(int kind);

// What can be launched: runs on the stream's thread. `args` are four words, of which the launch's
// array has as many as stand before its NULL.
typedef void (*misdeed_kernel)(void* const args[4], const uint32_t grid[3],
                               const uint32_t block[3]);
// The code of a launch on the vendor's stream that fails.
enum { MISDEED_CODE = 9 };

// What the vendor's side of a stream is.
typedef struct misdeed_vendor {
  SP_Stream stream;  // the vendor's stream is the same one
  char scratchpad[1024];
  int semaphore;
} misdeed_vendor;

// The plugin's own.
misdeed_vendor* misdeed_vendor_of(SP_Stream stream);
// Calls `fn(arg)` on the stream's thread.
bool misdeed_enqueue(SP_Stream stream, void (*fn)(void* arg), void* arg, TF_Status* status);
extern atomic_int misdeed_counts[MISDEED_KINDS];
bool misdeed_is(const char* name);
// What follows "kind:" in the misdeed's name; NULL when it is of another kind.
const char* misdeed_argument(const char* kind);
// True when this call of `function` is to fail; `status` may be NULL.
bool misdeed_fails(const char* function, TF_Status* status);
void misdeed_spoil(const char* struct_name, void* object);

#endif  // TENON_TESTS_PLUGINS_MISDEED_H_
