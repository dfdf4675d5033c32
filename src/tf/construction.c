// kernels.h: what a kernel asks while it is made.

#include "kernel/construction.h"

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tf/entry.h"

void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction* ctx, TF_Status* status) {
  tn_construction_fail(ctx, status);
}

TF_StringView TF_OpKernelConstruction_GetName(TF_OpKernelConstruction* ctx) {
  tn_view name = tn_construction_name(ctx);
  return (TF_StringView){name.data, name.size};
}

bool TF_OpKernelConstruction_HasAttr(TF_OpKernelConstruction* ctx, const char* attr_name,
                                     TF_Status* status) {
  tf_begin(status);
  return tn_construction_has_attr(ctx, attr_name);
}

void TF_OpKernelConstruction_GetAttrSize(TF_OpKernelConstruction* ctx, const char* attr_name,
                                         int32_t* list_size, int32_t* total_size,
                                         TF_Status* status) {
  tf_begin(status);
  tn_construction_attr_size(ctx, attr_name, list_size, total_size, status);
}

void TF_OpKernelConstruction_GetAttrType(TF_OpKernelConstruction* ctx, const char* attr_name,
                                         TF_DataType* val, TF_Status* status) {
  tf_begin(status);
  tn_construction_type(ctx, attr_name, (tn_dtype*)val, status);
}

#define GETTER(name, c_type, get)                                                                 \
  void TF_OpKernelConstruction_GetAttr##name(TF_OpKernelConstruction* ctx, const char* attr_name, \
                                             c_type* val, TF_Status* status) {                    \
    tf_begin(status);                                                                             \
    get(ctx, attr_name, val, status);                                                             \
  }
GETTER(Int32, int32_t, tn_construction_int32)
GETTER(Int64, int64_t, tn_construction_int64)
GETTER(Float, float, tn_construction_float)
GETTER(Bool, TF_Bool, tn_construction_bool)

void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction* ctx, const char* attr_name,
                                           char* val, size_t max_length, TF_Status* status) {
  tf_begin(status);
  tn_construction_string(ctx, attr_name, val, max_length, status);
}

void TF_OpKernelConstruction_GetAttrTensor(TF_OpKernelConstruction* ctx, const char* attr_name,
                                           TF_Tensor** val, TF_Status* status) {
  tf_begin(status);
  if (TF_GIVEN(val, status)) *val = tn_construction_tensor(ctx, attr_name, status);
}

void TF_OpKernelConstruction_GetAttrTensorShape(TF_OpKernelConstruction* ctx, const char* attr_name,
                                                int64_t* dims, size_t num_dims, TF_Status* status) {
  tf_begin(status);
  tn_construction_shape(ctx, attr_name, dims, num_dims, status);
}

void TF_OpKernelConstruction_GetAttrTypeList(TF_OpKernelConstruction* ctx, const char* attr_name,
                                             TF_DataType* vals, int max_vals, TF_Status* status) {
  tf_begin(status);
  tn_construction_type_list(ctx, attr_name, (tn_dtype*)vals, max_vals, status);
}

#define LIST_GETTER(name, c_type, get)                                                  \
  void TF_OpKernelConstruction_GetAttr##name##List(TF_OpKernelConstruction* ctx,        \
                                                   const char* attr_name, c_type* vals, \
                                                   int max_vals, TF_Status* status) {   \
    tf_begin(status);                                                                   \
    get(ctx, attr_name, vals, max_vals, status);                                        \
  }
LIST_GETTER(Int32, int32_t, tn_construction_int32_list)
LIST_GETTER(Int64, int64_t, tn_construction_int64_list)
LIST_GETTER(Float, float, tn_construction_float_list)
LIST_GETTER(Bool, TF_Bool, tn_construction_bool_list)
LIST_GETTER(Tensor, TF_Tensor*, tn_construction_tensor_list)

void TF_OpKernelConstruction_GetAttrStringList(TF_OpKernelConstruction* ctx, const char* attr_name,
                                               char** values, size_t* lengths, int max_values,
                                               void* storage, size_t storage_size,
                                               TF_Status* status) {
  tf_begin(status);
  tn_construction_string_list(ctx, attr_name, values, lengths, max_values, storage, storage_size,
                              status);
}

TF_Buffer* TF_OpKernelConstruction_GetAttrFunction(TF_OpKernelConstruction* ctx,
                                                   const char* attr_name, TF_Status* status) {
  tf_begin(status);
  tn_text bytes = {0};
  bool written = tn_construction_function(ctx, attr_name, &bytes, status);
  return tf_buffer_of(&bytes, written, status);
}

TF_Buffer* TF_OpKernelConstruction_GetNodeDef(TF_OpKernelConstruction* ctx, TF_Status* status) {
  tf_begin(status);
  tn_text bytes = {0};
  bool written = tn_construction_node_def(ctx, &bytes, status);
  return tf_buffer_of(&bytes, written, status);
}
