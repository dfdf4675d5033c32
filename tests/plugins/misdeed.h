// A device plugin that does one thing wrong. TENON_TEST_MISDEED names it when SE_InitPlugin is
// called, misdeed_set later:
//
//   null:STRUCT:FIELD  size:STRUCT:BYTES  ext:STRUCT   spoil a struct after filling it
//   fail:FUNCTION  fail:FUNCTION:N                     fail each call, or the Nth
//   unavailable no_platform crash abort exit hang      instead of registering
//   name:TEXT type:TEXT version:N count:N              say this
//   replaces_structs tables_change unified_without_functions negative_memory
//   event:N                                            every event has this state
//   copy_fails_later                                   on the stream, after it was enqueued
//   callback_twice callback_never callback_refused callback_refused_but_made
//   pooled unified                                     no misdeeds: the host shares the memory out;
//                                                      there is unified memory
//
// Otherwise it behaves: two devices, streams that are threads, a kernel of Neg for floats.
#ifndef TENON_TESTS_PLUGINS_MISDEED_H_
#define TENON_TESTS_PLUGINS_MISDEED_H_

#include <stdatomic.h>
#include <stdbool.h>

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

// The plugin's own.
extern atomic_int misdeed_counts[MISDEED_KINDS];
bool misdeed_is(const char* name);
// What follows "kind:" in the misdeed's name; NULL when it is of another kind.
const char* misdeed_argument(const char* kind);
// True when this call of `function` is to fail; `status` may be NULL.
bool misdeed_fails(const char* function, TF_Status* status);
void misdeed_spoil(const char* struct_name, void* object);

#endif  // TENON_TESTS_PLUGINS_MISDEED_H_
