// oneDNN, where the machine has it: opened at run time, never linked. TENON_ONEDNN=0 in the
// environment does without.
//
// It has threads of its own (OpenMP's), which it must not use: callers cut the work into pieces for
// their threads, and every call here stays on its thread.
#ifndef TENON_CPU_ONEDNN_H_
#define TENON_CPU_ONEDNN_H_

#include <stdbool.h>
#include <stdint.h>

// Whether it is there. The first call looks for it.
bool tn_onednn_is_there(void);

// c[m, n] = a[m, k] * b[k, n] of floats; rows of a matrix, or its columns where it is transposed,
// are a_step, b_step and c_step apart. False, with c in any state, when it is not there or fails.
bool tn_onednn_sgemm(int64_t m, int64_t n, int64_t k, const float* a, bool a_transposed,
                     int64_t a_step, const float* b, bool b_transposed, int64_t b_step, float* c,
                     int64_t c_step);

// A function of the library's, or NULL. Calls of it that compute stand between enter and leave,
// which keep it on this thread: leave takes what enter gave.
void* tn_onednn_function(const char* name);
int tn_onednn_enter(void);
void tn_onednn_leave(int threads);

#endif  // TENON_CPU_ONEDNN_H_
