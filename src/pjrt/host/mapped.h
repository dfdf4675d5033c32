// Which addresses of this process hold something to read, and which hold code: a pointer that a
// plugin left wild is then a status instead of a crash.
#ifndef TENON_PJRT_HOST_MAPPED_H_
#define TENON_PJRT_HOST_MAPPED_H_

#include <stdbool.h>
#include <stddef.h>

typedef struct tn_mapped tn_mapped;

// The state of now. Owned by the caller until tn_mapped_destroy; NULL when it is not to be known.
// [any thread]
tn_mapped* tn_mapped_read(void);
void tn_mapped_destroy(tn_mapped* mapped);

// Whether `size` bytes from `address` on can be read, or code can be called there. True when
// `mapped` is NULL and `address` is not.
bool tn_mapped_readable(const tn_mapped* mapped, const void* address, size_t size);
bool tn_mapped_is_code(const tn_mapped* mapped, const void* address);

#endif  // TENON_PJRT_HOST_MAPPED_H_
