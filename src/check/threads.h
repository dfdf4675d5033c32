// Threads of a case.
#ifndef TENON_CHECK_THREADS_H_
#define TENON_CHECK_THREADS_H_

#include <stddef.h>

// Runs `work(arg, i)` on `count` threads (16 at most) at the same time, with so much stack (0: as
// usual).
void tn_case_threads(int count, size_t stack, void (*work)(void* arg, int i), void* arg);

#endif  // TENON_CHECK_THREADS_H_
