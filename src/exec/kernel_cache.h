// The process's kernels that eager ops have used: by op, device, attrs and input types. Lookups
// take no lock; entries stay until the process ends.
#ifndef TENON_EXEC_KERNEL_CACHE_H_
#define TENON_EXEC_KERNEL_CACHE_H_

#include "exec/prepared.h"

typedef struct tn_cached_kernel {
  tn_prepared prepared;
  // What it is for.
  const tn_op_def* op;
  tn_device* device;
  tn_attrs attrs;
  size_t type_count;
  tn_dtype types[];
} tn_cached_kernel;

// Finds or makes the entry, whatever order the attrs were set in.  [any thread]
tn_cached_kernel* tn_kernel_cache_get(const tn_op_def* op, tn_device* device, const tn_attrs* attrs,
                                      const tn_dtype* types, size_t type_count, tn_status* status);
// The entry's kernel as the registry stands.  [any thread]
const tn_kernel_instance* tn_cached_kernel_instance(tn_cached_kernel* cached, tn_status* status);

#endif  // TENON_EXEC_KERNEL_CACHE_H_
