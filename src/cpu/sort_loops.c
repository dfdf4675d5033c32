#include "cpu/sort_loops.h"

// Integers: shifted to unsigned, then turned over.
#define INTEGER_KEYS(x, key, least)                                           \
  static void keys_##x(const void* in, void* out, int64_t count) {            \
    const s_##x* from = in;                                                   \
    key* to = out;                                                            \
    for (int64_t i = 0; i < count; ++i) to[i] = ~((key)from[i] - (key)least); \
  }
INTEGER_KEYS(i8, uint32_t, INT8_MIN)
INTEGER_KEYS(i16, uint32_t, INT16_MIN)
INTEGER_KEYS(i32, uint32_t, INT32_MIN)
INTEGER_KEYS(i64, uint64_t, INT64_MIN)
INTEGER_KEYS(u8, uint32_t, 0)
INTEGER_KEYS(u16, uint32_t, 0)
INTEGER_KEYS(u32, uint32_t, 0)
INTEGER_KEYS(u64, uint64_t, 0)

// Floats of either sign lie in the order of their bits; both zeros are one, and so are all NaN.
#define FLOAT_KEYS(x, key, sign)                                   \
  static void keys_##x(const void* in, void* out, int64_t count) { \
    const s_##x* from = in;                                        \
    key* to = out;                                                 \
    for (int64_t i = 0; i < count; ++i) {                          \
      const s_##x value = from[i] + 0;                             \
      key bits;                                                    \
      memcpy(&bits, &value, sizeof bits);                          \
      const key rising = bits & sign ? ~bits : bits | sign;        \
      to[i] = value != value ? 0 : ~rising;                        \
    }                                                              \
  }
FLOAT_KEYS(f32, uint32_t, 0x80000000u)
FLOAT_KEYS(f64, uint64_t, 0x8000000000000000u)

#define ANY_BELOW(bits)                                                                           \
  static bool any_below_##bits(const uint##bits##_t* keys, int64_t count, uint##bits##_t limit) { \
    uint##bits##_t any = 0;                                                                       \
    for (int64_t i = 0; i < count; ++i) any |= keys[i] < limit;                                   \
    return any;                                                                                   \
  }
ANY_BELOW(32)
ANY_BELOW(64)

#define ENTRY(x, dtype, _) [dtype] = keys_##x,
const tn_sort_loops TN_CPU_VARIANT(tn_sort_loops) = {
    .keys = {TN_CPU_EACH_INTEGER(ENTRY, )[TN_FLOAT] = keys_f32, [TN_DOUBLE] = keys_f64},
    .any_below_32 = any_below_32,
    .any_below_64 = any_below_64,
};
