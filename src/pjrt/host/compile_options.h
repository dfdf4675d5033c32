#ifndef TENON_PJRT_HOST_COMPILE_OPTIONS_H_
#define TENON_PJRT_HOST_COMPILE_OPTIONS_H_

#include "base/text.h"
#include "tenon/pjrt.h"

// Appends the CompileOptionsProto for `options` (replicas and partitions from 1 on). The caller
// asks out->failed.
void tn_pjrt_compile_options_write(const tn_pjrt_compile_options* options, tn_text* out);

#endif  // TENON_PJRT_HOST_COMPILE_OPTIONS_H_
