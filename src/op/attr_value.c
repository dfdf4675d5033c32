#include "op/attr_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"

size_t tn_attr_item_size(tn_attr_kind kind) {
  switch (kind) {
    case TN_ATTR_STRING:
    case TN_ATTR_PLACEHOLDER: return sizeof(tn_view);
    case TN_ATTR_INT: return sizeof(int64_t);
    case TN_ATTR_FLOAT: return sizeof(float);
    case TN_ATTR_BOOL: return sizeof(bool);
    case TN_ATTR_TYPE: return sizeof(tn_dtype);
    case TN_ATTR_SHAPE: return sizeof(tn_shape);
    case TN_ATTR_TENSOR: return sizeof(tn_tensor*);
    case TN_ATTR_FUNC: return sizeof(tn_func);
    case TN_ATTR_NONE: break;
  }
  return 0;
}

static bool is_text(tn_attr_kind kind) {
  return kind == TN_ATTR_STRING || kind == TN_ATTR_PLACEHOLDER;
}

bool tn_attr_value_alloc(tn_attr_value* value, tn_attr_kind kind, bool is_list, size_t count,
                         size_t text_bytes, tn_status* status) {
  *value = TN_ATTR_VALUE_NONE;
  size_t item = tn_attr_item_size(kind), bytes = 0;
  void* items = NULL;
  if (count && item) {
    if (!__builtin_mul_overflow(count, item, &bytes) &&
        !__builtin_add_overflow(bytes, text_bytes, &bytes))
      items = tn_alloc(bytes);
    if (!items) return tn_status_set_no_memory(status, "making an attribute value"), false;
    memset(items, 0, bytes);
  }
  *value = (tn_attr_value){.kind = kind, .is_list = is_list, .count = count, .items = items};
  return true;
}

// Copies each text behind the array of views, where `value` was given room for them.
static void copy_texts(tn_attr_value* value, const tn_view* texts) {
  char* at = (char*)(value->strings + value->count);
  for (size_t i = 0; i < value->count; ++i) {
    if (texts[i].size) memcpy(at, texts[i].data, texts[i].size);
    value->strings[i] = (tn_view){at, texts[i].size};
    at += texts[i].size + 1;
  }
}

static bool copy_func(tn_func* target, const tn_func* source, tn_status* status) {
  target->name = tn_strdup(source->name ? source->name : "");
  if (!target->name) return tn_status_set_no_memory(status, "copying a function name"), false;
  return tn_attrs_copy(&target->attrs, &source->attrs, status);
}

bool tn_attr_value_init(tn_attr_value* value, tn_attr_kind kind, bool is_list, const void* items,
                        size_t count, tn_status* status) {
  size_t text_bytes = 0;
  bool fits = true;
  for (size_t i = 0; is_text(kind) && fits && i < count; ++i)
    fits = !__builtin_add_overflow(text_bytes, ((const tn_view*)items)[i].size, &text_bytes) &&
           !__builtin_add_overflow(text_bytes, 1, &text_bytes);
  if (!fits) return tn_status_set_no_memory(status, "making an attribute value"), false;
  if (!tn_attr_value_alloc(value, kind, is_list, count, text_bytes, status)) return false;
  if (!value->items) return true;

  bool copied = true;
  if (is_text(kind)) {
    copy_texts(value, items);
  } else if (kind == TN_ATTR_SHAPE) {
    for (size_t i = 0; copied && i < count; ++i)
      copied = tn_shape_copy(&value->shapes[i], (const tn_shape*)items + i, status);
  } else if (kind == TN_ATTR_TENSOR) {
    for (size_t i = 0; copied && i < count; ++i) {
      tn_tensor* tensor = ((tn_tensor* const*)items)[i];
      if (!tensor)
        tn_status_set(status, TN_INVALID_ARGUMENT, "tensor %zu of an attribute is NULL", i);
      copied = tensor && (value->tensors[i] = tn_tensor_share(tensor, status));
    }
  } else if (kind == TN_ATTR_FUNC) {
    for (size_t i = 0; copied && i < count; ++i)
      copied = copy_func(&value->funcs[i], (const tn_func*)items + i, status);
  } else {
    memcpy(value->items, items, count * tn_attr_item_size(kind));
  }
  if (!copied) tn_attr_value_deinit(value);
  return copied;
}

bool tn_attr_value_copy(tn_attr_value* target, const tn_attr_value* source, tn_status* status) {
  return tn_attr_value_init(target, source->kind, source->is_list, source->items, source->count,
                            status);
}

void tn_func_deinit(tn_func* func) {
  tn_free(func->name);
  tn_attrs_deinit(&func->attrs);
  func->name = NULL;
}

void tn_attr_value_deinit(tn_attr_value* value) {
  if (value->items) {
    for (size_t i = 0; i < value->count; ++i) {
      if (value->kind == TN_ATTR_SHAPE) tn_shape_deinit(&value->shapes[i]);
      if (value->kind == TN_ATTR_TENSOR) tn_tensor_destroy(value->tensors[i]);
      if (value->kind == TN_ATTR_FUNC) tn_func_deinit(&value->funcs[i]);
    }
    tn_free(value->items);
  }
  *value = TN_ATTR_VALUE_NONE;
}

static tn_view string_element(const tn_tensor* tensor, int64_t i) {
  tn_view view;
  view.data = tn_tensor_string(tensor, i, &view.size);
  return view;
}

static bool tensors_equal(const tn_tensor* a, const tn_tensor* b) {
  if (a == b) return true;
  if (a->dtype != b->dtype || !tn_shape_equal(&a->shape, &b->shape)) return false;
  if (a->dtype != TN_STRING) {
    size_t bytes = tn_tensor_bytes(a);
    return bytes == tn_tensor_bytes(b) && memcmp(tn_tensor_data(a), tn_tensor_data(b), bytes) == 0;
  }
  for (int64_t i = 0, count = tn_tensor_elements(a); i < count; ++i)
    if (!tn_view_equal(string_element(a, i), string_element(b, i))) return false;
  return true;
}

static bool funcs_equal(const tn_func* a, const tn_func* b) {
  if (strcmp(a->name, b->name) != 0 || a->attrs.count != b->attrs.count) return false;
  for (size_t i = 0; i < a->attrs.count; ++i) {
    const tn_attr_value* other = tn_attrs_find(&b->attrs, a->attrs.items[i].name);
    if (!other || !tn_attr_value_equal(&a->attrs.items[i].value, other)) return false;
  }
  return true;
}

bool tn_attr_value_equal(const tn_attr_value* a, const tn_attr_value* b) {
  if (a->is_list != b->is_list || a->count != b->count) return false;
  if (a->is_list && a->count == 0) return true;  // empty lists have no type on the wire
  if (a->kind != b->kind) return false;
  for (size_t i = 0; i < a->count; ++i) {
    bool equal = true;
    switch (a->kind) {
      case TN_ATTR_STRING:
      case TN_ATTR_PLACEHOLDER: equal = tn_view_equal(a->strings[i], b->strings[i]); break;
      case TN_ATTR_SHAPE: equal = tn_shape_equal(&a->shapes[i], &b->shapes[i]); break;
      case TN_ATTR_TENSOR: equal = tensors_equal(a->tensors[i], b->tensors[i]); break;
      case TN_ATTR_FUNC: equal = funcs_equal(&a->funcs[i], &b->funcs[i]); break;
      default: {
        // Numbers by their bits, so that a NaN equals itself and a lookup finds it again.
        size_t size = tn_attr_item_size(a->kind);
        equal = memcmp((char*)a->items + i * size, (char*)b->items + i * size, size) == 0;
      }
    }
    if (!equal) return false;
  }
  return true;
}

static uint64_t hash_view(tn_view view, uint64_t seed) {
  return tn_hash(view.data, view.size, seed);
}

static uint64_t hash_shape(const tn_shape* shape, uint64_t seed) {
  size_t rank = shape->rank > 0 ? (size_t)shape->rank : 0;
  return tn_hash(tn_shape_dims(shape), rank * sizeof(int64_t), seed ^ (uint64_t)shape->rank);
}

static uint64_t hash_tensor(const tn_tensor* tensor, uint64_t seed) {
  seed = hash_shape(&tensor->shape, seed ^ (uint64_t)tensor->dtype);
  if (tensor->dtype != TN_STRING)
    return tn_hash(tn_tensor_data(tensor), tn_tensor_bytes(tensor), seed);
  for (int64_t i = 0, count = tn_tensor_elements(tensor); i < count; ++i)
    seed = hash_view(string_element(tensor, i), seed);
  return seed;
}

static uint64_t hash_func(const tn_func* func, uint64_t seed) {
  uint64_t sum = 0;  // the order of attributes does not matter
  for (size_t i = 0; i < func->attrs.count; ++i) {
    uint64_t name = hash_view(tn_view_of(func->attrs.items[i].name), seed);
    sum += tn_attr_value_hash(&func->attrs.items[i].value, name);
  }
  return hash_view(tn_view_of(func->name), seed) ^ sum;
}

uint64_t tn_attr_value_hash(const tn_attr_value* value, uint64_t seed) {
  // Like equality: an empty list is the same whatever its kind.
  uint64_t kind = value->is_list && value->count == 0 ? 0 : (uint64_t)value->kind;
  uint64_t hash = seed + (kind * 2 + value->is_list + value->count * 64) * 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < value->count; ++i) {
    switch (value->kind) {
      case TN_ATTR_STRING:
      case TN_ATTR_PLACEHOLDER: hash = hash_view(value->strings[i], hash); break;
      case TN_ATTR_SHAPE: hash = hash_shape(&value->shapes[i], hash); break;
      case TN_ATTR_TENSOR: hash = hash_tensor(value->tensors[i], hash); break;
      case TN_ATTR_FUNC: hash = hash_func(&value->funcs[i], hash); break;
      default: {
        size_t size = tn_attr_item_size(value->kind);
        hash = tn_hash((char*)value->items + i * size, size, hash);
      }
    }
  }
  return hash;
}

static void print_text(tn_view text, tn_text* out) {
  enum { longest = 80 };
  tn_text_putc(out, '"');
  for (size_t i = 0; i < text.size && i < longest; ++i) {
    unsigned char c = (unsigned char)text.data[i];
    if (c == '"' || c == '\\') {
      tn_text_printf(out, "\\%c", c);
    } else if (c < ' ' || c > '~') {
      tn_text_printf(out, "\\%03o", c);
    } else {
      tn_text_putc(out, (char)c);
    }
  }
  tn_text_puts(out, text.size > longest ? "..." : "\"");
}

static void print_float(float value, tn_text* out) {
  char digits[32];
  snprintf(digits, sizeof digits, "%.6g", (double)value);
  if (strtof(digits, NULL) != value) snprintf(digits, sizeof digits, "%.9g", (double)value);
  tn_text_puts(out, digits);
}

static void print_type(tn_dtype type, tn_text* out) {
  const char* name = tn_dtype_enum_name(type);
  if (name) {
    tn_text_puts(out, name);
  } else {
    tn_text_printf(out, "%d", (int)type);
  }
}

static void print_item(const tn_attr_value* value, size_t i, tn_text* out) {
  switch (value->kind) {
    case TN_ATTR_STRING: print_text(value->strings[i], out); break;
    case TN_ATTR_PLACEHOLDER: tn_text_printf(out, "$%s", value->strings[i].data); break;
    case TN_ATTR_INT: tn_text_printf(out, "%" PRId64, value->ints[i]); break;
    case TN_ATTR_FLOAT: print_float(value->floats[i], out); break;
    case TN_ATTR_BOOL: tn_text_puts(out, value->bools[i] ? "true" : "false"); break;
    case TN_ATTR_TYPE: print_type(value->types[i], out); break;
    case TN_ATTR_SHAPE: tn_shape_print(&value->shapes[i], out); break;
    case TN_ATTR_TENSOR:
      tn_text_printf(out, "Tensor<type: %s shape: ", tn_dtype_name(value->tensors[i]->dtype));
      tn_shape_print(&value->tensors[i]->shape, out);
      tn_text_putc(out, '>');
      break;
    case TN_ATTR_FUNC: {
      const tn_attrs* attrs = &value->funcs[i].attrs;
      tn_text_printf(out, "%s[", value->funcs[i].name);
      for (size_t k = 0; k < attrs->count; ++k) {
        tn_text_printf(out, "%s%s=", k ? ", " : "", attrs->items[k].name);
        tn_attr_value_print(&attrs->items[k].value, out);
      }
      tn_text_putc(out, ']');
      break;
    }
    case TN_ATTR_NONE: break;
  }
}

void tn_attr_value_print(const tn_attr_value* value, tn_text* out) {
  enum { longest = 50 };
  if (!value->is_list) {
    if (value->kind == TN_ATTR_NONE) {
      tn_text_puts(out, "<Unknown AttrValue type>");
    } else {
      print_item(value, 0, out);
    }
    return;
  }
  tn_text_putc(out, '[');
  for (size_t i = 0; i < value->count && i < longest; ++i) {
    if (i) tn_text_puts(out, ", ");
    print_item(value, i, out);
  }
  tn_text_puts(out, value->count > longest ? ", ...]" : "]");
}

const char* tn_attr_type_name(tn_attr_kind kind, bool is_list) {
  static const char* const names[][2] = {
      {"string", "list(string)"}, {"int", "list(int)"},         {"float", "list(float)"},
      {"bool", "list(bool)"},     {"type", "list(type)"},       {"shape", "list(shape)"},
      {"tensor", "list(tensor)"}, {"placeholder", "list(any)"}, {"func", "list(func)"},
  };
  if ((int)kind < 0 || (size_t)kind >= sizeof names / sizeof *names)
    return is_list ? "list(any)" : "any";
  return names[kind][is_list];
}

const tn_attr_value* tn_attrs_find(const tn_attrs* attrs, const char* name) {
  for (size_t i = 0; name && i < attrs->count; ++i)
    if (strcmp(attrs->items[i].name, name) == 0) return &attrs->items[i].value;
  return NULL;
}

bool tn_attrs_take(tn_attrs* attrs, const char* name, tn_attr_value* value, tn_status* status) {
  tn_attr_value* existing = (tn_attr_value*)tn_attrs_find(attrs, name);
  if (existing) {
    tn_attr_value_deinit(existing);
    *existing = *value;
    *value = TN_ATTR_VALUE_NONE;
    return true;
  }
  char* copy = tn_strdup(name);
  if (!copy || !tn_grow(&attrs->items, &attrs->capacity, attrs->count + 1, sizeof *attrs->items)) {
    tn_free(copy);
    tn_attr_value_deinit(value);
    return tn_status_set_no_memory(status, "setting an attribute"), false;
  }
  attrs->items[attrs->count++] = (tn_attr){copy, *value};
  *value = TN_ATTR_VALUE_NONE;
  return true;
}

bool tn_attrs_set(tn_attrs* attrs, const char* name, const tn_attr_value* value,
                  tn_status* status) {
  tn_attr_value copy;
  return tn_attr_value_copy(&copy, value, status) && tn_attrs_take(attrs, name, &copy, status);
}

bool tn_attrs_copy(tn_attrs* target, const tn_attrs* source, tn_status* status) {
  *target = (tn_attrs){0};
  for (size_t i = 0; i < source->count; ++i) {
    if (!tn_attrs_set(target, source->items[i].name, &source->items[i].value, status)) {
      tn_attrs_deinit(target);
      return false;
    }
  }
  return true;
}

void tn_attrs_truncate(tn_attrs* attrs, size_t count) {
  while (attrs->count > count) {
    tn_attr* last = &attrs->items[--attrs->count];
    tn_free(last->name);
    tn_attr_value_deinit(&last->value);
  }
}

void tn_attrs_deinit(tn_attrs* attrs) {
  tn_attrs_truncate(attrs, 0);
  tn_free(attrs->items);
  *attrs = (tn_attrs){0};
}
