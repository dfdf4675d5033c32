#include "strings_utf.h"

static chars without(chars text, size_t size) {
  return (chars){text.data + size, text.size - size};
}

static unsigned byte_at(chars text, size_t i) { return (unsigned char)text.data[i]; }

static uint32_t fail(bool* broken) {
  *broken = true;
  return NO_CHARACTER;
}

uint32_t take_utf8(chars* text, bool* broken) {
  const unsigned first = byte_at(*text, 0);
  chars rest = without(*text, 1);
  *broken = false;
  if (first < 0x80) {
    *text = rest;
    return first;
  }
  const int more = first >= 0xc2 && first < 0xe0   ? 1
                   : first >= 0xe0 && first < 0xf0 ? 2
                   : first >= 0xf0 && first < 0xf5 ? 3
                                                   : 0;
  uint32_t value = more ? first & (0x3fu >> more) : 0;
  // The second byte rules out longer forms than needed, surrogates, and what is beyond the last.
  unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  for (int i = 0; i < more; ++i, low = 0x80, high = 0xbf) {
    if (rest.size == 0 || byte_at(rest, 0) < low || byte_at(rest, 0) > high) {
      *text = rest;
      return fail(broken);
    }
    value = value << 6 | (byte_at(rest, 0) & 0x3f);
    rest = without(rest, 1);
  }
  *text = rest;
  return more ? value : fail(broken);
}

static uint32_t unit16(chars text, size_t at, bool big) {
  return big ? byte_at(text, at) << 8 | byte_at(text, at + 1)
             : byte_at(text, at + 1) << 8 | byte_at(text, at);
}

uint32_t take_utf16(chars* text, bool big, bool* broken) {
  const chars from = *text;
  *broken = false;
  *text = without(from, from.size < 2 ? from.size : 2);
  if (from.size < 2) return fail(broken);
  const uint32_t first = unit16(from, 0, big);
  if (first < 0xd800 || first > 0xdfff) return first;
  const uint32_t second = first < 0xdc00 && from.size >= 4 ? unit16(from, 2, big) : 0;
  if (second < 0xdc00 || second > 0xdfff) return fail(broken);
  *text = without(from, 4);
  return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

uint32_t take_utf32(chars* text, bool big, bool* broken) {
  const chars from = *text;
  *broken = false;
  *text = without(from, from.size < 4 ? from.size : 4);
  if (from.size < 4) return fail(broken);
  const uint32_t value = unit16(from, big ? 0 : 2, big) << 16 | unit16(from, big ? 2 : 0, big);
  return value > LAST_CHARACTER || (value >= 0xd800 && value <= 0xdfff) ? fail(broken) : value;
}

int put_utf8(uint32_t c, char* out) {
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const unsigned char marks[] = {0, 0xc0, 0xe0, 0xf0};
  out[0] = (char)(marks[more] | c >> (6 * more));
  for (int i = 1; i <= more; ++i) out[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
  return more + 1;
}
