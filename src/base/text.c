#include "base/text.h"

#include <stdarg.h>

#include "base/memory.h"

static bool make_room(tn_text* text, size_t size) {
  if (!text->failed && !tn_grow(&text->data, &text->capacity, text->size + size + 1, 1))
    text->failed = true;
  return !text->failed;
}

void tn_text_append(tn_text* text, const char* bytes, size_t size) {
  tn_text_insert(text, text->size, bytes, size);
}

void tn_text_insert(tn_text* text, size_t at, const char* bytes, size_t size) {
  if (!make_room(text, size)) return;
  memmove(text->data + at + size, text->data + at, text->size - at);
  if (size) memcpy(text->data + at, bytes, size);
  text->size += size;
  text->data[text->size] = 0;
}

void tn_text_puts(tn_text* text, const char* string) {
  tn_text_append(text, string, strlen(string));
}

void tn_text_putc(tn_text* text, char c) { tn_text_append(text, &c, 1); }

void tn_text_printf(tn_text* text, const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* piece = tn_vprintf(format, args);
  va_end(args);
  if (piece) {
    tn_text_puts(text, piece);
  } else {
    text->failed = true;
  }
  tn_free(piece);
}

char* tn_text_take(tn_text* text, size_t* out_size) {
  char* data = NULL;
  if (make_room(text, 0)) {
    data = text->data;
    data[text->size] = 0;
    if (out_size) *out_size = text->size;
  } else {
    tn_free(text->data);
  }
  *text = (tn_text){0};
  return data;
}

void tn_text_deinit(tn_text* text) {
  tn_free(text->data);
  *text = (tn_text){0};
}
