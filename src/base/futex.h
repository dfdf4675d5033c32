// Sleeping until a number changes, and waking those who sleep on it.
#ifndef TENON_BASE_FUTEX_H_
#define TENON_BASE_FUTEX_H_

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(atomic_int) == 4, "the kernel compares 32 bits");

// Returns at once when *word is not `expected`, else when woken or for no reason: callers look
// again.
static inline void tn_futex_wait(atomic_int* word, int expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

// The same, for no longer than `nanoseconds`.
static inline void tn_futex_wait_for(atomic_int* word, int expected, int64_t nanoseconds) {
  struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &limit, NULL, 0);
}

// The memory may have gone to other use by now: a waker that saw its number taken owns nothing.
static inline void tn_futex_wake(atomic_int* word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

#endif  // TENON_BASE_FUTEX_H_
