// Drawing: numbers from the seed, attributes and nodes of ops, tensors.
#ifndef TENON_CHECK_KERNELS_DRAW_H_
#define TENON_CHECK_KERNELS_DRAW_H_

#include "check/kernels/fixture.h"

static inline size_t tk_pick(uint64_t* random, size_t count) {
  return (size_t)tn_case_between(random, 0, (int64_t)count - 1);
}
static inline bool tk_chance(uint64_t* random, int percent) {
  return tn_case_between(random, 0, 99) < percent;
}
#define TK_PICK(random, array) (array)[tk_pick(random, sizeof(array) / sizeof *(array))]

// A use of the op, with types that the kernel takes too. NULL with a status when the host refuses
// the attributes that were drawn.
tn_node* tk_draw_node(const tk_kernel* kernel, tk_style style, uint64_t* random, tn_status* status);

// The type that the attribute `first` names, else "dtype", "T", else float.
tn_dtype tk_type_attr(const tn_attrs* attrs, const char* first);

// NULL without memory.
tn_tensor* tk_draw_tensor(tn_dtype dtype, const int64_t* dims, int rank, tk_style style,
                          uint64_t* random);

#endif  // TENON_CHECK_KERNELS_DRAW_H_
