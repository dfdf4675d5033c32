// TF_TString: the 24-byte element of string tensors, and its operations as inlines.
//
// Host and plugins each compile their own copy of these functions, possibly years apart, so the
// layout and the use of malloc, realloc and free are part of the ABI. The low two bits of byte 0
// say which of the four forms a string has:
//
//   SMALL   byte 0 = size * 4; then up to 22 characters and a NUL
//   LARGE   { size * 4 + 1, capacity, pointer }; malloc'd, NUL-terminated, capacity + 1 bytes
//   OFFSET  { size * 4 + 2, offset, count }, 32 bits each, little-endian; text at this + offset
//   VIEW    { size * 4 + 3, pointer, owner }; somebody else's memory
//
// Code built against TensorFlow 2.20 or older leaves arbitrary bytes where a VIEW's owner stands,
// code of 2.21 calls through it when it is not NULL. So every view made here gets an owner or NULL.
//
// An allocation that fails leaves the string as it was; functions that return a pointer say so with
// NULL.

#ifndef TENSORFLOW_CORE_PLATFORM_CTSTRING_INTERNAL_H_
#define TENSORFLOW_CORE_PLATFORM_CTSTRING_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TF_TSTRING_LITTLE_ENDIAN 1
#define TF_le32toh(x) (x)
#else
#define TF_TSTRING_LITTLE_ENDIAN 0
#define TF_le32toh(x) __builtin_bswap32(x)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TF_TString_Type {
  TF_TSTR_SMALL = 0,
  TF_TSTR_LARGE = 1,
  TF_TSTR_OFFSET = 2,
  TF_TSTR_VIEW = 3,
  TF_TSTR_TYPE_MASK = 3,
} TF_TString_Type;

// Keeps the memory behind a view alive. unref returns whether that was the last reference.
struct TStringOwnerCApi;
typedef void (*tstring_owner_ref_t)(struct TStringOwnerCApi* self);
typedef bool (*tstring_owner_unref_t)(struct TStringOwnerCApi* self);

typedef struct TStringOwnerCApi {
  tstring_owner_ref_t ref;
  tstring_owner_unref_t unref;
  void* obj;
} TStringOwnerCApi;

typedef struct TF_TString_Large {
  size_t size;
  size_t cap;
  char* ptr;
} TF_TString_Large;

typedef struct TF_TString_Offset {
  uint32_t size;
  uint32_t offset;
  uint32_t count;
} TF_TString_Offset;

typedef struct TF_TString_View {
  size_t size;
  const char* ptr;
  TStringOwnerCApi* owner_ref;
} TF_TString_View;

typedef struct TF_TString_Raw {
  uint8_t raw[24];
} TF_TString_Raw;

typedef union TF_TString_Union {
  TF_TString_Large large;
  TF_TString_Offset offset;
  TF_TString_View view;
  TF_TString_Raw raw;
} TF_TString_Union;

// One byte for the size, one for the NUL.
enum { TF_TString_SmallCapacity = sizeof(TF_TString_Union) - 2 };

typedef struct TF_TString_Small {
  uint8_t size;
  char str[TF_TString_SmallCapacity + 1];
} TF_TString_Small;

typedef struct TF_TString {
  union {
    TF_TString_Small smll;
    TF_TString_Large large;
    TF_TString_Offset offset;
    TF_TString_View view;
    TF_TString_Raw raw;
  } u;
} TF_TString;

// Sizes as stored: shifted by two, with the form in the low bits of the first byte in memory. On
// big-endian machines that byte is the most significant one, and only it is shifted.

static inline size_t TF_TString_ToActualSizeT(size_t size) {
#if TF_TSTRING_LITTLE_ENDIAN
  return size >> 2;
#else
  const size_t low = ~(size_t)0 >> 8;
  return (((~low << 2) & size) >> 2) | (low & size);
#endif
}

static inline size_t TF_TString_ToInternalSizeT(size_t size, TF_TString_Type type) {
#if TF_TSTRING_LITTLE_ENDIAN
  return (size << 2) | (size_t)type;
#else
  const size_t low = ~(size_t)0 >> 8;
  return (~low & (size << 2)) | (low & size) | ((size_t)type << ((sizeof(size_t) - 1) * 8));
#endif
}

static inline TF_TString_Type TF_TString_GetType(const TF_TString* str) {
  return (TF_TString_Type)(str->u.raw.raw[0] & TF_TSTR_TYPE_MASK);
}

static inline size_t TF_TString_GetSize(const TF_TString* str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL: return str->u.smll.size >> 2;
    case TF_TSTR_LARGE: return TF_TString_ToActualSizeT(str->u.large.size);
    case TF_TSTR_OFFSET: return TF_le32toh(str->u.offset.size) >> 2;
    default: return TF_TString_ToActualSizeT(str->u.view.size);
  }
}

// Characters that fit without a new allocation; 0 for the read-only forms.
static inline size_t TF_TString_GetCapacity(const TF_TString* str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL: return TF_TString_SmallCapacity;
    case TF_TSTR_LARGE: return str->u.large.cap;
    default: return 0;
  }
}

static inline const char* TF_TString_GetDataPointer(const TF_TString* str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL: return str->u.smll.str;
    case TF_TSTR_LARGE: return str->u.large.ptr;
    case TF_TSTR_OFFSET: return (const char*)str + TF_le32toh(str->u.offset.offset);
    default: return str->u.view.ptr;
  }
}

// An empty SMALL string. The bytes may hold anything before.
static inline void TF_TString_Init(TF_TString* str) { memset(str, 0, sizeof(*str)); }

// Gives up what the string owns and leaves it empty. A string that owns nothing stays as it is.
static inline void TF_TString_Dealloc(TF_TString* str) {
  if (TF_TString_GetType(str) == TF_TSTR_LARGE) {
    free(str->u.large.ptr);
    TF_TString_Init(str);
  } else if (TF_TString_GetType(str) == TF_TSTR_VIEW && str->u.view.owner_ref) {
    (void)str->u.view.owner_ref->unref(str->u.view.owner_ref);
    TF_TString_Init(str);
  }
}

static inline size_t TF_align16(size_t i) { return (i + 15) & ~(size_t)15; }
static inline size_t TF_max(size_t a, size_t b) { return a > b ? a : b; }
static inline size_t TF_min(size_t a, size_t b) { return a < b ? a : b; }

// Turns any form into LARGE with room for `cap` characters, keeping the first `size` of them.
static inline bool TF_TString_MakeLarge(TF_TString* str, size_t cap, size_t size) {
  if (cap > SIZE_MAX / 8) return false;  // the stored size has two bits less
  const bool was_large = TF_TString_GetType(str) == TF_TSTR_LARGE;
  char* ptr = (char*)realloc(was_large ? str->u.large.ptr : NULL, cap + 1);
  if (!ptr) return false;
  if (!was_large) {
    if (size) memcpy(ptr, TF_TString_GetDataPointer(str), size);
    TF_TString_Dealloc(str);
  }
  ptr[size] = '\0';
  str->u.large.size = TF_TString_ToInternalSizeT(size, TF_TSTR_LARGE);
  str->u.large.cap = cap;
  str->u.large.ptr = ptr;
  return true;
}

// Sets the size and returns the characters for writing; those beyond the old size hold anything.
// Up to 22 characters are always SMALL; a LARGE one shrinks when less than half of it is in use.
static inline char* TF_TString_ResizeUninitialized(TF_TString* str, size_t new_size) {
  const size_t old_size = TF_TString_GetSize(str);
  const size_t kept = TF_min(old_size, new_size);
  if (new_size <= TF_TString_SmallCapacity) {
    if (TF_TString_GetType(str) != TF_TSTR_SMALL) {
      const char* text = TF_TString_GetDataPointer(str);
      TF_TString old = *str;
      if (kept) memcpy(str->u.smll.str, text, kept);
      TF_TString_Dealloc(&old);
    }
    str->u.smll.size = (uint8_t)(new_size << 2);
    str->u.smll.str[new_size] = '\0';
    return str->u.smll.str;
  }
  const size_t old_cap = TF_TString_GetCapacity(str);
  size_t cap = old_cap;
  if (new_size > old_cap) {
    cap = TF_align16(new_size + 1) - 1;
  } else if (new_size < old_size && new_size < old_cap / 2) {
    cap = TF_align16(old_cap / 2 + 1) - 1;
  }
  if (cap != old_cap && !TF_TString_MakeLarge(str, cap, kept)) return NULL;
  str->u.large.size = TF_TString_ToInternalSizeT(new_size, TF_TSTR_LARGE);
  str->u.large.ptr[new_size] = '\0';
  return str->u.large.ptr;
}

// The same; characters beyond the old size become `c`.
static inline char* TF_TString_Resize(TF_TString* str, size_t new_size, char c) {
  const size_t old_size = TF_TString_GetSize(str);
  char* text = TF_TString_ResizeUninitialized(str, new_size);
  if (text && new_size > old_size) memset(text + old_size, c, new_size - old_size);
  return text;
}

// The characters for writing. OFFSET and VIEW become a private copy first.
static inline char* TF_TString_GetMutableDataPointer(TF_TString* str) {
  switch (TF_TString_GetType(str)) {
    case TF_TSTR_SMALL: return str->u.smll.str;
    case TF_TSTR_LARGE: return str->u.large.ptr;
    default: return TF_TString_ResizeUninitialized(str, TF_TString_GetSize(str));
  }
}

// Makes room for `new_cap` characters; ReserveAmortized at least doubles, for repeated growth.
static inline void TF_TString_Reserve(TF_TString* str, size_t new_cap) {
  if (new_cap <= TF_TString_SmallCapacity) return;
  if (TF_TString_GetType(str) == TF_TSTR_LARGE && new_cap <= str->u.large.cap) return;
  const size_t size = TF_TString_GetSize(str);
  (void)TF_TString_MakeLarge(str, TF_align16(TF_max(new_cap, size) + 1) - 1, size);
}

static inline void TF_TString_ReserveAmortized(TF_TString* str, size_t new_cap) {
  const size_t old_cap = TF_TString_GetCapacity(str);
  if (new_cap > old_cap) TF_TString_Reserve(str, TF_max(new_cap, 2 * old_cap));
}

// `src` must outlive the view, or `owner_ref` keep it alive; NULL is no owner.
static inline void TF_TString_AssignViewWithOwner(TF_TString* dst, const char* src, size_t size,
                                                  TStringOwnerCApi* owner_ref) {
  if (owner_ref) owner_ref->ref(owner_ref);
  TF_TString_Dealloc(dst);
  dst->u.view.size = TF_TString_ToInternalSizeT(size, TF_TSTR_VIEW);
  dst->u.view.ptr = src;
  dst->u.view.owner_ref = owner_ref;
}

static inline void TF_TString_AssignView(TF_TString* dst, const char* src, size_t size) {
  TF_TString_AssignViewWithOwner(dst, src, size, NULL);
}

static inline void TF_TString_Copy(TF_TString* dst, const char* src, size_t size) {
  char* text = TF_TString_ResizeUninitialized(dst, size);
  if (text && size) memcpy(text, src, size);
}

static inline void TF_TString_AppendN(TF_TString* dst, const char* src, size_t size) {
  if (!size) return;
  const size_t old_size = TF_TString_GetSize(dst);
  TF_TString_ReserveAmortized(dst, old_size + size);
  char* text = TF_TString_ResizeUninitialized(dst, old_size + size);
  if (text) memcpy(text + old_size, src, size);
}

static inline void TF_TString_Append(TF_TString* dst, const TF_TString* src) {
  TF_TString_AppendN(dst, TF_TString_GetDataPointer(src), TF_TString_GetSize(src));
}

// LARGE is copied in full; a VIEW stays a view of the same memory, an OFFSET becomes one.
static inline void TF_TString_Assign(TF_TString* dst, const TF_TString* src) {
  if (dst == src) return;
  const char* text = TF_TString_GetDataPointer(src);
  const size_t size = TF_TString_GetSize(src);
  if (TF_TString_GetType(src) == TF_TSTR_VIEW) {
    TF_TString_AssignViewWithOwner(dst, text, size, src->u.view.owner_ref);
  } else if (TF_TString_GetType(src) == TF_TSTR_OFFSET) {
    TF_TString_AssignView(dst, text, size);
  } else {
    TF_TString copy;
    TF_TString_Init(&copy);
    char* copied = TF_TString_ResizeUninitialized(&copy, size);
    if (!copied) return;
    if (size) memcpy(copied, text, size);
    TF_TString_Dealloc(dst);
    *dst = copy;
  }
}

// Like Assign, but takes what `src` owns and leaves it empty. A SMALL `src` keeps its text.
static inline void TF_TString_Move(TF_TString* dst, TF_TString* src) {
  if (dst == src) return;
  if (TF_TString_GetType(src) == TF_TSTR_OFFSET) {
    TF_TString_Assign(dst, src);
    return;
  }
  TF_TString_Dealloc(dst);
  *dst = *src;
  if (TF_TString_GetType(src) != TF_TSTR_SMALL) TF_TString_Init(src);
}

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_CORE_PLATFORM_CTSTRING_INTERNAL_H_
