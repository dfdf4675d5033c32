// Models as JSON: what a project keeps as the baseline of its interface (docs/abi-check.md has the
// form).
#ifndef TENON_ABI_LAYOUT_FILE_H_
#define TENON_ABI_LAYOUT_FILE_H_

#include "abi/model.h"
#include "base/text.h"
#include "tenon/status.h"

// Appends the model. Asked once at the end: `out->failed`.
void tn_abi_layout_write(const tn_abi_model* model, tn_text* out);

// Fills `out` (zero bytes) from the text of the file at `path`, which messages name. False, with
// INVALID_ARGUMENT, when it is none of these files.
bool tn_abi_layout_read(const char* path, tn_view text, tn_abi_model* out, tn_status* status);

#endif  // TENON_ABI_LAYOUT_FILE_H_
