// Any bytes as a .npy file: a status or a tensor, which then survives being written.
#include "memory_file.h"
#include "tensor_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_status status = {0};
  const char* path = memory_file(data, size);
  tn_tensor* tensor = tn_npy_read(path, &status);
  if (!tensor && tn_ok(&status)) abort();
  if (tensor) {
    check_tensor(tensor);
    if (tn_npy_write(path, tensor, &status)) {
      tn_tensor* again = tn_npy_read(path, &status);
      if (!again || !same_tensors(tensor, again)) abort();
      tn_tensor_destroy(again);
    } else if (tn_ok(&status)) {
      abort();
    }
    tn_tensor_destroy(tensor);
  } else {
    tn_tensor_destroy(tn_npy_read_as(path, TN_FLOAT8_E4M3FN, NULL));
  }
  tn_status_deinit(&status);
  return 0;
}
