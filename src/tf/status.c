// tf_status.h: a TF_Status is a tn_status.

#include "tensorflow/c/tf_status.h"

#include "base/status.h"

TF_Status* TF_NewStatus(void) { return tn_status_create(); }
void TF_DeleteStatus(TF_Status* status) { tn_status_destroy(status); }

void TF_SetStatus(TF_Status* status, TF_Code code, const char* msg) {
  tn_status_set(status, (tn_code)code, "%s", msg ? msg : "");
}

void TF_SetStatusFromIOError(TF_Status* status, int error_code, const char* context) {
  tn_status_set_errno(status, error_code, context ? context : "");
}

void TF_SetPayload(TF_Status* status, const char* key, const char* value) {
  tn_status_set_payload(status, key, value);
}

void TF_ForEachPayload(const TF_Status* status, TF_PayloadVisitor visitor, void* capture) {
  tn_status_each_payload(status, visitor, capture);
}

TF_Code TF_GetCode(const TF_Status* status) { return (TF_Code)tn_status_code(status); }
const char* TF_Message(const TF_Status* status) { return tn_status_message(status); }

// The names that plugins built against newer headers may import for the same functions.
#define TSL_ALIAS(type, name, arguments) \
  type TSL_##name arguments __attribute__((alias("TF_" #name)))
TSL_ALIAS(TF_Status*, NewStatus, (void));
TSL_ALIAS(void, DeleteStatus, (TF_Status*));
TSL_ALIAS(void, SetStatus, (TF_Status*, TF_Code, const char*));
TSL_ALIAS(void, SetStatusFromIOError, (TF_Status*, int, const char*));
TSL_ALIAS(void, SetPayload, (TF_Status*, const char*, const char*));
TSL_ALIAS(void, ForEachPayload, (const TF_Status*, TF_PayloadVisitor, void*));
TSL_ALIAS(TF_Code, GetCode, (const TF_Status*));
TSL_ALIAS(const char*, Message, (const TF_Status*));
