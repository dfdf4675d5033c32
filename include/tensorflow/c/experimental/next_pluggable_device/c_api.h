// What kernels of a PJRT-backed device ask of their host: resources of the plugin's own, variables,
// the coordination service, and the PJRT client behind a device type.

#ifndef TENSORFLOW_C_EXPERIMENTAL_NEXT_PLUGGABLE_DEVICE_C_API_H_
#define TENSORFLOW_C_EXPERIMENTAL_NEXT_PLUGGABLE_DEVICE_C_API_H_

#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Device TF_Device;
typedef struct TF_VariableInfo TF_VariableInfo;

// Defined by xla/pjrt/c/pjrt_c_api.h; pointers are all this header needs.
typedef struct PJRT_Buffer PJRT_Buffer;
typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_NamedValue PJRT_NamedValue;

TF_CAPI_EXPORT TF_Device* TF_GetDevice(TF_OpKernelContext* ctx);

// Objects of the plugin, kept in the resource manager under container and name. delete_func frees
// one when its container goes.

TF_CAPI_EXPORT void TF_CreatePluginResource(TF_OpKernelContext* ctx, const char* container_name,
                                            const char* plugin_resource_name, void* plugin_resource,
                                            void (*delete_func)(void*), TF_Status* status);
TF_CAPI_EXPORT void TF_LookupOrCreatePluginResource(
    TF_OpKernelContext* ctx, const char* container_name, const char* plugin_resource_name,
    void** result_plugin_resource, void* (*create_func)(void*), void* create_func_args,
    void (*delete_func)(void*), TF_Status* status);

// Variables behind resource inputs. The kernel deletes the infos, which also unlocks them.

TF_CAPI_EXPORT TF_VariableInfo* TF_CreateVariableInfoFromContext(TF_OpKernelContext* ctx, int index,
                                                                 TF_Status* status);
TF_CAPI_EXPORT void TF_LockVariableInfos(TF_VariableInfo** vars, int num_vars, TF_Status* status);
TF_CAPI_EXPORT void TF_AllocateTempForVariableInfo(TF_OpKernelContext* ctx,
                                                   TF_VariableInfo* var_info, TF_Status* status);
TF_CAPI_EXPORT TF_Tensor* TF_GetTensorFromVariableInfo(TF_VariableInfo* var_info,
                                                       TF_Status* status);
TF_CAPI_EXPORT void TF_DeleteVariableInfo(TF_VariableInfo* var_info);

// The key-value store that the processes of one job share. Returned buffers are the caller's.

TF_CAPI_EXPORT TF_CoordinationServiceAgent* TF_GetCoordinationServiceAgent(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT bool TF_CoordinationServiceIsInitialized(TF_CoordinationServiceAgent* agent);
TF_CAPI_EXPORT void TF_CoordinationServiceInsertKeyValue(const char* key, int64_t key_size,
                                                         const char* value, int64_t value_size,
                                                         TF_CoordinationServiceAgent* agent,
                                                         TF_Status* status);
TF_CAPI_EXPORT TF_Buffer* TF_CoordinationServiceGetKeyValue(const char* key, int64_t key_size,
                                                            TF_CoordinationServiceAgent* agent,
                                                            TF_Status* status);
TF_CAPI_EXPORT TF_Buffer* TF_CoordinationServiceGetKeyValueWithTimeout(
    const char* key, int64_t key_size, int64_t timeout_seconds, TF_CoordinationServiceAgent* agent,
    TF_Status* status);
TF_CAPI_EXPORT TF_Buffer* TF_CoordinationServiceTryGetKeyValue(const char* key, int64_t key_size,
                                                               TF_CoordinationServiceAgent* agent,
                                                               TF_Status* status);
TF_CAPI_EXPORT void TF_CoordinationServiceDeleteKeyValue(const char* key, int64_t key_size,
                                                         TF_CoordinationServiceAgent* agent,
                                                         TF_Status* status);

// The PJRT client of a device type, and PJRT buffers under tensors.

TF_CAPI_EXPORT void TF_CreateAndSetPjRtCApiClient(const char* device_type, TF_Status* status,
                                                  PJRT_NamedValue* create_options, int num_options);
TF_CAPI_EXPORT void TF_ResetPjRtCClient(const char* device_type, TF_Status* status);
TF_CAPI_EXPORT PJRT_Client* TF_GetPjRtCClient(const char* device_type, TF_Status* status);
TF_CAPI_EXPORT PJRT_Buffer* TF_GetPjRtCBuffer(TF_Tensor* c_tensor, TF_Status* status);
TF_CAPI_EXPORT void TF_CreatePjRtBuffer(TF_Tensor* c_tensor, PJRT_Buffer* c_buffer,
                                        const char* device_type, TF_Status* status);

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_EXPERIMENTAL_NEXT_PLUGGABLE_DEVICE_C_API_H_
