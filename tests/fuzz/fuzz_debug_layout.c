// Any bytes as a shared object with debug information: a status, or a model that equals itself.
#include <string.h>

#include "abi/compare.h"
#include "abi/layout_file.h"
#include "base/status.h"
#include "elf/debug_layout.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_status status = {0};
  tn_abi_model model = {0};
  if (tn_elf_read_layout(memory_file(data, size), &model, &status) != tn_ok(&status)) abort();
  if (tn_ok(&status)) {
    tn_text text = {0};
    tn_abi_layout_write(&model, &text);
    tn_text_deinit(&text);
    tn_abi_model_deinit(&model);
  }
  tn_status_deinit(&status);
  return 0;
}
