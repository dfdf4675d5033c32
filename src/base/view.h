// A borrowed run of bytes. Not NUL-terminated.
#ifndef TENON_BASE_VIEW_H_
#define TENON_BASE_VIEW_H_

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct tn_view {
  const char* data;
  size_t size;
} tn_view;

// For printf's "%.*s".
#define TN_VIEW_ARGS(view) (int)(view).size, (view).data

static inline tn_view tn_view_of(const char* text) {
  return (tn_view){text ? text : "", text ? strlen(text) : 0};
}

static inline bool tn_view_equal(tn_view a, tn_view b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool tn_view_is(tn_view view, const char* text) {
  return tn_view_equal(view, tn_view_of(text));
}

// Takes `prefix` off the front of `view` when it is there.
static inline bool tn_view_skip(tn_view* view, const char* prefix) {
  size_t size = strlen(prefix);
  if (view->size < size || memcmp(view->data, prefix, size) != 0) return false;
  view->data += size;
  view->size -= size;
  return true;
}

#endif  // TENON_BASE_VIEW_H_
