#include "cpu/elementwise_loops.h"

#define PLAIN(x)                                                      \
  static void widen_##x(const void* in, float* out, int64_t count) {  \
    const uint16_t* from = in;                                        \
    for (int64_t i = 0; i < count; ++i) out[i] = load_##x(from[i]);   \
  }                                                                   \
  static void narrow_##x(const float* in, void* out, int64_t count) { \
    uint16_t* to = out;                                               \
    for (int64_t i = 0; i < count; ++i) to[i] = store_##x(in[i]);     \
  }
PLAIN(bf16)

// The compiler makes no vectors of the instructions that convert halves.
#if defined __AVX512F__ || defined __F16C__
#ifdef __AVX512F__
enum { WIDTH = 16 };
#define WIDEN(from, to) \
  _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(from))))
#define NARROW(from, to)              \
  _mm256_storeu_si256((__m256i*)(to), \
                      _mm512_cvtps_ph(_mm512_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT))
#else
enum { WIDTH = 8 };
#define WIDEN(from, to) \
  _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)(from))))
#define NARROW(from, to)           \
  _mm_storeu_si128((__m128i*)(to), \
                   _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT))
#endif

static void widen_f16(const void* in, float* out, int64_t count) {
  const uint16_t* from = in;
  int64_t i = 0;
  for (; i + WIDTH <= count; i += WIDTH) WIDEN(from + i, out + i);
  for (; i < count; ++i) out[i] = load_f16(from[i]);
}

static void narrow_f16(const float* in, void* out, int64_t count) {
  uint16_t* to = out;
  int64_t i = 0;
  for (; i + WIDTH <= count; i += WIDTH) NARROW(in + i, to + i);
  for (; i < count; ++i) to[i] = store_f16(in[i]);
}
#else
PLAIN(f16)
#endif

const tn_narrow_loops TN_CPU_VARIANT(tn_narrow_loops) = {
    .widen = {[TN_HALF] = widen_f16, [TN_BFLOAT16] = widen_bf16},
    .narrow = {[TN_HALF] = narrow_f16, [TN_BFLOAT16] = narrow_bf16},
};
