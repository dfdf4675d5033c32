// Numbers as files write them, wherever they lie.
#ifndef TENON_BASE_LITTLE_ENDIAN_H_
#define TENON_BASE_LITTLE_ENDIAN_H_

#include <stdint.h>

static inline uint16_t tn_get16(const uint8_t* at) { return (uint16_t)(at[0] | at[1] << 8); }
static inline uint32_t tn_get32(const uint8_t* at) {
  return tn_get16(at) | (uint32_t)tn_get16(at + 2) << 16;
}
static inline uint64_t tn_get64(const uint8_t* at) {
  return tn_get32(at) | (uint64_t)tn_get32(at + 4) << 32;
}

#endif  // TENON_BASE_LITTLE_ENDIAN_H_
