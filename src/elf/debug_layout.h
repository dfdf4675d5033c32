// Structs, enums and functions of a shared object, from its debug information.
#ifndef TENON_ELF_DEBUG_LAYOUT_H_
#define TENON_ELF_DEBUG_LAYOUT_H_

#include "abi/model.h"
#include "tenon/status.h"

// Fills `out` (zero bytes) with what the compilation units of the file at `path` declare at the
// top, the system's headers left out. FAILED_PRECONDITION when the file has no debug information.
// The bytes are not trusted.  [any thread]
bool tn_elf_read_layout(const char* path, tn_abi_model* out, tn_status* status);

#endif  // TENON_ELF_DEBUG_LAYOUT_H_
