// grappler.h. Graph passes are outside Tenon's faces: it has no graphs to optimise. Plugins import
// these names beside their kernels, so they exist; each says so in its status, and those without a
// status return NULL or nothing.

#include "op/op_registry.h"
#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tf/entry.h"

static void refuse(const char* function, TF_Status* status) {
  tn_status_set(status, TN_UNIMPLEMENTED,
                "%s: this host runs kernels and has no graph to optimise; it never calls "
                "TF_InitGraph, so a plugin should not get here",
                function);
}

void TF_GetNodesToPreserveListSize(const TF_GrapplerItem* item, int* num_values,
                                   size_t* storage_size, TF_Status* status) {
  if (num_values) *num_values = 0;
  if (storage_size) *storage_size = 0;
  refuse(__func__, status);
}

void TF_GetNodesToPreserveList(const TF_GrapplerItem* item, char** values, size_t* lengths,
                               int num_values, void* storage, size_t storage_size,
                               TF_Status* status) {
  refuse(__func__, status);
}

void TF_GetFetchNodesListSize(const TF_GrapplerItem* item, int* num_values, size_t* storage_size,
                              TF_Status* status) {
  if (num_values) *num_values = 0;
  if (storage_size) *storage_size = 0;
  refuse(__func__, status);
}

void TF_GetFetchNodesList(const TF_GrapplerItem* item, char** values, size_t* lengths,
                          int num_values, void* storage, size_t storage_size, TF_Status* status) {
  refuse(__func__, status);
}

TF_GraphProperties* TF_NewGraphProperties(const TF_GrapplerItem* item) { return NULL; }
void TF_DeleteGraphProperties(TF_GraphProperties* graph_properties) {}

void TF_InferStatically(TF_GraphProperties* graph_properties, TF_Bool assume_valid_feeds,
                        TF_Bool aggressive_shape_inference, TF_Bool include_input_tensor_values,
                        TF_Bool include_output_tensor_values, TF_Status* status) {
  refuse(__func__, status);
}

void TF_GetInputPropertiesListSize(TF_GraphProperties* graph_properties, const char* name,
                                   int* num_values, TF_Status* status) {
  if (num_values) *num_values = 0;
  refuse(__func__, status);
}

void TF_GetOutputPropertiesListSize(TF_GraphProperties* graph_properties, const char* name,
                                    int* num_values, TF_Status* status) {
  if (num_values) *num_values = 0;
  refuse(__func__, status);
}

void TF_GetInputPropertiesList(TF_GraphProperties* graph_properties, const char* name,
                               TF_Buffer** properties, int num_values, TF_Status* status) {
  refuse(__func__, status);
}

void TF_GetOutputPropertiesList(TF_GraphProperties* graph_properties, const char* name,
                                TF_Buffer** properties, int num_values, TF_Status* status) {
  refuse(__func__, status);
}

TF_FunctionLibraryDefinition* TF_NewFunctionLibraryDefinition(const TF_Buffer* graph_buf,
                                                              TF_Status* status) {
  refuse(__func__, status);
  return NULL;
}

void TF_DeleteFunctionLibraryDefinition(TF_FunctionLibraryDefinition* fn_lib) {}

// Registered ops need no library of functions, so this one works.
void TF_LookUpOpDef(TF_FunctionLibraryDefinition* fn_lib, const char* name, TF_Buffer* buf,
                    TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(name, status) || !TF_GIVEN(buf, status)) return;
  const tn_op_def* op = tn_op_registry_get(name, status);
  tn_text bytes = {0};
  if (op && tn_op_def_encode(op, &bytes, status)) {
    size_t size = 0;
    char* data = tn_text_take(&bytes, &size);
    tf_buffer_fill(buf, data, size, status);
  }
  tn_text_deinit(&bytes);
}
