// Reading structs that may come from another release: a field is there when it ends within the size
// the other side announced.
#ifndef TENON_ABI_H_
#define TENON_ABI_H_

#include <stddef.h>

// Where MEMBER ends in TYPE: the struct's size when MEMBER was its last field, padding not counted.
#ifndef TF_OFFSET_OF_END
#define TF_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE*)0)->MEMBER))
#endif

// True when the struct that `ptr` points to has `field`; the only way a versioned field is read.
#define TN_HAS(ptr, field) \
  ((ptr)->struct_size >= (size_t)((const char*)(&(ptr)->field + 1) - (const char*)(ptr)))

#endif  // TENON_ABI_H_
