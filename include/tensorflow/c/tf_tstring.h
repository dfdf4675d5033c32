// The element type of string tensors, as functions of the host. The same operations as inlines, and
// the layout, are in tensorflow/core/platform/ctstring.h.

#ifndef TENSORFLOW_C_TF_TSTRING_H_
#define TENSORFLOW_C_TF_TSTRING_H_

#include <stddef.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/core/platform/ctstring.h"

#ifdef __cplusplus
extern "C" {
#endif

// Memory that never held a string must pass through Init before any other call.
TF_CAPI_EXPORT void TF_StringInit(TF_TString* str);
TF_CAPI_EXPORT void TF_StringDealloc(TF_TString* str);

// Copy takes the bytes; AssignView keeps the pointer, which must outlive the string.
TF_CAPI_EXPORT void TF_StringCopy(TF_TString* dst, const char* src, size_t size);
TF_CAPI_EXPORT void TF_StringAssignView(TF_TString* dst, const char* src, size_t size);

TF_CAPI_EXPORT const char* TF_StringGetDataPointer(const TF_TString* str);
TF_CAPI_EXPORT size_t TF_StringGetSize(const TF_TString* str);
TF_CAPI_EXPORT size_t TF_StringGetCapacity(const TF_TString* str);
TF_CAPI_EXPORT TF_TString_Type TF_StringGetType(const TF_TString* str);

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_TF_TSTRING_H_
