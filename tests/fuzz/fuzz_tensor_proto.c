// Any bytes as a TensorProto: a status or a tensor, which then survives being encoded.
#include "tensor_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_status status = {0};
  tn_tensor* tensor = tn_tensor_decode_within((tn_view){(const char*)data, size}, 1 << 20, &status);
  if (!tensor == tn_ok(&status)) abort();
  if (tensor) check_tensor(tensor);
  tn_tensor_destroy(tensor);
  tn_status_deinit(&status);
  return 0;
}
