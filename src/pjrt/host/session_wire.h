// What a session and its child process say to each other: a head, then `size` bytes in protobuf's
// wire format. Arrays and programs lie in shared memory; messages say where.
#ifndef TENON_PJRT_HOST_SESSION_WIRE_H_
#define TENON_PJRT_HOST_SESSION_WIRE_H_

#include "base/text.h"
#include "base/view.h"
#include "pjrt/host/worker.h"
#include "plugin/child.h"

enum {
  TN_SESSION_CHANNEL = TN_CHILD_FD,  // the child's descriptors
  TN_SESSION_MEMORY,
  TN_SESSION_DATA = 4096,  // the shared memory begins with tn_session_words; arrays from here
  TN_SESSION_ALIGNMENT = 64,
  TN_SESSION_MOST_BYTES = 1 << 24  // of a message
};

// Written by the child, so that its death can be explained.
typedef struct tn_session_words {
  _Atomic uint32_t call;   // tn_pjrt_trace_name
  _Atomic uint32_t begun;  // 1 once the plugin is about to be opened
} tn_session_words;

typedef enum tn_session_kind {
  TN_SESSION_START = 1,
  TN_SESSION_COMPILE = 2,
  TN_SESSION_RUN = 3,
  TN_SESSION_DONE = 4,
  TN_SESSION_FAILED = 5,
} tn_session_kind;

typedef struct tn_session_head {
  uint32_t kind, size;
  uint32_t number;  // of the request, from 1; its answer has the same
} tn_session_head;

// Each `put` has its `get`, which is safe on any bytes: false when they make no sense or there is
// no memory; those that the parent uses set `status` for the latter alone. What a `get` fills is to
// be deinitialised either way.

// A request to start.
typedef struct tn_session_start {
  char* path;
  tn_pjrt_open_options open;
  char* as_of;
  tn_pjrt_session_options options;  // points to the others
  tn_pjrt_values* client;
} tn_session_start;
void tn_session_put_start(tn_text* out, const char* path, const tn_pjrt_session_options* options);
bool tn_session_get_start(tn_view bytes, tn_session_start* start);
void tn_session_start_deinit(tn_session_start* start);

void tn_session_put_found(tn_text* out, const tn_pjrt_found* found);
bool tn_session_get_found(tn_view bytes, tn_pjrt_found* found, tn_status* status);

// A request to compile; the program and the options' proto lie one behind the other at
// TN_SESSION_DATA.
typedef struct tn_session_compile {
  char* format;  // NULL: not given
  uint64_t code_size, proto_size;
} tn_session_compile;
void tn_session_put_compile(tn_text* out, const char* format, size_t code_size, size_t proto_size);
bool tn_session_get_compile(tn_view bytes, tn_session_compile* compile);

// An array in shared memory.
enum { TN_SESSION_MOST_RANK = 254 };
typedef struct tn_session_array {
  tn_dtype dtype;
  int rank;
  int64_t dims[TN_SESSION_MOST_RANK];
  uint64_t at, bytes;
} tn_session_array;

// A request to run and, with `program` as 0, its answer.
typedef struct tn_session_run {
  uint64_t program;
  bool timed;
  tn_pjrt_timing timing;
  tn_session_array* arrays;
  size_t array_count, array_capacity;
} tn_session_run;
void tn_session_put_run(tn_text* out, uint64_t program, const tn_pjrt_timing* timing);
void tn_session_put_array(tn_text* out, const tn_tensor* tensor, uint64_t at);
// Arrays that do not lie within `memory_size` bytes, or are not as large as they say, make no
// sense.
bool tn_session_get_run(tn_view bytes, uint64_t memory_size, tn_session_run* run,
                        tn_status* status);
void tn_session_run_deinit(tn_session_run* run);
// Writes to the shared memory.  [any thread]
bool tn_session_put_bytes(int memory, const void* bytes, size_t size, uint64_t at,
                          tn_status* status);
// Where the next array may begin.
uint64_t tn_session_align(uint64_t at);

// A number alone: the program that was compiled, the outputs it has.
void tn_session_put_numbers(tn_text* out, uint64_t first, uint64_t second);
bool tn_session_get_numbers(tn_view bytes, uint64_t* first, uint64_t* second);

void tn_session_put_failure(tn_text* out, const tn_status* status);
bool tn_session_get_failure(tn_view bytes, tn_status* status);

#endif  // TENON_PJRT_HOST_SESSION_WIRE_H_
