// The part of the general C API that plugins and single-op programs use: version, string views,
// devices, plugin libraries, and what is registered. Graphs and sessions are not part of it.

#ifndef TENSORFLOW_C_C_API_H_
#define TENSORFLOW_C_C_API_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/tf_attrtype.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/c/tf_tstring.h"

#ifdef __cplusplus
extern "C" {
#endif

// The TensorFlow version whose C API the host offers, e.g. "2.21.0". Static.
TF_CAPI_EXPORT const char* TF_Version(void);

// Characters somebody else owns, not necessarily NUL-terminated.
typedef struct TF_StringView {
  const char* data;
  size_t len;
} TF_StringView;

typedef struct TF_Function TF_Function;

// Parses a serialized TensorProto into `to`, an existing tensor whose contents are replaced.
TF_CAPI_EXPORT void TF_TensorFromProto(const TF_Buffer* from, TF_Tensor* to, TF_Status* status);

// Device lists. Strings live as long as the list.

typedef struct TF_DeviceList TF_DeviceList;

TF_CAPI_EXPORT void TF_DeleteDeviceList(TF_DeviceList* list);
TF_CAPI_EXPORT int TF_DeviceListCount(const TF_DeviceList* list);
TF_CAPI_EXPORT const char* TF_DeviceListName(const TF_DeviceList* list, int index,
                                             TF_Status* status);
TF_CAPI_EXPORT const char* TF_DeviceListType(const TF_DeviceList* list, int index,
                                             TF_Status* status);
TF_CAPI_EXPORT int64_t TF_DeviceListMemoryBytes(const TF_DeviceList* list, int index,
                                                TF_Status* status);
TF_CAPI_EXPORT uint64_t TF_DeviceListIncarnation(const TF_DeviceList* list, int index,
                                                 TF_Status* status);

// Libraries of ops and kernels that register themselves in constructors. No entry point is called:
// for that see TF_LoadPluggableDeviceLibrary.

typedef struct TF_Library TF_Library;

TF_CAPI_EXPORT TF_Library* TF_LoadLibrary(const char* library_filename, TF_Status* status);

// Serialized OpList of what the library registered. The bytes belong to the handle.
TF_CAPI_EXPORT TF_Buffer TF_GetOpList(TF_Library* lib_handle);

// Frees the handle; the library stays loaded.
TF_CAPI_EXPORT void TF_DeleteLibraryHandle(TF_Library* lib_handle);

// What is registered, as serialized OpList or KernelList. The caller deletes the buffer.

TF_CAPI_EXPORT TF_Buffer* TF_GetAllOpList(void);
TF_CAPI_EXPORT TF_Buffer* TF_GetAllRegisteredKernels(TF_Status* status);
TF_CAPI_EXPORT TF_Buffer* TF_GetRegisteredKernelsForOp(const char* name, TF_Status* status);

// Calls `listener` with every line the host logs.
TF_CAPI_EXPORT void TF_RegisterLogListener(void (*listener)(const char*));

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_C_API_H_
