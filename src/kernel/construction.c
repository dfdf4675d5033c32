#include "kernel/construction.h"

#include <inttypes.h>

#include "base/memory.h"

tn_view tn_construction_name(const tn_construction* construction) {
  return tn_view_of(construction ? construction->node->name : "");
}

static const tn_attr_value* find(const tn_construction* construction, const char* attr) {
  return construction && attr ? tn_attrs_find(&construction->node->attrs, attr) : NULL;
}

bool tn_construction_has_attr(const tn_construction* construction, const char* attr) {
  return find(construction, attr) != NULL;
}

static bool fail_argument(tn_status* status) {
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "an attr getter needs a construction context, an attr name and room for the value");
  return false;
}

// "<text>; NodeDef: <node>"
static bool fail_in_node(const tn_construction* construction, const char* text, tn_status* status) {
  tn_text node = {0};
  tn_node_print(construction->node, &node);
  tn_status_set(status, TN_INVALID_ARGUMENT, "%s; NodeDef: %s", text, tn_text_view(&node).data);
  tn_text_deinit(&node);
  return false;
}

static const tn_attr_value* find_in_operation(const tn_construction* construction, const char* attr,
                                              tn_status* status) {
  const tn_attr_value* value = find(construction, attr);
  if (value) return value;
  if (!construction || !attr)
    fail_argument(status);
  else
    tn_status_set(status, TN_INVALID_ARGUMENT, "Operation '%s' has no attr named '%s'.",
                  construction->node->name, attr);
  return NULL;
}

static bool fail_type(const tn_construction* construction, const char* attr,
                      const tn_attr_value* value, tn_attr_kind kind, bool is_list,
                      tn_status* status) {
  char text[256];
  snprintf(text, sizeof text,
           "AttrValue had value with type '%s' when '%s' expected\n\t for attr '%s'",
           tn_attr_type_name(value->kind, value->is_list), tn_attr_type_name(kind, is_list), attr);
  return fail_in_node(construction, text, status);
}

// One value of `kind`; `out` only to be checked.
static const tn_attr_value* get(const tn_construction* construction, const char* attr,
                                tn_attr_kind kind, const void* out, tn_status* status) {
  if (!construction || !attr || !out) return fail_argument(status), NULL;
  const tn_attr_value* value = find(construction, attr);
  if (!value) {
    char text[256];
    snprintf(text, sizeof text, "No attr named '%s' in NodeDef", attr);
    return fail_in_node(construction, text, status), NULL;
  }
  if (value->is_list || value->kind != kind)
    return fail_type(construction, attr, value, kind, false, status), NULL;
  return value;
}

// A list of `kind`, and in `out_count` how many of it there is room for.
static const tn_attr_value* get_list(const tn_construction* construction, const char* attr,
                                     tn_attr_kind kind, const void* out, int room,
                                     size_t* out_count, tn_status* status) {
  if (room > 0 && !out) return fail_argument(status), NULL;
  const tn_attr_value* value = find_in_operation(construction, attr, status);
  if (!value) return NULL;
  if (!value->is_list) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "Attribute '%s' is not a list.", attr);
    return NULL;
  }
  if (value->count > 0 && value->kind != kind)
    return fail_type(construction, attr, value, kind, true, status), NULL;
  *out_count = room <= 0 ? 0 : value->count < (size_t)room ? value->count : (size_t)room;
  return value;
}

static int32_t total_size(const tn_attr_value* value) {
  if (value->count == 0 || (value->kind != TN_ATTR_STRING && value->kind != TN_ATTR_SHAPE))
    return -1;
  if (value->kind == TN_ATTR_SHAPE && !value->is_list) return value->shapes[0].rank;
  int64_t total = 0;
  for (size_t i = 0; i < value->count; ++i) {
    if (value->kind == TN_ATTR_STRING)
      total += (int64_t)value->strings[i].size;
    else if (value->shapes[i].rank > 0)
      total += value->shapes[i].rank;
  }
  return total > INT32_MAX ? INT32_MAX : (int32_t)total;
}

bool tn_construction_attr_size(const tn_construction* construction, const char* attr,
                               int32_t* out_list_size, int32_t* out_total_size, tn_status* status) {
  if (!out_list_size || !out_total_size) return fail_argument(status);
  *out_list_size = *out_total_size = -1;
  const tn_attr_value* value = find_in_operation(construction, attr, status);
  if (!value) return false;
  if (value->is_list) *out_list_size = (int32_t)value->count;
  *out_total_size = total_size(value);
  return true;
}

bool tn_construction_type(const tn_construction* construction, const char* attr,
                          tn_dtype* out_value, tn_status* status) {
  const tn_attr_value* value = get(construction, attr, TN_ATTR_TYPE, out_value, status);
  if (value) *out_value = value->types[0];
  return value != NULL;
}

bool tn_construction_int32(const tn_construction* construction, const char* attr,
                           int32_t* out_value, tn_status* status) {
  const tn_attr_value* value = get(construction, attr, TN_ATTR_INT, out_value, status);
  if (!value) return false;
  if (value->ints[0] != (int32_t)value->ints[0]) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "Attr %s has value %" PRId64 " out of range for an int32", attr, value->ints[0]);
    return false;
  }
  *out_value = (int32_t)value->ints[0];
  return true;
}

bool tn_construction_int64(const tn_construction* construction, const char* attr,
                           int64_t* out_value, tn_status* status) {
  const tn_attr_value* value = get(construction, attr, TN_ATTR_INT, out_value, status);
  if (value) *out_value = value->ints[0];
  return value != NULL;
}

bool tn_construction_float(const tn_construction* construction, const char* attr, float* out_value,
                           tn_status* status) {
  const tn_attr_value* value = get(construction, attr, TN_ATTR_FLOAT, out_value, status);
  if (value) *out_value = value->floats[0];
  return value != NULL;
}

bool tn_construction_bool(const tn_construction* construction, const char* attr,
                          unsigned char* out_value, tn_status* status) {
  const tn_attr_value* value = get(construction, attr, TN_ATTR_BOOL, out_value, status);
  if (value) *out_value = value->bools[0];
  return value != NULL;
}

bool tn_construction_string(const tn_construction* construction, const char* attr, char* out_value,
                            size_t room, tn_status* status) {
  const tn_attr_value* value =
      get(construction, attr, TN_ATTR_STRING, room ? out_value : "", status);
  if (!value) return false;
  tn_view text = value->strings[0];
  if (room) memcpy(out_value, text.data, text.size < room ? text.size : room);
  return true;
}

tn_tensor* tn_construction_tensor(const tn_construction* construction, const char* attr,
                                  tn_status* status) {
  const tn_attr_value* value = get(construction, attr, TN_ATTR_TENSOR, "", status);
  return value ? tn_tensor_share(value->tensors[0], status) : NULL;
}

bool tn_construction_shape(const tn_construction* construction, const char* attr, int64_t* out_dims,
                           size_t rank, tn_status* status) {
  const tn_attr_value* value =
      get(construction, attr, TN_ATTR_SHAPE, rank ? (void*)out_dims : (void*)"", status);
  if (!value) return false;
  const tn_shape* shape = &value->shapes[0];
  if (!tn_shape_is_full(shape)) {
    tn_text text = {0};
    tn_shape_print(shape, &text);
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "attr '%s' is the partial shape %s; a full one is needed", attr,
                  tn_text_view(&text).data);
    tn_text_deinit(&text);
    return false;
  }
  if (rank != (size_t)shape->rank) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "Expected rank is %zu but actual rank is %d", rank,
                  shape->rank);
    return false;
  }
  if (rank) memcpy(out_dims, tn_shape_dims(shape), rank * sizeof *out_dims);
  return true;
}

bool tn_construction_function(const tn_construction* construction, const char* attr, tn_text* out,
                              tn_status* status) {
  const tn_attr_value* value = get(construction, attr, TN_ATTR_FUNC, out, status);
  return value && tn_func_encode(&value->funcs[0], out, status);
}

bool tn_construction_node_def(const tn_construction* construction, tn_text* out,
                              tn_status* status) {
  if (!construction || !out) return fail_argument(status);
  return tn_node_encode(construction->node, out, status);
}

bool tn_construction_type_list(const tn_construction* construction, const char* attr,
                               tn_dtype* out_values, int room, tn_status* status) {
  size_t count;
  const tn_attr_value* value =
      get_list(construction, attr, TN_ATTR_TYPE, out_values, room, &count, status);
  for (size_t i = 0; value && i < count; ++i) out_values[i] = value->types[i];
  return value != NULL;
}

bool tn_construction_int32_list(const tn_construction* construction, const char* attr,
                                int32_t* out_values, int room, tn_status* status) {
  size_t count;
  const tn_attr_value* value =
      get_list(construction, attr, TN_ATTR_INT, out_values, room, &count, status);
  for (size_t i = 0; value && i < count; ++i) out_values[i] = (int32_t)value->ints[i];
  return value != NULL;
}

bool tn_construction_int64_list(const tn_construction* construction, const char* attr,
                                int64_t* out_values, int room, tn_status* status) {
  size_t count;
  const tn_attr_value* value =
      get_list(construction, attr, TN_ATTR_INT, out_values, room, &count, status);
  for (size_t i = 0; value && i < count; ++i) out_values[i] = value->ints[i];
  return value != NULL;
}

bool tn_construction_float_list(const tn_construction* construction, const char* attr,
                                float* out_values, int room, tn_status* status) {
  size_t count;
  const tn_attr_value* value =
      get_list(construction, attr, TN_ATTR_FLOAT, out_values, room, &count, status);
  for (size_t i = 0; value && i < count; ++i) out_values[i] = value->floats[i];
  return value != NULL;
}

bool tn_construction_bool_list(const tn_construction* construction, const char* attr,
                               unsigned char* out_values, int room, tn_status* status) {
  size_t count;
  const tn_attr_value* value =
      get_list(construction, attr, TN_ATTR_BOOL, out_values, room, &count, status);
  for (size_t i = 0; value && i < count; ++i) out_values[i] = value->bools[i];
  return value != NULL;
}

bool tn_construction_string_list(const tn_construction* construction, const char* attr,
                                 char** out_values, size_t* out_sizes, int room, void* storage,
                                 size_t storage_size, tn_status* status) {
  size_t count;
  const tn_attr_value* value = get_list(construction, attr, TN_ATTR_STRING,
                                        out_sizes ? out_values : NULL, room, &count, status);
  char* at = storage;
  size_t left = storage ? storage_size : 0;
  for (size_t i = 0; value && i < count; ++i) {
    tn_view text = value->strings[i];
    out_values[i] = at;
    out_sizes[i] = text.size;
    if (text.size > left) {
      tn_status_set(status, TN_INVALID_ARGUMENT,
                    "Not enough storage to hold the requested list of strings");
      return false;
    }
    if (text.size) memcpy(at, text.data, text.size);
    at += text.size;
    left -= text.size;
  }
  return value != NULL;
}

bool tn_construction_tensor_list(const tn_construction* construction, const char* attr,
                                 tn_tensor** out_values, int room, tn_status* status) {
  size_t count;
  const tn_attr_value* value =
      get_list(construction, attr, TN_ATTR_TENSOR, out_values, room, &count, status);
  for (size_t i = 0; value && i < count; ++i) {
    out_values[i] = tn_tensor_share(value->tensors[i], status);
    if (out_values[i]) continue;
    while (i-- > 0) {
      tn_tensor_destroy(out_values[i]);
      out_values[i] = NULL;
    }
    return false;
  }
  return value != NULL;
}
