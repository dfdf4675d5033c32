#include "kernel/construction.h"

const tn_attr_value* tn_construction_attr(const tn_construction* construction, const char* name,
                                          tn_status* status) {
  const tn_attr_value* value = name ? tn_attrs_find(&construction->node->attrs, name) : NULL;
  if (!value)
    tn_status_set(status, TN_INVALID_ARGUMENT, "Operation '%s' has no attr named '%s'.",
                  construction->node->name, name ? name : "(null)");
  return value;
}

static const tn_attr_value* typed(const tn_attr_value* value, bool is_list, tn_attr_kind kind,
                                  const tn_construction* construction, const char* name,
                                  tn_status* status) {
  if (!value) return NULL;
  bool empty = value->is_list && value->count == 0;
  if (value->is_list == is_list && (value->kind == kind || empty)) return value;
  if (is_list && !value->is_list) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "Attribute '%s' is not a list.", name);
  } else {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "AttrValue had value with type '%s' when '%s' expected\n\t for attr '%s'\n\t in "
                  "node '%s'",
                  tn_attr_type_name(value->kind, value->is_list), tn_attr_type_name(kind, is_list),
                  name, construction->node->name);
  }
  return NULL;
}

const tn_attr_value* tn_construction_value(const tn_construction* construction, const char* name,
                                           tn_attr_kind kind, tn_status* status) {
  return typed(tn_construction_attr(construction, name, status), false, kind, construction, name,
               status);
}

const tn_attr_value* tn_construction_list(const tn_construction* construction, const char* name,
                                          tn_attr_kind kind, tn_status* status) {
  return typed(tn_construction_attr(construction, name, status), true, kind, construction, name,
               status);
}

bool tn_construction_attr_size(const tn_construction* construction, const char* name,
                               int32_t* out_list_size, int32_t* out_total_size, tn_status* status) {
  *out_list_size = *out_total_size = -1;
  const tn_attr_value* value = tn_construction_attr(construction, name, status);
  if (!value) return false;
  if (value->is_list) *out_list_size = (int32_t)value->count;
  int64_t total = -1;
  if (value->kind == TN_ATTR_STRING) {
    total = 0;
    for (size_t i = 0; i < value->count; ++i) total += (int64_t)value->strings[i].size;
  } else if (value->kind == TN_ATTR_SHAPE && !value->is_list) {
    total = value->shapes[0].rank;
  } else if (value->kind == TN_ATTR_SHAPE) {
    total = 0;
    for (size_t i = 0; i < value->count; ++i)
      if (value->shapes[i].rank > 0) total += value->shapes[i].rank;
  }
  *out_total_size = (int32_t)(total > INT32_MAX ? INT32_MAX : total);
  return true;
}
