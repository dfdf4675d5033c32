#include "sources.h"

#include <stdio.h>
#include <string.h>

#include "abi/layout_file.h"
#include "abi/pjrt_history.h"
#include "abi/seed_history.h"
#include "abi/tf_history.h"
#include "base/file.h"
#include "elf/debug_layout.h"
#include "worker.h"

bool read_source(const char* name, const header_options* options, tn_abi_model* out,
                 tn_status* status) {
  int minor;
  char rest;
  if (strncmp(name, "tensorflow==", 12) == 0) return tn_abi_tf_model(name + 12, out, status);
  if (strncmp(name, "seed==", 6) == 0) return tn_abi_seed_model(name + 6, out, status);
  if (strncmp(name, "pjrt==", 6) == 0) {
    if (sscanf(name + 6, "0.%9d%c", &minor, &rest) == 1)
      return tn_abi_pjrt_model(minor, out, status);
    tn_status_set(status, TN_INVALID_ARGUMENT, "'%s' is no number of PJRT; write pjrt==0.54", name);
    return false;
  }
  worker_reads(name);
  tn_text text = {0};
  if (!tn_file_read(name, (size_t)256 << 20, &text, status)) return false;
  const tn_view view = tn_text_view(&text);
  const size_t space = view.size ? strspn(view.data, " \t\r\n") : 0;
  bool read;
  if (view.size >= 4 && memcmp(view.data, "\177ELF", 4) == 0) {
    read = tn_elf_read_layout(name, out, status);
  } else if (view.size > space && view.data[space] == '{') {
    read = tn_abi_layout_read(name, view, out, status);
  } else {
    read = read_header(name, options, out, status);
  }
  tn_text_deinit(&text);
  return read;
}
