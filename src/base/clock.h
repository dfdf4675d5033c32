// The time that only goes forward, for deadlines and durations.
#ifndef TENON_BASE_CLOCK_H_
#define TENON_BASE_CLOCK_H_

#include <stdint.h>
#include <time.h>

static inline int64_t tn_clock_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline int64_t tn_clock_ms(void) { return tn_clock_ns() / 1000000; }

#endif  // TENON_BASE_CLOCK_H_
