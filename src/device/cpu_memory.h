// The CPU's memory. Buffers from 2 KiB on are kept when they are freed, for the next output of
// about that size: fresh pages cost a fault each, 16,384 of them for 64 MB, on every call, and
// smaller blocks are what malloc is slow with.
//
// What is kept stays under a limit: 1 GiB or an eighth of the machine's memory, whichever is less.
// Besides, each thread keeps the last buffer of up to 64 KiB that it freed.
// Environment: TENON_KEEP_MB=N sets the limit in MiB; 0 keeps nothing.
#ifndef TENON_DEVICE_CPU_MEMORY_H_
#define TENON_DEVICE_CPU_MEMORY_H_

#include "tensor/buffer.h"

enum { TN_KEEP_FROM = 1 << 11 };

extern tn_allocator tn_cpu_allocator;

// Bytes kept and not in use, for this thread alone or for all.  [any thread]
size_t tn_cpu_memory_kept(void);
// Gives all of them back to the system.  [any thread]
void tn_cpu_memory_trim(void);

#endif  // TENON_DEVICE_CPU_MEMORY_H_
