// KernelDef bytes: refused with a status, or read; what was read is written and read back the same.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "kernel/kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_kernel_def def, again, copy;
  tn_status status = {0};
  if (!tn_kernel_def_decode(&def, (tn_view){(const char*)data, size}, &status)) {
    if (tn_ok(&status)) abort();
    tn_status_deinit(&status);
    return 0;
  }
  tn_text bytes = {0}, second = {0}, line = {0};
  tn_kernel_def_encode(&def, &bytes);
  tn_kernel_def_print(&def, &line);
  if (!line.failed && strlen(tn_text_view(&line).data) != line.size) abort();
  if (!bytes.failed) {
    if (!tn_kernel_def_decode(&again, tn_text_view(&bytes), &status)) abort();
    if (!tn_kernel_def_copy(&copy, &again, &status)) abort();
    tn_kernel_def_encode(&copy, &second);
    if (!tn_view_equal(tn_text_view(&bytes), tn_text_view(&second))) abort();
    tn_kernel_def_deinit(&again);
    tn_kernel_def_deinit(&copy);
  }
  tn_kernel_def_deinit(&def);
  tn_text_deinit(&bytes);
  tn_text_deinit(&second);
  tn_text_deinit(&line);
  return 0;
}
