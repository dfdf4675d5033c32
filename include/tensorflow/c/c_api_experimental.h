// Loading of device plugins, and two questions that published plugins ask their host.

#ifndef TENSORFLOW_C_C_API_EXPERIMENTAL_H_
#define TENSORFLOW_C_C_API_EXPERIMENTAL_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/eager/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Loads a plugin and calls its entry points (SE_InitPlugin, TF_InitKernel, TF_InitGraph, ...).
TF_CAPI_EXPORT TF_Library* TF_LoadPluggableDeviceLibrary(const char* library_filename,
                                                         TF_Status* status);

// Frees the handle; the plugin stays loaded.
TF_CAPI_EXPORT void TF_DeletePluggableDeviceLibraryHandle(TF_Library* lib_handle);

// 1 if the registered op `op_type` is stateful, else 0.
TF_CAPI_EXPORT int TF_OpIsStateful(const char* op_type, TF_Status* status);

// 1 if the host compiles clusters of ops on its own.
TF_CAPI_EXPORT unsigned char TF_GetXlaAutoJitEnabled(void);

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_C_API_EXPERIMENTAL_H_
