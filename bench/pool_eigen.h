// What bench_pool.c gets from C++.
#ifndef TENON_BENCH_POOL_EIGEN_H_
#define TENON_BENCH_POOL_EIGEN_H_

#include <stdint.h>

#include "tenon/kernel_services.h"

#ifdef __cplusplus
extern "C" {
#endif

void* eigen_pool_create(int threads);
void eigen_pool_destroy(void* pool);
// `cycles` is what one index costs.
void eigen_pool_parallel_for(void* pool, int64_t total, double cycles,
                             void (*body)(void* arg, int64_t begin, int64_t end), void* arg);
void eigen_pool_schedule(void* pool, void (*task)(void* arg), void* arg);

// A std::function on the heap, as one crosses the boundary.
FuncWrap wrap_function(void (*task)(void* arg), void* arg);

#ifdef __cplusplus
}
#endif
#endif  // TENON_BENCH_POOL_EIGEN_H_
