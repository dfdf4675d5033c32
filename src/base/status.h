// What the host itself does with statuses beyond the public calls of tenon/status.h.
#ifndef TENON_BASE_STATUS_H_
#define TENON_BASE_STATUS_H_

#include <stdarg.h>
#include <stddef.h>

#include "base/memory.h"
#include "tenon/status.h"

typedef struct tn_payload {
  struct tn_payload* next;
  char* value;
  char key[];
} tn_payload;

// Defined here so that contexts can hold one in place; zero bytes are an OK status.
struct TF_Status {
  tn_code code;
  tn_fault fault;
  char* message;
  const char* fixed;  // stands in for a message that found no memory
  tn_payload* payloads;
};

TN_ALSO_INLINE bool tn_ok(const tn_status* status) { return !status || status->code == TN_OK; }
TN_ALSO_INLINE tn_code tn_status_code(const tn_status* status) {
  return status ? status->code : TN_OK;
}

// Frees what a status in caller-owned memory holds and makes it OK.
void tn_status_deinit(tn_status* status);

// Sets the status and returns false: `return tn_fail(status, TN_INVALID_ARGUMENT, ...)`.
bool tn_fail(tn_status* status, tn_code code, const char* format, ...) TN_PRINTF(3, 4);

void tn_status_setv(tn_status* status, tn_code code, const char* format, va_list args);

// Makes `target` equal to `source`; NULL source means OK.
void tn_status_copy(tn_status* target, const tn_status* source);

// Keeps the first failure: copies `source` only when `target` is OK.
void tn_status_update(tn_status* target, const tn_status* source);

// Adds a failed clean-up to a failed call without losing either.
void tn_status_join(tn_status* target, const tn_status* source);

// Sets the code that fits `error` and the message "context; strerror(error)".
void tn_status_set_errno(tn_status* status, int error, const char* context);

#endif  // TENON_BASE_STATUS_H_
