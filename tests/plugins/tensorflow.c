// What plugins are linked against under TensorFlow's library names, and, opened for all, a
// TensorFlow in the process that a plugin must not bind to.
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#include <stdlib.h>

const char* TF_Version(void) { return "the other host"; }

// Any call that lands here instead of in Tenon ends the test.
TF_Status* TF_NewStatus(void) { abort(); }
void TF_DeleteStatus(TF_Status* status) { abort(); }
TF_Code TF_GetCode(const TF_Status* status) { abort(); }
void TF_GetInput(TF_OpKernelContext* context, int i, TF_Tensor** tensor, TF_Status* status) {
  abort();
}
void TF_SetOutput(TF_OpKernelContext* context, int i, const TF_Tensor* tensor, TF_Status* status) {
  abort();
}
void TF_DeleteTensor(TF_Tensor* tensor) { abort(); }
void TF_OpKernelContext_Failure(TF_OpKernelContext* context, TF_Status* status) { abort(); }
TF_OpDefinitionBuilder* TF_NewOpDefinitionBuilder(const char* name) { abort(); }
void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder* builder, const char* spec) { abort(); }
void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder* builder, const char* spec) { abort(); }
void TF_RegisterOpDefinition(TF_OpDefinitionBuilder* builder, TF_Status* status) { abort(); }
TF_KernelBuilder* TF_NewKernelBuilder(const char* op, const char* device,
                                      void* (*create)(TF_OpKernelConstruction*),
                                      void (*compute)(void*, TF_OpKernelContext*),
                                      void (*destroy)(void*)) {
  abort();
}
void TF_RegisterKernelBuilder(const char* name, TF_KernelBuilder* builder, TF_Status* status) {
  abort();
}
