#include "cpu/elementwise_loops.h"

// float8_e5m2 is the upper byte of a half.
typedef uint8_t s_e5m2, s_e4m3;
static inline float load_e5m2(uint8_t from) { return float_from_half((uint16_t)(from << 8)); }
static inline float load_e4m3(uint8_t from) {
  const uint32_t sign = (uint32_t)(from & 0x80) << 24, rest = from & 0x7f;
  if (rest == 0x7f) return float_from_bits(sign | 0x7fc00000);
  const float size =
      rest < 8 ? (float)rest * 0x1p-9f : float_from_bits((rest << 20) + (120u << 23));
  return float_from_bits(bits_of_float(size) | sign);
}
// Rounds to `mantissa` bits; a number beyond `largest` becomes `beyond`.
static inline uint8_t tiny_from_float(float value, int mantissa, int bias, uint32_t largest,
                                      uint32_t beyond, uint32_t nan) {
  const uint32_t bits = bits_of_float(value), sign = bits >> 24 & 0x80, size = bits & 0x7fffffff;
  const int shift = 23 - mantissa;
  if (size > 0x7f800000) return (uint8_t)(sign | nan);
  uint32_t tiny;
  if (size < (uint32_t)(128 - bias) << 23) {  // subnormal: let the adder round at the last bit
    const float base = float_from_bits((uint32_t)(127 + 1 - bias - mantissa + 23) << 23);
    tiny = bits_of_float(float_from_bits(size) + base) - bits_of_float(base);
  } else {
    const uint32_t rounded = size + (1u << (shift - 1)) - 1 + (size >> shift & 1);
    tiny = (rounded >> shift) - ((uint32_t)(127 - bias) << mantissa);
  }
  return (uint8_t)(sign | (tiny > largest ? beyond : tiny));
}
static inline uint8_t store_e5m2(float value) {
  return tiny_from_float(value, 2, 15, 0x7b, 0x7c, 0x7e);
}
static inline uint8_t store_e4m3(float value) {
  return tiny_from_float(value, 3, 7, 0x7e, 0x7f, 0x7f);
}

#define PLAIN(x)                                                      \
  static void widen_##x(const void* in, float* out, int64_t count) {  \
    const s_##x* from = in;                                           \
    for (int64_t i = 0; i < count; ++i) out[i] = load_##x(from[i]);   \
  }                                                                   \
  static void narrow_##x(const float* in, void* out, int64_t count) { \
    s_##x* to = out;                                                  \
    for (int64_t i = 0; i < count; ++i) to[i] = store_##x(in[i]);     \
  }
PLAIN(e5m2)
PLAIN(e4m3)
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
    .widen = {[TN_HALF] = widen_f16,
              [TN_BFLOAT16] = widen_bf16,
              [TN_FLOAT8_E5M2] = widen_e5m2,
              [TN_FLOAT8_E4M3FN] = widen_e4m3},
    .narrow = {[TN_HALF] = narrow_f16,
               [TN_BFLOAT16] = narrow_bf16,
               [TN_FLOAT8_E5M2] = narrow_e5m2,
               [TN_FLOAT8_E4M3FN] = narrow_e4m3},
};
