// next_pluggable_device/c_api.h: TensorFlow's PJRT-backed devices and its cluster services. Both
// are outside what this host drives; plugins import the names beside their kernels. Functions with
// a status say so there, the others return NULL or false.

#include "tensorflow/c/experimental/next_pluggable_device/c_api.h"

#include "tf/entry.h"

static void refuse(const char* function, const char* what, TF_Status* status) {
  tn_status_set(status, TN_UNIMPLEMENTED, "%s: this host has no %s", function, what);
}

static const char pjrt_device[] = "PJRT-backed TensorFlow device";
static const char cluster[] = "coordination service: it runs one process";
static const char plugin_resource[] = "resources for PJRT-backed devices";

TF_Device* TF_GetDevice(TF_OpKernelContext* ctx) { return NULL; }

void TF_CreatePluginResource(TF_OpKernelContext* ctx, const char* container_name,
                             const char* plugin_resource_name, void* resource,
                             void (*delete_func)(void*), TF_Status* status) {
  refuse(__func__, plugin_resource, status);
}

void TF_LookupOrCreatePluginResource(TF_OpKernelContext* ctx, const char* container_name,
                                     const char* plugin_resource_name,
                                     void** result_plugin_resource, void* (*create_func)(void*),
                                     void* create_func_args, void (*delete_func)(void*),
                                     TF_Status* status) {
  if (result_plugin_resource) *result_plugin_resource = NULL;
  refuse(__func__, plugin_resource, status);
}

TF_VariableInfo* TF_CreateVariableInfoFromContext(TF_OpKernelContext* ctx, int index,
                                                  TF_Status* status) {
  refuse(__func__, pjrt_device, status);
  return NULL;
}

void TF_LockVariableInfos(TF_VariableInfo** vars, int num_vars, TF_Status* status) {
  refuse(__func__, pjrt_device, status);
}

void TF_AllocateTempForVariableInfo(TF_OpKernelContext* ctx, TF_VariableInfo* var_info,
                                    TF_Status* status) {
  refuse(__func__, pjrt_device, status);
}

TF_Tensor* TF_GetTensorFromVariableInfo(TF_VariableInfo* var_info, TF_Status* status) {
  refuse(__func__, pjrt_device, status);
  return NULL;
}

void TF_DeleteVariableInfo(TF_VariableInfo* var_info) {}

TF_CoordinationServiceAgent* TF_GetCoordinationServiceAgent(TF_OpKernelContext* ctx) {
  return NULL;
}

bool TF_CoordinationServiceIsInitialized(TF_CoordinationServiceAgent* agent) { return false; }

void TF_CoordinationServiceInsertKeyValue(const char* key, int64_t key_size, const char* value,
                                          int64_t value_size, TF_CoordinationServiceAgent* agent,
                                          TF_Status* status) {
  refuse(__func__, cluster, status);
}

TF_Buffer* TF_CoordinationServiceGetKeyValue(const char* key, int64_t key_size,
                                             TF_CoordinationServiceAgent* agent,
                                             TF_Status* status) {
  refuse(__func__, cluster, status);
  return NULL;
}

TF_Buffer* TF_CoordinationServiceGetKeyValueWithTimeout(const char* key, int64_t key_size,
                                                        int64_t timeout_seconds,
                                                        TF_CoordinationServiceAgent* agent,
                                                        TF_Status* status) {
  refuse(__func__, cluster, status);
  return NULL;
}

TF_Buffer* TF_CoordinationServiceTryGetKeyValue(const char* key, int64_t key_size,
                                                TF_CoordinationServiceAgent* agent,
                                                TF_Status* status) {
  refuse(__func__, cluster, status);
  return NULL;
}

void TF_CoordinationServiceDeleteKeyValue(const char* key, int64_t key_size,
                                          TF_CoordinationServiceAgent* agent, TF_Status* status) {
  refuse(__func__, cluster, status);
}

void TF_CreateAndSetPjRtCApiClient(const char* device_type, TF_Status* status,
                                   PJRT_NamedValue* create_options, int num_options) {
  refuse(__func__, pjrt_device, status);
}

void TF_ResetPjRtCClient(const char* device_type, TF_Status* status) {
  refuse(__func__, pjrt_device, status);
}

PJRT_Client* TF_GetPjRtCClient(const char* device_type, TF_Status* status) {
  refuse(__func__, pjrt_device, status);
  return NULL;
}

PJRT_Buffer* TF_GetPjRtCBuffer(TF_Tensor* c_tensor, TF_Status* status) {
  refuse(__func__, pjrt_device, status);
  return NULL;
}

void TF_CreatePjRtBuffer(TF_Tensor* c_tensor, PJRT_Buffer* c_buffer, const char* device_type,
                         TF_Status* status) {
  refuse(__func__, pjrt_device, status);
}
