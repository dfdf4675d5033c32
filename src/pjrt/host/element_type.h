#ifndef TENON_PJRT_HOST_ELEMENT_TYPE_H_
#define TENON_PJRT_HOST_ELEMENT_TYPE_H_

#include "pjrt/host/plugin.h"

// Whether the plugin knows the type, which may be newer than it: plugins are known to abort when
// they meet a number they have no type for.
bool tn_pjrt_type_check(const tn_pjrt* plugin, int32_t type, tn_status* status);

// Bytes of a dense array in host memory. False, with a status, for a negative dimension, a type
// without a size, or more bytes than there can be.
bool tn_pjrt_array_bytes(int32_t type, const int64_t* dims, size_t rank, size_t* bytes,
                         tn_status* status);

#endif  // TENON_PJRT_HOST_ELEMENT_TYPE_H_
