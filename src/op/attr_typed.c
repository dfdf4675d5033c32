// Attribute values as people type them: what op specs take, and the short forms of a command line.

#include <errno.h>
#include <stdlib.h>

#include "base/status.h"
#include "op/attr_value.h"

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static tn_view trim(tn_view text) {
  while (text.size && is_space(text.data[0])) ++text.data, --text.size;
  while (text.size && is_space(text.data[text.size - 1])) --text.size;
  return text;
}

static bool is_quoted(tn_view text) {
  return text.size > 1 && (text.data[0] == '"' || text.data[0] == '\'') &&
         text.data[text.size - 1] == text.data[0];
}

// Cuts the text up to the next comma that stands outside quotes and brackets off the front of
// `rest`.
static tn_view cut(tn_view* rest) {
  int depth = 0;
  char quote = 0;
  size_t i = 0;
  for (; i < rest->size; ++i) {
    char c = rest->data[i];
    if (quote) {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{' || c == '<') {
      ++depth;
    } else if (c == ']' || c == '}' || c == '>') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      break;
    }
  }
  if (i > rest->size) i = rest->size;
  tn_view piece = {rest->data, i};
  size_t used = i < rest->size ? i + 1 : i;
  *rest = (tn_view){rest->data + used, rest->size - used};
  return trim(piece);
}

static bool strip_brackets(tn_view* text) {
  if (text->size < 2 || text->data[0] != '[' || text->data[text->size - 1] != ']') return false;
  *text = trim((tn_view){text->data + 1, text->size - 2});
  return true;
}

static bool read_dim(tn_view text, int64_t* out_dim) {
  char copy[24], *end = copy;
  *out_dim = -1;
  if (tn_view_is(text, "?")) return true;
  if (text.size == 0 || text.size >= sizeof copy || is_space(text.data[0])) return false;
  memcpy(copy, text.data, text.size);
  copy[text.size] = 0;
  errno = 0;
  *out_dim = strtoll(copy, &end, 10);
  return *end == 0 && errno == 0;
}

// "[2,?,3]", "[]", "?" and "<unknown>"; false without a status when it is nothing of the kind.
static bool read_shape(tn_view text, tn_shape* shape, tn_status* status) {
  int64_t dims[TN_MAX_RANK];
  if (tn_view_is(text, "?") || tn_view_is(text, "<unknown>"))
    return tn_shape_init(shape, NULL, -1, status);
  int rank = 0;
  if (!strip_brackets(&text)) return false;
  while (text.size)
    if (rank == TN_MAX_RANK || !read_dim(cut(&text), &dims[rank++])) return false;
  return tn_shape_init(shape, dims, rank, status);
}

static bool parse_one(tn_attr_value* value, tn_attr_kind kind, tn_view text, tn_status* status) {
  if (kind == TN_ATTR_STRING && !is_quoted(text))
    return tn_attr_value_init(value, kind, false, &text, 1, status);
  if (kind == TN_ATTR_TYPE) {
    tn_dtype type = tn_dtype_from_view(text);
    if (type != TN_INVALID) return tn_attr_value_init(value, kind, false, &type, 1, status);
  }
  if (kind == TN_ATTR_SHAPE) {
    tn_shape shape;
    tn_status problem = {0};
    if (read_shape(text, &shape, &problem)) {
      bool made = tn_attr_value_init(value, kind, false, &shape, 1, status);
      tn_shape_deinit(&shape);
      return made;
    }
    if (!tn_ok(&problem)) {
      tn_status_update(status, &problem);
      tn_status_deinit(&problem);
      return false;
    }
  }
  if (kind == TN_ATTR_FUNC && text.size && text.data[0] != '{' && text.data[0] != '<') {
    tn_func func = {.name = tn_strndup(text.data, text.size)};
    if (!func.name) return tn_status_set_no_memory(status, "reading a function name"), false;
    bool made = tn_attr_value_init(value, kind, false, &func, 1, status);
    tn_func_deinit(&func);
    return made;
  }
  return tn_attr_value_parse_strict(value, kind, false, text, status);
}

static bool parse_list(tn_attr_value* value, tn_attr_kind kind, tn_view text, tn_status* status) {
  // "[2,3]" is one shape, and a list of two numbers.
  tn_view inner = text;
  if (strip_brackets(&inner) && kind == TN_ATTR_SHAPE && inner.size &&
      !memchr("[{<", inner.data[0], 3))
    inner = text;

  tn_attr_value* parsed = NULL;
  size_t count = 0, capacity = 0, size = tn_attr_item_size(kind);
  bool done = true;
  while (done && inner.size) {
    done = tn_grow(&parsed, &capacity, count + 1, sizeof *parsed);
    if (!done) tn_status_set_no_memory(status, "reading a list");
    done = done && parse_one(&parsed[count], kind, cut(&inner), status);
    count += done;
  }
  char* items = done ? tn_alloc(count * size) : NULL;
  if (done && !items) tn_status_set_no_memory(status, "reading a list");
  done = done && items;
  for (size_t i = 0; done && i < count; ++i) memcpy(items + i * size, parsed[i].items, size);
  done = done && tn_attr_value_init(value, kind, true, items, count, status);
  for (size_t i = 0; i < count; ++i) tn_attr_value_deinit(&parsed[i]);
  tn_free(parsed);
  tn_free(items);
  return done;
}

bool tn_attr_value_parse_typed(tn_attr_value* value, tn_attr_kind kind, bool is_list, tn_view text,
                               tn_status* status) {
  *value = TN_ATTR_VALUE_NONE;
  // Blanks are part of a string, unless quotes inside them say where it begins and ends.
  if (is_list || kind != TN_ATTR_STRING || is_quoted(trim(text))) text = trim(text);
  return is_list ? parse_list(value, kind, text, status) : parse_one(value, kind, text, status);
}
