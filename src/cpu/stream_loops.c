#include "cpu/stream_loops.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#ifdef __x86_64__
#ifdef __AVX512F__
#define STREAM(from, to) _mm512_stream_si512((void*)(to), _mm512_loadu_si512(from))
enum { LINE = 64 };
#elif defined __AVX2__
#define STREAM(from, to) _mm256_stream_si256((void*)(to), _mm256_loadu_si256((const void*)(from)))
enum { LINE = 32 };
#else
#define STREAM(from, to) _mm_stream_si128((void*)(to), _mm_loadu_si128((const void*)(from)))
enum { LINE = 16 };
#endif
static void stream(const void* in, void* out, int64_t bytes) {
  const char* from = in;
  char* to = out;
  int64_t i = 0;
  if ((uintptr_t)to % LINE) {
    memcpy(to, from, (size_t)bytes);
    return;
  }
  for (; i + LINE <= bytes; i += LINE) STREAM(from + i, to + i);
  memcpy(to + i, from + i, (size_t)(bytes - i));
}
static void end_stream(void) { _mm_sfence(); }
#else
static void stream(const void* in, void* out, int64_t bytes) { memcpy(out, in, (size_t)bytes); }
static void end_stream(void) {}
#endif

const tn_stream_loops TN_CPU_VARIANT(tn_stream_loops) = {stream, end_stream};
