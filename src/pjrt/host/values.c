// Named values: what a host tells a plugin, and what a plugin tells of itself.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/view.h"
#include "pjrt/host/plugin.h"

// One block: the numbers or the text of the value stand behind it, then the name.
typedef struct value {
  tn_pjrt_kind kind;
  const char* name;
  size_t size;  // bytes of a string, items of a list, else 1
  union {
    int64_t integer;
    float number;
    bool truth;
    const void* behind;
  };
  _Alignas(int64_t) char room[];
} value;

struct tn_pjrt_values {
  value** items;
  size_t count, capacity;
};

tn_pjrt_values* tn_pjrt_values_create(void) { return tn_alloc_zeroed(1, sizeof(tn_pjrt_values)); }

void tn_pjrt_values_destroy(tn_pjrt_values* values) {
  if (!values) return;
  for (size_t i = 0; i < values->count; ++i) tn_free(values->items[i]);
  tn_free(values->items);
  tn_free(values);
}

static size_t find(const tn_pjrt_values* values, tn_view name) {
  for (size_t i = 0; values && i < values->count; ++i)
    if (tn_view_is(name, values->items[i]->name)) return i;
  return SIZE_MAX;
}

// Puts a value in, of `bytes` bytes behind it (copied from `from`, closed by a zero).
static value* put(tn_pjrt_values* values, tn_view name, tn_pjrt_kind kind, const void* from,
                  size_t bytes, tn_status* status) {
  value* made = bytes < SIZE_MAX / 2 && name.size < SIZE_MAX / 4
                    ? tn_alloc_zeroed(1, sizeof *made + bytes + name.size + 2)
                    : NULL;
  const size_t at = find(values, name);
  if (!made || (at == SIZE_MAX && !tn_grow(&values->items, &values->capacity, values->count + 1,
                                           sizeof *values->items))) {
    tn_free(made);
    tn_status_set_no_memory(status, "setting a named value");
    return NULL;
  }
  made->kind = kind;
  made->size = 1;
  if (bytes) memcpy(made->room, from, bytes);
  memcpy(made->room + bytes + 1, name.data, name.size);
  made->name = made->room + bytes + 1;
  if (at == SIZE_MAX) {
    values->items[values->count++] = made;
  } else {
    tn_free(values->items[at]);
    values->items[at] = made;
  }
  return made;
}

static bool put_string(tn_pjrt_values* values, tn_view name, tn_view text, tn_status* status) {
  value* made = put(values, name, TN_PJRT_STRING, text.data, text.size, status);
  if (!made) return false;
  made->behind = made->room;
  made->size = text.size;
  return true;
}

static bool put_int(tn_pjrt_values* values, tn_view name, int64_t integer, tn_status* status) {
  value* made = put(values, name, TN_PJRT_INT, NULL, 0, status);
  if (made) made->integer = integer;
  return made != NULL;
}

static bool put_ints(tn_pjrt_values* values, tn_view name, const int64_t* list, size_t count,
                     tn_status* status) {
  value* made = put(values, name, TN_PJRT_INTS, list, count * sizeof *list, status);
  if (!made) return false;
  made->behind = made->room;
  made->size = count;
  return true;
}

static bool put_float(tn_pjrt_values* values, tn_view name, float number, tn_status* status) {
  value* made = put(values, name, TN_PJRT_FLOAT, NULL, 0, status);
  if (made) made->number = number;
  return made != NULL;
}

static bool put_bool(tn_pjrt_values* values, tn_view name, bool truth, tn_status* status) {
  value* made = put(values, name, TN_PJRT_BOOL, NULL, 0, status);
  if (made) made->truth = truth;
  return made != NULL;
}

static bool check(const tn_pjrt_values* values, const char* name, bool has_value,
                  tn_status* status) {
  if (values && name && *name && has_value) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "a named value needs a list, a name and a value; %s",
                !values  ? "the list is NULL"
                : !name  ? "the name is NULL"
                : !*name ? "the name is empty"
                         : "the value is NULL");
  tn_status_set_fault(status, TN_FAULT_CALLER);
  return false;
}

bool tn_pjrt_values_set_string(tn_pjrt_values* values, const char* name, const char* value,
                               tn_status* status) {
  return check(values, name, value, status) &&
         put_string(values, tn_view_of(name), tn_view_of(value), status);
}

bool tn_pjrt_values_set_int(tn_pjrt_values* values, const char* name, int64_t value,
                            tn_status* status) {
  return check(values, name, true, status) && put_int(values, tn_view_of(name), value, status);
}

bool tn_pjrt_values_set_ints(tn_pjrt_values* values, const char* name, const int64_t* value,
                             size_t count, tn_status* status) {
  if (!check(values, name, value || !count, status)) return false;
  if (count <= SIZE_MAX / 4 / sizeof *value)
    return put_ints(values, tn_view_of(name), value, count, status);
  return tn_fail(status, TN_INVALID_ARGUMENT, "%zu numbers are more than memory holds", count);
}

bool tn_pjrt_values_set_float(tn_pjrt_values* values, const char* name, float value,
                              tn_status* status) {
  return check(values, name, true, status) && put_float(values, tn_view_of(name), value, status);
}

bool tn_pjrt_values_set_bool(tn_pjrt_values* values, const char* name, bool value,
                             tn_status* status) {
  return check(values, name, true, status) && put_bool(values, tn_view_of(name), value, status);
}

// ---- As typed ----

static bool read_int(const char* text, const char* end, int64_t* out) {
  char* stop;
  if (text == end || !strchr("+-0123456789", *text)) return false;
  errno = 0;
  *out = strtoll(text, &stop, 10);
  return stop == end && errno == 0;
}

// Reads "1,2,3": counts, and stores when `out` is given.
static bool read_ints(const char* text, size_t* count, int64_t* out) {
  *count = 0;
  while (*text) {
    const char* end = strchrnul(text, ',');
    int64_t number;
    if (!read_int(text, end, &number) || (*end && !end[1])) return false;
    if (out) out[*count] = number;
    ++*count;
    text = *end ? end + 1 : end;
  }
  return true;
}

static bool read_float(const char* text, float* out) {
  char* end;
  // Words such as "info" and "nancy" are texts, hexadecimal is for nobody.
  if (!*text || strspn(text, "+-.0123456789eE") != strlen(text)) return false;
  *out = strtof(text, &end);
  return !*end && isfinite(*out);
}

static bool read_bool(const char* text, bool* out) {
  *out = strcmp(text, "true") == 0;
  return *out || strcmp(text, "false") == 0;
}

static const char* const kind_names[] = {"string", "int", "ints", "float", "bool"};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

const char* tn_pjrt_kind_name(tn_pjrt_kind kind) {
  return (unsigned)kind < KINDS ? kind_names[kind] : "?";
}

static int guess_kind(const char* text) {
  size_t count;
  int64_t integer;
  float number;
  bool truth;
  if (read_bool(text, &truth)) return TN_PJRT_BOOL;
  if (read_int(text, text + strlen(text), &integer)) return TN_PJRT_INT;
  if (read_ints(text, &count, NULL) && count > 1) return TN_PJRT_INTS;
  return read_float(text, &number) ? TN_PJRT_FLOAT : TN_PJRT_STRING;
}

static bool put_text(tn_pjrt_values* values, tn_view name, int kind, const char* text,
                     tn_status* status) {
  int64_t integer;
  float number;
  bool truth;
  size_t count;
  if (kind == TN_PJRT_STRING) return put_string(values, name, tn_view_of(text), status);
  if (kind == TN_PJRT_INT && read_int(text, text + strlen(text), &integer))
    return put_int(values, name, integer, status);
  if (kind == TN_PJRT_FLOAT && read_float(text, &number))
    return put_float(values, name, number, status);
  if (kind == TN_PJRT_BOOL && read_bool(text, &truth)) return put_bool(values, name, truth, status);
  if (kind == TN_PJRT_INTS && read_ints(text, &count, NULL)) {
    int64_t* list = tn_alloc((count + 1) * sizeof *list);
    if (!list) {
      tn_status_set_no_memory(status, "reading a list of numbers");
      return false;
    }
    read_ints(text, &count, list);
    bool fine = put_ints(values, name, list, count, status);
    tn_free(list);
    return fine;
  }
  tn_status_set(status, TN_INVALID_ARGUMENT, "%.*s: \"%s\" cannot be read as %s",
                TN_VIEW_ARGS(name), text, kind_names[kind]);
  tn_status_set_fault(status, TN_FAULT_CALLER);
  return false;
}

bool tn_pjrt_values_set_text(tn_pjrt_values* values, const char* text, tn_status* status) {
  const char* equals = text ? strchr(text, '=') : NULL;
  if (!values || !equals || equals == text || *text == ':') {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "an option is written name=value or name:kind=value; found \"%s\"",
                  text ? text : "(NULL)");
    tn_status_set_fault(status, TN_FAULT_CALLER);
    return false;
  }
  const char* colon = memrchr(text, ':', (size_t)(equals - text));
  tn_view name = {text, (size_t)((colon ? colon : equals) - text)};
  if (!colon) return put_text(values, name, guess_kind(equals + 1), equals + 1, status);
  const tn_view kind = {colon + 1, (size_t)(equals - colon - 1)};
  for (int i = 0; i < KINDS; ++i)
    if (tn_view_is(kind, kind_names[i])) return put_text(values, name, i, equals + 1, status);
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "%.*s: \"%.*s\" is no kind of value; there are string, int, ints, float and bool",
                TN_VIEW_ARGS(name), TN_VIEW_ARGS(kind));
  tn_status_set_fault(status, TN_FAULT_CALLER);
  return false;
}

// ---- Reading ----

static const value* at(const tn_pjrt_values* values, size_t i) {
  return values && i < values->count ? values->items[i] : NULL;
}

static const value* of_kind(const tn_pjrt_values* values, size_t i, tn_pjrt_kind kind) {
  const value* found = at(values, i);
  return found && found->kind == kind ? found : NULL;
}

size_t tn_pjrt_values_count(const tn_pjrt_values* values) { return values ? values->count : 0; }

const char* tn_pjrt_values_name(const tn_pjrt_values* values, size_t i) {
  const value* found = at(values, i);
  return found ? found->name : NULL;
}

size_t tn_pjrt_values_find(const tn_pjrt_values* values, const char* name) {
  return find(values, tn_view_of(name));
}

tn_pjrt_kind tn_pjrt_values_kind(const tn_pjrt_values* values, size_t i) {
  const value* found = at(values, i);
  return found ? found->kind : TN_PJRT_STRING;
}

const char* tn_pjrt_values_string(const tn_pjrt_values* values, size_t i) {
  const value* found = of_kind(values, i, TN_PJRT_STRING);
  return found ? found->behind : NULL;
}

int64_t tn_pjrt_values_int(const tn_pjrt_values* values, size_t i) {
  const value* found = of_kind(values, i, TN_PJRT_INT);
  return found ? found->integer : 0;
}

const int64_t* tn_pjrt_values_ints(const tn_pjrt_values* values, size_t i, size_t* count) {
  const value* found = of_kind(values, i, TN_PJRT_INTS);
  if (count) *count = found ? found->size : 0;
  return found ? found->behind : NULL;
}

float tn_pjrt_values_float(const tn_pjrt_values* values, size_t i) {
  const value* found = of_kind(values, i, TN_PJRT_FLOAT);
  return found ? found->number : 0;
}

bool tn_pjrt_values_bool(const tn_pjrt_values* values, size_t i) {
  const value* found = of_kind(values, i, TN_PJRT_BOOL);
  return found && found->truth;
}

// ---- To and from a plugin ----

enum { MOST_VALUES = 1 << 12, MOST_NAME = 1 << 12, MOST_TEXT = 1 << 24, MOST_NUMBERS = 1 << 20 };

static bool makes_sense(const PJRT_NamedValue* given) {
  if (!given->name || !given->name_size || given->name_size > MOST_NAME) return false;
  switch (given->type) {
    case PJRT_NamedValue_kString:
      return given->value_size <= MOST_TEXT && (given->string_value || !given->value_size);
    case PJRT_NamedValue_kInt64List:
      return given->value_size <= MOST_NUMBERS && (given->int64_array_value || !given->value_size);
    case PJRT_NamedValue_kInt64:
    case PJRT_NamedValue_kFloat:
    case PJRT_NamedValue_kBool: return true;
  }
  return false;
}

static bool take_in(tn_pjrt_values* values, const PJRT_NamedValue* given, tn_status* status) {
  // Names end where a zero stands, whatever the size says.
  const tn_view name = {given->name, strnlen(given->name, given->name_size)};
  if (name.size == 0) return true;
  switch (given->type) {
    case PJRT_NamedValue_kString:
      return put_string(values, name, (tn_view){given->string_value, given->value_size}, status);
    case PJRT_NamedValue_kInt64: return put_int(values, name, given->int64_value, status);
    case PJRT_NamedValue_kInt64List:
      return put_ints(values, name, given->int64_array_value, given->value_size, status);
    case PJRT_NamedValue_kFloat: return put_float(values, name, given->float_value, status);
    case PJRT_NamedValue_kBool: {
      unsigned char byte;  // which may be anything
      memcpy(&byte, &given->bool_value, 1);
      return put_bool(values, name, byte != 0, status);
    }
  }
  return true;
}

tn_pjrt_values* tn_pjrt_values_copy(const tn_pjrt* plugin, const PJRT_NamedValue* list,
                                    size_t count, tn_status* status) {
  if (count > MOST_VALUES) {
    tn_fail(status, TN_INTERNAL, "%s: %zu named values are told of; at most %d make sense",
            plugin->name, count, (int)MOST_VALUES);
    return NULL;
  }
  tn_pjrt_values* values = tn_pjrt_values_create();
  bool fine = values != NULL;
  if (!values) tn_status_set_no_memory(status, "reading named values");
  // A newer plugin's items may be larger; each then tells its own size.
  size_t stride = sizeof *list;
  if (list && count && plugin->minor > TN_PJRT_NEWEST && list->struct_size > stride &&
      list->struct_size < 4096)
    stride = (list->struct_size + 7) / 8 * 8;
  for (size_t i = 0; fine && list && i < count; ++i) {
    PJRT_NamedValue given;
    memcpy(&given, (const char*)list + i * stride, sizeof given);
    if (makes_sense(&given)) fine = take_in(values, &given, status);
  }
  if (fine) return values;
  tn_pjrt_values_destroy(values);
  return NULL;
}

PJRT_NamedValue* tn_pjrt_values_lend(const tn_pjrt* plugin, const tn_pjrt_values* values,
                                     size_t* out_count, tn_status* status) {
  *out_count = tn_pjrt_values_count(values);
  PJRT_NamedValue* list = tn_alloc_zeroed(*out_count + 1, sizeof *list);
  if (!list) {
    tn_status_set_no_memory(status, "giving options to a plugin");
    return NULL;
  }
  for (size_t i = 0; i < *out_count; ++i) {
    const value* from = values->items[i];
    PJRT_NamedValue* to = &list[i];
    to->struct_size = TN_PJRT_SIZE_OF(plugin, PJRT_NamedValue);
    to->name = from->name;
    to->name_size = strlen(from->name);
    to->type = (PJRT_NamedValue_Type)from->kind;
    to->value_size = from->size;
    switch (from->kind) {
      case TN_PJRT_STRING: to->string_value = from->behind; break;
      case TN_PJRT_INT: to->int64_value = from->integer; break;
      case TN_PJRT_INTS: to->int64_array_value = from->behind; break;
      case TN_PJRT_FLOAT: to->float_value = from->number; break;
      case TN_PJRT_BOOL: to->bool_value = from->truth; break;
    }
  }
  return list;
}
