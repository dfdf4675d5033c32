#include "cpu/onednn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The second major version: functions used here have been the same in all of it.
static const char LIBRARY[] = "libdnnl.so.2";

// dnnl_cpu_isa_avx512_core_bf16. Beyond it is AMX, which the library uses where the processor has
// it although a virtual machine may hide the shape of its tiles: then it ends the process.
enum { MOST_INSTRUCTIONS = 0xe7 };

static struct {
  bool there;
  void* handle;
  int (*sgemm)(char transa, char transb, int64_t m, int64_t n, int64_t k, float alpha,
               const float* a, int64_t lda, const float* b, int64_t ldb, float beta, float* c,
               int64_t ldc);
  int (*get_threads)(void);
  void (*set_threads)(int count);
} library;

static void open_library(void) {
  const char* wish = getenv("TENON_ONEDNN");
  if (wish && strcmp(wish, "0") == 0) return;
#ifdef TENON_SANITIZED
  // LeakSanitizer falls over the library's threads now and then, when the process ends.
  return;
#endif
  void* handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  int (*limit)(int) = NULL;
  *(void**)&limit = dlsym(handle, "dnnl_set_max_cpu_isa");
  *(void**)&library.sgemm = dlsym(handle, "dnnl_sgemm");
  // OpenMP's are found in what the library needs. One built without OpenMP has its own threads, and
  // no way to keep it from using them.
  *(void**)&library.get_threads = dlsym(handle, "omp_get_max_threads");
  *(void**)&library.set_threads = dlsym(handle, "omp_set_num_threads");
  if (!limit || !library.sgemm || !library.get_threads || !library.set_threads) return;
  // Fails on older processors, for which there is nothing to limit.
  limit(MOST_INSTRUCTIONS);
  library.handle = handle;
  library.there = true;
}

bool tn_onednn_is_there(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return library.there;
}

void* tn_onednn_function(const char* name) {
  return tn_onednn_is_there() ? dlsym(library.handle, name) : NULL;
}

// The number belongs to this thread, which may be a program's own that uses OpenMP too.
int tn_onednn_enter(void) {
  const int threads = library.get_threads();
  if (threads != 1) library.set_threads(1);
  return threads;
}

void tn_onednn_leave(int threads) {
  if (threads != 1) library.set_threads(threads);
}

bool tn_onednn_sgemm(int64_t m, int64_t n, int64_t k, const float* a, bool a_transposed,
                     int64_t a_step, const float* b, bool b_transposed, int64_t b_step, float* c,
                     int64_t c_step) {
  if (!tn_onednn_is_there()) return false;
  const int threads = tn_onednn_enter();
  const int failed = library.sgemm(a_transposed ? 'T' : 'N', b_transposed ? 'T' : 'N', m, n, k,
                                   1.0f, a, a_step, b, b_step, 0.0f, c, c_step);
  tn_onednn_leave(threads);
  return failed == 0;
}
