// What test_kernel_threads.c gets from C++.
#ifndef TENON_TESTS_TF_THROWING_H_
#define TENON_TESTS_TF_THROWING_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void throw_in_loop(void* arg, int64_t begin, int64_t end);
void throw_in_task(void* arg);
bool catches(void (*run)(void));

#ifdef __cplusplus
}
#endif
#endif  // TENON_TESTS_TF_THROWING_H_
