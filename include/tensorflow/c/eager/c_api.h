// Eager execution: run one op on tensors, now.

#ifndef TENSORFLOW_C_EAGER_C_API_H_
#define TENSORFLOW_C_EAGER_C_API_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TFE_ContextOptions TFE_ContextOptions;
typedef struct TFE_Context TFE_Context;
typedef struct TFE_TensorHandle TFE_TensorHandle;
typedef struct TFE_TensorDebugInfo TFE_TensorDebugInfo;
typedef struct TFE_Op TFE_Op;

// What happens when an op gets an input that lives on another device.
typedef enum TFE_ContextDevicePlacementPolicy {
  TFE_DEVICE_PLACEMENT_EXPLICIT = 0,          // an error
  TFE_DEVICE_PLACEMENT_WARN = 1,              // copy and warn
  TFE_DEVICE_PLACEMENT_SILENT = 2,            // copy
  TFE_DEVICE_PLACEMENT_SILENT_FOR_INT32 = 3,  // copy int32, else an error
} TFE_ContextDevicePlacementPolicy;

// Context options. The caller deletes them, also after a context was made from them.

TF_CAPI_EXPORT TFE_ContextOptions* TFE_NewContextOptions(void);
TF_CAPI_EXPORT void TFE_DeleteContextOptions(TFE_ContextOptions* options);

// Serialized ConfigProto.
TF_CAPI_EXPORT void TFE_ContextOptionsSetConfig(TFE_ContextOptions* options, const void* proto,
                                                size_t proto_len, TF_Status* status);
TF_CAPI_EXPORT void TFE_ContextOptionsSetAsync(TFE_ContextOptions* options, unsigned char enable);
TF_CAPI_EXPORT void TFE_ContextOptionsSetDevicePlacementPolicy(
    TFE_ContextOptions* options, TFE_ContextDevicePlacementPolicy policy);

// Contexts. A context outlives the ops and handles made in it.

TF_CAPI_EXPORT TFE_Context* TFE_NewContext(const TFE_ContextOptions* opts, TF_Status* status);
TF_CAPI_EXPORT void TFE_DeleteContext(TFE_Context* ctx);

// The caller deletes the list.
TF_CAPI_EXPORT TF_DeviceList* TFE_ContextListDevices(TFE_Context* ctx, TF_Status* status);
TF_CAPI_EXPORT void TFE_ContextClearCaches(TFE_Context* ctx);
TF_CAPI_EXPORT void TFE_ContextSetThreadLocalDevicePlacementPolicy(
    TFE_Context* ctx, TFE_ContextDevicePlacementPolicy policy);
TF_CAPI_EXPORT TFE_ContextDevicePlacementPolicy
TFE_ContextGetDevicePlacementPolicy(TFE_Context* ctx);
TF_CAPI_EXPORT void TFE_ContextSetServerDef(TFE_Context* ctx, int keep_alive_secs,
                                            const void* proto, size_t proto_len, TF_Status* status);

// Tensor handles: a tensor on a device. NewTensorHandle shares the buffer of `t`.

TF_CAPI_EXPORT TFE_TensorHandle* TFE_NewTensorHandle(const TF_Tensor* t, TF_Status* status);
TF_CAPI_EXPORT void TFE_DeleteTensorHandle(TFE_TensorHandle* h);
TF_CAPI_EXPORT TFE_TensorHandle* TFE_TensorHandleCopySharingTensor(TFE_TensorHandle* h,
                                                                   TF_Status* status);
TF_CAPI_EXPORT TFE_TensorHandle* TFE_TensorHandleCopyToDevice(TFE_TensorHandle* h, TFE_Context* ctx,
                                                              const char* device_name,
                                                              TF_Status* status);

// The value in host memory, as a tensor that the caller deletes.
TF_CAPI_EXPORT TF_Tensor* TFE_TensorHandleResolve(TFE_TensorHandle* h, TF_Status* status);
TF_CAPI_EXPORT TF_DataType TFE_TensorHandleDataType(TFE_TensorHandle* h);
TF_CAPI_EXPORT int TFE_TensorHandleNumDims(TFE_TensorHandle* h, TF_Status* status);
TF_CAPI_EXPORT int64_t TFE_TensorHandleNumElements(TFE_TensorHandle* h, TF_Status* status);
TF_CAPI_EXPORT int64_t TFE_TensorHandleDim(TFE_TensorHandle* h, int dim_index, TF_Status* status);

// The device whose op made the tensor, and the one whose memory holds it. Valid as long as `h`.
TF_CAPI_EXPORT const char* TFE_TensorHandleDeviceName(TFE_TensorHandle* h, TF_Status* status);
TF_CAPI_EXPORT const char* TFE_TensorHandleBackingDeviceName(TFE_TensorHandle* h,
                                                             TF_Status* status);

// How the tensor is laid out on its device.
TF_CAPI_EXPORT TFE_TensorDebugInfo* TFE_TensorHandleTensorDebugInfo(TFE_TensorHandle* h,
                                                                    TF_Status* status);
TF_CAPI_EXPORT void TFE_DeleteTensorDebugInfo(TFE_TensorDebugInfo* debug_info);
TF_CAPI_EXPORT int TFE_TensorDebugInfoOnDeviceNumDims(TFE_TensorDebugInfo* debug_info);
TF_CAPI_EXPORT int64_t TFE_TensorDebugInfoOnDeviceDim(TFE_TensorDebugInfo* debug_info,
                                                      int dim_index);

// Ops: a call being prepared. Inputs are shared with, not taken from, the caller.

TF_CAPI_EXPORT TFE_Op* TFE_NewOp(TFE_Context* ctx, const char* op_or_function_name,
                                 TF_Status* status);
TF_CAPI_EXPORT void TFE_DeleteOp(TFE_Op* op);
TF_CAPI_EXPORT const char* TFE_OpGetName(const TFE_Op* op, TF_Status* status);
TF_CAPI_EXPORT TFE_Context* TFE_OpGetContext(const TFE_Op* op, TF_Status* status);
TF_CAPI_EXPORT void TFE_OpSetDevice(TFE_Op* op, const char* device_name, TF_Status* status);
TF_CAPI_EXPORT const char* TFE_OpGetDevice(const TFE_Op* op, TF_Status* status);
TF_CAPI_EXPORT void TFE_OpAddInput(TFE_Op* op, TFE_TensorHandle* input, TF_Status* status);
TF_CAPI_EXPORT void TFE_OpAddInputList(TFE_Op* op, TFE_TensorHandle** inputs, int num_inputs,
                                       TF_Status* status);
TF_CAPI_EXPORT int TFE_OpGetFlatInputCount(const TFE_Op* op, TF_Status* status);
TF_CAPI_EXPORT TFE_TensorHandle* TFE_OpGetFlatInput(const TFE_Op* op, int index, TF_Status* status);
TF_CAPI_EXPORT int TFE_OpGetInputLength(TFE_Op* op, const char* input_name, TF_Status* status);
TF_CAPI_EXPORT int TFE_OpGetOutputLength(TFE_Op* op, const char* output_name, TF_Status* status);

// Attributes. Setters without a status report their error in TFE_Execute.

TF_CAPI_EXPORT TF_AttrType TFE_OpGetAttrType(TFE_Op* op, const char* attr_name,
                                             unsigned char* is_list, TF_Status* status);
TF_CAPI_EXPORT TF_AttrType TFE_OpNameGetAttrType(TFE_Context* ctx, const char* op_or_function_name,
                                                 const char* attr_name, unsigned char* is_list,
                                                 TF_Status* status);

TF_CAPI_EXPORT void TFE_OpSetAttrString(TFE_Op* op, const char* attr_name, const void* value,
                                        size_t length);
TF_CAPI_EXPORT void TFE_OpSetAttrInt(TFE_Op* op, const char* attr_name, int64_t value);
TF_CAPI_EXPORT void TFE_OpSetAttrFloat(TFE_Op* op, const char* attr_name, float value);
TF_CAPI_EXPORT void TFE_OpSetAttrBool(TFE_Op* op, const char* attr_name, unsigned char value);
TF_CAPI_EXPORT void TFE_OpSetAttrType(TFE_Op* op, const char* attr_name, TF_DataType value);

// num_dims -1: unknown rank; a dim of -1: unknown size.
TF_CAPI_EXPORT void TFE_OpSetAttrShape(TFE_Op* op, const char* attr_name, const int64_t* dims,
                                       const int num_dims, TF_Status* out_status);
TF_CAPI_EXPORT void TFE_OpSetAttrFunction(TFE_Op* op, const char* attr_name, const TFE_Op* value);
TF_CAPI_EXPORT void TFE_OpSetAttrFunctionName(TFE_Op* op, const char* attr_name, const char* data,
                                              size_t length);
TF_CAPI_EXPORT void TFE_OpSetAttrTensor(TFE_Op* op, const char* attr_name, TF_Tensor* tensor,
                                        TF_Status* status);

TF_CAPI_EXPORT void TFE_OpSetAttrStringList(TFE_Op* op, const char* attr_name,
                                            const void* const* values, const size_t* lengths,
                                            int num_values);
TF_CAPI_EXPORT void TFE_OpSetAttrIntList(TFE_Op* op, const char* attr_name, const int64_t* values,
                                         int num_values);
TF_CAPI_EXPORT void TFE_OpSetAttrFloatList(TFE_Op* op, const char* attr_name, const float* values,
                                           int num_values);
TF_CAPI_EXPORT void TFE_OpSetAttrBoolList(TFE_Op* op, const char* attr_name,
                                          const unsigned char* values, int num_values);
TF_CAPI_EXPORT void TFE_OpSetAttrTypeList(TFE_Op* op, const char* attr_name,
                                          const TF_DataType* values, int num_values);
TF_CAPI_EXPORT void TFE_OpSetAttrShapeList(TFE_Op* op, const char* attr_name, const int64_t** dims,
                                           const int* num_dims, int num_values,
                                           TF_Status* out_status);
TF_CAPI_EXPORT void TFE_OpSetAttrFunctionList(TFE_Op* op, const char* attr_name,
                                              const TFE_Op** value, int num_values);

// Runs the op. `num_retvals` holds the room in `retvals` before and the number of outputs after;
// the caller deletes the handles.
TF_CAPI_EXPORT void TFE_Execute(TFE_Op* op, TFE_TensorHandle** retvals, int* num_retvals,
                                TF_Status* status);

// Functions, run metadata and steps.

TF_CAPI_EXPORT void TFE_ContextAddFunctionDef(TFE_Context* ctx, const char* serialized_function_def,
                                              size_t size, TF_Status* status);
TF_CAPI_EXPORT void TFE_ContextAddFunction(TFE_Context* ctx, TF_Function* function,
                                           TF_Status* status);
TF_CAPI_EXPORT void TFE_ContextRemoveFunction(TFE_Context* ctx, const char* name,
                                              TF_Status* status);
TF_CAPI_EXPORT unsigned char TFE_ContextHasFunction(TFE_Context* ctx, const char* name);
TF_CAPI_EXPORT void TFE_ContextEnableRunMetadata(TFE_Context* ctx);
TF_CAPI_EXPORT void TFE_ContextDisableRunMetadata(TFE_Context* ctx);
TF_CAPI_EXPORT void TFE_ContextExportRunMetadata(TFE_Context* ctx, TF_Buffer* buf,
                                                 TF_Status* status);
TF_CAPI_EXPORT void TFE_ContextStartStep(TFE_Context* ctx);
TF_CAPI_EXPORT void TFE_ContextEndStep(TFE_Context* ctx);

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_EAGER_C_API_H_
