// Outcome of a call: a code, a message for people, payloads, and which side is at fault.
//
// Every function that can fail takes a `tn_status*` last. Passing NULL means "I do not want to
// know": the return value still tells success from failure. A status is changed only by calls that
// fail, so a caller clears it, or makes a new one, before a call whose outcome matters.
//
// A `tn_status` and the `TF_Status` of the plugin ABI are the same object under two names.
#ifndef TENON_STATUS_H_
#define TENON_STATUS_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TN_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define TN_PRINTF(format_at, args_at)
#endif

typedef struct TF_Status tn_status;

// The same numbers as TF_Code, PJRT_Error_Code and absl's canonical codes.
typedef enum tn_code {
  TN_OK = 0,
  TN_CANCELLED = 1,
  TN_UNKNOWN = 2,
  TN_INVALID_ARGUMENT = 3,
  TN_DEADLINE_EXCEEDED = 4,
  TN_NOT_FOUND = 5,
  TN_ALREADY_EXISTS = 6,
  TN_PERMISSION_DENIED = 7,
  TN_RESOURCE_EXHAUSTED = 8,
  TN_FAILED_PRECONDITION = 9,
  TN_ABORTED = 10,
  TN_OUT_OF_RANGE = 11,
  TN_UNIMPLEMENTED = 12,
  TN_INTERNAL = 13,
  TN_UNAVAILABLE = 14,
  TN_DATA_LOSS = 15,
  TN_UNAUTHENTICATED = 16,
} tn_code;

// Which side has to change for the call to work.
typedef enum tn_fault {
  TN_FAULT_UNSAID = 0,
  TN_FAULT_CALLER = 1,
  TN_FAULT_HOST = 2,
  TN_FAULT_PLUGIN = 3,
} tn_fault;

// Makes an OK status. Owned by the caller until tn_status_destroy; NULL when out of memory.
// [any thread]  since 0.1
tn_status* tn_status_create(void);

// Frees a status; NULL is fine. The caller's pointer is dead afterwards.  [any thread]  since 0.1
void tn_status_destroy(tn_status* status);

// True when `status` is OK or NULL. Borrows `status`.  [any thread]  since 0.1
bool tn_ok(const tn_status* status);

// The code; TN_OK for NULL. Borrows `status`.  [any thread]  since 0.1
tn_code tn_status_code(const tn_status* status);

// The message, "" when OK. Owned by the status until it is next changed.  [any thread]  since 0.1
const char* tn_status_message(const tn_status* status);

// Which side is at fault. Borrows `status`.  [any thread]  since 0.1
tn_fault tn_status_fault(const tn_status* status);

// "INVALID_ARGUMENT" and so on; "UNKNOWN" for a number that is no code. Static text, owned by
// the library.  [any thread]  since 0.1
const char* tn_code_name(tn_code code);

// Sets code and message; TN_OK clears message, payloads and fault. Copies what it is given.
// [one thread per status]  since 0.1
void tn_status_set(tn_status* status, tn_code code, const char* format, ...) TN_PRINTF(3, 4);

// Says which side is at fault; without effect on an OK status. Borrows `status`.
// [one thread per status]  since 0.1
void tn_status_set_fault(tn_status* status, tn_fault fault);

// Appends "; <text>" to the message of a failed status. Copies what it is given.
// [one thread per status]  since 0.1
void tn_status_annotate(tn_status* status, const char* format, ...) TN_PRINTF(2, 3);

// Back to OK. Keeps the object, owned as before.  [one thread per status]  since 0.1
void tn_status_clear(tn_status* status);

// Attaches a key and a value to a failed status, replacing an older value of that key; copies both.
// [one thread per status]  since 0.1
void tn_status_set_payload(tn_status* status, const char* key, const char* value);

// Calls `visit` for each payload; the strings are owned by the status and valid during the call
// only. [any thread]  since 0.1
void tn_status_each_payload(const tn_status* status,
                            void (*visit)(const char* key, const char* value, void* arg),
                            void* arg);

// Prints a failed status to standard error as "tenon: <message>" and returns an exit code for main:
// 0 when OK, 3 when a plugin is at fault, 1 otherwise. A message may hold words of a plugin's:
// control characters and what is no UTF-8 are printed as \x1b and the like. Borrows `status`.
// [any thread]  since 0.1
int tn_report(const tn_status* status);

#ifdef __cplusplus
}
#endif
#endif  // TENON_STATUS_H_
