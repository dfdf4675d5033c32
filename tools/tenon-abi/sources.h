// Where a model comes from: a header, a shared object, a layout file, or the tables by number.
#ifndef TENON_TOOLS_TENON_ABI_SOURCES_H_
#define TENON_TOOLS_TENON_ABI_SOURCES_H_

#include "header.h"

// `name` is a file, or "pjrt==0.54", "tensorflow==2.7" or "seed==v4". What a file is shows in
// its first bytes.
bool read_source(const char* name, const header_options* options, tn_abi_model* out,
                 tn_status* status);

#endif  // TENON_TOOLS_TENON_ABI_SOURCES_H_
