// Outcome of a call: a code, a message, and optional key/value payloads.

#ifndef TENSORFLOW_C_TF_STATUS_H_
#define TENSORFLOW_C_TF_STATUS_H_

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Status TF_Status;

// The numbers are those of gRPC's and PJRT's codes.
typedef enum TF_Code {
  TF_OK = 0,
  TF_CANCELLED = 1,
  TF_UNKNOWN = 2,
  TF_INVALID_ARGUMENT = 3,
  TF_DEADLINE_EXCEEDED = 4,
  TF_NOT_FOUND = 5,
  TF_ALREADY_EXISTS = 6,
  TF_PERMISSION_DENIED = 7,
  TF_RESOURCE_EXHAUSTED = 8,
  TF_FAILED_PRECONDITION = 9,
  TF_ABORTED = 10,
  TF_OUT_OF_RANGE = 11,
  TF_UNIMPLEMENTED = 12,
  TF_INTERNAL = 13,
  TF_UNAVAILABLE = 14,
  TF_DATA_LOSS = 15,
  TF_UNAUTHENTICATED = 16,
} TF_Code;

// A new status is OK. The caller deletes it.
TF_CAPI_EXPORT TF_Status* TF_NewStatus(void);
TF_CAPI_EXPORT void TF_DeleteStatus(TF_Status* status);

// Replaces code, message and payloads. `msg` is copied.
TF_CAPI_EXPORT void TF_SetStatus(TF_Status* status, TF_Code code, const char* msg);

// The same from an errno value; `context` becomes part of the message.
TF_CAPI_EXPORT void TF_SetStatusFromIOError(TF_Status* status, int error_code, const char* context);

// Adds a payload, or replaces the one with this key. An OK status carries none.
TF_CAPI_EXPORT void TF_SetPayload(TF_Status* status, const char* key, const char* value);

// Both strings are valid during the visit only.
typedef void (*TF_PayloadVisitor)(const char* key, const char* value, void* capture);
TF_CAPI_EXPORT void TF_ForEachPayload(const TF_Status* status, TF_PayloadVisitor visitor,
                                      void* capture);

TF_CAPI_EXPORT TF_Code TF_GetCode(const TF_Status* status);

// NUL-terminated, "" for an OK status; valid until the status changes or is deleted.
TF_CAPI_EXPORT const char* TF_Message(const TF_Status* status);

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_TF_STATUS_H_
