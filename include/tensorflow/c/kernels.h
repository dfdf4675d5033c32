// Registering kernels, and what a kernel may ask while it is constructed and while it runs.
// Contexts are valid only during the call they were passed to; tensor handles got from one are
// deleted by the kernel.

#ifndef TENSORFLOW_C_KERNELS_H_
#define TENSORFLOW_C_KERNELS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/core/common_runtime/next_pluggable_device/c/tf_rendezvous_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_KernelBuilder TF_KernelBuilder;
typedef struct TF_OpKernelConstruction TF_OpKernelConstruction;
typedef struct TF_OpKernelContext TF_OpKernelContext;
typedef struct TF_AsyncOpKernelDoneCallback TF_AsyncOpKernelDoneCallback;

// Defined by the plugin; the host calls it once to have ops and kernels registered.
void TF_InitKernel(void);

// Builders. `device_name` is a device type ("CPU"). create and delete functions may be NULL;
// compute may be called from several threads at once on one instance.

TF_CAPI_EXPORT TF_KernelBuilder* TF_NewKernelBuilder(
    const char* op_name, const char* device_name, void* (*create_func)(TF_OpKernelConstruction*),
    void (*compute_func)(void*, TF_OpKernelContext*), void (*delete_func)(void*));

// compute_async_func may return before it is done; `done` is then run exactly once, from any
// thread. Not so in TensorFlow (seen up to 2.21), where `done` is gone when compute_async_func
// returns: a kernel for both hosts waits for its work there, and runs `done` itself.
TF_CAPI_EXPORT TF_KernelBuilder* TF_NewAsyncKernelBuilder(
    const char* op_name, const char* device_name, void* (*create_func)(TF_OpKernelConstruction*),
    void (*compute_async_func)(void*, TF_OpKernelContext*, TF_AsyncOpKernelDoneCallback* done),
    void (*delete_func)(void*));

// Runs and frees the callback.
TF_CAPI_EXPORT void TF_RunAsyncOpKernelDoneCallback(TF_AsyncOpKernelDoneCallback* done);

// The kernel applies only where attr `attr_name` is `type`. Constraints add up (AND).
TF_CAPI_EXPORT void TF_KernelBuilder_TypeConstraint(TF_KernelBuilder* kernel_builder,
                                                    const char* attr_name, TF_DataType type,
                                                    TF_Status* status);

// The named input or output lives in host memory.
TF_CAPI_EXPORT void TF_KernelBuilder_HostMemory(TF_KernelBuilder* kernel_builder,
                                                const char* arg_name);

// Among matching kernels the larger number wins; 0 unless set.
TF_CAPI_EXPORT void TF_KernelBuilder_Priority(TF_KernelBuilder* kernel_builder,
                                              int32_t priority_number);

// Only nodes whose "_kernel" attr has this value get the kernel.
TF_CAPI_EXPORT void TF_KernelBuilder_Label(TF_KernelBuilder* kernel_builder, const char* label);

// Both take over the builder in every case. A serialized KernelDef, where given, replaces what the
// builder says; it is a C string, so it ends at its first zero byte.
TF_CAPI_EXPORT void TF_RegisterKernelBuilder(const char* kernel_name, TF_KernelBuilder* builder,
                                             TF_Status* status);
TF_CAPI_EXPORT void TF_RegisterKernelBuilderWithKernelDef(const char* serialized_kernel_def,
                                                          const char* name,
                                                          TF_KernelBuilder* builder,
                                                          TF_Status* status);
TF_CAPI_EXPORT void TF_DeleteKernelBuilder(TF_KernelBuilder* builder);

// Run context: inputs. Indices count flattened inputs.

TF_CAPI_EXPORT int TF_NumInputs(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT void TF_GetInput(TF_OpKernelContext* ctx, int i, TF_Tensor** tensor,
                                TF_Status* status);
TF_CAPI_EXPORT TF_DataType TF_InputDatatype(TF_OpKernelContext* ctx, int index);
TF_CAPI_EXPORT bool TF_IsHostMemoryInput(TF_OpKernelContext* ctx, int i, TF_Status* status);

typedef struct TF_InputRange_Args {
  size_t struct_size;
  void* priv;
  int start;          // out: first flattened index of the named input
  int stop;           // out: one past the last
  TF_Status* status;  // out
} TF_InputRange_Args;

#define TF_InputRange_Args_STRUCT_SIZE TF_OFFSET_OF_END(TF_InputRange_Args, status)

TF_CAPI_EXPORT void TF_InputRange(TF_OpKernelContext* ctx, const char* name,
                                  TF_InputRange_Args* args);

// Run context: outputs and temporaries.

TF_CAPI_EXPORT int TF_NumOutputs(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext* ctx, int i);
TF_CAPI_EXPORT bool TF_IsHostMemoryOutput(TF_OpKernelContext* ctx, int i, TF_Status* status);

// Output i shares the tensor's buffer; the caller keeps its own handle.
TF_CAPI_EXPORT void TF_SetOutput(TF_OpKernelContext* ctx, int i, const TF_Tensor* tensor,
                                 TF_Status* status);

// A new handle on an output that was allocated before.
TF_CAPI_EXPORT TF_Tensor* TF_GetMutableOutput(TF_OpKernelContext* ctx, int i, TF_Status* status);
TF_CAPI_EXPORT TF_Tensor* TF_AllocateOutput(TF_OpKernelContext* context, int index,
                                            TF_DataType dtype, const int64_t* dims, int num_dims,
                                            size_t len, TF_Status* status);

// Reuses the buffer of the first candidate nobody else needs; `forwarded_input` (may be NULL) gets
// its index, or -1 if the output was allocated.
TF_CAPI_EXPORT TF_Tensor* TF_ForwardInputOrAllocateOutput(
    TF_OpKernelContext* context, const int* candidate_input_indices,
    int num_candidate_input_indices, int output_index, const int64_t* output_dims,
    int output_num_dims, int* forwarded_input, TF_Status* status);
TF_CAPI_EXPORT TF_Tensor* TF_AllocateTemp(TF_OpKernelContext* context, TF_DataType dtype,
                                          const int64_t* dims, int num_dims,
                                          TF_AllocatorAttributes* alloc_attrs, TF_Status* status);

// Run context: where and as part of what the kernel runs. Views are owned by the runtime.

// The device's stream; NULL and FAILED_PRECONDITION where there is none.
TF_CAPI_EXPORT SP_Stream TF_GetStream(TF_OpKernelContext* ctx, TF_Status* status);
TF_CAPI_EXPORT int TF_GetDeviceId(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT TF_StringView TF_GetDeviceName(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT TF_StringView TF_GetOpKernelName(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT TF_StringView TF_GetOpKernelRequestedInput(TF_OpKernelContext* ctx, size_t index);
TF_CAPI_EXPORT TF_StringView TF_GetResourceMgrDefaultContainerName(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT int64_t TF_StepId(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT int64_t TF_GetStepId(TF_OpKernelContext* ctx);  // another name of TF_StepId
TF_CAPI_EXPORT uint64_t TF_GetFrameId(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT int64_t TF_GetIterId(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT int TF_GetGraphDefVersion(TF_OpKernelContext* ctx);
TF_CAPI_EXPORT TF_RendezvousThunk TF_GetRendezvous(TF_OpKernelContext* ctx);

// These fill an empty buffer of the caller's with a serialized message.
TF_CAPI_EXPORT void TF_GetSerializedFunctionDefLibrary(TF_OpKernelContext* ctx,
                                                       TF_Buffer* serialized_function_def_library,
                                                       TF_Status* status);
TF_CAPI_EXPORT void TF_GetSerializedConfigProto(TF_OpKernelContext* ctx,
                                                TF_Buffer* serialized_config_proto,
                                                TF_Status* status);
TF_CAPI_EXPORT void TF_GetSerializedResourceHandleProto(TF_OpKernelContext* ctx, int i,
                                                        TF_Buffer* serialized_resource_handle_proto,
                                                        TF_Status* status);

// Run context: outcome. The first failure is kept.

TF_CAPI_EXPORT void TF_OpKernelContext_Failure(TF_OpKernelContext* ctx, TF_Status* status);

// Count of operations that go on after compute returns.
TF_CAPI_EXPORT void TF_IncNumDeferredOps(TF_OpKernelContext* context);
TF_CAPI_EXPORT void TF_DecNumDeferredOps(TF_OpKernelContext* context);

// Construction context.

// The kernel is not made, and the op that wanted it fails with `status`.
TF_CAPI_EXPORT void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction* ctx,
                                                    TF_Status* status);
TF_CAPI_EXPORT TF_StringView TF_OpKernelConstruction_GetName(TF_OpKernelConstruction* ctx);
TF_CAPI_EXPORT bool TF_OpKernelConstruction_HasAttr(TF_OpKernelConstruction* ctx,
                                                    const char* attr_name, TF_Status* status);

// list_size: length of a list, -1 for a scalar. total_size: bytes of a string or of all strings of
// a list, rank of a shape (-1: unknown), dims of all shapes of a list, else -1.
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrSize(TF_OpKernelConstruction* ctx,
                                                        const char* attr_name, int32_t* list_size,
                                                        int32_t* total_size, TF_Status* status);

TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrType(TF_OpKernelConstruction* ctx,
                                                        const char* attr_name, TF_DataType* val,
                                                        TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt32(TF_OpKernelConstruction* ctx,
                                                         const char* attr_name, int32_t* val,
                                                         TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt64(TF_OpKernelConstruction* ctx,
                                                         const char* attr_name, int64_t* val,
                                                         TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrFloat(TF_OpKernelConstruction* ctx,
                                                         const char* attr_name, float* val,
                                                         TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrBool(TF_OpKernelConstruction* ctx,
                                                        const char* attr_name, TF_Bool* val,
                                                        TF_Status* status);

// Copies at most max_length bytes and adds no NUL; ask GetAttrSize for the length.
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction* ctx,
                                                          const char* attr_name, char* val,
                                                          size_t max_length, TF_Status* status);

// A new handle that the kernel deletes.
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrTensor(TF_OpKernelConstruction* ctx,
                                                          const char* attr_name, TF_Tensor** val,
                                                          TF_Status* status);

// Lists: at most max_vals elements are written, the rest is left out.

TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrTypeList(TF_OpKernelConstruction* ctx,
                                                            const char* attr_name,
                                                            TF_DataType* vals, int max_vals,
                                                            TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt32List(TF_OpKernelConstruction* ctx,
                                                             const char* attr_name, int32_t* vals,
                                                             int max_vals, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrInt64List(TF_OpKernelConstruction* ctx,
                                                             const char* attr_name, int64_t* vals,
                                                             int max_vals, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrFloatList(TF_OpKernelConstruction* ctx,
                                                             const char* attr_name, float* vals,
                                                             int max_vals, TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrBoolList(TF_OpKernelConstruction* ctx,
                                                            const char* attr_name, TF_Bool* vals,
                                                            int max_vals, TF_Status* status);

// `values` point into `storage`, which holds the bytes one after another without NULs.
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrStringList(TF_OpKernelConstruction* ctx,
                                                              const char* attr_name, char** values,
                                                              size_t* lengths, int max_values,
                                                              void* storage, size_t storage_size,
                                                              TF_Status* status);
TF_CAPI_EXPORT void TF_OpKernelConstruction_GetAttrTensorList(TF_OpKernelConstruction* ctx,
                                                              const char* attr_name,
                                                              TF_Tensor** vals, int max_values,
                                                              TF_Status* status);

// Serialized NameAttrList of a function attr, and the whole node as NodeDef. The kernel deletes the
// buffer; NULL on failure.
TF_CAPI_EXPORT TF_Buffer* TF_OpKernelConstruction_GetAttrFunction(TF_OpKernelConstruction* ctx,
                                                                  const char* attr_name,
                                                                  TF_Status* status);
TF_CAPI_EXPORT TF_Buffer* TF_OpKernelConstruction_GetNodeDef(TF_OpKernelConstruction* ctx,
                                                             TF_Status* status);

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_KERNELS_H_
