// The TFE_* functions of a host that is chosen at run time, found by name, so that one program
// measures every host.
#ifndef TENON_BENCH_TFE_H_
#define TENON_BENCH_TFE_H_

#include "tensorflow/c/c_api_experimental.h"
#include "tensorflow/c/eager/c_api.h"

// clang-format off
#define TFE_FUNCTIONS(X)                                                                       \
  X(TF_NewStatus) X(TF_GetCode) X(TF_Message) X(TF_LoadPluggableDeviceLibrary)                 \
  X(TF_AllocateTensor) X(TF_TensorData) X(TF_DeleteTensor) X(TFE_NewContextOptions)            \
  X(TFE_NewContext) X(TFE_NewTensorHandle) X(TFE_NewOp) X(TFE_OpAddInput)                      \
  X(TFE_OpAddInputList) X(TFE_OpSetAttrFloat) X(TFE_OpSetAttrBool) X(TFE_OpSetAttrInt)         \
  X(TFE_OpSetAttrIntList) X(TFE_OpSetAttrString) X(TFE_OpSetAttrType) X(TFE_Execute)           \
  X(TFE_DeleteTensorHandle) X(TFE_DeleteOp) X(TFE_TensorHandleResolve)
// clang-format on

typedef struct tfe_host {
#define TFE_FIELD(name) __typeof__(&name) name;
  TFE_FUNCTIONS(TFE_FIELD)
#undef TFE_FIELD
} tfe_host;
extern tfe_host host;

// Opens the libraries, the last of which has the functions. Says what is wrong and ends the process
// otherwise; so does the next.
void tfe_open(int count, char** libraries);
void tfe_expect_ok(TF_Status* status, const char* what);

#endif  // TENON_BENCH_TFE_H_
