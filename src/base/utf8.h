// Telling text from bytes that are none.
#ifndef TENON_BASE_UTF8_H_
#define TENON_BASE_UTF8_H_

#include <stddef.h>

// The size of the UTF-8 sequence at `at`, 0 when there is none (overlong forms, surrogates and
// code points past U+10FFFF are none).
static inline size_t tn_utf8_size(const unsigned char* at, size_t left) {
  size_t size = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
  if (size == 0 || size > left || at[0] > 0xf4) return 0;
  for (size_t i = 1; i < size; ++i)
    if ((at[i] & 0xc0) != 0x80) return 0;
  if (at[0] == 0xe0 && at[1] < 0xa0) return 0;
  if (at[0] == 0xed && at[1] > 0x9f) return 0;
  if (at[0] == 0xf0 && at[1] < 0x90) return 0;
  if (at[0] == 0xf4 && at[1] > 0x8f) return 0;
  return size;
}

#endif  // TENON_BASE_UTF8_H_
