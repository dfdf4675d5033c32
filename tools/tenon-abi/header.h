// Reading a C header with libclang.
#ifndef TENON_TOOLS_TENON_ABI_HEADER_H_
#define TENON_TOOLS_TENON_ABI_HEADER_H_

#include "abi/model.h"
#include "tenon/status.h"

typedef struct header_options {
  const char* const* flags;  // for the compiler, -I among them
  int flag_count;
  const char* version_prefix;  // of the constants that are its number; "" takes the first that fits
  // For an import: also functions that are inline or have no C linkage, types of functions without
  // typedefs, and macros that have a value, as constants of the enum TN_ABI_MACROS.
  bool whole;
  // For a check: also macros that have a value, and variables.
  bool values;
} header_options;

// True when `macro` is the constant for the size of the struct of that name.
bool header_names_size_of(const char* macro, const char* struct_name);

// True when the header at `path` is C11 by itself.
bool header_is_c(const char* path, const header_options* options);

// Fills `out` (zero bytes) with what the header at `path` and the headers it includes declare, the
// system's left out. Read as C11, or as C++17 when it is no C. False with INVALID_ARGUMENT and the
// compiler's messages when it is neither.
bool read_header(const char* path, const header_options* options, tn_abi_model* out,
                 tn_status* status);

#endif  // TENON_TOOLS_TENON_ABI_HEADER_H_
