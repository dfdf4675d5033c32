// Attributes as a kernel under construction reads them. The getters of kernels.h (src/tf) are these
// three and a copy.
#ifndef TENON_KERNEL_CONSTRUCTION_H_
#define TENON_KERNEL_CONSTRUCTION_H_

#include "kernel/instance.h"

// The value of one attribute, borrowed from the node; NULL and INVALID_ARGUMENT when it is missing.
const tn_attr_value* tn_construction_attr(const tn_construction* construction, const char* name,
                                          tn_status* status);
// The same, of this kind. A list where one value is wanted, one value where a list is wanted and
// another kind are INVALID_ARGUMENT with TensorFlow's texts; an empty list passes as a list of any kind.
const tn_attr_value* tn_construction_value(const tn_construction* construction, const char* name,
                                           tn_attr_kind kind, tn_status* status);
const tn_attr_value* tn_construction_list(const tn_construction* construction, const char* name,
                                          tn_attr_kind kind, tn_status* status);

// list_size: the length of a list, -1 for one value. total_size: bytes of the string or strings, rank
// of the shape (-1 unknown) or the ranks' sum, else -1. Both -1 when the attribute is missing.
bool tn_construction_attr_size(const tn_construction* construction, const char* name,
                               int32_t* out_list_size, int32_t* out_total_size, tn_status* status);

#endif  // TENON_KERNEL_CONSTRUCTION_H_
