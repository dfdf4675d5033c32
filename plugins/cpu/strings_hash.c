// MurmurHash64A, FarmHash's Fingerprint64 and SipHash-2-4, from their publications.

#include <string.h>

#include "strings.h"

static uint64_t word(const char* at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap64(value);
}

static uint64_t half_word(const char* at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap32(value);
}

// Fewer than 8 bytes, as the low ones of a word.
static uint64_t rest_of(const char* at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= (uint64_t)(uint8_t)at[i] << 8 * i;
  return value;
}

uint64_t murmur_hash(chars in) {
  const uint64_t m = 0xc6a4a7935bd1e995u;
  uint64_t h = 0xdecafcaffeu ^ in.size * m;  // TensorFlow's seed
  for (; in.size >= 8; in.data += 8, in.size -= 8) {
    uint64_t k = word(in.data) * m;
    k = (k ^ k >> 47) * m;
    h = (h ^ k) * m;
  }
  if (in.size) h = (h ^ rest_of(in.data, in.size)) * m;
  h = (h ^ h >> 47) * m;
  return h ^ h >> 47;
}

static const uint64_t K0 = 0xc3a5c85c97cb3127u, K1 = 0xb492b66fbe98f273u, K2 = 0x9ae16a3b2f90404fu;

static uint64_t rotate_right(uint64_t x, int by) { return x >> by | x << (64 - by); }
static uint64_t mix(uint64_t x) { return x ^ x >> 47; }

static uint64_t combine(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = mix((u ^ v) * factor);
  return mix((v ^ a) * factor) * factor;
}

static uint64_t farm_to_16(const char* s, size_t size) {
  const uint64_t factor = K2 + size * 2;
  if (size >= 8) {
    const uint64_t a = word(s) + K2, b = word(s + size - 8);
    return combine(rotate_right(b, 37) * factor + a, (rotate_right(a, 25) + b) * factor, factor);
  }
  if (size >= 4) return combine(size + (half_word(s) << 3), half_word(s + size - 4), factor);
  if (size == 0) return K2;
  const uint32_t y = (uint8_t)s[0] + ((uint32_t)(uint8_t)s[size / 2] << 8);
  const uint32_t z = (uint32_t)size + ((uint32_t)(uint8_t)s[size - 1] << 2);
  return mix(y * K2 ^ z * K0) * K2;
}

static uint64_t farm_to_32(const char* s, size_t size) {
  const uint64_t factor = K2 + size * 2;
  const uint64_t a = word(s) * K1, b = word(s + 8);
  const uint64_t c = word(s + size - 8) * factor, d = word(s + size - 16) * K2;
  return combine(rotate_right(a + b, 43) + rotate_right(c, 30) + d,
                 a + rotate_right(b + K2, 18) + c, factor);
}

static uint64_t farm_to_64(const char* s, size_t size) {
  const uint64_t factor = K2 + size * 2;
  const uint64_t a = word(s) * K2, b = word(s + 8);
  const uint64_t c = word(s + size - 8) * factor, d = word(s + size - 16) * K2;
  const uint64_t y = rotate_right(a + b, 43) + rotate_right(c, 30) + d;
  const uint64_t z = combine(y, a + rotate_right(b + K2, 18) + c, factor);
  const uint64_t e = word(s + 16) * factor, f = word(s + 24);
  const uint64_t g = (y + word(s + size - 32)) * factor, h = (z + word(s + size - 24)) * factor;
  return combine(rotate_right(e + f, 43) + rotate_right(g, 30) + h, e + rotate_right(f + a, 18) + g,
                 factor);
}

typedef struct pair {
  uint64_t first, second;
} pair;

static pair farm_weak(const char* s, uint64_t a, uint64_t b) {
  const uint64_t x = word(s + 8), y = word(s + 16), z = word(s + 24);
  a += word(s);
  b = rotate_right(b + a + z, 21);
  const uint64_t c = a;
  a += x + y;
  b += rotate_right(a, 44);
  return (pair){a + z, b + c};
}

// One round over 64 bytes; the last one weighs two of the terms.
typedef struct farm_state {
  uint64_t x, y, z;
  pair v, w;
} farm_state;

static void farm_round(farm_state* state, const char* s, uint64_t factor, uint64_t weight) {
  uint64_t x = state->x, y = state->y, z = state->z;
  pair v = state->v, w = state->w;
  x = rotate_right(x + y + v.first + word(s + 8), 37) * factor;
  y = rotate_right(y + v.second + word(s + 48), 42) * factor;
  x ^= w.second * weight;
  y += v.first * weight + word(s + 40);
  z = rotate_right(z + w.first, 33) * factor;
  v = farm_weak(s, v.second * factor, x + w.first);
  w = farm_weak(s + 32, z + w.second, y + word(s + 16));
  *state = (farm_state){z, y, x, v, w};
}

uint64_t farm_fingerprint(chars in) {
  const char* s = in.data;
  const size_t size = in.size;
  if (size <= 16) return farm_to_16(s, size);
  if (size <= 32) return farm_to_32(s, size);
  if (size <= 64) return farm_to_64(s, size);
  const uint64_t seed = 81, y = seed * K1 + 113;
  farm_state at = {seed * K2 + word(s), y, mix(y * K2 + 113) * K2, {0, 0}, {0, 0}};
  const size_t last = (size - 1) & 63;
  for (const char* end = s + (size - 1) / 64 * 64; s != end; s += 64) farm_round(&at, s, K1, 1);
  const uint64_t factor = K1 + ((at.z & 0xff) << 1);
  at.w.first += last;
  at.v.first += at.w.first;
  at.w.first += at.v.first;
  farm_round(&at, s + last - 63, factor, 9);
  return combine(combine(at.v.first, at.w.first, factor) + mix(at.y) * K0 + at.z,
                 combine(at.v.second, at.w.second, factor) + at.x, factor);
}

static void sip_rounds(uint64_t v[4], int count) {
  for (int i = 0; i < count; ++i) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate_right(v[1], 64 - 13) ^ v[0];
    v[3] = rotate_right(v[3], 64 - 16) ^ v[2];
    v[0] = rotate_right(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate_right(v[1], 64 - 17) ^ v[2];
    v[3] = rotate_right(v[3], 64 - 21) ^ v[0];
    v[2] = rotate_right(v[2], 32);
  }
}

uint64_t sip_hash(const uint64_t key[2], chars in) {
  uint64_t v[4] = {0x736f6d6570736575u ^ key[0], 0x646f72616e646f6du ^ key[1],
                   0x6c7967656e657261u ^ key[0], 0x7465646279746573u ^ key[1]};
  const uint64_t length = (uint64_t)in.size << 56;
  for (bool more = true; more; in.data += 8, in.size -= 8) {
    more = in.size >= 8;
    const uint64_t m = more ? word(in.data) : length | rest_of(in.data, in.size);
    v[3] ^= m;
    sip_rounds(v, 2);
    v[0] ^= m;
    if (!more) break;
  }
  v[2] ^= 0xff;
  sip_rounds(v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}
