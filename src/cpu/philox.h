// The rounds of Philox 4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3",
// 2011), for one block.
#ifndef TENON_CPU_PHILOX_H_
#define TENON_CPU_PHILOX_H_

#include "cpu/random.h"

enum { PHILOX_ROUNDS = 10 };
#define PHILOX_MULTIPLIER_0 0xD2511F53u
#define PHILOX_MULTIPLIER_1 0xCD9E8D57u
#define PHILOX_WEYL_0 0x9E3779B9u
#define PHILOX_WEYL_1 0xBB67AE85u

static inline void philox_block(uint64_t low, uint64_t high, uint64_t key, uint32_t out[4]) {
  uint32_t c0 = (uint32_t)low, c1 = (uint32_t)(low >> 32);
  uint32_t c2 = (uint32_t)high, c3 = (uint32_t)(high >> 32);
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int round = 0; round < PHILOX_ROUNDS; ++round) {
    uint64_t product0 = (uint64_t)PHILOX_MULTIPLIER_0 * c0;
    uint64_t product1 = (uint64_t)PHILOX_MULTIPLIER_1 * c2;
    c0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)product1;
    c2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)product0;
    k0 += PHILOX_WEYL_0;
    k1 += PHILOX_WEYL_1;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

#endif  // TENON_CPU_PHILOX_H_
