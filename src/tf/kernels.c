// kernels.h: registering kernels, and what a running kernel asks. See construction.c for the rest.

#include "tensorflow/c/kernels.h"

#include "kernel/kernel.h"
#include "kernel/run_variable.h"
#include "tenon/abi.h"
#include "tf/entry.h"

TF_KernelBuilder* TF_NewKernelBuilder(const char* op_name, const char* device_name,
                                      void* (*create_func)(TF_OpKernelConstruction*),
                                      void (*compute_func)(void*, TF_OpKernelContext*),
                                      void (*delete_func)(void*)) {
  tn_kernel_functions functions = {
      .create = create_func, .compute = compute_func, .destroy = delete_func};
  return tn_kernel_builder_create(op_name, device_name, &functions);
}

TF_KernelBuilder* TF_NewAsyncKernelBuilder(
    const char* op_name, const char* device_name, void* (*create_func)(TF_OpKernelConstruction*),
    void (*compute_async_func)(void*, TF_OpKernelContext*, TF_AsyncOpKernelDoneCallback* done),
    void (*delete_func)(void*)) {
  tn_kernel_functions functions = {
      .create = create_func, .compute_async = compute_async_func, .destroy = delete_func};
  return tn_kernel_builder_create(op_name, device_name, &functions);
}

void TF_RunAsyncOpKernelDoneCallback(TF_AsyncOpKernelDoneCallback* done) {
  tn_done_callback_run(done);
}

void TF_KernelBuilder_TypeConstraint(TF_KernelBuilder* kernel_builder, const char* attr_name,
                                     TF_DataType type, TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(kernel_builder, status) || !TF_GIVEN(attr_name, status)) return;
  tn_kernel_builder_constrain(kernel_builder, attr_name, (tn_dtype)type, status);
}

void TF_KernelBuilder_HostMemory(TF_KernelBuilder* kernel_builder, const char* arg_name) {
  tn_kernel_builder_host_memory(kernel_builder, arg_name);
}

void TF_KernelBuilder_Priority(TF_KernelBuilder* kernel_builder, int32_t priority_number) {
  tn_kernel_builder_priority(kernel_builder, priority_number);
}

void TF_KernelBuilder_Label(TF_KernelBuilder* kernel_builder, const char* label) {
  tn_kernel_builder_label(kernel_builder, label);
}

void TF_RegisterKernelBuilder(const char* kernel_name, TF_KernelBuilder* builder,
                              TF_Status* status) {
  TF_RegisterKernelBuilderWithKernelDef(NULL, kernel_name, builder, status);
}

void TF_RegisterKernelBuilderWithKernelDef(const char* serialized_kernel_def, const char* name,
                                           TF_KernelBuilder* builder, TF_Status* status) {
  tf_begin(status);
  if (serialized_kernel_def)
    tn_kernel_registry_add_with_def(builder, name, tn_view_of(serialized_kernel_def), status);
  else
    tn_kernel_registry_add(builder, name, status);
}

void TF_DeleteKernelBuilder(TF_KernelBuilder* builder) { tn_kernel_builder_destroy(builder); }

// What a running kernel asks. NULL contexts and bad indices are run_context.c's business.

int TF_NumInputs(TF_OpKernelContext* ctx) { return tn_run_input_count(ctx); }
int TF_NumOutputs(TF_OpKernelContext* ctx) { return tn_run_output_count(ctx); }

void TF_GetInput(TF_OpKernelContext* ctx, int i, TF_Tensor** tensor, TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(tensor, status)) return;
  tn_tensor* input = tn_run_input(ctx, i, status);
  if (input) *tensor = input;
}

TF_DataType TF_InputDatatype(TF_OpKernelContext* ctx, int index) {
  return (TF_DataType)tn_run_input_dtype(ctx, index);
}

TF_DataType TF_ExpectedOutputDataType(TF_OpKernelContext* ctx, int i) {
  return (TF_DataType)tn_run_output_dtype(ctx, i);
}

bool TF_IsHostMemoryInput(TF_OpKernelContext* ctx, int i, TF_Status* status) {
  tf_begin(status);
  return tn_run_input_on_host(ctx, i, status);
}

bool TF_IsHostMemoryOutput(TF_OpKernelContext* ctx, int i, TF_Status* status) {
  tf_begin(status);
  return tn_run_output_on_host(ctx, i, status);
}

void TF_InputRange(TF_OpKernelContext* ctx, const char* name, TF_InputRange_Args* args) {
  if (!args) return;
  tf_begin(args->status);
  tn_run_input_range(ctx, name, &args->start, &args->stop, args->status);
}

void TF_SetOutput(TF_OpKernelContext* ctx, int i, const TF_Tensor* tensor, TF_Status* status) {
  tf_begin(status);
  tn_run_set_output(ctx, i, tensor, status);
}

TF_Tensor* TF_GetMutableOutput(TF_OpKernelContext* ctx, int i, TF_Status* status) {
  tf_begin(status);
  return tn_run_output(ctx, i, status);
}

// TensorFlow takes the type from the op and looks at neither `dtype` nor `len`; a kernel that asks
// for another type then writes the wrong bytes, or too many. That can be seen, so it is refused.
TF_Tensor* TF_AllocateOutput(TF_OpKernelContext* context, int index, TF_DataType dtype,
                             const int64_t* dims, int num_dims, size_t len, TF_Status* status) {
  tf_begin(status);
  if (!tn_run_output_type_is(context, index, (tn_dtype)dtype, status)) return NULL;
  return tn_run_allocate_output(context, index, dims, num_dims, status);
}

TF_Tensor* TF_ForwardInputOrAllocateOutput(TF_OpKernelContext* context,
                                           const int* candidate_input_indices,
                                           int num_candidate_input_indices, int output_index,
                                           const int64_t* output_dims, int output_num_dims,
                                           int* forwarded_input, TF_Status* status) {
  tf_begin(status);
  return tn_run_forward_or_allocate(context, candidate_input_indices, num_candidate_input_indices,
                                    output_index, output_dims, output_num_dims, forwarded_input,
                                    status);
}

TF_Tensor* TF_AllocateTemp(TF_OpKernelContext* context, TF_DataType dtype, const int64_t* dims,
                           int num_dims, TF_AllocatorAttributes* alloc_attrs, TF_Status* status) {
  tf_begin(status);
  if (alloc_attrs && alloc_attrs->struct_size == 0) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "TF_AllocatorAttributes struct size member must be set to "
                  "TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE");
    return NULL;
  }
  bool on_host = alloc_attrs && TN_HAS(alloc_attrs, on_host) && alloc_attrs->on_host;
  return tn_run_allocate_temp(context, (tn_dtype)dtype, dims, num_dims, on_host, status);
}

SP_Stream TF_GetStream(TF_OpKernelContext* ctx, TF_Status* status) {
  tf_begin(status);
  return tn_run_stream(ctx, status);
}

static TF_StringView to_view(tn_view view) { return (TF_StringView){view.data, view.size}; }

TF_StringView TF_GetDeviceName(TF_OpKernelContext* ctx) { return to_view(tn_run_device_name(ctx)); }
TF_StringView TF_GetOpKernelName(TF_OpKernelContext* ctx) { return to_view(tn_run_node_name(ctx)); }

TF_StringView TF_GetOpKernelRequestedInput(TF_OpKernelContext* ctx, size_t index) {
  return to_view(tn_run_requested_input(ctx, index));
}

TF_StringView TF_GetResourceMgrDefaultContainerName(TF_OpKernelContext* ctx) {
  return to_view(tn_run_default_container(ctx));
}

int TF_GetDeviceId(TF_OpKernelContext* ctx) { return tn_run_device_id(ctx); }
int64_t TF_StepId(TF_OpKernelContext* ctx) { return tn_run_step_id(ctx); }
int64_t TF_GetStepId(TF_OpKernelContext* ctx) { return tn_run_step_id(ctx); }
uint64_t TF_GetFrameId(TF_OpKernelContext* ctx) { return tn_run_frame_id(ctx); }
int64_t TF_GetIterId(TF_OpKernelContext* ctx) { return tn_run_iter_id(ctx); }
int TF_GetGraphDefVersion(TF_OpKernelContext* ctx) { return TN_GRAPH_DEF_VERSION; }

// Nobody to meet: all functions of the thunk are NULL.
TF_RendezvousThunk TF_GetRendezvous(TF_OpKernelContext* ctx) { return (TF_RendezvousThunk){0}; }

// Both messages are empty here, and an empty message has no bytes.
static void fill_empty(TF_Buffer* buffer, TF_Status* status) {
  tf_begin(status);
  if (TF_GIVEN(buffer, status)) tf_buffer_fill(buffer, tn_strdup(""), 0, status);
}

void TF_GetSerializedFunctionDefLibrary(TF_OpKernelContext* ctx,
                                        TF_Buffer* serialized_function_def_library,
                                        TF_Status* status) {
  fill_empty(serialized_function_def_library, status);
}

void TF_GetSerializedConfigProto(TF_OpKernelContext* ctx, TF_Buffer* serialized_config_proto,
                                 TF_Status* status) {
  fill_empty(serialized_config_proto, status);
}

void TF_GetSerializedResourceHandleProto(TF_OpKernelContext* ctx, int i,
                                         TF_Buffer* serialized_resource_handle_proto,
                                         TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(serialized_resource_handle_proto, status)) return;
  tn_text bytes = {0};
  if (tn_run_encode_resource_handle(ctx, i, &bytes, status)) {
    size_t size = 0;
    char* data = tn_text_take(&bytes, &size);
    tf_buffer_fill(serialized_resource_handle_proto, data, size, status);
  }
  tn_text_deinit(&bytes);
}

void TF_OpKernelContext_Failure(TF_OpKernelContext* ctx, TF_Status* status) {
  tn_run_fail(ctx, status);
}

void TF_IncNumDeferredOps(TF_OpKernelContext* context) { tn_run_defer(context); }
void TF_DecNumDeferredOps(TF_OpKernelContext* context) { tn_run_deferred_done(context); }
