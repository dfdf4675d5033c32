// The 24-byte string element of string tensors, byte for byte TensorFlow's TF_TString. Plugins
// carry their own compiled copies of these operations, so the layout is fixed and LARGE text is
// libc's malloc'd memory. Which of the four forms a string has is in the low two bits of its first
// byte.
#ifndef TENON_TENSOR_TSTRING_H_
#define TENON_TENSOR_TSTRING_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/view.h"

typedef enum tn_tstring_form {
  TN_TSTRING_SMALL = 0,  // size * 4 in one byte, up to 22 characters, NUL
  TN_TSTRING_LARGE =
      1,  // size * 4 + 1, capacity, pointer to capacity + 1 malloc'd bytes with a NUL
  TN_TSTRING_OFFSET = 2,  // size * 4 + 2, offset from the string itself to its text; read-only
  TN_TSTRING_VIEW = 3,    // size * 4 + 3, pointer to somebody else's text; read-only
} tn_tstring_form;

enum { TN_TSTRING_SMALL_CAPACITY = 22 };

typedef struct tn_tstring {
  union {
    struct {
      uint8_t size;
      char text[TN_TSTRING_SMALL_CAPACITY + 1];
    } small;
    struct {
      size_t size;
      size_t capacity;
      char* text;
    } large;
    struct {
      uint32_t size;
      uint32_t offset;
      uint32_t count;
    } offset;
    struct {
      size_t size;
      const char* text;
      // Code built against TensorFlow up to 2.20 leaves anything here, later code takes it for an
      // owner. Never read; written as zero.
      uintptr_t unread;
    } view;
  };
} tn_tstring;
_Static_assert(sizeof(tn_tstring) == 24 && sizeof(size_t) == 8, "the layout is part of the ABI");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "sizes are stored little-endian");

static inline tn_tstring_form tn_tstring_get_form(const tn_tstring* string) {
  return (tn_tstring_form)(string->small.size & 3);
}

// An empty string; the bytes may hold anything before.
void tn_tstring_init(tn_tstring* string);
// Frees LARGE text and leaves any string empty.
void tn_tstring_deinit(tn_tstring* string);

size_t tn_tstring_size(const tn_tstring* string);
// Characters that fit without a new allocation; 0 for the read-only forms.
size_t tn_tstring_capacity(const tn_tstring* string);
// The text. NUL-terminated when SMALL or LARGE.
const char* tn_tstring_data(const tn_tstring* string);
static inline tn_view tn_tstring_view(const tn_tstring* string) {
  return (tn_view){tn_tstring_data(string), tn_tstring_size(string)};
}

// Sets the size and returns the text for writing, with a NUL after it; what lies beyond the old
// size is undefined. Read-only forms become a private copy. NULL, and no change, without memory.
char* tn_tstring_resize(tn_tstring* string, size_t size);
// A copy of `size` bytes, which must not lie in the string itself. False, and no change, without
// memory.
bool tn_tstring_copy(tn_tstring* string, const char* data, size_t size);
// Adds `size` bytes, at least doubling the capacity when it grows. Same limits as tn_tstring_copy.
bool tn_tstring_append(tn_tstring* string, const char* data, size_t size);
// Refers to `data`, which must outlive the string.
void tn_tstring_assign_view(tn_tstring* string, const char* data, size_t size);

// `target` becomes equal to `source`: SMALL and LARGE are copied, VIEW refers to the same text,
// OFFSET becomes a view of it. False, and no change, without memory.
bool tn_tstring_assign(tn_tstring* target, const tn_tstring* source);
// Like tn_tstring_assign, taking over LARGE text; `source` is empty afterwards (OFFSET stays as it
// is: its text belongs to where it lies).
void tn_tstring_move(tn_tstring* target, tn_tstring* source);

#endif  // TENON_TENSOR_TSTRING_H_
