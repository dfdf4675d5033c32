// AttrValue and NameAttrList as protocol-buffer bytes.

#include <inttypes.h>

#include "base/memory.h"
#include "base/wire.h"
#include "op/attr_value.h"

// Field numbers of AttrValue; ListValue has the same ones but for functions.
enum {
  field_list = 1,
  field_string = 2,
  field_int = 3,
  field_float = 4,
  field_bool = 5,
  field_type = 6,
  field_shape = 7,
  field_tensor = 8,
  field_placeholder = 9,
  field_func = 10,
  field_list_func = 9,
};

// What one decoding may still use up: levels (functions hold attributes that hold functions) and
// bytes of tensors that a few bytes stand for.
typedef struct allowance {
  int levels;
  size_t* bytes;
} allowance;
enum { deepest = 100 };

static bool encode_value(const tn_attr_value* value, tn_text* out, tn_status* status);
static bool decode_value(tn_attr_value* value, tn_view bytes, allowance left, tn_status* status);

static bool encode_attrs(const tn_attrs* attrs, uint32_t number, tn_text* out, tn_status* status) {
  for (size_t i = 0; i < attrs->count; ++i) {
    size_t entry = tn_wire_begin(out, number);
    tn_wire_put_bytes(out, 1, tn_view_of(attrs->items[i].name));
    size_t value = tn_wire_begin(out, 2);
    if (!encode_value(&attrs->items[i].value, out, status)) return false;
    tn_wire_end(out, value);
    tn_wire_end(out, entry);
  }
  return true;
}

static bool encode_func(const tn_func* func, tn_text* out, tn_status* status) {
  if (func->name[0]) tn_wire_put_bytes(out, 1, tn_view_of(func->name));
  return encode_attrs(&func->attrs, 2, out, status);
}

static bool encode_item(const tn_attr_value* value, size_t i, uint32_t func_field, tn_text* out,
                        tn_status* status) {
  bool done = true;
  size_t begun;
  switch (value->kind) {
    case TN_ATTR_STRING: tn_wire_put_bytes(out, field_string, value->strings[i]); break;
    case TN_ATTR_INT: tn_wire_put_varint(out, field_int, (uint64_t)value->ints[i]); break;
    case TN_ATTR_FLOAT: tn_wire_put_float(out, field_float, value->floats[i]); break;
    case TN_ATTR_BOOL: tn_wire_put_varint(out, field_bool, value->bools[i]); break;
    case TN_ATTR_TYPE:
      tn_wire_put_varint(out, field_type, (uint64_t)(int64_t)(int)value->types[i]);
      break;
    case TN_ATTR_SHAPE:
      begun = tn_wire_begin(out, field_shape);
      tn_shape_encode(&value->shapes[i], out);
      tn_wire_end(out, begun);
      break;
    case TN_ATTR_TENSOR:
      begun = tn_wire_begin(out, field_tensor);
      done = tn_tensor_encode(value->tensors[i], out, status);
      tn_wire_end(out, begun);
      break;
    case TN_ATTR_PLACEHOLDER: tn_wire_put_bytes(out, field_placeholder, value->strings[i]); break;
    case TN_ATTR_FUNC:
      begun = tn_wire_begin(out, func_field);
      done = encode_func(&value->funcs[i], out, status);
      tn_wire_end(out, begun);
      break;
    case TN_ATTR_NONE: break;
  }
  return done;
}

// Lists of numbers are packed, as TensorFlow writes them.
static void encode_numbers(const tn_attr_value* value, tn_text* out) {
  static const uint32_t fields[] = {[TN_ATTR_INT] = field_int,
                                    [TN_ATTR_FLOAT] = field_float,
                                    [TN_ATTR_BOOL] = field_bool,
                                    [TN_ATTR_TYPE] = field_type};
  size_t begun = tn_wire_begin(out, fields[value->kind]);
  for (size_t i = 0; i < value->count; ++i) {
    switch (value->kind) {
      case TN_ATTR_INT: tn_wire_put_raw_varint(out, (uint64_t)value->ints[i]); break;
      case TN_ATTR_FLOAT: tn_text_append(out, (const char*)&value->floats[i], 4); break;
      case TN_ATTR_BOOL: tn_wire_put_raw_varint(out, value->bools[i]); break;
      default: tn_wire_put_raw_varint(out, (uint64_t)(int64_t)(int)value->types[i]);
    }
  }
  tn_wire_end(out, begun);
}

static bool encode_value(const tn_attr_value* value, tn_text* out, tn_status* status) {
  if (!value->is_list) return encode_item(value, 0, field_func, out, status);
  size_t begun = tn_wire_begin(out, field_list);
  if (value->count && value->kind >= TN_ATTR_INT && value->kind <= TN_ATTR_TYPE) {
    encode_numbers(value, out);
  } else {
    for (size_t i = 0; i < value->count; ++i)
      if (!encode_item(value, i, field_list_func, out, status)) return false;
  }
  tn_wire_end(out, begun);
  return true;
}

static bool enough_memory(const tn_text* out, tn_status* status) {
  if (out->failed) tn_status_set_no_memory(status, "writing a protocol-buffer message");
  return !out->failed;
}

bool tn_attr_value_encode(const tn_attr_value* value, tn_text* out, tn_status* status) {
  return encode_value(value, out, status) && enough_memory(out, status);
}

bool tn_attrs_encode(const tn_attrs* attrs, uint32_t number, tn_text* out, tn_status* status) {
  return encode_attrs(attrs, number, out, status) && enough_memory(out, status);
}

bool tn_func_encode(const tn_func* func, tn_text* out, tn_status* status) {
  return encode_func(func, out, status) && enough_memory(out, status);
}

static bool damaged(tn_status* status, const char* message) {
  tn_status_set(status, TN_INVALID_ARGUMENT, "the bytes are no %s message", message);
  return false;
}

static bool decode_attr_entry(tn_attrs* attrs, tn_view bytes, allowance left, tn_status* status) {
  tn_view name = {"", 0}, value_bytes = {"", 0};
  tn_wire_reader reader = tn_wire_read(bytes);
  for (tn_wire_field field; tn_wire_next(&reader, &field);) {
    if (field.type != TN_WIRE_BYTES) continue;
    if (field.number == 1) name = field.bytes;
    if (field.number == 2) value_bytes = field.bytes;
  }
  if (reader.bad) return damaged(status, "attribute");
  tn_attr_value value;
  if (!decode_value(&value, value_bytes, left, status)) return false;
  char* key = tn_strndup(name.data, name.size);
  if (!key) {
    tn_attr_value_deinit(&value);
    return tn_status_set_no_memory(status, "reading an attribute"), false;
  }
  bool taken = tn_attrs_take(attrs, key, &value, status);
  tn_free(key);
  return taken;
}

static bool decode_func(tn_func* func, tn_view bytes, allowance left, tn_status* status) {
  tn_view name = {"", 0};
  tn_wire_reader reader = tn_wire_read(bytes);
  for (tn_wire_field field; tn_wire_next(&reader, &field);) {
    if (field.type != TN_WIRE_BYTES) continue;
    if (field.number == 1) name = field.bytes;
    if (field.number == 2 && !decode_attr_entry(&func->attrs, field.bytes, left, status))
      return false;
  }
  if (reader.bad) return damaged(status, "NameAttrList");
  func->name = tn_strndup(name.data, name.size);
  if (!func->name) tn_status_set_no_memory(status, "reading a function name");
  return func->name != NULL;
}

static tn_attr_kind kind_of(const tn_wire_field* field, bool in_list) {
  if (field->number == field_list_func && in_list) return TN_ATTR_FUNC;
  switch (field->number) {
    case field_string: return TN_ATTR_STRING;
    case field_int: return TN_ATTR_INT;
    case field_float: return TN_ATTR_FLOAT;
    case field_bool: return TN_ATTR_BOOL;
    case field_type: return TN_ATTR_TYPE;
    case field_shape: return TN_ATTR_SHAPE;
    case field_tensor: return TN_ATTR_TENSOR;
    case field_placeholder: return TN_ATTR_PLACEHOLDER;
    case field_func: return in_list ? TN_ATTR_NONE : TN_ATTR_FUNC;
    default: return TN_ATTR_NONE;
  }
}

static bool is_number(tn_attr_kind kind) { return kind >= TN_ATTR_INT && kind <= TN_ATTR_TYPE; }
static tn_wire_type wire_of(tn_attr_kind kind) {
  if (!is_number(kind)) return TN_WIRE_BYTES;
  return kind == TN_ATTR_FLOAT ? TN_WIRE_FIXED32 : TN_WIRE_VARINT;
}

typedef struct filler {
  tn_attr_value* value;
  size_t at;
  char* text;  // where the next string's bytes go
} filler;

static void put_number(uint64_t number, void* arg) {
  filler* fill = arg;
  size_t i = fill->at++;
  switch (fill->value->kind) {
    case TN_ATTR_INT: fill->value->ints[i] = (int64_t)number; break;
    case TN_ATTR_FLOAT: fill->value->floats[i] = tn_wire_float(number); break;
    case TN_ATTR_BOOL: fill->value->bools[i] = number != 0; break;
    default: fill->value->types[i] = (tn_dtype)(int)number;
  }
}

static void count_number(uint64_t number, void* arg) { ++*(size_t*)arg; }

static bool decode_tensor(tn_tensor** out_tensor, tn_view bytes, size_t* left, tn_status* status) {
  *out_tensor = tn_tensor_decode_within(bytes, *left, status);
  if (!*out_tensor) return false;
  size_t size = tn_tensor_bytes(*out_tensor);
  if (size > bytes.size) *left = size < *left ? *left - size : 0;
  return true;
}

static bool put_message(filler* fill, tn_view bytes, allowance left, tn_status* status) {
  size_t i = fill->at++;
  tn_attr_value* value = fill->value;
  switch (value->kind) {
    case TN_ATTR_SHAPE: return tn_shape_decode(&value->shapes[i], bytes, status);
    case TN_ATTR_TENSOR: return decode_tensor(&value->tensors[i], bytes, left.bytes, status);
    case TN_ATTR_FUNC: return decode_func(&value->funcs[i], bytes, left, status);
    default:
      if (bytes.size) memcpy(fill->text, bytes.data, bytes.size);
      value->strings[i] = (tn_view){fill->text, bytes.size};
      fill->text += bytes.size + 1;
      return true;
  }
}

// Reads the values in `bytes` (the fields of a ListValue, or the one field of an AttrValue that
// counts): first counts them, then fills them in.
static bool decode_items(tn_attr_value* value, tn_view bytes, bool is_list, allowance left,
                         tn_status* status) {
  tn_attr_kind kind = TN_ATTR_NONE;
  size_t count = 0, text_bytes = 0;
  tn_wire_reader reader = tn_wire_read(bytes);
  for (tn_wire_field field; tn_wire_next(&reader, &field);) {
    tn_attr_kind found = kind_of(&field, is_list);
    if (found == TN_ATTR_NONE) continue;
    if (kind != TN_ATTR_NONE && found != kind) {
      tn_status_set(status, TN_INVALID_ARGUMENT,
                    "an attribute list holds values of type %s and of type %s",
                    tn_attr_type_name(kind, false), tn_attr_type_name(found, false));
      return false;
    }
    kind = found;
    bool readable = field.type == TN_WIRE_BYTES;
    if (is_number(kind)) {
      readable = tn_wire_each(&field, wire_of(kind), count_number, &count);
    } else {
      ++count;
      text_bytes += field.bytes.size + 1;
    }
    if (!readable || (!is_list && count != 1)) return damaged(status, "AttrValue");
  }
  if (reader.bad) return damaged(status, "AttrValue");
  bool is_text = kind == TN_ATTR_STRING || kind == TN_ATTR_PLACEHOLDER;
  if (!tn_attr_value_alloc(value, kind, is_list, count, is_text ? text_bytes : 0, status))
    return false;

  filler fill = {value, 0, is_text ? (char*)(value->strings + count) : NULL};
  reader = tn_wire_read(bytes);
  for (tn_wire_field field; tn_wire_next(&reader, &field);) {
    if (kind_of(&field, is_list) == TN_ATTR_NONE) continue;
    if (is_number(kind)) {
      tn_wire_each(&field, wire_of(kind), put_number, &fill);
    } else if (!put_message(&fill, field.bytes, left, status)) {
      tn_attr_value_deinit(value);
      return false;
    }
  }
  return true;
}

static bool decode_value(tn_attr_value* value, tn_view bytes, allowance left, tn_status* status) {
  *value = TN_ATTR_VALUE_NONE;
  if (left.levels-- == 0) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "an attribute is nested over %d levels deep",
                  deepest);
    return false;
  }
  bool is_list = false;
  tn_view last = {"", 0};  // of several members of the oneof, the last counts
  tn_wire_reader reader = tn_wire_read(bytes);
  const uint8_t* start = reader.at;
  for (tn_wire_field field; tn_wire_next(&reader, &field); start = reader.at) {
    if (field.number == field_list && field.type == TN_WIRE_BYTES) {
      is_list = true;
      last = field.bytes;
    } else if (kind_of(&field, false) != TN_ATTR_NONE) {
      is_list = false;
      last = (tn_view){(const char*)start, (size_t)(reader.at - start)};
    }
  }
  if (reader.bad) return damaged(status, "AttrValue");
  return decode_items(value, last, is_list, left, status);
}

bool tn_attr_value_decode_within(tn_attr_value* value, tn_view bytes, size_t limit,
                                 tn_status* status) {
  return decode_value(value, bytes, (allowance){deepest, &limit}, status);
}

bool tn_attr_value_decode(tn_attr_value* value, tn_view bytes, tn_status* status) {
  return tn_attr_value_decode_within(value, bytes, (size_t)1 << 31, status);
}

bool tn_attrs_decode_entry(tn_attrs* attrs, tn_view bytes, tn_status* status) {
  size_t limit = (size_t)1 << 31;
  return decode_attr_entry(attrs, bytes, (allowance){deepest, &limit}, status);
}

bool tn_func_decode(tn_func* func, tn_view bytes, tn_status* status) {
  *func = (tn_func){0};
  size_t limit = (size_t)1 << 31;
  if (decode_func(func, bytes, (allowance){deepest, &limit}, status)) return true;
  tn_func_deinit(func);
  return false;
}
