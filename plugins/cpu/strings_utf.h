// Characters in the encodings of Unicode.
#ifndef TENON_PLUGINS_CPU_STRINGS_UTF_H_
#define TENON_PLUGINS_CPU_STRINGS_UTF_H_

#include "strings.h"

enum { NO_CHARACTER = 0xfffd, LAST_CHARACTER = 0x10ffff };

// Takes a character from the front of `text`, which is not empty. Of bytes that are none, as many
// as could have begun one make one NO_CHARACTER, with `broken` set.
uint32_t take_utf8(chars* text, bool* broken);
uint32_t take_utf16(chars* text, bool big, bool* broken);
uint32_t take_utf32(chars* text, bool big, bool* broken);

// Writes a character, at most 4 bytes; returns how many.
int put_utf8(uint32_t character, char* out);

#endif  // TENON_PLUGINS_CPU_STRINGS_UTF_H_
