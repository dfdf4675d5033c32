// The sizes that argument structs had at each number.
#ifndef TENON_PJRT_HOST_SIZES_H_
#define TENON_PJRT_HOST_SIZES_H_

#include "pjrt/host/plugin.h"

// Fills `sizes` and `their_ends` from the numbers of both sides. `as_host`: the caller has asked
// for a host of that number, which then sends what a framework of the time sent, mistakes included.
void tn_pjrt_sizes_init(tn_pjrt* plugin, bool as_host);

#endif  // TENON_PJRT_HOST_SIZES_H_
