#include "tensor/tstring.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static size_t stored(size_t size, tn_tstring_form form) { return size << 2 | form; }

// Room for `size` characters and a NUL, in steps of 16.
static size_t rounded_capacity(size_t size) { return ((size + 16) & ~(size_t)15) - 1; }

void tn_tstring_init(tn_tstring* string) { *string = (tn_tstring){0}; }

void tn_tstring_deinit(tn_tstring* string) {
  if (tn_tstring_get_form(string) == TN_TSTRING_LARGE) free(string->large.text);
  tn_tstring_init(string);
}

size_t tn_tstring_size(const tn_tstring* string) {
  switch (tn_tstring_get_form(string)) {
    case TN_TSTRING_SMALL: return string->small.size >> 2;
    case TN_TSTRING_LARGE: return string->large.size >> 2;
    case TN_TSTRING_OFFSET: return string->offset.size >> 2;
    case TN_TSTRING_VIEW: break;
  }
  return string->view.size >> 2;
}

size_t tn_tstring_capacity(const tn_tstring* string) {
  switch (tn_tstring_get_form(string)) {
    case TN_TSTRING_SMALL: return TN_TSTRING_SMALL_CAPACITY;
    case TN_TSTRING_LARGE: return string->large.capacity;
    default: return 0;
  }
}

const char* tn_tstring_data(const tn_tstring* string) {
  switch (tn_tstring_get_form(string)) {
    case TN_TSTRING_SMALL: return string->small.text;
    case TN_TSTRING_LARGE: return string->large.text;
    case TN_TSTRING_OFFSET: return (const char*)string + string->offset.offset;
    case TN_TSTRING_VIEW: break;
  }
  return string->view.text;
}

// Makes any form LARGE with that capacity, keeping the first `kept` characters.
static bool make_large(tn_tstring* string, size_t capacity, size_t kept) {
  // The stored size has two bits less than a size_t.
  if (capacity > SIZE_MAX / 8 || tn_memory_should_fail()) return false;
  bool was_large = tn_tstring_get_form(string) == TN_TSTRING_LARGE;
  char* text = realloc(was_large ? string->large.text : NULL, capacity + 1);
  if (!text) return false;
  if (!was_large && kept) memcpy(text, tn_tstring_data(string), kept);
  string->large.size = stored(kept, TN_TSTRING_LARGE);
  string->large.capacity = capacity;
  string->large.text = text;
  return true;
}

char* tn_tstring_resize(tn_tstring* string, size_t size) {
  size_t old_size = tn_tstring_size(string);
  size_t kept = old_size < size ? old_size : size;
  if (size <= TN_TSTRING_SMALL_CAPACITY) {
    if (tn_tstring_get_form(string) != TN_TSTRING_SMALL) {
      tn_tstring old = *string;
      const char* text = tn_tstring_data(string);  // of an OFFSET: lies outside the string
      tn_tstring_init(string);
      if (kept) memcpy(string->small.text, text, kept);
      tn_tstring_deinit(&old);
    }
    string->small.size = (uint8_t)stored(size, TN_TSTRING_SMALL);
    string->small.text[size] = 0;
    return string->small.text;
  }
  size_t old_capacity = tn_tstring_capacity(string), capacity = old_capacity;
  if (size > old_capacity) {
    if (size > SIZE_MAX / 8) return NULL;
    capacity = rounded_capacity(size);
  } else if (size < old_size && size < old_capacity / 2) {
    capacity = rounded_capacity(old_capacity / 2);
  }
  if (capacity != old_capacity && !make_large(string, capacity, kept)) return NULL;
  string->large.size = stored(size, TN_TSTRING_LARGE);
  string->large.text[size] = 0;
  return string->large.text;
}

bool tn_tstring_copy(tn_tstring* string, const char* data, size_t size) {
  char* text = tn_tstring_resize(string, size);
  if (text && size) memcpy(text, data, size);
  return text != NULL;
}

bool tn_tstring_append(tn_tstring* string, const char* data, size_t size) {
  if (size == 0) return true;
  size_t old_size = tn_tstring_size(string), capacity = tn_tstring_capacity(string);
  if (size > SIZE_MAX / 8 - old_size) return false;
  size_t needed = old_size + size;
  if (needed > TN_TSTRING_SMALL_CAPACITY && needed > capacity) {
    size_t larger = 2 * capacity > needed ? 2 * capacity : needed;
    if (!make_large(string, rounded_capacity(larger), old_size)) return false;
  }
  char* text = tn_tstring_resize(string, needed);
  if (text) memcpy(text + old_size, data, size);
  return text != NULL;
}

void tn_tstring_assign_view(tn_tstring* string, const char* data, size_t size) {
  tn_tstring_deinit(string);
  string->view.size = stored(size, TN_TSTRING_VIEW);
  string->view.text = data;
}

bool tn_tstring_assign(tn_tstring* target, const tn_tstring* source) {
  if (target == source) return true;
  tn_view text = tn_tstring_view(source);
  if (tn_tstring_get_form(source) >= TN_TSTRING_OFFSET) {
    tn_tstring_assign_view(target, text.data, text.size);
    return true;
  }
  tn_tstring copy = {0};
  if (!tn_tstring_copy(&copy, text.data, text.size)) return false;
  tn_tstring_deinit(target);
  *target = copy;
  return true;
}

void tn_tstring_move(tn_tstring* target, tn_tstring* source) {
  if (target == source) return;
  if (tn_tstring_get_form(source) >= TN_TSTRING_OFFSET) {
    tn_tstring_assign(target, source);
    if (tn_tstring_get_form(source) == TN_TSTRING_VIEW) tn_tstring_init(source);
    return;
  }
  tn_tstring_deinit(target);
  *target = *source;
  tn_tstring_init(source);
}
