#include "cpu/random_loops.h"

#include <math.h>

#include "cpu/philox.h"

#ifdef __SSE2__
#include <immintrin.h>

// A register holds several blocks, in the order of memory. The multiplication of the low halves of
// 64-bit lanes takes the words 0 and 2, which are those that Philox multiplies; no plain C or
// vector extension compiles to it.
#if defined(__AVX512F__)
typedef __m512i blocks;
#define MULTIPLY _mm512_mul_epu32
#define REVERSE_WORDS(x) _mm512_shuffle_epi32(x, _MM_PERM_ABCD)
#define UPPER_WORDS(x) _mm512_srli_epi64(x, 32)
#define XOR _mm512_xor_si512
#define ADD _mm512_add_epi64
#define STORE(to, x) _mm512_storeu_si512(to, x)
#define REPEAT(high, low) _mm512_set_epi64(high, low, high, low, high, low, high, low)
#define STEPS(d) _mm512_set_epi64(0, 3 * (d), 0, 2 * (d), 0, d, 0, 0)
#elif defined(__AVX2__)
typedef __m256i blocks;
#define MULTIPLY _mm256_mul_epu32
#define REVERSE_WORDS(x) _mm256_shuffle_epi32(x, 0x1b)
#define UPPER_WORDS(x) _mm256_srli_epi64(x, 32)
#define XOR _mm256_xor_si256
#define ADD _mm256_add_epi64
#define STORE(to, x) _mm256_storeu_si256((__m256i*)(to), x)
#define REPEAT(high, low) _mm256_set_epi64x(high, low, high, low)
#define STEPS(d) _mm256_set_epi64x(0, d, 0, 0)
#else
typedef __m128i blocks;
#define MULTIPLY _mm_mul_epu32
#define REVERSE_WORDS(x) _mm_shuffle_epi32(x, 0x1b)
#define UPPER_WORDS(x) _mm_srli_epi64(x, 32)
#define XOR _mm_xor_si128
#define ADD _mm_add_epi64
#define STORE(to, x) _mm_storeu_si128((__m128i*)(to), x)
#define REPEAT(high, low) _mm_set_epi64x(high, low)
#define STEPS(d) _mm_set_epi64x(0, 0)
#endif

static inline blocks philox_round(blocks state, blocks multipliers, blocks key) {
  blocks products = REVERSE_WORDS(MULTIPLY(state, multipliers));
  return XOR(products, XOR(UPPER_WORDS(state), key));
}

static void words(const tn_cpu_philox* at, uint64_t step, int64_t count, uint32_t* out) {
  enum { WIDTH = sizeof(blocks) / 16, REGISTERS = 4 };  // four hide the multiplier's latency
  _Static_assert(TN_RANDOM_UNROLLED % (WIDTH * REGISTERS) == 0, "whole iterations");
  const blocks multipliers = REPEAT(PHILOX_MULTIPLIER_1, PHILOX_MULTIPLIER_0);
  blocks keys[PHILOX_ROUNDS];
  for (uint32_t i = 0; i < PHILOX_ROUNDS; ++i)
    keys[i] = REPEAT((long long)((uint32_t)(at->key >> 32) + i * PHILOX_WEYL_1),
                     (long long)((uint32_t)at->key + i * PHILOX_WEYL_0));
  const long long distance = (long long)step;
  const blocks next = REPEAT(0, WIDTH * distance);
  blocks counter =
      ADD(REPEAT((long long)at->counter[1], (long long)at->counter[0]), STEPS(distance));
  for (int64_t i = 0; i < count; i += WIDTH * REGISTERS, out += 4 * WIDTH * REGISTERS) {
    blocks a = counter, b = ADD(a, next), c = ADD(b, next), d = ADD(c, next);
    counter = ADD(d, next);
    for (int round = 0; round < PHILOX_ROUNDS; ++round) {
      a = philox_round(a, multipliers, keys[round]);
      b = philox_round(b, multipliers, keys[round]);
      c = philox_round(c, multipliers, keys[round]);
      d = philox_round(d, multipliers, keys[round]);
    }
    STORE(out, a);
    STORE(out + 4 * WIDTH, b);
    STORE(out + 8 * WIDTH, c);
    STORE(out + 12 * WIDTH, d);
  }
}
#else
static void words(const tn_cpu_philox* at, uint64_t step, int64_t count, uint32_t* out) {
  for (int64_t i = 0; i < count; ++i)
    philox_block(at->counter[0] + (uint64_t)i * step, at->counter[1], at->key, out + 4 * i);
}
#endif

static inline double double_from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t bits_of_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Random bits are the mantissa of a number in [1, 2).
static inline float unit_float(uint32_t word) {
  return float_from_bits(0x3f800000u | (word & 0x7fffffu)) - 1.0f;
}

// Word 0 has the upper bits; `words` is how the two lie in memory.
static inline double unit_double(uint64_t words) {
  uint64_t mantissa = (words << 32 | words >> 32) & 0xfffffffffffffu;
  return double_from_bits(0x3ff0000000000000u | mantissa) - 1.0;
}

static void uniform_f32(const void* in, void* out, int64_t count) {
  const uint32_t* word = in;
  float* to = out;
  for (int64_t i = 0; i < count; ++i) to[i] = unit_float(word[i]);
}

static void uniform_f64(const void* in, void* out, int64_t count) {
  const uint64_t* pair = in;
  double* to = out;
  for (int64_t i = 0; i < count; ++i) to[i] = unit_double(pair[i]);
}

// Ten bits fit a half, seven a bfloat16: the float's bits are cut to size.
static void uniform_f16(const void* in, void* out, int64_t count) {
  const uint32_t* word = in;
  uint16_t* to = out;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t mantissa = word[i] & 0x3ff;
    uint32_t bits = bits_of_float((float)(int32_t)mantissa * 0x1p-10f);
    to[i] = (uint16_t)(mantissa ? (bits >> 13) - (112u << 10) : 0);
  }
}

static void uniform_bf16(const void* in, void* out, int64_t count) {
  const uint32_t* word = in;
  uint16_t* to = out;
  for (int64_t i = 0; i < count; ++i)
    to[i] = (uint16_t)(bits_of_float((float)(int32_t)(word[i] & 0x7f) * 0x1p-7f) >> 16);
}

static void integers_i32(const void* in, int64_t low, tn_divisor by, void* out, int64_t count) {
  const uint32_t *word = in, divisor = (uint32_t)by.divisor, start = (uint32_t)low;
  uint32_t* to = out;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t t = (uint32_t)((uint64_t)word[i] * (uint32_t)by.factor >> 32);
    uint32_t quotient = (t + ((word[i] - t) >> by.first)) >> by.second;
    to[i] = start + (word[i] - quotient * divisor);
  }
}

static void integers_i64(const void* in, int64_t low, tn_divisor by, void* out, int64_t count) {
  const uint64_t* word = in;
  uint64_t* to = out;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t t = (uint64_t)((unsigned __int128)word[i] * by.factor >> 64);
    uint64_t quotient = (t + ((word[i] - t) >> by.first)) >> by.second;
    to[i] = (uint64_t)low + (word[i] - quotient * by.divisor);
  }
}

// log of a number in [2^-60, 2): u is 2^k * (1 + f) with 1 + f near 1, and log(1 + f) is
// 2 * atanh(f / (2 + f)), arranged so that the large terms round last.
static inline double log_of_unit(double u) {
  enum { BIAS = 64 };
  const uint64_t root = 0x3fe6a09e667f3bcdu;  // sqrt(0.5)
  const uint64_t bits = bits_of_double(u);
  const uint64_t k = (bits - root + ((uint64_t)BIAS << 52)) >> 52;
  const double exponent = double_from_bits(0x4330000000000000u | k) - (0x1p52 + BIAS);
  const double f = double_from_bits(bits + ((uint64_t)BIAS << 52) - (k << 52)) - 1.0;
  const double s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
  double sum = 2.0 / 21;
  sum = sum * z + 2.0 / 19;
  sum = sum * z + 2.0 / 17;
  sum = sum * z + 2.0 / 15;
  sum = sum * z + 2.0 / 13;
  sum = sum * z + 2.0 / 11;
  sum = sum * z + 2.0 / 9;
  sum = sum * z + 2.0 / 7;
  sum = sum * z + 2.0 / 5;
  sum = sum * z + 2.0 / 3;
  const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  return exponent * ln2_high - ((half - (s * (half + sum * z) + exponent * ln2_low)) - f);
}

// sin and cos of an angle in [0, 2 pi): Taylor's series around the nearest multiple of pi / 2.
static inline void sin_cos(double angle, double* out_sin, double* out_cos) {
  const double shifter = 0x1.8p52;  // leaves the integer nearest in the low bits
  const double shifted = angle * 0x1.45f306dc9c883p-1 + shifter, n = shifted - shifter;
  const uint64_t quadrant = bits_of_double(shifted);
  // pi / 2 in parts of 33, 33 and 53 bits.
  double r = angle - n * 0x1.921fb544p+0;
  r -= n * 0x1.0b4611a6p-34;
  r -= n * 0x1.3198a2e037073p-69;
  const double z = r * r;
  double s = 1.0 / 355687428096000.0;  // 17!
  s = s * z - 1.0 / 1307674368000.0;
  s = s * z + 1.0 / 6227020800.0;
  s = s * z - 1.0 / 39916800.0;
  s = s * z + 1.0 / 362880.0;
  s = s * z - 1.0 / 5040.0;
  s = s * z + 1.0 / 120.0;
  s = s * z - 1.0 / 6.0;
  s = r + r * z * s;
  double c = 1.0 / 20922789888000.0;  // 16!
  c = c * z - 1.0 / 87178291200.0;
  c = c * z + 1.0 / 479001600.0;
  c = c * z - 1.0 / 3628800.0;
  c = c * z + 1.0 / 40320.0;
  c = c * z - 1.0 / 720.0;
  c = c * z + 1.0 / 24.0;
  c = 1.0 - (0.5 * z - z * z * c);
  const uint64_t swap = -(quadrant & 1);
  const uint64_t s_bits = bits_of_double(s), c_bits = bits_of_double(c);
  const uint64_t sine = (s_bits & ~swap) | (c_bits & swap);
  const uint64_t cosine = (c_bits & ~swap) | (s_bits & swap);
  *out_sin = double_from_bits(sine ^ (quadrant & 2) << 62);
  *out_cos = double_from_bits(cosine ^ ((quadrant + 1) & 2) << 62);
}

// A product of floats and the root of one round alike in float and through double, so all stays in
// 64-bit lanes and is rounded where float arithmetic would.
static void normal_f32(const void* in, void* out, int64_t count) {
  const uint64_t* pair = in;
  float* to = out;
  for (int64_t i = 0; i < count / 2; ++i) {
    const double mantissa0 =
        double_from_bits(0x3ff0000000000000u | (pair[i] & 0x7fffff) << 29) - 1.0;
    const double mantissa1 =
        double_from_bits(0x3ff0000000000000u | (pair[i] >> 32 & 0x7fffff) << 29) - 1.0;
    const double u = mantissa0 < (double)1.0e-7f ? (double)1.0e-7f : mantissa0;
    double s, c;
    sin_cos((double)(float)(2.0 * M_PI * mantissa1), &s, &c);
    const double radius = (double)(float)sqrt(-2.0 * (double)(float)log_of_unit(u));
    to[2 * i] = (float)((double)(float)s * radius);
    to[2 * i + 1] = (float)((double)(float)c * radius);
  }
}

static void normal_f64(const void* in, void* out, int64_t count) {
  const uint64_t* pair = in;
  double* to = out;
  for (int64_t i = 0; i < count; i += 2) {
    const double mantissa = unit_double(pair[i]);
    double s, c;
    sin_cos(2.0 * M_PI * unit_double(pair[i + 1]), &s, &c);
    const double radius = sqrt(-2.0 * log_of_unit(mantissa < 1.0e-7 ? 1.0e-7 : mantissa));
    to[i] = s * radius;
    to[i + 1] = c * radius;
  }
}

const tn_random_loops TN_CPU_VARIANT(tn_random_loops) = {
    .words = words,
    .uniform = {[TN_FLOAT] = uniform_f32,
                [TN_DOUBLE] = uniform_f64,
                [TN_HALF] = uniform_f16,
                [TN_BFLOAT16] = uniform_bf16},
    .normal_f32 = normal_f32,
    .normal_f64 = normal_f64,
    .integers_i32 = integers_i32,
    .integers_i64 = integers_i64,
};
