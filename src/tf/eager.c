// eager/c_api.h: a TFE_TensorHandle is a tn_tensor, a TFE_Op a tn_eager_op.

#include "tensorflow/c/eager/c_api.h"

#include "base/memory.h"
#include "exec/eager.h"
#include "op/op_registry.h"
#include "tf/entry.h"

struct TFE_ContextOptions {
  TFE_ContextDevicePlacementPolicy policy;
};

TFE_ContextOptions* TFE_NewContextOptions(void) {
  TFE_ContextOptions* options = tn_alloc_zeroed(1, sizeof *options);
  if (options) options->policy = TFE_DEVICE_PLACEMENT_SILENT;
  return options;
}

void TFE_DeleteContextOptions(TFE_ContextOptions* options) { tn_free(options); }

// A ConfigProto tunes TensorFlow's own runtime; nothing in it applies here, and programs set it.
void TFE_ContextOptionsSetConfig(TFE_ContextOptions* options, const void* proto, size_t proto_len,
                                 TF_Status* status) {
  tf_begin(status);
  if (TF_GIVEN(options, status) && proto_len) TF_GIVEN(proto, status);
}

// Ops run when TFE_Execute is called in either mode: results are the same.
void TFE_ContextOptionsSetAsync(TFE_ContextOptions* options, unsigned char enable) {}

void TFE_ContextOptionsSetDevicePlacementPolicy(TFE_ContextOptions* options,
                                                TFE_ContextDevicePlacementPolicy policy) {
  if (options) options->policy = policy;
}

TFE_Context* TFE_NewContext(const TFE_ContextOptions* opts, TF_Status* status) {
  tf_begin(status);
  return TF_GIVEN(opts, status) ? tn_eager_context_create((int)opts->policy, status) : NULL;
}

void TFE_DeleteContext(TFE_Context* ctx) { tn_eager_context_destroy(ctx); }

// The cache is the process's, and kernels in it are in use elsewhere.
void TFE_ContextClearCaches(TFE_Context* ctx) {}

void TFE_ContextSetThreadLocalDevicePlacementPolicy(TFE_Context* ctx,
                                                    TFE_ContextDevicePlacementPolicy policy) {
  if (ctx) tn_eager_context_set_thread_placement_policy(ctx, (int)policy);
}

TFE_ContextDevicePlacementPolicy TFE_ContextGetDevicePlacementPolicy(TFE_Context* ctx) {
  return ctx ? (TFE_ContextDevicePlacementPolicy)tn_eager_context_placement_policy(ctx)
             : TFE_DEVICE_PLACEMENT_SILENT;
}

static void refuse(const char* function, const char* what, TF_Status* status) {
  tn_status_set(status, TN_UNIMPLEMENTED, "%s: this host has no %s", function, what);
}

void TFE_ContextSetServerDef(TFE_Context* ctx, int keep_alive_secs, const void* proto,
                             size_t proto_len, TF_Status* status) {
  refuse(__func__, "cluster: it runs one process", status);
}

// Tensor handles.

static tn_tensor* tensor_of(const TFE_TensorHandle* h) { return (tn_tensor*)h; }
static TFE_TensorHandle* handle_of(tn_tensor* tensor) { return (TFE_TensorHandle*)tensor; }

TFE_TensorHandle* TFE_NewTensorHandle(const TF_Tensor* t, TF_Status* status) {
  tf_begin(status);
  return handle_of(tn_tensor_share(t, status));
}

void TFE_DeleteTensorHandle(TFE_TensorHandle* h) { tn_tensor_destroy(tensor_of(h)); }

TFE_TensorHandle* TFE_TensorHandleCopySharingTensor(TFE_TensorHandle* h, TF_Status* status) {
  tf_begin(status);
  return handle_of(tn_tensor_share(tensor_of(h), status));
}

TFE_TensorHandle* TFE_TensorHandleCopyToDevice(TFE_TensorHandle* h, TFE_Context* ctx,
                                               const char* device_name, TF_Status* status) {
  tf_begin(status);
  tn_device* device = tn_device_find(device_name, status);
  tn_stream* stream = device ? tn_device_stream(device, status) : NULL;
  return stream ? handle_of(tn_tensor_to_stream(tensor_of(h), stream, status)) : NULL;
}

TF_Tensor* TFE_TensorHandleResolve(TFE_TensorHandle* h, TF_Status* status) {
  tf_begin(status);
  return tn_tensor_to_host(tensor_of(h), status);
}

TF_DataType TFE_TensorHandleDataType(TFE_TensorHandle* h) {
  return (TF_DataType)tn_tensor_dtype(tensor_of(h));
}

int TFE_TensorHandleNumDims(TFE_TensorHandle* h, TF_Status* status) {
  tf_begin(status);
  return TF_GIVEN(h, status) ? tn_tensor_rank(tensor_of(h)) : -1;
}

int64_t TFE_TensorHandleNumElements(TFE_TensorHandle* h, TF_Status* status) {
  tf_begin(status);
  return TF_GIVEN(h, status) ? tn_tensor_elements(tensor_of(h)) : -1;
}

int64_t TFE_TensorHandleDim(TFE_TensorHandle* h, int dim_index, TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(h, status)) return -1;
  if (dim_index < 0 || dim_index >= tn_tensor_rank(tensor_of(h))) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "dimension %d of a tensor of rank %d", dim_index,
                  tn_tensor_rank(tensor_of(h)));
    return -1;
  }
  return tn_tensor_dim(tensor_of(h), dim_index);
}

const char* TFE_TensorHandleDeviceName(TFE_TensorHandle* h, TF_Status* status) {
  tf_begin(status);
  return TF_GIVEN(h, status) ? tn_device_name(tn_tensor_device(tensor_of(h))) : NULL;
}

const char* TFE_TensorHandleBackingDeviceName(TFE_TensorHandle* h, TF_Status* status) {
  return TFE_TensorHandleDeviceName(h, status);
}

// On the CPU a tensor lies as its shape says: what describes it is another handle.
TFE_TensorDebugInfo* TFE_TensorHandleTensorDebugInfo(TFE_TensorHandle* h, TF_Status* status) {
  return (TFE_TensorDebugInfo*)TFE_TensorHandleCopySharingTensor(h, status);
}

void TFE_DeleteTensorDebugInfo(TFE_TensorDebugInfo* debug_info) {
  tn_tensor_destroy((tn_tensor*)debug_info);
}

int TFE_TensorDebugInfoOnDeviceNumDims(TFE_TensorDebugInfo* debug_info) {
  return tn_tensor_rank((tn_tensor*)debug_info);
}

int64_t TFE_TensorDebugInfoOnDeviceDim(TFE_TensorDebugInfo* debug_info, int dim_index) {
  return tn_tensor_dim((tn_tensor*)debug_info, dim_index);
}

// Ops.

TFE_Op* TFE_NewOp(TFE_Context* ctx, const char* op_or_function_name, TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(ctx, status) || !TF_GIVEN(op_or_function_name, status)) return NULL;
  return tn_eager_op_create(ctx, op_or_function_name, status);
}

void TFE_DeleteOp(TFE_Op* op) { tn_eager_op_destroy(op); }

const char* TFE_OpGetName(const TFE_Op* op, TF_Status* status) {
  tf_begin(status);
  return TF_GIVEN(op, status) ? tn_eager_op_def(op)->name : NULL;
}

TFE_Context* TFE_OpGetContext(const TFE_Op* op, TF_Status* status) {
  tf_begin(status);
  return TF_GIVEN(op, status) ? tn_eager_op_context(op) : NULL;
}

void TFE_OpSetDevice(TFE_Op* op, const char* device_name, TF_Status* status) {
  tf_begin(status);
  if (TF_GIVEN(op, status)) tn_eager_op_set_device(op, device_name, status);
}

const char* TFE_OpGetDevice(const TFE_Op* op, TF_Status* status) {
  tf_begin(status);
  return TF_GIVEN(op, status) ? tn_eager_op_device(op)->name : NULL;
}

void TFE_OpAddInput(TFE_Op* op, TFE_TensorHandle* input, TF_Status* status) {
  tf_begin(status);
  if (TF_GIVEN(op, status) && TF_GIVEN(input, status))
    tn_eager_op_add_input(op, tensor_of(input), status);
}

void TFE_OpAddInputList(TFE_Op* op, TFE_TensorHandle** inputs, int num_inputs, TF_Status* status) {
  tf_begin(status);
  if (TF_GIVEN(op, status) && (num_inputs <= 0 || TF_GIVEN(inputs, status)))
    tn_eager_op_add_input_list(op, (tn_tensor* const*)inputs, num_inputs, status);
}

int TFE_OpGetFlatInputCount(const TFE_Op* op, TF_Status* status) {
  tf_begin(status);
  return TF_GIVEN(op, status) ? (int)tn_eager_op_input_count(op) : -1;
}

// Borrowed from the op, as in TensorFlow.
TFE_TensorHandle* TFE_OpGetFlatInput(const TFE_Op* op, int index, TF_Status* status) {
  tf_begin(status);
  return TF_GIVEN(op, status) ? handle_of(tn_eager_op_input(op, index, status)) : NULL;
}

int TFE_OpGetInputLength(TFE_Op* op, const char* input_name, TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(op, status) || !TF_GIVEN(input_name, status)) return -1;
  return tn_eager_op_input_length(op, input_name, status);
}

int TFE_OpGetOutputLength(TFE_Op* op, const char* output_name, TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(op, status) || !TF_GIVEN(output_name, status)) return -1;
  return tn_eager_op_output_length(op, output_name, status);
}

void TFE_Execute(TFE_Op* op, TFE_TensorHandle** retvals, int* num_retvals, TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(op, status) || !TF_GIVEN(num_retvals, status)) return;
  if (*num_retvals > 0 && !TF_GIVEN(retvals, status)) return;
  tn_eager_op_run(op, (tn_tensor**)retvals, num_retvals, status);
}

// Attributes.

static TF_AttrType attr_type(const tn_op_def* op, const char* attr_name, unsigned char* is_list,
                             TF_Status* status) {
  if (is_list) *is_list = 0;
  const tn_attr_def* attr = tn_eager_op_attr_def(op, attr_name, status);
  if (!attr) return TF_ATTR_INT;  // what TensorFlow answers beside its error
  if (is_list) *is_list = attr->is_list;
  return (TF_AttrType)attr->kind;
}

TF_AttrType TFE_OpGetAttrType(TFE_Op* op, const char* attr_name, unsigned char* is_list,
                              TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(op, status) || !TF_GIVEN(attr_name, status)) return TF_ATTR_INT;
  return attr_type(tn_eager_op_def(op), attr_name, is_list, status);
}

TF_AttrType TFE_OpNameGetAttrType(TFE_Context* ctx, const char* op_or_function_name,
                                  const char* attr_name, unsigned char* is_list,
                                  TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(op_or_function_name, status) || !TF_GIVEN(attr_name, status)) return TF_ATTR_INT;
  const tn_op_def* op = tn_op_registry_get(op_or_function_name, status);
  return op ? attr_type(op, attr_name, is_list, status) : TF_ATTR_INT;
}

static void set_one(TFE_Op* op, const char* attr, tn_attr_kind kind, const void* value) {
  if (op && attr) tn_eager_op_set_attr(op, attr, kind, false, value, 1, NULL);
}

static void set_list(TFE_Op* op, const char* attr, tn_attr_kind kind, const void* values,
                     int count) {
  if (op && attr && (values || count <= 0))
    tn_eager_op_set_attr(op, attr, kind, true, values, count > 0 ? (size_t)count : 0, NULL);
}

void TFE_OpSetAttrString(TFE_Op* op, const char* attr_name, const void* value, size_t length) {
  set_one(op, attr_name, TN_ATTR_STRING, &(tn_view){value ? value : "", value ? length : 0});
}

void TFE_OpSetAttrInt(TFE_Op* op, const char* attr_name, int64_t value) {
  set_one(op, attr_name, TN_ATTR_INT, &value);
}

void TFE_OpSetAttrFloat(TFE_Op* op, const char* attr_name, float value) {
  set_one(op, attr_name, TN_ATTR_FLOAT, &value);
}

void TFE_OpSetAttrBool(TFE_Op* op, const char* attr_name, unsigned char value) {
  set_one(op, attr_name, TN_ATTR_BOOL, &(bool){value != 0});
}

void TFE_OpSetAttrType(TFE_Op* op, const char* attr_name, TF_DataType value) {
  set_one(op, attr_name, TN_ATTR_TYPE, &(tn_dtype){(tn_dtype)value});
}

static void set_shapes(TFE_Op* op, const char* attr, bool is_list, const int64_t** dims,
                       const int* ranks, size_t count, TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(op, status) || !TF_GIVEN(attr, status)) return;
  tn_shape* shapes = tn_alloc_zeroed(count, sizeof *shapes);
  bool ok = shapes != NULL;
  if (!ok) tn_status_set_no_memory(status, "setting an attribute");
  for (size_t i = 0; ok && i < count; ++i)
    ok = tn_shape_init(&shapes[i], dims[i], ranks[i] < 0 ? -1 : ranks[i], status);
  if (ok) tn_eager_op_set_attr(op, attr, TN_ATTR_SHAPE, is_list, shapes, count, status);
  for (size_t i = 0; shapes && i < count; ++i) tn_shape_deinit(&shapes[i]);
  tn_free(shapes);
}

void TFE_OpSetAttrShape(TFE_Op* op, const char* attr_name, const int64_t* dims, const int num_dims,
                        TF_Status* out_status) {
  set_shapes(op, attr_name, false, &dims, &num_dims, 1, out_status);
}

void TFE_OpSetAttrShapeList(TFE_Op* op, const char* attr_name, const int64_t** dims,
                            const int* num_dims, int num_values, TF_Status* out_status) {
  size_t count = num_values > 0 && dims && num_dims ? (size_t)num_values : 0;
  set_shapes(op, attr_name, true, dims, num_dims, count, out_status);
}

void TFE_OpSetAttrTensor(TFE_Op* op, const char* attr_name, TF_Tensor* tensor, TF_Status* status) {
  tf_begin(status);
  if (TF_GIVEN(op, status) && TF_GIVEN(attr_name, status) && TF_GIVEN(tensor, status))
    tn_eager_op_set_attr(op, attr_name, TN_ATTR_TENSOR, false, &tensor, 1, status);
}

void TFE_OpSetAttrFunction(TFE_Op* op, const char* attr_name, const TFE_Op* value) {
  if (!value) return;
  tn_func function = tn_eager_op_as_function(value);
  set_one(op, attr_name, TN_ATTR_FUNC, &function);
}

void TFE_OpSetAttrFunctionName(TFE_Op* op, const char* attr_name, const char* data, size_t length) {
  char* name = tn_strndup(data ? data : "", data ? length : 0);
  if (name) set_one(op, attr_name, TN_ATTR_FUNC, &(tn_func){.name = name});
  tn_free(name);
}

void TFE_OpSetAttrFunctionList(TFE_Op* op, const char* attr_name, const TFE_Op** value,
                               int num_values) {
  size_t count = num_values > 0 && value ? (size_t)num_values : 0;
  tn_func* functions = tn_alloc_zeroed(count, sizeof *functions);
  for (size_t i = 0; functions && i < count; ++i)
    if (value[i]) functions[i] = tn_eager_op_as_function(value[i]);
  if (functions) set_list(op, attr_name, TN_ATTR_FUNC, functions, (int)count);
  tn_free(functions);
}

void TFE_OpSetAttrStringList(TFE_Op* op, const char* attr_name, const void* const* values,
                             const size_t* lengths, int num_values) {
  size_t count = num_values > 0 && values && lengths ? (size_t)num_values : 0;
  tn_view* strings = tn_alloc_zeroed(count, sizeof *strings);
  for (size_t i = 0; strings && i < count; ++i)
    strings[i] = (tn_view){values[i] ? values[i] : "", values[i] ? lengths[i] : 0};
  if (strings) set_list(op, attr_name, TN_ATTR_STRING, strings, (int)count);
  tn_free(strings);
}

void TFE_OpSetAttrIntList(TFE_Op* op, const char* attr_name, const int64_t* values,
                          int num_values) {
  set_list(op, attr_name, TN_ATTR_INT, values, num_values);
}

void TFE_OpSetAttrFloatList(TFE_Op* op, const char* attr_name, const float* values,
                            int num_values) {
  set_list(op, attr_name, TN_ATTR_FLOAT, values, num_values);
}

void TFE_OpSetAttrTypeList(TFE_Op* op, const char* attr_name, const TF_DataType* values,
                           int num_values) {
  _Static_assert(sizeof(TF_DataType) == sizeof(tn_dtype), "the same numbers in the same size");
  set_list(op, attr_name, TN_ATTR_TYPE, values, num_values);
}

void TFE_OpSetAttrBoolList(TFE_Op* op, const char* attr_name, const unsigned char* values,
                           int num_values) {
  size_t count = num_values > 0 && values ? (size_t)num_values : 0;
  bool* bools = tn_alloc_zeroed(count, sizeof *bools);
  for (size_t i = 0; bools && i < count; ++i) bools[i] = values[i] != 0;
  if (bools) set_list(op, attr_name, TN_ATTR_BOOL, bools, (int)count);
  tn_free(bools);
}

// Functions, run metadata, steps.

void TFE_ContextAddFunctionDef(TFE_Context* ctx, const char* serialized_function_def, size_t size,
                               TF_Status* status) {
  refuse(__func__, "graph functions: it runs ops", status);
}

void TFE_ContextAddFunction(TFE_Context* ctx, TF_Function* function, TF_Status* status) {
  refuse(__func__, "graph functions: it runs ops", status);
}

void TFE_ContextRemoveFunction(TFE_Context* ctx, const char* name, TF_Status* status) {
  tn_status_set(status, TN_NOT_FOUND, "TFE_ContextRemoveFunction: no function '%s'",
                name ? name : "");
}

unsigned char TFE_ContextHasFunction(TFE_Context* ctx, const char* name) { return 0; }

void TFE_ContextEnableRunMetadata(TFE_Context* ctx) {}
void TFE_ContextDisableRunMetadata(TFE_Context* ctx) {}

// No metadata is collected; RunMetadata without fields has no bytes.
void TFE_ContextExportRunMetadata(TFE_Context* ctx, TF_Buffer* buf, TF_Status* status) {
  tf_begin(status);
  if (TF_GIVEN(buf, status)) tf_buffer_fill(buf, tn_strdup(""), 0, status);
}

void TFE_ContextStartStep(TFE_Context* ctx) {
  if (ctx) tn_eager_context_start_step(ctx);
}

void TFE_ContextEndStep(TFE_Context* ctx) {
  if (ctx) tn_eager_context_end_step(ctx);
}
