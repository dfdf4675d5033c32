// Any bytes as an .npz archive: each array is a status or a tensor.
#include "memory_file.h"
#include "tensor_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_status status = {0};
  tn_npz* archive = tn_npz_open(memory_file(data, size), &status);
  if (!archive && tn_ok(&status)) abort();
  for (size_t i = 0; i < tn_npz_count(archive) && i < 8; ++i) {
    tn_status_clear(&status);
    tn_tensor* tensor = tn_npz_read(archive, tn_npz_name(archive, i), &status);
    if (!tensor == tn_ok(&status)) abort();
    if (tensor) check_tensor(tensor);
    tn_tensor_destroy(tensor);
  }
  tn_npz_close(archive);
  tn_status_deinit(&status);
  return 0;
}
