// Handing ranges to the caller's parallel-for, or running them here.
#ifndef TENON_CPU_PARALLEL_H_
#define TENON_CPU_PARALLEL_H_

#include "cpu/cpu.h"

static inline void tn_cpu_run(const tn_cpu_parallel* parallel, int64_t total, int64_t cost,
                              void (*body)(void* arg, int64_t begin, int64_t end), void* arg) {
  if (total <= 0) return;
  if (parallel && total > 1) {
    parallel->run(parallel->pool, total, cost, body, arg);
  } else {
    body(arg, 0, total);
  }
}

// How many threads `parallel` may have: a guess, where the host lends them.
int tn_cpu_thread_count(const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_PARALLEL_H_
