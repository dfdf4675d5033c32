// Growing text or bytes. A failed allocation is remembered, so a writer appends freely and asks
// once at the end.
#ifndef TENON_BASE_TEXT_H_
#define TENON_BASE_TEXT_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/view.h"
#include "tenon/status.h"

// Zero bytes are an empty text. `data` is NUL-terminated once anything was appended.
typedef struct tn_text {
  char* data;
  size_t size;
  size_t capacity;
  bool failed;
} tn_text;

void tn_text_append(tn_text* text, const char* bytes, size_t size);
void tn_text_puts(tn_text* text, const char* string);
void tn_text_putc(tn_text* text, char c);
void tn_text_printf(tn_text* text, const char* format, ...) TN_PRINTF(2, 3);
// Inserts bytes at `at`, moving what follows (a length before a nested message).
void tn_text_insert(tn_text* text, size_t at, const char* bytes, size_t size);
static inline tn_view tn_text_view(const tn_text* text) {
  return (tn_view){text->data ? text->data : "", text->size};
}
// Hands over the bytes (free with tn_free) and empties `text`; NULL when an allocation failed.
char* tn_text_take(tn_text* text, size_t* out_size);
void tn_text_deinit(tn_text* text);

#endif  // TENON_BASE_TEXT_H_
