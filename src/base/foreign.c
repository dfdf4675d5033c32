#include "base/foreign.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

void tn_print_foreign(const char* text, size_t size, FILE* out) {
  const unsigned char *at = (const unsigned char*)text, *end = at + size;
  while (at < end) {
    const size_t length = tn_utf8_size(at, (size_t)(end - at));
    const bool control =
        (*at < 0x20 && *at != '\t') || *at == 0x7f || (length == 2 && *at == 0xc2 && at[1] < 0xa0);
    if (length && !control) {
      fwrite(at, 1, length, out);
    } else {
      fprintf(out, "\\x%02x", length == 2 ? at[1] : at[0]);
    }
    at += length ? length : 1;
  }
}

void tn_print_foreign_lines(const char* text, FILE* out) {
  for (size_t size; size = strcspn(text, "\n"), text[size]; text += size + 1) {
    tn_print_foreign(text, size, out);
    fputc('\n', out);
  }
  tn_print_foreign(text, strlen(text), out);
}
